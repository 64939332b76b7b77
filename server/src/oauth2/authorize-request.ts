import { type AuthorizeParameters, type Prompt, promptValues } from '../protocol/authorize-parameters.ts'
import { isLevel, type Level } from '../protocol/authentication.ts'
import { deceivingProblem } from '../protocol/characters.ts'
import { isThumbprint } from '../protocol/dpop.ts'
import { type ErrorCode, ProtocolError } from '../protocol/errors.ts'
import { RedirectableError } from '../protocol/redirectable-error.ts'
import { invalidRequest, refusedAddress, unknownClient } from '../protocol/refusals.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { isCodeChallenge } from '../protocol/pkce.ts'
import { type RedirectTarget, responseModes, targetOf } from '../protocol/redirect-target.ts'
import { isRegisteredRedirectUri } from '../protocol/redirect-uri.ts'
import { parseScope, type Scope, signInScope } from '../protocol/scope.ts'
import { isUuid } from '../protocol/values.ts'
import type { Service } from '../service.ts'
import type { PendingRequest } from '../store/authorization-requests.ts'
import { type Client, findClient } from '../store/clients.ts'
import { askedResource, tokenAudience } from './audience.ts'
import { unknownDocument, withDocument } from './client-document.ts'

declare const validated: unique symbol

/** An authorization request that passed every check; only this file makes one. */
export interface ValidAuthorizeRequest {
  readonly [validated]: true
  readonly client: Client
  readonly redirect_uri: string
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
  refuseHidden(parameters, 'client_id')
  return requestOf(service, await validClient(service, parameters), parameters)
}

/** Checks what this client asks for. */
export function requestOf(service: Service, client: Client, parameters: Parameters): ValidAuthorizeRequest {
  refuseHidden(parameters, 'redirect_uri')
  const redirect_uri = validRedirectUri(client, parameters.optional('redirect_uri'))
  const responseMode = askedMode(parameters, redirect_uri)
  const [state, uiLocales] = [parameters.raw('state'), parameters.raw('ui_locales')]
  const target = { redirect_uri, state, responseMode, uiLocales }
  const checked = redirected(target, () => validParameters(service, parameters, client, responseMode))
  return { client, redirect_uri, parameters: checked } as ValidAuthorizeRequest
}

/** Checks a kept request against the client as it is now. Who calls it has checked the client and the redirect_uri. */
export function revalidateAuthorizeRequest(
  service: Service,
  kept: Pick<PendingRequest, 'redirect_uri' | 'parameters'>,
  client: Client,
): ValidAuthorizeRequest {
  const { redirect_uri, parameters } = kept
  redirected(targetOf(kept), () => {
    // A device's request is kept too, and its client may have no such grant.
    if (parameters.pushed !== undefined) checkCodeGrant(client)
    const { state, nonce, codeChallenge } = parameters
    const missing =
      (client.require_state && state === undefined) ||
      (client.require_nonce && nonce === undefined) ||
      (client.require_pkce && codeChallenge === undefined)
    if (missing) throw invalidRequest('The client must send state, nonce and PKCE by now. Start anew.')
    const scopes = parseScope(parameters.scopes.join(' '), client.scopes)
    if (parameters.resource !== undefined) tokenAudience(service.issuer, client, scopes, parameters.resource)
  })
  return { client, redirect_uri, parameters } as ValidAuthorizeRequest
}

/** Turns an error of the second stage into one that is redirected to the client. */
function redirected<T>(target: RedirectTarget, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof ProtocolError)
      throw new RedirectableError(error.code, error.description, target, error.detail)
    throw error
  }
}

export async function validClient(service: Service, parameters: Parameters): Promise<Client> {
  const client_id = parameters.optional('client_id')
  const client = client_id === undefined ? undefined : await findClient(service.store, client_id)
  if (client === undefined) throw unknownDocument(client_id) ?? unknownClient()
  if (!client.usable) throw unknownClient()
  return await withDocument(service, client)
}

export function validRedirectUri(client: Client, redirect_uri: string | undefined): string {
  const { redirect_uris, application_type } = client
  if (redirect_uri !== undefined && isRegisteredRedirectUri(redirect_uri, redirect_uris, application_type))
    return redirect_uri
  throw refusedAddress(client, 'redirect_uris', redirect_uri)
}

function validParameters(
  service: Service,
  parameters: Parameters,
  client: Client,
  responseMode: 'form_post' | undefined,
): AuthorizeParameters {
  parameters.refuseRepeated()
  refuseObjects(parameters)
  const state = parameters.value('state', client.require_state === 1, 8192)
  validResponseType(parameters, client)
  validResponseMode(parameters, responseMode)
  const scopes = validScope(parameters, client)
  const nonce = parameters.value('nonce', client.require_nonce === 1)
  const codeChallenge = validChallenge(parameters, client)
  const resource = askedResource(service.issuer, client, scopes, parameters.optional('resource'))
  if (resource !== undefined) tokenAudience(service.issuer, client, scopes, resource)
  return {
    scopes,
    state,
    nonce,
    codeChallenge,
    responseMode,
    resource,
    dpopJkt: validThumbprint(parameters.optional('dpop_jkt')),
    prompt: validPrompt(parameters.optional('prompt')),
    maxAge: validMaxAge(parameters.optional('max_age')),
    loginHint: shownHint(parameters.optional('login_hint', 320)),
    hintedSub: hintedSubject(service, client, parameters.optional('id_token_hint', 8192)),
    uiLocales: parameters.optional('ui_locales', 200),
    acrValues: knownLevels(parameters.optional('acr_values')),
    profileUuid: validProfileUuid(parameters.optional('profile_uuid')),
    upstream: parameters.optional('upstream', 130),
  }
}

/** Request objects (OpenID Connect Core 1.0 §6, §7.2.1): refused before any parameter in them counts as missing. */
const objects = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
} as const satisfies Record<string, ErrorCode>

function refuseObjects(
  parameters: Parameters,
  names = Object.keys(objects) as (keyof typeof objects)[],
): void {
  const sent = names.find((name) => parameters.raw(name) !== undefined)
  if (sent === undefined) return
  const instead =
    sent === 'registration' ? 'clients are registered beforehand' : 'send the parameters themselves'
  throw new ProtocolError(objects[sent], `The parameter ${sent} is not supported; ${instead}.`)
}

/** A parameter of stage one that may be in a request object alone: the object is what the page must name. */
function refuseHidden(parameters: Parameters, name: 'client_id' | 'redirect_uri'): void {
  if (parameters.optional(name) === undefined) refuseObjects(parameters, ['request', 'request_uri'])
}

function validResponseType(parameters: Parameters, client: Client): void {
  if (parameters.required('response_type') !== 'code') {
    throw new ProtocolError('unsupported_response_type', 'The only response_type is code.')
  }
  checkCodeGrant(client)
}

function checkCodeGrant(client: Client): void {
  if (client.grant_types.includes('authorization_code')) return
  throw new ProtocolError(
    'unauthorized_client',
    'The client is not registered for the grant authorization_code.',
  )
}

/**
 * How the client is answered: by the query, unless it asks for a form and a form can carry the answer. None reaches a
 * private-use scheme, and browsers change the line breaks of what they post.
 */
function askedMode(parameters: Parameters, redirect_uri: string): 'form_post' | undefined {
  if (parameters.raw('response_mode') !== 'form_post') return undefined
  const carries = /^https?:/.test(redirect_uri) && !/[\0\r\n]/.test(parameters.raw('state') ?? '')
  return carries ? 'form_post' : undefined
}

function validResponseMode(parameters: Parameters, used: 'form_post' | undefined): void {
  const asked = parameters.optional('response_mode')
  if (asked === undefined || asked === (used ?? 'query')) return
  throw invalidRequest(
    asked === 'form_post'
      ? 'The response_mode form_post takes an http or https redirect_uri, and a state without line breaks.'
      : `The response_mode must be ${responseModes.join(' or ')}.`,
  )
}

export function validScope(parameters: Parameters, client: Client): Scope[] {
  const scopes = parseScope(askedScope(parameters.optional('scope'), client), client.scopes)
  const needed = signInScope(client.scopes)
  if (!scopes.includes(needed)) throw new ProtocolError('invalid_scope', `The scope ${needed} is missing.`)
  return scopes
}

/**
 * Programs of MCP ask for offline_access wherever it is supported: one that is not assigned is left out for them. They ask
 * for nothing where a server names no scopes: then it is all of their client's (RFC 6749 §3.3), which people allow each time.
 */
function askedScope(asked: string | undefined, client: Client): string {
  if (client.document === undefined) return asked ?? ''
  const scope = asked ?? client.scopes.join(' ')
  if (client.scopes.includes('offline_access')) return scope
  return scope
    .split(' ')
    .filter((one) => one !== 'offline_access')
    .join(' ')
}

/**
 * S256 is the only method (RFC 7636 §4.3). PKCE is required unless the client is registered without it, which then may
 * still use it (RFC 9700 §2.1.1).
 */
function validChallenge(parameters: Parameters, client: Client): string | undefined {
  const challenge = parameters.value('code_challenge', client.require_pkce === 1)
  const method = parameters.value('code_challenge_method', challenge !== undefined)
  if (challenge === undefined && method === undefined) return undefined
  if (method !== 'S256') throw invalidRequest('The code_challenge_method must be S256.')
  if (challenge === undefined || !isCodeChallenge(challenge)) {
    throw invalidRequest(
      'The code_challenge must be 43 base64url characters: BASE64URL(SHA256(code_verifier)).',
    )
  }
  return challenge
}

function validThumbprint(jkt: string | undefined): string | undefined {
  if (jkt === undefined || isThumbprint(jkt)) return jkt
  throw invalidRequest(
    'The dpop_jkt must be 43 base64url characters: the SHA-256 thumbprint of a key (RFC 7638).',
  )
}

function validPrompt(prompt: string | undefined): Prompt[] {
  const values = (prompt ?? '').split(' ').filter((value) => value !== '')
  const known = values.filter((value): value is Prompt => (promptValues as readonly string[]).includes(value))
  if (known.length < values.length) {
    throw invalidRequest(`The prompt must be made of ${promptValues.join(', ')}.`)
  }
  // OpenID Connect Core 1.0 §3.1.2.1
  if (known.includes('none') && known.length > 1) {
    throw invalidRequest('The prompt none stands alone.')
  }
  return known
}

/** Voluntary, so unknown values are left out (OpenID Connect Core 1.0 §5.5.1.1). */
function knownLevels(acrValues: string | undefined): Level[] | undefined {
  const known = (acrValues ?? '').split(' ').filter(isLevel)
  return known.length === 0 ? undefined : [...new Set(known)]
}

function validMaxAge(maxAge: string | undefined): number | undefined {
  if (maxAge === undefined) return undefined
  if (!/^\d{1,10}$/.test(maxAge)) throw invalidRequest('The max_age must be a number of seconds.')
  return Number(maxAge)
}

/** The hint is shown in the field for the address, so one that looks like another address is left out. */
function shownHint(hint: string | undefined): string | undefined {
  return hint === undefined || deceivingProblem(hint) !== undefined ? undefined : hint
}

/** An expired hint counts: it names a person, and grants nothing (OpenID Connect Core 1.0 §3.1.2.1). */
function hintedSubject(service: Service, client: Client, hint: string | undefined): string | undefined {
  if (hint === undefined) return undefined
  const claims = service.keys.verified(hint, 'ID token')
  if (claims === undefined || claims.aud !== client.client_id || typeof claims.sub !== 'string') {
    throw invalidRequest('The id_token_hint is not an ID token that was issued to this client.')
  }
  return claims.sub
}

function validProfileUuid(uuid: string | undefined): string | undefined {
  if (uuid !== undefined && !isUuid(uuid)) {
    throw invalidRequest('The profile_uuid is not a UUID.')
  }
  return uuid?.toLowerCase()
}
