/**
 * `public` and `web` act for people, `machine` for itself; `web` and `machine` prove who they are. For `proxied` the
 * service signs people in by itself, and it gets no tokens.
 */
export const clientTypes = ['public', 'web', 'machine', 'proxied'] as const

export type ClientType = (typeof clientTypes)[number]

/** Whether clients of this type have neither a secret nor keys. */
export const provesNothing = (type: ClientType): boolean => type === 'public' || type === 'proxied'

/** How a client may prove who it is at the token endpoint (RFC 7591 §2). */
const secretMethods = ['client_secret_post', 'client_secret_basic'] as const
export const keyMethod = 'private_key_jwt'
export const provingMethods = [...secretMethods, keyMethod] as const
export const authMethods = ['none', ...provingMethods] as const
