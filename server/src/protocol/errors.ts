/**
 * `protocol/` owns the rules of OAuth 2.0 and OpenID Connect as pure functions: errors, parameters, scope,
 * PKCE, redirect URIs, permissions, claims. It never does I/O, reads a clock or imports another room.
 *
 * This file holds every error code that the service answers with. docs/errors.md and the interface description show the
 * same codes, and a test compares the three.
 */
import type { AddressMismatch } from './address-mismatch.ts'

/** HTTP status and plain meaning of each error code. The key is what travels in `error`. */
export const errorCatalogue = {
  invalid_request: {
    status: 400,
    source: 'RFC 6749 §4.1.2.1, §5.2',
    meaning: 'A parameter is missing, repeated, malformed, or contradicts another.',
  },
  invalid_client: {
    status: 401,
    source: 'RFC 6749 §5.2',
    meaning: 'The client_id is unknown, the client is inactive, or the client did not prove who it is.',
  },
  invalid_redirect_uri: {
    status: 400,
    source: 'interface §7',
    meaning:
      'The redirect_uri or post_logout_redirect_uri is not exactly one that is registered for the client.',
  },
  invalid_scope: {
    status: 400,
    source: 'RFC 6749 §4.1.2.1, §5.2',
    meaning: 'The scope openid is missing, or a scope is unknown or not assigned to the client.',
  },
  invalid_grant: {
    status: 400,
    source: 'RFC 6749 §5.2',
    meaning:
      'The code or refresh token is unknown, expired, already used or revoked, or does not fit the request.',
  },
  invalid_target: {
    status: 400,
    source: 'RFC 8707 §2',
    meaning: 'The resource is not the audience of a service that is assigned to the client.',
  },
  invalid_token: {
    status: 401,
    source: 'RFC 6750 §3.1',
    meaning: 'The access token is missing, malformed, expired or revoked.',
  },
  invalid_dpop_proof: {
    status: 400,
    source: 'RFC 9449 §12.2',
    meaning: 'The DPoP proof is malformed, too old, used before, or not made for this request.',
  },
  sign_in_required: {
    status: 401,
    source: 'RFC 9110 §15.5.2',
    meaning: 'Nobody is signed in to the application behind a proxy, or the sign-in has ended.',
  },
  insufficient_user_authentication: {
    status: 401,
    source: 'RFC 9470 §3',
    meaning: 'The person signed in too long ago for this.',
  },
  insufficient_scope: {
    status: 403,
    source: 'RFC 6750 §3.1',
    meaning: 'The access token is valid, but does not allow this.',
  },
  unauthorized_client: {
    status: 400,
    source: 'RFC 6749 §4.1.2.1, §5.2',
    meaning: 'The client is not registered for this grant.',
  },
  unsupported_grant_type: {
    status: 400,
    source: 'RFC 6749 §5.2',
    meaning: 'The grant_type is none that the service knows.',
  },
  unsupported_response_type: {
    status: 400,
    source: 'RFC 6749 §4.1.2.1',
    meaning: 'The response_type is not code.',
  },
  access_denied: {
    status: 400,
    source: 'RFC 6749 §4.1.2.1, RFC 8628 §3.5',
    meaning: 'The user did not give consent, cancelled, or has no profile that may be used.',
  },
  authorization_pending: {
    status: 400,
    source: 'RFC 8628 §3.5',
    meaning: 'Nobody has answered the device code yet; ask again after the interval.',
  },
  slow_down: {
    status: 400,
    source: 'RFC 8628 §3.5',
    meaning: 'The device asked too soon: from now on it waits 5 seconds longer between two requests.',
  },
  expired_token: {
    status: 400,
    source: 'RFC 8628 §3.5',
    meaning: 'The device code has expired; start again on the device.',
  },
  login_required: {
    status: 400,
    source: 'OpenID Connect Core 1.0 §3.1.2.6',
    meaning:
      'prompt=none was sent and the user has to sign in, or another user signed in than the id_token_hint names.',
  },
  interaction_required: {
    status: 400,
    source: 'OpenID Connect Core 1.0 §3.1.2.6',
    meaning:
      'The user has to choose a profile or set up a second factor, or to prove more for the profile of profile_uuid.',
  },
  unmet_authentication_requirements: {
    status: 400,
    source: 'OpenID Connect Core Unmet Authentication Requirements 1.0 §2, RFC 9470 §5',
    meaning: 'Policy or acr_values demand a second factor, and the user did not set one up.',
  },
  consent_required: {
    status: 400,
    source: 'OpenID Connect Core 1.0 §3.1.2.6',
    meaning: 'prompt=none was sent, and the user has to give consent.',
  },
  request_not_supported: {
    status: 400,
    source: 'OpenID Connect Core 1.0 §3.1.2.6',
    meaning: 'The parameter request (a request object) is not supported.',
  },
  request_uri_not_supported: {
    status: 400,
    source: 'OpenID Connect Core 1.0 §3.1.2.6',
    meaning: 'The parameter request_uri names no pushed request, and others are not supported.',
  },
  registration_not_supported: {
    status: 400,
    source: 'OpenID Connect Core 1.0 §3.1.2.6',
    meaning: 'The parameter registration is not supported.',
  },
  request_expired: {
    status: 400,
    source: 'Tessera',
    meaning: 'The sign-in is over, or was begun in another browser.',
  },
  setup_link_ended: {
    status: 400,
    source: 'Tessera',
    meaning:
      'The link of tessera setup is none, was used, is older than an hour, or somebody administers the installation already.',
  },
  invitation_ended: {
    status: 400,
    source: 'Tessera',
    meaning:
      'The link of an invitation is none, was used, replaced or withdrawn, or who invited may not give any more what it gives.',
  },
  upstream_invitation_ended: {
    status: 400,
    source: 'Tessera',
    meaning:
      'The set-up link is none, has ended, was opened in another browser, or who made it may not make it any more.',
  },
  form_expired: {
    status: 403,
    source: 'Tessera',
    meaning: 'A form was sent without the token that ties it to the browser it was shown in.',
  },
  forbidden: {
    status: 403,
    source: 'RFC 9110 §15.5.4',
    meaning: 'Who asks has the permission for such a change, but not for this one.',
  },
  permission_missing: {
    status: 403,
    source: 'Tessera',
    meaning:
      'The address of an application behind a proxy needs a permission that the visitor’s role does not give.',
  },
  forward_auth_refused: {
    status: 403,
    source: 'Tessera',
    meaning:
      'No route of an application behind a proxy fits the request, or the proxy did not ask as it must; the log says which.',
  },
  not_found: { status: 404, source: 'RFC 9110 §15.5.5', meaning: 'There is nothing at this address.' },
  method_not_allowed: {
    status: 405,
    source: 'RFC 9110 §15.5.6',
    meaning: 'The address does not take this method.',
  },
  conflict: {
    status: 409,
    source: 'RFC 9110 §15.5.10',
    meaning: 'It contradicts what is there: a name is taken, or something still depends on it.',
  },
  last_administrator: {
    status: 409,
    source: 'Tessera',
    meaning: 'Nobody would be left who administers the whole installation.',
  },
  managed_by_file: {
    status: 409,
    source: 'Tessera',
    meaning: 'A declared file manages it: what is changed here, the next application of the file takes back.',
  },
  plan_outdated: {
    status: 409,
    source: 'Tessera',
    meaning: 'Applying the declared file would do something else now than the plan that was shown.',
  },
  precondition_failed: {
    status: 412,
    source: 'RFC 9110 §15.5.13',
    meaning: 'It was changed since the version that If-Match names.',
  },
  request_too_large: {
    status: 413,
    source: 'RFC 9110 §15.5.14',
    meaning: 'The body is larger than the address takes.',
  },
  unsupported_media_type: {
    status: 415,
    source: 'RFC 9110 §15.5.16',
    meaning: 'The body is of a type that the address does not take.',
  },
  idempotency_key_reused: {
    status: 422,
    source: 'draft-ietf-httpapi-idempotency-key-header §2.7',
    meaning: 'The Idempotency-Key was used for another request.',
  },
  precondition_required: {
    status: 428,
    source: 'RFC 6585 §3',
    meaning: 'A change needs If-Match with the version that was read.',
  },
  too_many_requests: {
    status: 429,
    source: 'RFC 6585 §4',
    meaning: 'A limit was reached; Retry-After says when to try again.',
  },
  server_error: {
    status: 500,
    source: 'RFC 6749 §4.1.2.1',
    meaning: 'Something went wrong in the service; the log has it under the request id.',
  },
  temporarily_unavailable: {
    status: 503,
    source: 'RFC 6749 §4.1.2.1',
    meaning: 'The database can’t be reached, or too many sign-ins wait; Retry-After says when to try again.',
  },
} as const satisfies Record<string, { status: number; source: string; meaning: string }>

export type ErrorCode = keyof typeof errorCatalogue

/** What the code alone does not tell: pages have words of their own for it. */
export type Situation = 'no_cookies' | 'too_many_cookies' | 'signed_in' | 'no_redirect_uri'

interface ErrorOptions {
  /** Overrides the status of the catalogue, e.g. 400 where `invalid_client` is shown on a page. */
  status?: number
  headers?: Readonly<Record<string, string>>
  /** The levels of which one is wanted, beside the error (RFC 9470 §3). */
  acrValues?: string
  situation?: Situation
  /** Details for the log alone. */
  detail?: string
  mismatch?: AddressMismatch
  cause?: unknown
}

/** A refusal: thrown once, and translated into an answer once, by `http/errors.ts`. `description` is public. */
export class ProtocolError extends Error {
  override readonly name: string = 'ProtocolError'
  readonly code: ErrorCode
  readonly description: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly acrValues: string | undefined
  readonly situation: Situation | undefined
  readonly detail: string | undefined
  /** What operators are told. A page shows the host alone, outside development. */
  readonly mismatch: AddressMismatch | undefined

  constructor(code: ErrorCode, description: string, options: ErrorOptions = {}) {
    super(`${code}: ${description}`, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.description = description
    this.status = options.status ?? errorCatalogue[code].status
    this.headers = options.headers ?? {}
    this.acrValues = options.acrValues
    this.situation = options.situation
    this.detail = options.detail
    this.mismatch = options.mismatch
  }
}
