/** `alg` (RFC 7518 §3.1). ID and logout tokens are always RS256; access tokens are ES256 for services that ask for it. */
export const signingAlgs = ['RS256', 'ES256'] as const
export type SigningAlg = (typeof signingAlgs)[number]
