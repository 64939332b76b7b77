import { hash, randomUUID } from 'node:crypto'
import { type Audience, permissionsOfMachine } from '../identity/access.ts'
import {
  type AccessContext,
  type Claims,
  contextClaims,
  type Person,
  personClaims,
} from '../protocol/claims.ts'
import type { Scope } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import { randomText } from '../store/identifier.ts'
import type { Authentication } from '../store/sessions.ts'

/** What a grant came to for a person: everything that was checked, and nothing that still has to be. */
export interface PersonGrant extends Authentication {
  kind: 'person'
  client: Client
  person: Person
  context: AccessContext
  sid: string
  familyId: string
  scopes: readonly Scope[]
  audience: Audience
  /** With `service.api` alone. Read before anything is consumed, so that a failure of the database costs nothing. */
  permissions: readonly string[] | undefined
  /** Of the authorization request; a refresh has none. */
  nonce: string | undefined
  refreshToken: string
}

export interface MachineGrant {
  kind: 'machine'
  client: Client
  scopes: readonly Scope[]
  audience: Audience
}

export type Grant = PersonGrant | MachineGrant

/** The answer of the token endpoint (interface §2); `expires_in` in seconds. */
export interface TokenResponse {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token?: string
  id_token?: string
  scope?: string
}

/** The only mint: makes the tokens of a grant. */
export async function issue(service: Service, grant: Grant): Promise<TokenResponse> {
  return grant.kind === 'person' ? await issueToPerson(service, grant) : await issueToMachine(service, grant)
}

async function issueToPerson(service: Service, grant: PersonGrant): Promise<TokenResponse> {
  const { client, scopes, audience } = grant
  const times = tokenTimes(service, client)
  const shared = {
    sub: grant.person.uuid,
    sid: grant.sid,
    auth_time: Math.floor(grant.authTime / 1000),
    acr: grant.acr,
    amr: grant.amr,
    ...contextClaims(grant.context),
  }
  const claims: Claims = {
    iss: service.issuer,
    ...shared,
    ...(scopes.includes('email') && { email: grant.person.email }),
    aud: audienceClaim(service, audience.audiences),
    ...times.claims,
    jti: `${grant.familyId}.${randomText(8, 'hex')}`,
    client_id: client.clientId,
    scope: scopes.join(' '),
    ...(grant.permissions !== undefined && { permissions: grant.permissions }),
  }
  const accessToken = await service.keys.sign('at+jwt', claims, audience.alg)
  const answer: TokenResponse = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: times.seconds,
    refresh_token: grant.refreshToken,
    scope: scopes.join(' '),
  }
  // A refresh may have narrowed openid away; then it is no OpenID Connect answer (OpenID Connect Core 1.0 §12.2).
  if (!scopes.includes('openid')) return answer
  const idToken = await service.keys.sign('JWT', {
    iss: service.issuer,
    ...shared,
    aud: client.clientId,
    ...times.claims,
    ...(grant.nonce !== undefined && { nonce: grant.nonce }),
    at_hash: leftHalfHash(accessToken),
    ...personClaims(grant.person, scopes),
  })
  return { ...answer, id_token: idToken }
}

/** Answers exactly access_token, token_type, expires_in (decisions 4). */
async function issueToMachine(service: Service, grant: MachineGrant): Promise<TokenResponse> {
  const { client, scopes, audience } = grant
  const times = tokenTimes(service, client)
  const claims: Claims = {
    iss: service.issuer,
    sub: client.clientId,
    aud: audienceClaim(service, audience.audiences),
    ...times.claims,
    jti: randomUUID(),
    client_id: client.clientId,
    scope: scopes.join(' '),
    ...(client.organisationUuid !== undefined && { organisation_uuid: client.organisationUuid }),
    ...(scopes.includes('service.api') && { permissions: permissionsOfMachine(client, audience.services) }),
  }
  const accessToken = await service.keys.sign('at+jwt', claims, audience.alg)
  return { access_token: accessToken, token_type: 'Bearer', expires_in: times.seconds }
}

function tokenTimes(
  service: Service,
  client: Client,
): { seconds: number; claims: { iat: number; exp: number } } {
  const seconds = client.accessTokenLifetime ?? service.settings.lifetimes.accessToken / 1000
  const iat = Math.floor(service.now() / 1000)
  return { seconds, claims: { iat, exp: iat + seconds } }
}

/** A string when there is one, an array when there are several (decisions 3). */
function audienceClaim(service: Service, audiences: readonly string[]): string | readonly string[] {
  return audiences.length > 1 ? audiences : (audiences[0] ?? service.issuer)
}

/** `at_hash`: the left half of the SHA-256 of the access token (OpenID Connect Core 1.0 §3.1.3.6). */
function leftHalfHash(token: string): string {
  return hash('sha256', token, 'buffer').subarray(0, 16).toString('base64url')
}
