import type { AccessTokenClaims } from '../claims.ts'

/** Kept beside the request, so that nothing a request sends can look like claims. */
const claimsByRequest = new WeakMap<object, AccessTokenClaims>()

export function rememberClaims(request: object, claims: AccessTokenClaims | undefined): void {
  if (claims !== undefined) claimsByRequest.set(request, claims)
}

/**
 * The claims of the token that let a request in.
 * @throws Error when no token did: the route is public, or not guarded.
 */
export function claimsOf(request: object): AccessTokenClaims {
  const claims = claimsByRequest.get(request)
  if (claims === undefined) throw new Error('No claims: this request did not pass a guard')
  return claims
}
