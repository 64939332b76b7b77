/** `alg` (RFC 7518 §3.1): RS256, unless a service asks for it otherwise for its access tokens, or a client for its ID and logout tokens. */
export const signingAlgs = ['RS256', 'ES256'] as const
export type SigningAlg = (typeof signingAlgs)[number]
