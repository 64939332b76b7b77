import { grantedPermissions, profilesThrough, scopesNow } from '../../identity/access.ts'
import { levelLacking } from '../../identity/factors/level.ts'
import { upstreamLacking } from '../../identity/forced.ts'
import { reachOf } from '../../identity/reach.ts'
import { ownClaims } from '../../identity/token-claims.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { invalidGrant, invalidRequest, tooWeak } from '../../protocol/refusals.ts'
import type { Parameters } from '../../protocol/parameters.ts'
import { verifierMatches } from '../../protocol/pkce.ts'
import { scopesOf } from '../../protocol/scope.ts'
import { isRegisteredRedirectUri } from '../../protocol/redirect-uri.ts'
import type { Service } from '../../service.ts'
import type { Client } from '../../store/clients.ts'
import { type AuthorizationCode, findCode, redeem, type Redemption } from '../../store/authorization-codes.ts'
import { newFamily } from '../../store/token-families.ts'
import { allowedClient, repeatedResource, tokenAudience } from '../audience.ts'
import type { TokenRequest, PersonGrant, Presented } from '../issue.ts'
import { mayRefresh, refreshLifetimes } from './refresh-lifetimes.ts'
import { wantsUpstream } from './wants-upstream.ts'

/**
 * The authorization_code grant (RFC 6749 §4.1.3, RFC 7636 §4.6, interface §4.3). A wrong client, redirect_uri or
 * verifier does not use up the code; a second, otherwise valid exchange revokes what the first gave.
 */
export async function authorizationCode(service: Service, parameters: Parameters): Promise<Presented> {
  const found = await findCode(service.store, parameters.optional('code') ?? '', service.now())
  return { revision: found?.person.revision, grant: (asking) => personGrant(asking, parameters, found) }
}

/** A code with the person whom it is for. */
export type StoredCode = NonNullable<Awaited<ReturnType<typeof findCode>>>

async function personGrant(
  asking: TokenRequest,
  parameters: Parameters,
  found: StoredCode | undefined,
): Promise<PersonGrant> {
  const { client } = asking
  parameters.required('code')
  const redirect_uri = parameters.required('redirect_uri')
  const verifier = parameters.value('code_verifier', client.type === 'public' && client.require_pkce === 1)
  const resource = parameters.optional('resource')
  if (found === undefined || found.code.client_id !== client.client_id) {
    throw invalidGrant('The code is not one that was issued to this client.')
  }
  const { code } = found
  if (code.redirect_uri !== redirect_uri) {
    throw invalidGrant('The redirect_uri differs from that of the authorization request.')
  }
  checkVerifier(client, verifier, code.code_challenge || undefined)
  const narrowed = narrowedResource(code, repeatedResource(client, code.resource, resource))
  if (!isRegisteredRedirectUri(code.redirect_uri, client.redirect_uris, client.application_type)) {
    throw invalidGrant(
      'The redirect_uri is no longer registered for this client. Start a new authorization request with one that is.',
    )
  }
  return await exchange(asking, found, { resource: narrowed, refusals })
}

/**
 * A verifier without a challenge is refused too: somebody may have taken the challenge out (RFC 9700 §4.8.2). One that is
 * missing is `invalid_request` of a public client (interface §7), and of others what FAPI 2.0 reads in RFC 7636 §4.6.
 */
function checkVerifier(
  { type, require_pkce: required }: Client,
  verifier: string | undefined,
  challenge: string | undefined,
): void {
  if (verifier === undefined && challenge === undefined && required === 0) return
  if (verifier === undefined)
    throw (type === 'public' ? invalidRequest : invalidGrant)('The parameter code_verifier is missing.')
  if (challenge === undefined) {
    throw invalidGrant('The code was issued without a code_challenge, so no code_verifier may come with it.')
  }
  if (!verifierMatches(verifier, challenge)) {
    throw invalidGrant('The code_verifier does not match the code_challenge.')
  }
}

/** RFC 9449 §10 */
function checkKey({ jkt: bound }: AuthorizationCode, jkt: string | undefined): void {
  if (bound !== null && bound !== jkt)
    throw invalidGrant(
      'The code is bound to a key: send a DPoP proof by the key of the authorization request.',
    )
}

/** The exchange may narrow the resource of the authorization request, never change it (RFC 8707 §2.2). */
export function narrowedResource(code: AuthorizationCode, resource: string | undefined): string | undefined {
  if (code.resource !== null && resource !== undefined && resource !== code.resource) {
    throw new ProtocolError('invalid_target', 'The resource differs from that of the authorization request.')
  }
  return resource ?? code.resource ?? undefined
}

/** The errors for a code that can not be redeemed. */
type Refusals = Readonly<Record<Exclude<Redemption, 'redeemed'>, () => ProtocolError>>

/** Gives what a code stands for, when all that it needs still counts. */
export async function exchange(
  { service, client: registered, from, jkt }: TokenRequest,
  { code, person: { user, profiles } }: StoredCode,
  { resource, refusals: refused }: { resource: string | undefined; refusals: Refusals },
): Promise<PersonGrant> {
  checkKey(code, jkt)
  const { store } = service
  const now = service.now()
  const client = await allowedClient(service, registered, code.user_uuid)
  const scopes = scopesNow(client, scopesOf(code.scope))
  const audience = tokenAudience(service.issuer, client, scopes, resource)
  const reach = await reachOf(store, code)
  const profile = profilesThrough(client, profiles).find(
    (one) => one.held_uuid === code.profile_uuid && reach.opens(one),
  )
  const origin = client.proxied && new URL(code.redirect_uri).origin
  // A client's authentication binds its refresh tokens already (RFC 9449 §5).
  const bound = client.type === 'public' ? jkt : undefined
  const times = { now, ...refreshLifetimes(service, client) }
  const { row, token } = newFamily(code, { ...times, origin, jkt: bound })
  if (!user.active || profile === undefined) {
    throw invalidGrant('The user, or the profile that was chosen, can no longer be used. Sign in again.')
  }
  const proven = { user, proven: reach.proven(profile), assured: reach.assured(profile) }
  const lacking = await levelLacking(service, proven, { client, profile })
  if (lacking !== undefined) throw tooWeak('invalid_grant', lacking)
  const acting = { user, proven: code, client, profile }
  if ((await upstreamLacking(store, acting, now)) !== undefined) throw wantsUpstream('invalid_grant')
  const permissions = await grantedPermissions(service, client, profile.role_code, { scopes, audience })
  const own = await ownClaims(service, client, { scopes, person: user, context: profile })
  const redemption = await redeem(store, code.id, row, { now, from })
  if (redemption !== 'redeemed') throw refused[redemption]()
  return {
    kind: 'person',
    client,
    person: user,
    context: profile,
    sid: code.sid,
    familyId: row.id,
    scopes,
    audience,
    permissions,
    own,
    auth_time: code.auth_time,
    acr: code.acr,
    amr: JSON.parse(code.amr) as string[],
    // A device sends none.
    nonce: code.nonce || undefined,
    refreshToken: mayRefresh(client) ? token : undefined,
  }
}

const refusals: Refusals = {
  expired: () => invalidGrant('The code has expired. Start a new authorization request.'),
  already_used: () =>
    invalidGrant('The code was already used. Its tokens are revoked; start a new authorization request.'),
  over: () =>
    invalidGrant(
      'The user signed out, or what the tokens are for was disabled, meanwhile. Start a new authorization request.',
    ),
}
