import { isMap } from 'yaml'
import { hashSecret } from '../protocol/identifier.ts'
import type { DeclaredSecret } from './declared.ts'
import { instantOf } from '../protocol/values.ts'
import { type Fields, listOf, type Read, type Reading } from './fields.ts'
import { mapping } from './things.ts'
import { hiddenText, instant } from './values.ts'

const secretKeys = ['client_secret', 'client_secret_hash', 'client_secret_hashes'] as const

/** The declared secrets of a client by their hashes; a plain secret goes no further than here. */
export function declaredSecrets(fields: Fields, reading: Reading): DeclaredSecret[] | undefined {
  const [, second] = secretKeys.filter((key) => fields.has(key))
  if (second !== undefined) {
    reading.problems.add(fields.lineOf(second), `a client has only one of ${secretKeys.join(', ')}`)
  }
  const plain = fields.optional('client_secret', hiddenText(secretProblem))
  const one = fields.optional('client_secret_hash', secretHash)
  const several = fields.optional('client_secret_hashes', listOf(secretEntry))
  if (several !== undefined && (several.length > 2 || distinct(several) < several.length)) {
    const reason =
      'client_secret_hashes lists at most two, and different ones: the old and the new of a rotation'
    reading.problems.add(fields.lineOf('client_secret_hashes'), reason)
  }
  if (plain !== undefined) return [{ hash: hashSecret(plain), expiresAt: null }]
  return one === undefined ? several : [{ hash: one, expiresAt: null }]
}

const distinct = (secrets: readonly DeclaredSecret[]) => new Set(secrets.map((one) => one.hash)).size

/** A hash, or a mapping that says when it ends too. */
const secretEntry: Read<DeclaredSecret> = (place, reading) => {
  if (isMap(place.node)) return endingSecret(place, reading)
  const hash = secretHash(place, reading)
  return hash === undefined ? undefined : { hash, expiresAt: null }
}

const endingSecret = mapping('a client secret', (fields) => {
  const hash = fields.required('hash', secretHash) ?? ''
  return { hash, expiresAt: instantOf(fields.optional('expires_at', instant) ?? '') ?? null }
})

export const hashPrefix = 'sha256:'

const secretHash: Read<string> = (place, reading) =>
  hiddenText(secretHashProblem)(place, reading)?.slice(hashPrefix.length)

function secretProblem(secret: string, reading: Reading): string | undefined {
  if (reading.mode === 'production') {
    return 'is plain, and TESSERA_MODE is production; write client_secret_hash, or let one be generated'
  }
  // RFC 6749 appendix A.2: VSCHAR.
  return /^[\x20-\x7E]{1,256}$/.test(secret) ? undefined : 'is not 1 to 256 printable ASCII characters'
}

function secretHashProblem(hash: string): string | undefined {
  return /^sha256:[A-Za-z0-9_-]{43}$/.test(hash) ? undefined : 'is not sha256: and 43 base64url characters'
}
