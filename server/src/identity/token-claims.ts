import {
  type Claims,
  contextClaims,
  type NamedContext,
  type ClaimPerson,
  personClaims,
} from '../protocol/claims.ts'
import {
  type ClaimPlace,
  groupsBy,
  hasClientClaims,
  type MadeClaim,
  makeClaims,
} from '../protocol/client-claims.ts'
import { serviceOf } from '../protocol/permission.ts'
import type { Scope } from '../protocol/scope.ts'
import { exchangedTokenId, generationsOf, machineTokenId, personTokenId } from '../protocol/token-id.ts'
import type { Authentication } from '../protocol/authentication.ts'
import type { Client } from '../store/clients.ts'
import type { Reading } from '../store/in-transaction.ts'
import { permissionsOfRole } from '../store/roles.ts'
import { type Audience, permissionsOfMachine } from './access.ts'

/** What tokens and userinfo say. Nothing is signed here: see `oauth2/issue`. */

/** All that the tokens of a person are made from. */
export interface PersonToken extends Omit<Authentication, 'amr' | 'proofs'> {
  amr: readonly string[]
  client: Client
  person: ClaimPerson
  context: NamedContext
  sid: string
  familyId: string
  scopes: readonly Scope[]
  audience: Audience
  /** There with `service.api` alone. They are read before the code or token is used up: a failing read costs nothing. */
  permissions: readonly string[] | undefined
  /** Claims of the client beside those of the scopes; undefined: none. Read before, too. */
  own: readonly MadeClaim[] | undefined
  /** The nonce of the authorization request; a refresh has none. */
  nonce: string | undefined
}

/** The token of a client that acts for the person of another. */
export interface ExchangedToken extends PersonToken {
  /** The token that was exchanged: its `act` is part of the new one. */
  subject: { jti: string; exp: number; claims: Readonly<Record<string, unknown>> }
}

export interface MachineToken {
  client: Client
  scopes: readonly Scope[]
  audience: Audience
}

/** The issuer and the times of tokens, in seconds. */
export interface Issuing {
  issuer: string
  iat: number
  exp: number
  /** The thumbprint of the key that the access token is bound to. */
  jkt?: string | undefined
}

/** What an access token is bound to (RFC 9449 §6.1). */
const boundTo = ({ jkt }: Issuing) => (jkt === undefined ? undefined : { jkt })

/** An upstream that did not say when somebody signed in proved it at no time that could be told. */
const timeOf = ({ auth_time: at }: PersonToken): number | undefined =>
  at === 0 ? undefined : Math.floor(at / 1000)

/** The claims that both tokens share are written out twice: spreading an object into each takes six times as long. */
export function accessTokenClaims(grant: PersonToken, issuing: Issuing): Claims {
  const { issuer, iat, exp } = issuing
  const { client, person, scopes } = grant
  return {
    iss: issuer,
    sub: person.uuid,
    sid: grant.sid,
    auth_time: timeOf(grant),
    acr: grant.acr,
    amr: grant.amr,
    ...contextClaims(grant.context),
    email: scopes.includes('email') ? person.email : undefined,
    aud: audienceClaim(issuer, grant.audience.audiences),
    iat,
    exp,
    jti: personTokenId(grant.familyId),
    client_id: client.client_id,
    scope: scopes.join(' '),
    permissions: grant.permissions,
    cnf: boundTo(issuing),
  }
}

/** `act` names who acts, and within it who did before (RFC 8693 §4.1). */
export function exchangedTokenClaims(grant: ExchangedToken, issuing: Issuing): Claims {
  const { client, familyId, subject } = grant
  const generations = [...generationsOf(subject.jti), client.token_generation]
  const act = { sub: client.client_id, act: subject.claims['act'] }
  return { ...accessTokenClaims(grant, issuing), jti: exchangedTokenId(familyId, generations), act }
}

export function idTokenClaims(
  grant: PersonToken,
  { issuer, iat, exp }: Issuing,
  accessTokenHash: string,
): Claims {
  const { client, person } = grant
  const claims = {
    iss: issuer,
    sub: person.uuid,
    sid: grant.sid,
    auth_time: timeOf(grant),
    acr: grant.acr,
    amr: grant.amr,
    ...contextClaims(grant.context),
    aud: client.client_id,
    iat,
    exp,
    nonce: grant.nonce,
    at_hash: accessTokenHash,
    ...personClaims(person, grant.scopes),
  }
  return grant.own === undefined ? claims : withOwn(claims, grant.own, 'id_token')
}

export function userinfoClaims({
  person,
  context,
  scopes,
  own,
}: Pick<PersonToken, 'person' | 'context' | 'scopes' | 'own'>): Claims {
  const claims = { sub: person.uuid, ...personClaims(person, scopes), ...contextClaims(context) }
  return own === undefined ? claims : withOwn(claims, own, 'userinfo')
}

export function machineTokenClaims({ client, scopes, audience }: MachineToken, issuing: Issuing): Claims {
  const { issuer, iat, exp } = issuing
  const withPermissions = scopes.includes('service.api')
  return {
    iss: issuer,
    sub: client.client_id,
    aud: audienceClaim(issuer, audience.audiences),
    iat,
    exp,
    jti: machineTokenId(client.token_generation),
    client_id: client.client_id,
    scope: scopes.join(' '),
    organisation_uuid: client.organisation_uuid ?? undefined,
    permissions: withPermissions ? permissionsOfMachine(client, audience.services) : undefined,
    cnf: boundTo(issuing),
  }
}

/** A claim that is there already stays as it is. */
function withOwn(claims: Claims, own: readonly MadeClaim[], place: ClaimPlace): Claims {
  for (const { name, value, in: places } of own) if (places.includes(place)) claims[name] ??= value
  return claims
}

/** Makes what a client has beside the claims of its scopes; for one that has nothing, nothing is asked. */
export async function ownClaims(
  { store }: { store: Reading },
  client: Client,
  { scopes, person, context }: Pick<PersonToken, 'scopes' | 'person' | 'context'>,
): Promise<MadeClaim[] | undefined> {
  if (!hasClientClaims(client, scopes)) return undefined
  const { service, within } = client.groups
  const all = service === undefined ? [] : await permissionsOfRole(store, context.role_code)
  const held = all.filter((one) => serviceOf(one) === service && (within?.includes(one) ?? true))
  return makeClaims(client, { person, context, scopes, groups: groupsBy(client.groups, context, held) })
}

/** `aud`: a string when there is one, an array when there are several (decisions 3). */
export function audienceClaim(issuer: string, audiences: readonly string[]): string | readonly string[] {
  return audiences.length > 1 ? audiences : (audiences[0] ?? issuer)
}
