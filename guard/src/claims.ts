/**
 * The claims of an access token (RFC 9068 §2.2), as a handler receives them. They are frozen, because one
 * object is shared by all requests that bring the same token.
 */
export interface AccessTokenClaims {
  /** The issuer; equals the configured one. */
  readonly iss: string
  /** A person's stable identifier (UUID), or the `client_id` of a machine. */
  readonly sub: string
  /** One audience, or several. */
  readonly aud: string | readonly string[]
  /** Expiry, seconds since 1970. */
  readonly exp: number
  /** Time of issue, seconds since 1970. */
  readonly iat: number
  /** Identifier of this token. */
  readonly jti: string
  /** The client that the token was issued to. */
  readonly client_id: string
  /** Granted scopes, separated by spaces. */
  readonly scope?: string
  /** Not valid before, seconds since 1970. Tessera does not set it. */
  readonly nbf?: number
  /** Exact permissions, `<service>.<resource>.<action>`; only with the scope `service.api`. */
  readonly permissions?: readonly string[]
  /** The session the person signed in with; people only, like all that follow. */
  readonly sid?: string
  /** When the person signed in, seconds since 1970. */
  readonly auth_time?: number
  /** How strongly the person signed in. */
  readonly acr?: string
  /** The methods of the person's sign-in (RFC 8176). */
  readonly amr?: readonly string[]
  /** The active profile. */
  readonly profile_uuid?: string
  /** The role of the active profile. */
  readonly role_code?: string
  /** The organisation of the active profile, or of the machine; only when there is one. */
  readonly organisation_uuid?: string
  /** The unit of the active profile; only when there is one. */
  readonly organisation_unit_uuid?: string
  /** Only when the scope `email` was granted. */
  readonly email?: string
  /**
   * The service that calls in the name of the person `sub`, when one does. What may be done is said by `permissions`
   * alone: no decision depends on it.
   */
  readonly act?: ActingParty
  /** The key that the token is bound to, by its thumbprint (RFC 9449 §6.1); the request proved it. */
  readonly cnf?: { readonly jkt: string }
}

/** The service that acts, and those that called it before (RFC 8693 §4.1). */
export interface ActingParty {
  /** A client_id. */
  readonly sub: string
  readonly act?: ActingParty
}

/** True for a token that a machine got for itself: its `sub` is its `client_id` (RFC 9068 §2.2). */
export function isMachine(claims: AccessTokenClaims): boolean {
  return claims.sub === claims.client_id
}

type Shape = 'string' | 'number' | 'strings' | 'audience' | 'actor'

const required: Readonly<Record<string, Shape>> = {
  iss: 'string',
  sub: 'string',
  aud: 'audience',
  exp: 'number',
  iat: 'number',
  jti: 'string',
  client_id: 'string',
}

const optional: Readonly<Record<string, Shape>> = {
  scope: 'string',
  nbf: 'number',
  permissions: 'strings',
  sid: 'string',
  auth_time: 'number',
  acr: 'string',
  amr: 'strings',
  profile_uuid: 'string',
  role_code: 'string',
  organisation_uuid: 'string',
  organisation_unit_uuid: 'string',
  email: 'string',
  act: 'actor',
}

/**
 * Says whether a payload has every claim that RFC 9068 §2.2 requires, each known claim in its own type.
 * It says nothing about their values.
 */
export function isAccessTokenClaims(
  payload: Readonly<Record<string, unknown>>,
): payload is Readonly<Record<string, unknown>> & AccessTokenClaims {
  for (const [name, shape] of Object.entries(required)) {
    if (!Object.hasOwn(payload, name) || !hasShape(payload[name], shape)) return false
  }
  for (const [name, shape] of Object.entries(optional)) {
    if (Object.hasOwn(payload, name) && !hasShape(payload[name], shape)) return false
  }
  return true
}

function hasShape(value: unknown, shape: Shape): boolean {
  switch (shape) {
    case 'string':
      return typeof value === 'string' && value !== ''
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) && value >= 0
    case 'strings':
      return isStrings(value)
    case 'audience':
      return typeof value === 'string' || isStrings(value)
    case 'actor':
      return isActor(value)
  }
}

function isActor(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { sub, act }: { sub?: unknown; act?: unknown } = value
  return hasShape(sub, 'string') && (act === undefined || isActor(act))
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
