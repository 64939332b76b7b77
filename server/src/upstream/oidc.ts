import { type Assertion, asserted } from './assertion.ts'
import type { Reaching } from './fetch.ts'
import {
  claimTexts,
  fieldsOf,
  groupsOf,
  isElsewhere,
  subjectOf,
  textsOf,
  type UpstreamClaims,
  wantedClaims,
} from './oidc-claims.ts'
import { clientIdOf, configurationOf, openidClient, orRefusal, skew } from './oidc-client.ts'
import { checkDocuments, documentsOf, type OidcDocuments, verifiedToken } from './oidc-documents.ts'
import { UpstreamRefusal } from './refusal.ts'
import type { Upstream } from './upstream.ts'

export { ownJwks } from './oidc-client.ts'
export { type OidcLogout, oidcLogoutAddress, oidcLogoutToken } from './oidc-logout.ts'

/** What somebody is sent to an upstream with. */
export interface OidcAsked {
  state: string
  nonce: string
  codeVerifier: string
  redirectUri: string
  loginHint?: string | undefined
  uiLocales?: string | undefined
  /** Seconds. */
  maxAge?: number | undefined
  prompt?: 'login' | 'select_account' | undefined
  /** When they were sent, epoch milliseconds: an answer to `prompt=login` is no older. Without it, now. */
  askedAt?: number | undefined
}

/** What of it an answer is judged by. */
export type OidcExpected = Omit<OidcAsked, 'loginHint' | 'uiLocales'>

/** The address that a browser is sent to. */
export async function oidcAddress(reaching: Reaching, upstream: Upstream, asked: OidcAsked): Promise<string> {
  const documents = await documentsOf(reaching, upstream)
  const client = await openidClient()
  const configuration = await configurationOf(reaching, upstream, documents)
  const { prompt, loginHint, uiLocales } = asked
  // Where people have to prove themselves anew, `max_age` makes the upstream say when they did.
  const maxAge = asked.maxAge ?? (prompt === 'login' ? 0 : undefined)
  const address = client.buildAuthorizationUrl(configuration, {
    redirect_uri: asked.redirectUri,
    scope: scopeOf(upstream, documents),
    state: asked.state,
    nonce: asked.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(asked.codeVerifier),
    code_challenge_method: 'S256',
    ...(loginHint !== undefined && { login_hint: loginHint }),
    ...(uiLocales !== undefined && { ui_locales: uiLocales }),
    ...(maxAge !== undefined && { max_age: String(maxAge) }),
    ...(prompt !== undefined && { prompt }),
  })
  return address.href
}

/** Scopes that are named as a claim that is wanted are asked for where the upstream has them: `groups` of many. */
function scopeOf(upstream: Upstream, { scopes_supported: known = [] }: OidcDocuments): string {
  const wanted = wantedClaims(upstream).filter((name) => known.includes(name))
  return [...new Set(['openid', 'email', 'profile', ...wanted])].join(' ')
}

/** The person of the upstream's answer, which a browser brought. Throws a refusal for all that is not as asked. */
export async function oidcAssertion(
  reaching: Reaching,
  upstream: Upstream,
  answer: URL,
  asked: OidcExpected,
  now: number,
): Promise<Assertion> {
  const documents = await documentsOf(reaching, upstream)
  assertSender(documents, answer)
  const { token, userinfo } = await exchanged(reaching, upstream, { documents, answer, asked, now })
  const { claims: signed } = await verifiedToken(reaching, upstream, token, 'sign-in')
  assertSigned(upstream, signed, now)
  assertFresh(signed, asked, now)
  const subject = subjectOf(upstream, signed)
  const claims = await completed(upstream, signed, userinfo)
  const { acr, amr, auth_time, sid } = signed
  return asserted(upstream, {
    subject,
    fields: fieldsOf(upstream, claims),
    groups: groupsOf(upstream, claims),
    claims: claimTexts(claims),
    contexts: [...textsOf(acr), ...textsOf(amr)],
    amr: textsOf(amr),
    auth_time: typeof auth_time === 'number' ? auth_time * 1000 : undefined,
    sid: typeof sid === 'string' && sid !== '' ? sid : undefined,
    id_token: upstream.logout === 'both' ? token : undefined,
  })
}

/** RFC 9207 §2.4. An `iss` is compared also where the metadata promises none. */
function assertSender(documents: OidcDocuments, answer: URL): void {
  const sent = answer.searchParams.getAll('iss')
  const isMissing = sent.length === 0 && documents.authorization_response_iss_parameter_supported === true
  if (isMissing || sent.some((iss) => iss !== documents.issuer))
    throw new UpstreamRefusal('issuer', 'The answer does not come from the issuer that was asked.')
}

interface AnswerOf {
  documents: OidcDocuments
  answer: URL
  asked: OidcExpected
  now: number
}

/** Redeems the code. openid-client compares state, nonce, issuer, audience and times, and checks no signature. */
async function exchanged(
  reaching: Reaching,
  upstream: Upstream,
  { documents, answer, asked, now }: AnswerOf,
) {
  const client = await openidClient()
  const configuration = await configurationOf(reaching, upstream, documents, now)
  // The redirect URI as it was sent: a proxy may have changed what the request shows.
  const brought = new URL(asked.redirectUri)
  brought.search = answer.search
  const tokens = await orRefusal(() =>
    client.authorizationCodeGrant(configuration, brought, {
      pkceCodeVerifier: asked.codeVerifier,
      expectedState: asked.state,
      expectedNonce: asked.nonce,
      idTokenExpected: true,
    }),
  )
  return {
    token: tokens.id_token ?? '',
    /** Undefined: there is none. */
    userinfo:
      documents.userinfo_endpoint === undefined
        ? undefined
        : (sub: string) => orRefusal(() => client.fetchUserInfo(configuration, tokens.access_token, sub)),
  }
}

/** What openid-client lets through. */
function assertSigned(upstream: Upstream, { azp, iat, auth_time }: UpstreamClaims, now: number): void {
  const latest = now / 1000 + skew
  if (azp !== undefined && azp !== clientIdOf(upstream))
    throw new UpstreamRefusal('audience', 'The ID token was issued to another client (azp).')
  if (typeof iat !== 'number' || iat > latest)
    throw new UpstreamRefusal('expired', 'The ID token is of the future: the clocks differ.')
  if (auth_time !== undefined && !(typeof auth_time === 'number' && auth_time <= latest))
    throw new UpstreamRefusal('response', 'The auth_time of the ID token is no time, or of the future.')
}

/** An answer without auth_time is no older one: nothing is claimed of it then. */
function assertFresh(
  { auth_time }: UpstreamClaims,
  { maxAge, prompt, askedAt }: OidcExpected,
  now: number,
): void {
  if (typeof auth_time !== 'number') return
  const oldest = Math.max(
    maxAge === undefined ? 0 : now / 1000 - maxAge,
    prompt === 'login' ? (askedAt ?? now) / 1000 : 0,
  )
  if (auth_time < oldest - skew)
    throw new UpstreamRefusal('too_old', 'The upstream answered with an older sign-in than was asked for.')
}

/** Signed claims, with those of userinfo where a wanted one is missing. Nothing signed is changed. */
async function completed(
  upstream: Upstream,
  signed: UpstreamClaims,
  userinfo: ((sub: string) => Promise<UpstreamClaims>) | undefined,
): Promise<UpstreamClaims> {
  const { sub } = signed
  const missing = wantedClaims(upstream).filter(
    (name) => signed[name] === undefined && !isElsewhere(signed, name),
  )
  if (missing.length === 0 || userinfo === undefined || typeof sub !== 'string') return signed
  return { ...(await userinfo(sub)), ...signed }
}

/** Throws where its documents can't be read, or are not those of exactly this issuer. */
export async function checkOidc(reaching: Reaching, upstream: Upstream): Promise<void> {
  await configurationOf(reaching, upstream, await checkDocuments(reaching, upstream))
}
