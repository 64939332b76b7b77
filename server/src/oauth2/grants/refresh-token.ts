import {
  type Audience,
  audienceOf,
  grantedPermissions,
  profilesThrough,
  scopesNow,
} from '../../identity/access.ts'
import { levelLacking } from '../../identity/factors/level.ts'
import { upstreamLacking } from '../../identity/forced.ts'
import { type ProofReach, reachOf } from '../../identity/reach.ts'
import { ownClaims } from '../../identity/token-claims.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { invalidGrant, invalidRequest, tooWeak } from '../../protocol/refusals.ts'
import type { Parameters } from '../../protocol/parameters.ts'
import { parseScope, type Scope, scopesOf } from '../../protocol/scope.ts'
import type { Service } from '../../service.ts'
import type { Client } from '../../store/clients.ts'
import {
  type Presented as PresentedToken,
  presentRefreshToken,
  type Rotatable,
  revokeReplayed,
  rotate,
} from '../../store/refresh-tokens.ts'
import type { TokenFamily } from '../../store/token-families.ts'
import type { Profile, User } from '../../store/users.ts'
import { allowedClient, repeatedResource, tokenAudience } from '../audience.ts'
import type { TokenRequest, PersonGrant, Presented } from '../issue.ts'
import { refreshLifetimes } from './refresh-lifetimes.ts'
import { wantsUpstream } from './wants-upstream.ts'

/**
 * The refresh grant (RFC 6749 §6, decisions 5). Everything is checked before the token is rotated, so a refusal
 * changes nothing; a replayed token revokes its family.
 */
export async function refreshToken(service: Service, parameters: Parameters): Promise<Presented> {
  const text = parameters.optional('refresh_token') ?? ''
  const presented = await presentRefreshToken(service.store, text, service.now())
  const revision = presented.state === 'unknown' ? undefined : presented.person.revision
  return { revision, grant: (asking) => personGrant(asking, parameters, presented) }
}

async function personGrant(
  { service, client: registered, from, jkt }: TokenRequest,
  parameters: Parameters,
  presented: PresentedToken,
): Promise<PersonGrant> {
  parameters.required('refresh_token')
  const current = await checked(service, presented, { client: registered, from, jkt })
  const { family } = current
  const client = await allowedClient(service, registered, family.user_uuid)
  const scopes = narrowedScopes(parameters.optional('scope'), family, client)
  const asked = {
    scopes,
    resource: repeatedResource(client, family.resource, parameters.optional('resource')),
  }
  const audience = audienceNow(service.issuer, client, family, asked)
  const requestedProfile = parameters.optional('profile_uuid')?.toLowerCase()
  const reach = await reachOf(service.store, family)
  const { user, profile } = whoAndAsWhom(client, current, { requested: requestedProfile, reach })
  const proven = reach.proven(profile)
  const lacking = await levelLacking(
    service,
    { user, proven, assured: reach.assured(profile) },
    { client, profile },
  )
  const refusal = profile.held_uuid === family.profile_uuid ? 'invalid_grant' : 'interaction_required'
  if (lacking !== undefined) throw tooWeak(refusal, lacking)
  const acting = { user, proven: family, client, profile }
  if ((await upstreamLacking(service.store, acting, service.now())) !== undefined)
    throw wantsUpstream(refusal)
  const permissions = await grantedPermissions(service, client, profile.role_code, { scopes, audience })
  const own = await ownClaims(service, client, { scopes, person: user, context: profile })

  const next = await rotate(service.store, current, {
    profile_uuid: requestedProfile,
    now: service.now(),
    idle: refreshLifetimes(service, client).idle,
    stays: client.type !== 'public' && client.dpop_bound_access_tokens === 1,
    unanswered: service.unanswered,
  })
  if (next === undefined) throw over()
  return {
    kind: 'person',
    client,
    person: user,
    context: profile,
    sid: family.sid,
    familyId: family.id,
    scopes,
    audience,
    permissions,
    own,
    auth_time: proven.auth_time,
    acr: proven.acr,
    amr: JSON.parse(proven.amr) as string[],
    nonce: undefined,
    refreshToken: next.text,
    rotation: next.rotation,
  }
}

async function checked(
  service: Service,
  presented: PresentedToken,
  { client, from, jkt }: Pick<TokenRequest, 'client' | 'from' | 'jkt'>,
): Promise<Rotatable> {
  if (presented.state === 'unknown' || presented.family.client_id !== client.client_id) {
    throw invalidGrant('The refresh token is not one that was issued to this client.')
  }
  const { family } = presented
  // Before all else: who lacks the key ends nothing either.
  if (family.jkt !== null && family.jkt !== jkt)
    throw invalidGrant(
      'The refresh token is bound to a key: send a DPoP proof by the key that it was issued to.',
    )
  // Whoever has one that was issued before the client had to prove a key could bring any.
  if (family.jkt === null && client.type === 'public' && client.dpop_bound_access_tokens === 1)
    throw invalidGrant('The refresh token was issued before the client had to prove a key. Sign in again.')
  if (family.revoked_at !== null || family.idle_expires_at <= service.now()) throw over()
  if (presented.state === 'unused' && service.unanswered.mayFollow()) throw notYetKnown()
  if (presented.state === 'replayed' || presented.state === 'unused') {
    await revokeReplayed(service.store, family, { now: service.now(), from })
    throw invalidGrant('The refresh token was already used. Its family is revoked; sign in again.')
  }
  return presented
}

/** The granted scopes that the client still has, narrowed for this answer by `scope`. */
function narrowedScopes(
  requested: string | undefined,
  family: TokenFamily,
  client: Client,
): readonly Scope[] {
  const granted = scopesNow(client, scopesOf(family.scope))
  if (requested === undefined) return granted
  const scopes = parseScope(requested, granted)
  return scopes.length === 0 ? granted : scopes
}

/** The audience of this answer. `resource` may narrow what was granted; a service may have been taken from the client. */
function audienceNow(
  issuer: string,
  client: Client,
  { resource: granted }: TokenFamily,
  { scopes, resource }: { scopes: readonly Scope[]; resource: string | undefined },
): Audience {
  if (resource !== undefined) {
    if (granted === null || resource === granted) return tokenAudience(issuer, client, scopes, resource)
    throw new ProtocolError('invalid_target', 'The resource differs from that of the authorization request.')
  }
  // There is no service to narrow the audience to, where service.api is missing.
  if (granted === null || !scopes.includes('service.api'))
    return tokenAudience(issuer, client, scopes, undefined)
  const left = audienceOf(issuer, client, granted)
  if (left !== undefined) return left
  throw invalidGrant(
    'The service that the tokens are for is no longer assigned to this client. Sign in again.',
  )
}

/** The person and the profile as they are now. */
function whoAndAsWhom(
  client: Client,
  { family, person: { user, profiles } }: Rotatable,
  { requested, reach }: { requested: string | undefined; reach: ProofReach },
): { user: User; profile: Profile } {
  if (!user.active) throw over()
  const wanted = requested ?? family.profile_uuid
  const profile = profilesThrough(client, profiles).find(
    (one) => one.held_uuid === wanted && reach.opens(one),
  )
  if (profile !== undefined) return { user, profile }
  if (requested === undefined) {
    throw invalidGrant(
      'The active profile can no longer be used. Sign in again, or ask for another by profile_uuid.',
    )
  }
  throw invalidRequest('The profile_uuid is not a profile that this user may use.')
}

/** Whether its successor was sent is not noted yet. Nothing is given, and nothing revoked. */
const notYetKnown = () =>
  new ProtocolError(
    'temporarily_unavailable',
    'The database failed a moment ago. Try the same refresh token again in a few seconds.',
    { headers: { 'retry-after': '5' } },
  )

const over = () => invalidGrant('The refresh token has expired or was revoked. Sign in again.')
