/** `public` and `web` act for people, `machine` for itself; all but `public` prove who they are. */
export const clientTypes = ['public', 'web', 'machine'] as const

export type ClientType = (typeof clientTypes)[number]

/** How a client may prove who it is at the token endpoint (RFC 7591 §2). */
export const secretMethods = ['client_secret_basic', 'client_secret_post'] as const
export const authMethods = ['none', ...secretMethods] as const
