import { hash } from 'node:crypto'
import { type Audience, permissionsOfMachine } from '../identity/access.ts'
import {
  type AccessContext,
  type Claims,
  contextClaims,
  type Person,
  personClaims,
} from '../protocol/claims.ts'
import type { Source } from '../audit/record.ts'
import type { Scope } from '../protocol/scope.ts'
import { machineTokenId, personTokenId } from '../protocol/token-id.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import type { Authentication } from '../protocol/authentication.ts'
import type { Rotation } from '../store/unanswered.ts'

/** The outcome of a grant for a person. Everything is checked; the mint only writes it out. */
export interface PersonGrant extends Omit<Authentication, 'proofs'> {
  kind: 'person'
  client: Client
  person: Person
  context: AccessContext
  sid: string
  familyId: string
  scopes: readonly Scope[]
  audience: Audience
  /** With `service.api` alone. Read before the code or refresh token is used up, so that a failing read costs nothing. */
  permissions: readonly string[] | undefined
  /** Of the authorization request; a refresh has none. */
  nonce: string | undefined
  /** Undefined: the client is not registered for the refresh grant. */
  refreshToken: string | undefined
  /** How the refresh token was replaced, to be noted where this can't be answered. */
  rotation?: Rotation | undefined
}

export interface MachineGrant {
  kind: 'machine'
  client: Client
  scopes: readonly Scope[]
  audience: Audience
}

export type Grant = PersonGrant | MachineGrant

/** What a request for tokens presented. */
export interface Presented {
  /** Of the moment when it was read; undefined: nothing was. */
  revision: number | undefined
  /** Gives what it stands for to the client that presented it. */
  grant(asking: Asking): Promise<Grant>
}

/** Who asks for tokens; `service` is that of the request. */
export interface Asking {
  service: Service
  client: Client
  from: Source
}

/** The answer of the token endpoint (interface §2), without the undefined fields; `expires_in` in seconds. */
export interface TokenResponse {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string | undefined
  id_token: string | undefined
  scope: string | undefined
}

/** The only mint: makes the tokens of a grant. */
export async function issue(service: Service, grant: Grant): Promise<TokenResponse> {
  return grant.kind === 'person' ? await issueToPerson(service, grant) : await issueToMachine(service, grant)
}

/** The claims that both tokens share are written out twice: spreading an object into each takes six times as long. */
async function issueToPerson(service: Service, grant: PersonGrant): Promise<TokenResponse> {
  const { client, person, scopes, audience } = grant
  const { seconds, iat, exp } = tokenTimes(service, client)
  const authTime = Math.floor(grant.authTime / 1000)
  const scope = scopes.join(' ')
  const accessToken = await service.keys.sign(
    audience.typ,
    {
      iss: service.issuer,
      sub: person.uuid,
      sid: grant.sid,
      auth_time: authTime,
      acr: grant.acr,
      amr: grant.amr,
      ...contextClaims(grant.context),
      email: scopes.includes('email') ? person.email : undefined,
      aud: audienceClaim(service, audience.audiences),
      iat,
      exp,
      jti: personTokenId(grant.familyId),
      client_id: client.clientId,
      scope,
      permissions: grant.permissions,
    },
    audience.alg,
  )
  // A refresh may have left openid out; then the answer has no ID token (OpenID Connect Core 1.0 §12.2).
  const idToken = scopes.includes('openid')
    ? await service.keys.sign('JWT', {
        iss: service.issuer,
        sub: person.uuid,
        sid: grant.sid,
        auth_time: authTime,
        acr: grant.acr,
        amr: grant.amr,
        ...contextClaims(grant.context),
        aud: client.clientId,
        iat,
        exp,
        nonce: grant.nonce,
        at_hash: leftHalfHash(accessToken),
        ...personClaims(person, scopes),
      })
    : undefined
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: seconds,
    refresh_token: grant.refreshToken,
    id_token: idToken,
    scope,
  }
}

/** Answers exactly access_token, token_type, expires_in (decisions 4). */
async function issueToMachine(service: Service, grant: MachineGrant): Promise<TokenResponse> {
  const { client, scopes, audience } = grant
  const { seconds, iat, exp } = tokenTimes(service, client)
  const withPermissions = scopes.includes('service.api')
  const claims: Claims = {
    iss: service.issuer,
    sub: client.clientId,
    aud: audienceClaim(service, audience.audiences),
    iat,
    exp,
    jti: machineTokenId(client.tokenGeneration),
    client_id: client.clientId,
    scope: scopes.join(' '),
    organisation_uuid: client.organisationUuid,
    permissions: withPermissions ? permissionsOfMachine(client, audience.services) : undefined,
  }
  const accessToken = await service.keys.sign(audience.typ, claims, audience.alg)
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: seconds,
    refresh_token: undefined,
    id_token: undefined,
    scope: undefined,
  }
}

/** All in seconds. */
function tokenTimes(service: Service, client: Client): { seconds: number; iat: number; exp: number } {
  const seconds = client.accessTokenLifetime ?? service.settings.lifetimes.accessToken / 1000
  const iat = Math.floor(service.now() / 1000)
  return { seconds, iat, exp: iat + seconds }
}

/** `aud`: a string when there is one, an array when there are several (decisions 3). */
export function audienceClaim(service: Service, audiences: readonly string[]): string | readonly string[] {
  return audiences.length > 1 ? audiences : (audiences[0] ?? service.issuer)
}

/** `at_hash`: the left half of the SHA-256 of the access token (OpenID Connect Core 1.0 §3.1.3.6). */
function leftHalfHash(token: string): string {
  return hash('sha256', token, 'buffer').subarray(0, 16).toString('base64url')
}
