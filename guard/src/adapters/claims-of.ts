import type { AccessTokenClaims } from '../claims.ts'

/** Kept beside the request and not on it, so that nothing a request brings can look like claims. */
const claimsByRequest = new WeakMap<object, AccessTokenClaims>()

export function rememberClaims(request: object, claims: AccessTokenClaims | undefined): void {
  if (claims !== undefined) claimsByRequest.set(request, claims)
}

/**
 * The claims of the token that a request was let in with.
 * @throws Error when no guard let this request in by a token: then the route is public, or not guarded.
 */
export function claimsOf(request: object): AccessTokenClaims {
  const claims = claimsByRequest.get(request)
  if (claims === undefined) throw new Error('No claims: this request did not pass a guard')
  return claims
}
