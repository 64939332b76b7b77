/**
 * `typ` of access tokens (RFC 9068 §2.1). `JWT` is for a service whose framework knows no `at+jwt`. Then what they hold
 * tells them from ID tokens, which are `JWT` too.
 */
export const accessTokenTyps = ['at+jwt', 'JWT'] as const
export type AccessTokenTyp = (typeof accessTokenTyps)[number]

/** Every access token names its client, and no ID token does: that one's `aud` is the client. */
export function isAccessToken(typ: unknown, claims: Readonly<Record<string, unknown>>): boolean {
  return typ === 'at+jwt' || (typ === 'JWT' && claims.client_id !== undefined)
}
