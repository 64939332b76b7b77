import { hashSecret } from '../protocol/identifier.ts'
import { instantOf } from '../protocol/values.ts'
import type { DeclaredSecret } from './declared.ts'
import type { Partly, Place } from './reading.ts'
import type { Said } from './schema.ts'

type Client = Said<'clients'>

export const hashPrefix = 'sha256:'
const secretKeys = ['client_secret', 'client_secret_hash', 'client_secret_hashes'] as const

export function checkSecrets(said: Partly<Client>, place: Place): void {
  const [, second] = secretKeys.filter((key) => Object.hasOwn(said, key))
  if (second !== undefined) place.at(second).problem(`a client has only one of ${secretKeys.join(', ')}`)
  const hashes = said.client_secret_hashes?.flatMap((one) =>
    typeof one === 'string' ? one : (one?.hash ?? []),
  )
  if (hashes !== undefined && (hashes.length > 2 || new Set(hashes).size < hashes.length)) {
    const reason =
      'client_secret_hashes lists at most two, and different ones: the old and the new of a rotation'
    place.at('client_secret_hashes').problem(reason)
  }
}

/** The declared secrets of a client by their hashes; a plain secret goes no further than here. */
export function secretsOf(
  plain: string | undefined,
  hashes: Client['client_secret_hashes'],
): DeclaredSecret[] | undefined {
  if (plain !== undefined) return [{ hash: hashSecret(plain), expiresAt: null }]
  return hashes?.map((one) => {
    const { hash, expires_at: end = '' } = typeof one === 'string' ? { hash: one } : one
    return { hash: hash.slice(hashPrefix.length), expiresAt: instantOf(end) ?? null }
  })
}
