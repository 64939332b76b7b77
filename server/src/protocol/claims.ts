import type { Scope } from './scope.ts'

/** Whom a person acts as: one profile, its role and where it holds (decisions, "Words"). */
export interface AccessContext {
  profileUuid: string
  roleCode: string
  organisationUuid: string | undefined
  unitUuid: string | undefined
}

/** What is known of a person, as the claims need it. */
export interface Person {
  uuid: string
  email: string
  emailVerified: boolean
  name: string
  givenName: string | undefined
  familyName: string | undefined
  preferredUsername: string | undefined
  picture: string | undefined
  locale: string | undefined
  zoneinfo: string | undefined
  /** Epoch milliseconds. */
  updatedAt: number
}

export type Claims = Record<string, string | number | boolean | readonly string[]>

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
  'given_name',
  'family_name',
  'preferred_username',
  'picture',
  'locale',
  'zoneinfo',
  'updated_at',
] as const

/** The active access context; organisation and unit only when there are any (interface §2). */
export function contextClaims(context: AccessContext): Claims {
  return present({
    profile_uuid: context.profileUuid,
    role_code: context.roleCode,
    organisation_uuid: context.organisationUuid,
    organisation_unit_uuid: context.unitUuid,
  })
}

/** The claims of the granted `email` and `profile` scopes (OpenID Connect Core 1.0 §5.4). Absent values are left out. */
export function personClaims(person: Person, scopes: readonly Scope[]): Claims {
  return present({
    ...(scopes.includes('email') && { email: person.email, email_verified: person.emailVerified }),
    ...(scopes.includes('profile') && {
      name: person.name,
      given_name: person.givenName,
      family_name: person.familyName,
      preferred_username: person.preferredUsername,
      picture: person.picture,
      locale: person.locale,
      zoneinfo: person.zoneinfo,
      updated_at: Math.floor(person.updatedAt / 1000),
    }),
  })
}

/** Written as a loop: it runs three times for each token of a person. */
function present(claims: Record<string, string | number | boolean | undefined>): Claims {
  const all: Claims = {}
  for (const [name, value] of Object.entries(claims)) if (value !== undefined) all[name] = value
  return all
}
