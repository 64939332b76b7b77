import type { UpstreamKind } from '../../protocol/upstream-rules.ts'
import { encryptedUpstream, type UpstreamSecret } from '../../keys/upstream-secret.ts'
import type { Writes } from '../../store/write/rows.ts'
import { newKey } from '../../upstream/saml-metadata.ts'

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

/** Encrypts a secret of an upstream. */
export type EncryptUpstream = (text: string, uuid: string, of: UpstreamSecret) => string

/** Gives new upstreams of a declared file their keys, and those that have none the secrets that it says. */
export async function sealUpstreams(
  { upstreams }: Writes,
  secrets: ReadonlyMap<string, string>,
  encrypt: EncryptUpstream,
): Promise<void> {
  const sealed = (uuid: string) => {
    const text = secrets.get(uuid)
    return text === undefined ? {} : { secret: encrypt(text, uuid, 'secret') }
  }
  for (const row of upstreams.insert) {
    const private_key = await newPrivateKey(row.kind, row.uuid, encrypt)
    Object.assign(row, { private_key, ...sealed(row.uuid) })
  }
  for (const { before, set } of upstreams.update) Object.assign(set, sealed(before.uuid))
}

/** A new private key, encrypted: it signs client assertions and AuthnRequests. LDAP has none. */
export async function newPrivateKey(
  kind: UpstreamKind,
  uuid: string,
  encrypt: EncryptUpstream,
): Promise<string | null> {
  if (kind === 'ldap') return null
  return encrypt(await newKey(), uuid, 'private_key')
}
