import { createHash, hash as digestOf } from 'node:crypto'
import { cryptAlphabet } from '../protocol/password-hash/weak.ts'

interface ShaCrypt {
  digest: 'sha256' | 'sha512'
  rounds: number
  salt: string
}

/** The digest of SHA-crypt, by "Unix crypt using SHA-256 and SHA-512" of U. Drepper, whose steps the numbers are. */
export function shaCrypt(password: Buffer, { digest: name, rounds, salt: text }: ShaCrypt): string {
  const salt = Buffer.from(text)
  const sum = (...parts: Buffer[]) =>
    parts.reduce((hash, part) => hash.update(part), createHash(name)).digest()
  // 4 to 8.
  const other = sum(password, salt, password)
  // 1 to 3, 9 to 12.
  const parts = [password, salt, filled(other, password.length)]
  for (let bits = password.length; bits > 0; bits >>= 1) parts.push(bits & 1 ? other : password)
  const first = sum(...parts)
  // 13 to 16.
  const p = filled(sum(...Array<Buffer>(password.length).fill(password)), password.length)
  // 17 to 20.
  const s = filled(sum(...Array<Buffer>(16 + (first[0] ?? 0)).fill(salt)), salt.length)
  return lettered(name, stretched(name, { first, p, s, rounds }))
}

/** Step 21. The digest is a text of bytes, which takes half the time of a buffer. */
function stretched(
  name: ShaCrypt['digest'],
  { first, p, s, rounds }: { first: Buffer; p: Buffer; s: Buffer; rounds: number },
): Buffer {
  const buffer = Buffer.alloc(first.length + 2 * p.length + s.length)
  let digest = first.toString('latin1')
  for (let round = 0; round < rounds; round++) {
    const isOdd = round % 2 === 1
    let at = isOdd ? p.copy(buffer, 0) : buffer.write(digest, 0, 'latin1')
    if (round % 3 !== 0) at += s.copy(buffer, at)
    if (round % 7 !== 0) at += p.copy(buffer, at)
    at += isOdd ? buffer.write(digest, at, 'latin1') : p.copy(buffer, at)
    digest = digestOf(name, buffer.subarray(0, at), 'binary')
  }
  return Buffer.from(digest, 'latin1')
}

const filled = (block: Buffer, length: number): Buffer => Buffer.alloc(length, block)

/** Step 22: three bytes as four characters, the bytes in an order that turns within each three. */
function lettered(name: ShaCrypt['digest'], bytes: Buffer): string {
  const [third, turn] = name === 'sha256' ? [10, 2] : [21, 1]
  const groups = Array.from({ length: third }, (_, group) => {
    const order = [group, group + third, group + 2 * third]
    const from = (group * turn) % 3
    return [0, 1, 2].map((index) => order[(from + index) % 3] ?? 0)
  })
  const text = groups.map(([a = 0, b = 0, c = 0]) => characters([bytes[a], bytes[b], bytes[c]], 4)).join('')
  return name === 'sha256'
    ? text + characters([0, bytes[31], bytes[30]], 3)
    : text + characters([0, 0, bytes[63]], 2)
}

function characters([high = 0, middle = 0, low = 0]: (number | undefined)[], count: number): string {
  const value = high * 65_536 + middle * 256 + low
  return Array.from({ length: count }, (_, index) => cryptAlphabet[(value >> (6 * index)) & 63]).join('')
}
