/**
 * `protocol/` owns the rules of OAuth 2.0 and OpenID Connect as pure functions: errors, parameters, scope,
 * PKCE, redirect URIs, permissions, claims. It never does I/O, reads a clock or imports another room.
 *
 * This file holds every error code that the service answers with. `docs/errors.md` lists the same codes,
 * and a test holds the two together.
 */

/** HTTP status and plain meaning of each error code. The key is what travels in `error`. */
export const errorCatalogue = {
  invalid_request: { status: 400, source: 'RFC 6749 §4.1.2.1, §5.2' },
  invalid_client: { status: 401, source: 'RFC 6749 §5.2' },
  invalid_redirect_uri: { status: 400, source: 'interface §7' },
  invalid_scope: { status: 400, source: 'RFC 6749 §4.1.2.1, §5.2' },
  invalid_grant: { status: 400, source: 'RFC 6749 §5.2' },
  invalid_target: { status: 400, source: 'RFC 8707 §2' },
  invalid_token: { status: 401, source: 'RFC 6750 §3.1' },
  insufficient_scope: { status: 403, source: 'RFC 6750 §3.1' },
  unauthorized_client: { status: 400, source: 'RFC 6749 §4.1.2.1, §5.2' },
  unsupported_grant_type: { status: 400, source: 'RFC 6749 §5.2' },
  unsupported_response_type: { status: 400, source: 'RFC 6749 §4.1.2.1' },
  unsupported_token_type: { status: 400, source: 'RFC 7009 §2.2.1' },
  access_denied: { status: 403, source: 'RFC 6749 §4.1.2.1' },
  login_required: { status: 400, source: 'OpenID Connect Core 1.0 §3.1.2.6' },
  interaction_required: { status: 400, source: 'OpenID Connect Core 1.0 §3.1.2.6' },
  consent_required: { status: 400, source: 'OpenID Connect Core 1.0 §3.1.2.6' },
  request_not_supported: { status: 400, source: 'OpenID Connect Core 1.0 §3.1.2.6' },
  request_uri_not_supported: { status: 400, source: 'OpenID Connect Core 1.0 §3.1.2.6' },
  request_expired: { status: 400, source: 'Tessera: the sign-in is over, or belongs to another browser' },
  form_expired: { status: 403, source: 'Tessera: the CSRF token of a form is missing or wrong' },
  not_found: { status: 404, source: 'RFC 9110 §15.5.5' },
  method_not_allowed: { status: 405, source: 'RFC 9110 §15.5.6' },
  request_too_large: { status: 413, source: 'RFC 9110 §15.5.14' },
  too_many_requests: { status: 429, source: 'RFC 6585 §4' },
  server_error: { status: 500, source: 'RFC 6749 §4.1.2.1' },
  temporarily_unavailable: { status: 503, source: 'RFC 6749 §4.1.2.1' },
} as const satisfies Record<string, { status: number; source: string }>

export type ErrorCode = keyof typeof errorCatalogue

interface ErrorOptions {
  /** Overrides the status of the catalogue, e.g. 400 where `invalid_client` is shown on a page. */
  status?: number
  headers?: Readonly<Record<string, string>>
  /** For the log alone; never sent to anyone. */
  detail?: string
  cause?: unknown
}

/** A refusal. Thrown once, translated once by `http/errors.ts`; `description` is public, `detail` is for the log. */
export class ProtocolError extends Error {
  override readonly name: string = 'ProtocolError'
  readonly code: ErrorCode
  readonly description: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly detail: string | undefined

  constructor(code: ErrorCode, description: string, options: ErrorOptions = {}) {
    super(`${code}: ${description}`, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.description = description
    this.status = options.status ?? errorCatalogue[code].status
    this.headers = options.headers ?? {}
    this.detail = options.detail
  }
}

/** Where an authorization error may be sent: a client and redirect_uri that were checked. */
export interface RedirectTarget {
  redirectUri: string
  state: string | undefined
}

/** An authorization error that goes to the client's redirect_uri (RFC 6749 §4.1.2.1). Others are shown on a page. */
export class RedirectableError extends ProtocolError {
  override readonly name = 'RedirectableError'
  readonly target: RedirectTarget

  constructor(code: ErrorCode, description: string, target: RedirectTarget) {
    super(code, description)
    this.target = target
  }
}
