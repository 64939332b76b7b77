import { unknownClient, unknownRedirectUri } from '../protocol/authorize-refusals.ts'
import { type AuthorizeParameters, type Prompt, promptValues } from '../protocol/authorize-parameters.ts'
import { ProtocolError, RedirectableError, type RedirectTarget } from '../protocol/errors.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { isCodeChallenge } from '../protocol/pkce.ts'
import { isRegisteredRedirectUri } from '../protocol/redirect-uri.ts'
import { parseScope, type Scope } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import type { PendingRequest } from '../store/authorization-requests.ts'
import { type Client, findClient } from '../store/clients.ts'
import { tokenAudience } from './audience.ts'

declare const validated: unique symbol

/** An authorization request that was checked in whole; only this file makes one. */
export interface ValidAuthorizeRequest {
  readonly [validated]: true
  readonly client: Client
  readonly redirectUri: string
  readonly parameters: AuthorizeParameters
}

/**
 * Checks a request in two stages (RFC 6749 §4.1.2.1): first the client and the redirect_uri, whose failure is
 * shown on a page and never redirected; then the rest, whose failure goes to the redirect_uri.
 */
export async function validateAuthorizeRequest(
  service: Service,
  parameters: Parameters,
): Promise<ValidAuthorizeRequest> {
  const client = await validClient(service, parameters)
  const redirectUri = validRedirectUri(client, parameters)
  const target = { redirectUri, state: parameters.raw('state') }
  const checked = redirected(target, () => validParameters(service, parameters, client))
  return { client, redirectUri, parameters: checked } as ValidAuthorizeRequest
}

/** The kept request, checked against the client as it is now; `findPending` has checked it and the redirect_uri. */
export function revalidateAuthorizeRequest(
  service: Service,
  kept: PendingRequest,
  client: Client,
): ValidAuthorizeRequest {
  const { redirectUri, parameters } = kept
  redirected({ redirectUri, state: parameters.state }, () => {
    const scopes = parseScope(parameters.scopes.join(' '), client.scopes)
    if (parameters.resource !== undefined) tokenAudience(service.issuer, client, scopes, parameters.resource)
  })
  return { client, redirectUri, parameters } as ValidAuthorizeRequest
}

/** What fails in the second stage is told to the client. */
function redirected<T>(target: RedirectTarget, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof ProtocolError) throw new RedirectableError(error.code, error.description, target)
    throw error
  }
}

async function validClient(service: Service, parameters: Parameters): Promise<Client> {
  const clientId = parameters.optional('client_id')
  const client = clientId === undefined ? undefined : await findClient(service.store, clientId)
  if (client === undefined || !client.active) throw unknownClient()
  return client
}

function validRedirectUri(client: Client, parameters: Parameters): string {
  const redirectUri = parameters.optional('redirect_uri')
  if (
    redirectUri === undefined ||
    !isRegisteredRedirectUri(redirectUri, client.redirectUris, client.applicationType)
  ) {
    throw unknownRedirectUri()
  }
  return redirectUri
}

function validParameters(service: Service, parameters: Parameters, client: Client): AuthorizeParameters {
  const state = parameters.verbatim('state', 8192)
  parameters.refuseRepeated()
  refuseRequestObjects(parameters)
  validResponseType(parameters, client)
  const scopes = validScope(parameters, client)
  const nonce = parameters.verbatim('nonce')
  const codeChallenge = validChallenge(parameters)
  const resource = parameters.optional('resource')
  if (resource !== undefined) tokenAudience(service.issuer, client, scopes, resource)
  return {
    scopes,
    state,
    nonce,
    codeChallenge,
    resource,
    prompt: validPrompt(parameters.optional('prompt')),
    maxAge: validMaxAge(parameters.optional('max_age')),
    loginHint: parameters.optional('login_hint', 320),
    hintedSub: hintedSubject(service, client, parameters.optional('id_token_hint', 8192)),
    uiLocales: parameters.optional('ui_locales', 200),
    profileUuid: validProfileUuid(parameters.optional('profile_uuid')),
  }
}

/** OpenID Connect Core 1.0 §6: not supported, and said so before anything that such an object might hold. */
function refuseRequestObjects(parameters: Parameters): void {
  if (parameters.raw('request') !== undefined) {
    throw new ProtocolError(
      'request_not_supported',
      'Request objects are not supported; send the parameters themselves.',
    )
  }
  if (parameters.raw('request_uri') !== undefined) {
    throw new ProtocolError(
      'request_uri_not_supported',
      'Request objects are not supported; send the parameters themselves.',
    )
  }
}

function validResponseType(parameters: Parameters, client: Client): void {
  if (parameters.required('response_type') !== 'code') {
    throw new ProtocolError('unsupported_response_type', 'The only response_type is code.')
  }
  const mode = parameters.optional('response_mode')
  if (mode !== undefined && mode !== 'query') {
    throw new ProtocolError('invalid_request', 'The only response_mode is query.')
  }
  if (!client.grantTypes.includes('authorization_code')) {
    throw new ProtocolError(
      'unauthorized_client',
      'The client is not registered for the grant authorization_code.',
    )
  }
}

function validScope(parameters: Parameters, client: Client): Scope[] {
  const scopes = parseScope(parameters.optional('scope') ?? '', client.scopes)
  if (!scopes.includes('openid')) throw new ProtocolError('invalid_scope', 'The scope openid is missing.')
  return scopes
}

/** PKCE is required of every client, and S256 is the only method (RFC 7636 §4.3, RFC 9700 §2.1.1). */
function validChallenge(parameters: Parameters): string {
  const challenge = parameters.required('code_challenge')
  if (parameters.required('code_challenge_method') !== 'S256') {
    throw new ProtocolError('invalid_request', 'The code_challenge_method must be S256.')
  }
  if (!isCodeChallenge(challenge)) {
    throw new ProtocolError(
      'invalid_request',
      'The code_challenge must be 43 base64url characters: BASE64URL(SHA256(code_verifier)).',
    )
  }
  return challenge
}

function validPrompt(prompt: string | undefined): Prompt[] {
  const values = (prompt ?? '').split(' ').filter((value) => value !== '')
  const known = values.filter((value): value is Prompt => (promptValues as readonly string[]).includes(value))
  if (known.length < values.length) {
    throw new ProtocolError('invalid_request', `The prompt must be made of ${promptValues.join(', ')}.`)
  }
  // OpenID Connect Core 1.0 §3.1.2.1
  if (known.includes('none') && known.length > 1) {
    throw new ProtocolError('invalid_request', 'The prompt none stands alone.')
  }
  return known
}

function validMaxAge(maxAge: string | undefined): number | undefined {
  if (maxAge === undefined) return undefined
  if (!/^\d{1,10}$/.test(maxAge))
    throw new ProtocolError('invalid_request', 'The max_age must be a number of seconds.')
  return Number(maxAge)
}

/** Expired hints count: they say who, not that they may (OpenID Connect Core 1.0 §3.1.2.1). */
function hintedSubject(service: Service, client: Client, hint: string | undefined): string | undefined {
  if (hint === undefined) return undefined
  const claims = service.keys.verified(hint, 'JWT')
  if (claims === undefined || claims.aud !== client.clientId || typeof claims.sub !== 'string') {
    throw new ProtocolError(
      'invalid_request',
      'The id_token_hint is not an ID token that was issued to this client.',
    )
  }
  return claims.sub
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function validProfileUuid(uuid: string | undefined): string | undefined {
  if (uuid !== undefined && !uuidPattern.test(uuid)) {
    throw new ProtocolError('invalid_request', 'The profile_uuid is not a UUID.')
  }
  return uuid?.toLowerCase()
}
