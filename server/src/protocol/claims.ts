import type { Scope } from './scope.ts'

/** The profile that a person acts under, with its role, organisation and unit (decisions, "Words"). */
export interface AccessContext {
  /** The profile's uuid. */
  held_uuid: string
  role_code: string
  organisation_uuid: string | null
  unit_uuid: string | null
}

/** An access context with the codes and names of what it is made of. */
export interface NamedContext extends AccessContext {
  role_name: string
  organisation_code: string | null
  organisation_name: string | null
  unit_code: string | null
  unit_name: string | null
}

/**
 * The claims of the scope `profile` that a person may be without (OpenID Connect Core 1.0 §5.1). Columns and fields of
 * users have the same names, so a further one is added here and in the catalogue alone.
 */
export const optionalClaims = [
  'given_name',
  'family_name',
  'preferred_username',
  'picture',
  'locale',
  'zoneinfo',
  'former_sub',
] as const
export type OptionalClaim = (typeof optionalClaims)[number]

/** A person, as far as the claims need them. */
export interface ClaimPerson extends Record<OptionalClaim, string | null> {
  uuid: string
  email: string
  email_verified: 0 | 1
  name: string
  /** Epoch milliseconds. */
  updated_at: number
}

/** Claims as JSON writes them: undefined ones are left out. */
export type Claims = Record<string, string | number | boolean | readonly string[] | object | undefined>

/** The claims that a client can receive (`claims_supported`, interface §2 and decisions 3). */
export const claimsSupported = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'at_hash',
  'sid',
  'acr',
  'amr',
  'profile_uuid',
  'role_code',
  'organisation_uuid',
  'organisation_unit_uuid',
  'email',
  'email_verified',
  'name',
  ...optionalClaims,
  'updated_at',
] as const

/**
 * Claims that mean something else than whoever registers a client could say: those above, and those by which tokens of
 * other kinds are told apart or confirmed. `client_id` in an ID token would make it an access token whose `typ` is JWT,
 * and `events` a logout token.
 */
export const reservedClaims: ReadonlySet<string> = new Set([
  ...claimsSupported,
  'nbf',
  'jti',
  'azp',
  'c_hash',
  's_hash',
  'client_id',
  'scope',
  'permissions',
  'groups',
  'cnf',
  'act',
  'may_act',
  'events',
  'toe',
  'txn',
  'sub_id',
  'sub_jwk',
  'token_use',
  'authorization_details',
  'verified_claims',
  'phone_number',
  'phone_number_verified',
])

/** The claims of the access context (interface §2). */
export function contextClaims(context: AccessContext): Claims {
  return {
    profile_uuid: context.held_uuid,
    role_code: context.role_code,
    organisation_uuid: context.organisation_uuid ?? undefined,
    organisation_unit_uuid: context.unit_uuid ?? undefined,
  }
}

/**
 * `preferred_username`: that of the person, else their address, for software that signs in nobody without one. A client
 * without the scope `email` does not learn the address by it.
 */
export const usernameOf = ({ preferred_username, email }: ClaimPerson, scopes: readonly Scope[]) =>
  preferred_username ?? (scopes.includes('email') ? email : undefined)

/** The claims of the granted `email` and `profile` scopes (OpenID Connect Core 1.0 §5.4). Absent values are undefined. */
export function personClaims(person: ClaimPerson, scopes: readonly Scope[]): Claims {
  const claims: Claims = {}
  if (scopes.includes('email')) {
    claims.email = person.email
    claims.email_verified = person.email_verified === 1
  }
  if (!scopes.includes('profile')) return claims
  claims.name = person.name
  for (const name of optionalClaims) claims[name] = person[name] ?? undefined
  claims.preferred_username = usernameOf(person, scopes)
  claims.updated_at = Math.floor(person.updated_at / 1000)
  return claims
}
