import type { AccessTokenTyp } from '../protocol/access-token-typ.ts'
import { iamAudience, iamService, serviceOf } from '../protocol/permission.ts'
import type { Scope } from '../protocol/scope.ts'
import type { SigningAlg } from '../protocol/signing-alg.ts'
import type { Client } from '../store/clients.ts'
import type { Reading } from '../store/in-transaction.ts'
import { permissionsOfRole } from '../store/roles.ts'
import { findPerson } from '../store/person.ts'
import { isWithinClient } from '../store/usable.ts'
import type { Profile, User } from '../store/users.ts'

/** What is asked of the database, and when: within a transaction too. */
export interface ReadingNow {
  store: Reading
  now(): number
}

/** The services that a token is for: what its `aud` and `permissions` are made from. */
export interface Audience {
  /** Codes of services. */
  services: readonly string[]
  audiences: readonly string[]
  /** ES256 when each of them asks for it. */
  alg: SigningAlg
  /** JWT when each of them asks for it. */
  typ: AccessTokenTyp
}

/**
 * The services assigned to a client, narrowed to one by `resource` (RFC 8707 §2).
 * Undefined: the resource is not the audience of any of them.
 */
export function audienceOf(
  issuer: string,
  client: Client,
  resource: string | undefined,
): Audience | undefined {
  const builtIn = client.services.includes(iamService) ? [{ ...ofIam, audience: iamAudience(issuer) }] : []
  const assigned = [...client.declaredServices, ...builtIn]
  const chosen = resource === undefined ? assigned : assigned.filter((one) => one.audience === resource)
  if (resource !== undefined && chosen.length === 0) return undefined
  return {
    services: chosen.map((one) => one.code),
    audiences: chosen.map((one) => one.audience),
    // The audience is the issuer where no service is chosen.
    alg: chosen.length > 0 && chosen.every((one) => one.access_token_alg === 'ES256') ? 'ES256' : 'RS256',
    typ: chosen.length > 0 && chosen.every((one) => one.access_token_typ === 'JWT') ? 'JWT' : 'at+jwt',
  }
}

const nobody: Audience = { services: [], audiences: [], alg: 'RS256', typ: 'at+jwt' }

/**
 * The audience of an access token (decisions 3): with `service.api` the services assigned to the client, narrowed by
 * `resource`; without it, the issuer alone. Undefined: the resource is none of them.
 */
export function audienceFor(
  issuer: string,
  client: Client,
  scopes: readonly Scope[],
  resource: string | undefined,
): Audience | undefined {
  if (scopes.includes('service.api')) return audienceOf(issuer, client, resource)
  return resource === undefined || resource === issuer ? nobody : undefined
}

const ofIam = { code: iamService, access_token_alg: 'RS256', access_token_typ: 'at+jwt' } as const

/** The granted scopes that the client still has. */
export function scopesNow(client: Client, granted: readonly Scope[]): Scope[] {
  return granted.filter((one) => client.scopes.includes(one))
}

/** The `permissions` of a person's access token: with `service.api` alone (decisions 3). */
export async function grantedPermissions(
  service: Pick<ReadingNow, 'store'>,
  client: Client,
  role_code: string,
  { scopes, audience }: { scopes: readonly Scope[]; audience: Audience },
): Promise<readonly string[] | undefined> {
  if (!scopes.includes('service.api')) return undefined
  return await permissionsOfPerson(service, role_code, client, audience.services)
}

/** The permissions of a role at these services, within the client's allow-list. */
export async function permissionsOfPerson(
  service: Pick<ReadingNow, 'store'>,
  role_code: string,
  client: Client,
  services: readonly string[],
): Promise<string[]> {
  const ofRole = await permissionsOfRole(service.store, role_code)
  const allowed = client.permissions
  return ofRole.filter(
    (one) => services.includes(serviceOf(one)) && (allowed === null || allowed.includes(one)),
  )
}

/** The permissions assigned to a machine, at these services. */
export function permissionsOfMachine(client: Client, services: readonly string[]): string[] {
  return (client.permissions ?? []).filter((one) => services.includes(serviceOf(one)))
}

/** The profiles that people may act under through a client; a client of an organisation acts within it (decisions 10). */
export function profilesThrough(client: Client, profiles: readonly Profile[]): readonly Profile[] {
  return profiles.filter((one) => isWithinClient(one, client))
}

/** The person, active or not, and the profile with this id if they may act under it through the client now. */
export async function personAs(
  service: ReadingNow,
  client: Client,
  { user_uuid, profile_uuid }: { user_uuid: string; profile_uuid: string },
): Promise<{ user: User | undefined; profile: Profile | undefined }> {
  const person = await findPerson(service.store, user_uuid, service.now())
  const profiles = profilesThrough(client, person?.profiles ?? [])
  return { user: person?.user, profile: profiles.find((one) => one.held_uuid === profile_uuid) }
}
