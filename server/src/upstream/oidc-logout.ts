import type { Reaching } from './fetch.ts'
import { subjectOf } from './oidc-claims.ts'
import { clientIdOf, configurationOf, openidClient, skew } from './oidc-client.ts'
import { documentsOf, type VerifiedToken, verifiedToken } from './oidc-documents.ts'
import { UpstreamRefusal } from './refusal.ts'
import type { Upstream } from './upstream.ts'

/** Where a browser signs out at the upstream (RP-Initiated Logout 1.0); undefined: it has no such page. */
export async function oidcLogoutAddress(
  reaching: Reaching,
  upstream: Upstream,
  { idToken, returnTo, state }: { idToken: string; returnTo: string; state: string },
): Promise<string | undefined> {
  const documents = await documentsOf(reaching, upstream)
  if (documents.end_session_endpoint === undefined) return undefined
  const client = await openidClient()
  const configuration = await configurationOf(reaching, upstream, documents)
  const parameters = { id_token_hint: idToken, post_logout_redirect_uri: returnTo, state }
  return client.buildEndSessionUrl(configuration, parameters).href
}

/** What a logout token ends: a session of the upstream, or all of a subject of a link. At least one is there. */
export interface OidcLogout {
  sid?: string
  sub?: string
  jti: string
  /** Until then the `jti` must not come again, epoch milliseconds. */
  expiresAt: number
}

const event = 'http://schemas.openid.net/event/backchannel-logout'
/** Seconds after which a logout token is too old. */
const longest = 600
const mostLength = 16_384

/** Back-Channel Logout 1.0 §2.6, but for the `jti`, which the caller uses up. */
export async function oidcLogoutToken(
  reaching: Reaching,
  upstream: Upstream,
  token: string,
  now: number,
): Promise<OidcLogout> {
  if (token.length > mostLength) throw new UpstreamRefusal('response', 'The logout token is too long.')
  const { issuer } = await documentsOf(reaching, upstream)
  const verified = await verifiedToken(reaching, upstream, token, 'logout')
  const { iss, aud, jti, sid } = verified.claims
  assertKind(verified)
  if (iss !== issuer) throw new UpstreamRefusal('issuer', 'The logout token is of another issuer.')
  if (![aud].flat().includes(clientIdOf(upstream)))
    throw new UpstreamRefusal('audience', 'The logout token is for another client.')
  if (typeof jti !== 'string' || jti === '' || jti.length > 255)
    throw new UpstreamRefusal('response', 'The logout token has no jti of 1 to 255 characters.')
  const expiresAt = endOf(verified, now / 1000) * 1000
  const hasSession = typeof sid === 'string' && sid !== ''
  return { ...(hasSession && { sid }), ...subjectIn(upstream, verified, hasSession), jti, expiresAt }
}

/** Throws for an ID token or another kind. Many logout tokens come without a type of their own. */
function assertKind({ header: { typ = 'JWT' }, claims: { events, nonce } }: VerifiedToken): void {
  const isLogout =
    typeof events === 'object' && events !== null && isObject((events as Record<string, unknown>)[event])
  const isTyped = /^(application\/)?(logout\+)?jwt$/i.test(typ)
  if (!isTyped || !isLogout || nonce !== undefined)
    throw new UpstreamRefusal(
      'response',
      'This is no logout token: typ, events or nonce are not those of one.',
    )
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The last second at which it counts. */
function endOf({ claims: { iat, exp = Infinity } }: VerifiedToken, now: number): number {
  if (typeof iat !== 'number' || typeof exp !== 'number' || iat > now + skew)
    throw new UpstreamRefusal('expired', 'The iat or exp of the logout token is missing, or of the future.')
  const end = Math.min(exp, iat + longest) + skew
  if (end <= now) throw new UpstreamRefusal('expired', 'The logout token has expired.')
  return end
}

/** The subject as links have it. A `sub` that gives none is left out where there is a `sid`. */
function subjectIn(upstream: Upstream, { claims }: VerifiedToken, hasSession: boolean): { sub?: string } {
  if (claims.sub === undefined && hasSession) return {}
  try {
    return { sub: subjectOf(upstream, claims) }
  } catch (error) {
    if (hasSession) return {}
    throw error
  }
}
