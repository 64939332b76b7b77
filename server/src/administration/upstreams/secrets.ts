import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { UpstreamKind } from '../../protocol/upstream-rules.ts'
import { encryptedUpstream } from '../../keys/upstream-secret.ts'

/** What of a body is kept encrypted: it has another name for each kind. */
export interface UpstreamSecretBody {
  client_secret?: string | null | undefined
  bind_password?: string | null | undefined
}

/** The column of a secret that was sent; nothing where none was. */
export function secretColumn(
  { client_secret: client, bind_password: bind }: UpstreamSecretBody,
  uuid: string,
  secret: string,
): { secret?: string | null } {
  const sent = client === undefined ? bind : client
  if (sent === undefined) return {}
  return { secret: sent === null ? null : encryptedUpstream(sent, uuid, 'secret', secret) }
}

/** A new private key, encrypted: it signs client assertions and AuthnRequests. LDAP has none. */
export async function newPrivateKey(
  kind: UpstreamKind,
  uuid: string,
  secret: string,
): Promise<string | null> {
  if (kind === 'ldap') return null
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return encryptedUpstream(privateKey, uuid, 'private_key', secret)
}
