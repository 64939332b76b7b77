import { hash } from 'node:crypto'
import type { RequestSource } from '../audit/record.ts'
import {
  accessTokenClaims,
  type ExchangedToken,
  exchangedTokenClaims,
  idTokenClaims,
  type Issuing,
  type MachineToken,
  machineTokenClaims,
  type PersonToken,
} from '../identity/token-claims.ts'
import { accessTokenType } from '../protocol/exchange.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import type { Rotation } from '../store/unanswered.ts'

/** The outcome of a grant for a person. Everything is checked; the mint only writes it out. */
export interface PersonGrant extends PersonToken {
  kind: 'person'
  /** Undefined: the client is not registered for the refresh grant. */
  refreshToken: string | undefined
  /** How the refresh token was replaced, to be noted where this can't be answered. */
  rotation?: Rotation | undefined
}

export interface MachineGrant extends MachineToken {
  kind: 'machine'
}

export interface ExchangeGrant extends ExchangedToken {
  kind: 'exchange'
}

export type Grant = PersonGrant | MachineGrant | ExchangeGrant

/** The grant that a request presented. */
export interface Presented {
  /** The revision when the person was read. Undefined: nothing was read. */
  revision: number | undefined
  /** Gives what it stands for to the client that presented it. */
  grant(asking: TokenRequest): Promise<Grant>
}

/** The client that asks for tokens. `service` is that of the request; `jkt` the key that it proved to have. */
export interface TokenRequest {
  service: Service
  client: Client
  from: RequestSource
  jkt?: string | undefined
}

/** `DPoP`: bound to a key (RFC 9449 §5). */
type TokenType = 'Bearer' | 'DPoP'

/** The answer of the token endpoint (interface §2), without the undefined fields; `expires_in` in seconds. */
export interface TokenResponse {
  access_token: string
  token_type: TokenType
  expires_in: number
  refresh_token: string | undefined
  id_token: string | undefined
  scope: string | undefined
  /** Set by an exchange alone (RFC 8693 §2.2.1). */
  issued_token_type?: string
}

/** The only mint: makes the tokens of a grant. `jkt`: the access token is bound to this key. */
export async function issue(service: Service, grant: Grant, jkt?: string): Promise<TokenResponse> {
  if (grant.kind === 'person') return await issueToPerson(service, grant, jkt)
  return grant.kind === 'machine'
    ? await issueToMachine(service, grant, jkt)
    : await issueExchanged(service, grant, jkt)
}

async function issueToPerson(
  service: Service,
  grant: PersonGrant,
  jkt: string | undefined,
): Promise<TokenResponse> {
  const { client, scopes, audience } = grant
  const { seconds, issuing } = issuingFor(service, client, jkt)
  const accessToken = await service.keys.sign(audience.typ, accessTokenClaims(grant, issuing), audience.alg)
  // A refresh may have left openid out; then the answer has no ID token (OpenID Connect Core 1.0 §12.2).
  const idToken = scopes.includes('openid')
    ? await service.keys.sign(
        'JWT',
        idTokenClaims(grant, issuing, leftHalfHash(accessToken)),
        client.id_token_signed_response_alg,
      )
    : undefined
  return {
    access_token: accessToken,
    token_type: typeFor(jkt),
    expires_in: seconds,
    refresh_token: grant.refreshToken,
    id_token: idToken,
    scope: scopes.join(' '),
  }
}

/** Answers exactly access_token, token_type, expires_in (decisions 4). */
async function issueToMachine(
  service: Service,
  grant: MachineGrant,
  jkt: string | undefined,
): Promise<TokenResponse> {
  const { audience } = grant
  const { seconds, issuing } = issuingFor(service, grant.client, jkt)
  const accessToken = await service.keys.sign(audience.typ, machineTokenClaims(grant, issuing), audience.alg)
  return {
    access_token: accessToken,
    token_type: typeFor(jkt),
    expires_in: seconds,
    refresh_token: undefined,
    id_token: undefined,
    scope: undefined,
  }
}

/** Never lives longer than what it was exchanged for, and is never refreshed. */
async function issueExchanged(
  service: Service,
  grant: ExchangeGrant,
  jkt: string | undefined,
): Promise<TokenResponse> {
  const { audience, scopes, subject } = grant
  const { issuing } = issuingFor(service, grant.client, jkt)
  const exp = Math.min(issuing.exp, subject.exp)
  const claims = exchangedTokenClaims(grant, { ...issuing, exp })
  return {
    access_token: await service.keys.sign(audience.typ, claims, audience.alg),
    issued_token_type: accessTokenType,
    token_type: typeFor(jkt),
    expires_in: exp - issuing.iat,
    refresh_token: undefined,
    id_token: undefined,
    scope: scopes.join(' '),
  }
}

const typeFor = (jkt: string | undefined): TokenType => (jkt === undefined ? 'Bearer' : 'DPoP')

function issuingFor(
  service: Service,
  client: Client,
  jkt: string | undefined,
): { seconds: number; issuing: Issuing } {
  const seconds = client.access_token_lifetime ?? service.settings.lifetimes.accessToken / 1000
  const iat = Math.floor(service.now() / 1000)
  return { seconds, issuing: { issuer: service.issuer, iat, exp: iat + seconds, jkt } }
}

/** `at_hash`: the left half of the SHA-256 of the access token (OpenID Connect Core 1.0 §3.1.3.6). */
function leftHalfHash(token: string): string {
  return hash('sha256', token, 'buffer').subarray(0, 16).toString('base64url')
}
