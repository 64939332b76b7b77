/**
 * `public` and `web` act for people, `machine` for itself; `web` and `machine` prove who they are. For `proxied` the
 * service signs people in by itself, and it gets no tokens.
 */
export const clientTypes = ['public', 'web', 'machine', 'proxied'] as const

export type ClientType = (typeof clientTypes)[number]

/** Whether clients of this type have neither a secret nor keys. */
export const provesNothing = (type: ClientType): boolean => type === 'public' || type === 'proxied'

/** How a client may prove who it is at the token endpoint (RFC 7591 §2). */
export const secretMethods = ['client_secret_post', 'client_secret_basic'] as const
export const keyMethod = 'private_key_jwt'
export const provingMethods = [...secretMethods, keyMethod] as const
export const authMethods = ['none', ...provingMethods] as const

type AuthMethod = (typeof authMethods)[number]

/** What tells how a client proves itself. */
export interface ProvingClient {
  type?: ClientType | undefined
  /** The registered method, where that is not what follows from the rest. */
  token_endpoint_auth_method?: string | null | undefined
  jwks?: unknown
  jwks_uri?: unknown
  federated?: unknown
}

/** What stands for the keys of a client: one of them. */
export const keyFields = ['jwks', 'jwks_uri', 'federated'] as const

/** The one way in which a client proves itself: as registered, else by keys where it has some. */
export function methodOf(client: ProvingClient): AuthMethod {
  if (provesNothing(client.type ?? 'public')) return 'none'
  const said = authMethods.find((one) => one === client.token_endpoint_auth_method)
  if (said !== undefined) return said
  return keyFields.some((field) => (client[field] ?? null) !== null) ? keyMethod : 'client_secret_basic'
}

/** What is kept of what was said: null where it follows from the rest. A secret may come by body or Basic. */
export function keptMethod(client: ProvingClient, said: string | null | undefined): AuthMethod | null {
  const own = methodOf({ ...client, token_endpoint_auth_method: said })
  return bySecret(own) === bySecret(methodOf({ ...client, token_endpoint_auth_method: null })) ? null : own
}

const bySecret = (method: AuthMethod): boolean => secretMethods.some((one) => one === method)
