import { createHash, createHmac, hash as digestOf } from 'node:crypto'
import { hashSync as hashBcrypt } from '@node-rs/bcrypt'
import { encoded } from '../protocol/password-hash/kinds.ts'
import { cryptAlphabet, type WeakSetting } from '../protocol/password-hash/weak.ts'
import { shaCrypt } from './sha-crypt.ts'

/** Rounds times bytes of the password: more takes longer than a second. */
const mostWork = 64_000_000

/** The digest of a password under the setting of a weak hash; undefined: the password is too long for so many rounds. */
export function weakDigest(setting: WeakSetting, typed: string): string | undefined {
  const password = Buffer.from(typed)
  if ('rounds' in setting && setting.rounds * password.length > mostWork) return undefined
  switch (setting.kind) {
    case 'salted':
      return encoded(createHash(setting.digest).update(password).update(setting.salt).digest())
    case 'phpass':
      return phpass(password, setting)
    case 'sha-crypt':
      return shaCrypt(password, setting)
    case 'wordpress': {
      // PHP's trim().
      const trimmed = typed.replace(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, '')
      const before = createHmac('sha384', 'wp-sha384').update(trimmed).digest('base64')
      return hashBcrypt(before, { salt: setting.salt }).slice(-31)
    }
  }
}

/** Portable hashes of phpass 0.3, with MD5. */
function phpass(password: Buffer, { rounds, salt }: { rounds: number; salt: string }): string {
  const text = Buffer.concat([Buffer.alloc(16), password])
  let digest = digestOf('md5', Buffer.concat([Buffer.from(salt), password]), 'binary')
  for (let round = 0; round < rounds; round++) {
    text.write(digest, 0, 'latin1')
    digest = digestOf('md5', text, 'binary')
  }
  return littleEndian(Buffer.from(digest, 'latin1'))
}

/** Three bytes as four characters, the lowest six bits first. */
function littleEndian(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const some = bytes.subarray(at, at + 3)
    let value = some.reduce((sum, byte, index) => sum + byte * 256 ** index, 0)
    for (let count = 0; count <= some.length; count++) {
      text += cryptAlphabet[value % 64]
      value = Math.floor(value / 64)
    }
  }
  return text
}
