/** `public` and `web` act for people, `machine` for itself; all but `public` prove who they are. */
export const clientTypes = ['public', 'web', 'machine'] as const

export type ClientType = (typeof clientTypes)[number]

/** How a client may prove who it is at the token endpoint (RFC 7591 §2). */
const secretMethods = ['client_secret_post', 'client_secret_basic'] as const
export const keyMethod = 'private_key_jwt'
export const provingMethods = [...secretMethods, keyMethod] as const
export const authMethods = ['none', ...provingMethods] as const
