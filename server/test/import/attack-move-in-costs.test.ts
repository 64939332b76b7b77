/** What a hash of an import may make one check of a password cost, beside the dearest bcrypt that is taken. */
import { beforeAll, expect, it } from 'vitest'
import { isPasswordOf } from '../../dist/identity/password-check.js'
import { passwordHashProblem } from '../../dist/protocol/password-hash.js'

const bytes = (count: number, value = 7) => Buffer.alloc(count, value).toString('base64').replaceAll('=', '')
const salt = bytes(16)

/** Typed so that it differs from what it is normalised to, by which it is tried twice. */
const typed = 'a pass\uFB01word'
/** Of the processor, which others of this machine do not lengthen. */
const seconds = (hash: string): number => {
  const began = process.cpuUsage()
  isPasswordOf(hash, typed)
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1_000_000
}

function aspNet(): string {
  const head = Buffer.alloc(13)
  head[0] = 1
  head.writeUInt32BE(2_000_000, 5)
  head.writeUInt32BE(16, 9)
  return Buffer.concat([head, Buffer.alloc(16, 1), Buffer.alloc(64, 2)]).toString('base64')
}

let dearest: number
beforeAll(() => {
  dearest = seconds(`$2b$14$abcdefghijklmnopqrstuu${'a'.repeat(31)}`)
}, 60_000)

it.each([
  ['PBKDF2 of four blocks', `$pbkdf2$2000000$${salt}$${bytes(64)}`],
  ['ASP.NET Identity with SHA-1 and 64 bytes', aspNet()],
  ['scrypt of many lanes', `$scrypt$ln=1,r=1,p=1000000$${salt}$${bytes(64)}`],
  ['argon2 of many lanes', `$argon2id$v=19$m=1024,t=1024,p=16$${salt}$${bytes(32)}`],
  ['argon2 of many passes', `$argon2id$v=19$m=128,t=8192,p=16$${salt}$${bytes(32)}`],
])(
  'a hash by %s costs no more than twice the dearest bcrypt, or is refused',
  (_, hash) => {
    if (passwordHashProblem(hash) !== undefined) return
    expect(seconds(hash)).toBeLessThan(2 * dearest)
  },
  120_000,
)
