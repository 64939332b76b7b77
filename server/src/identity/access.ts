import { iamAudience, iamService, serviceOf } from '../protocol/permission.ts'
import type { SigningAlg } from '../protocol/signing-alg.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import { permissionsOfRole } from '../store/roles.ts'
import { findPerson } from '../store/person.ts'
import type { Profile, User } from '../store/users.ts'

/** The services that a token is for. */
export interface Audience {
  /** Their codes: permissions of other services are left out. */
  services: readonly string[]
  audiences: readonly string[]
  /** What the token is signed with: ES256 when each of them asks for it. */
  alg: SigningAlg
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
  const builtIn = client.services.includes(iamService)
    ? [{ code: iamService, audience: iamAudience(issuer), accessTokenAlg: 'RS256' as const }]
    : []
  const assigned = [...client.declaredServices, ...builtIn]
  const chosen = resource === undefined ? assigned : assigned.filter((one) => one.audience === resource)
  if (resource !== undefined && chosen.length === 0) return undefined
  return {
    services: chosen.map((one) => one.code),
    audiences: chosen.map((one) => one.audience),
    // Without any of them the token is for the issuer.
    alg: chosen.length > 0 && chosen.every((one) => one.accessTokenAlg === 'ES256') ? 'ES256' : 'RS256',
  }
}

/** What a person may do through a client: of the active role, of these services, within the client's allow-list. */
export async function permissionsOfPerson(
  service: Service,
  roleCode: string,
  client: Client,
  services: readonly string[],
): Promise<string[]> {
  const ofRole = await permissionsOfRole(service.store, roleCode)
  const allowed = client.permissions
  return ofRole.filter(
    (one) => services.includes(serviceOf(one)) && (allowed === undefined || allowed.includes(one)),
  )
}

/** What a machine may do: what is assigned to it, of these services. */
export function permissionsOfMachine(client: Client, services: readonly string[]): string[] {
  return (client.permissions ?? []).filter((one) => services.includes(serviceOf(one)))
}

/** The person, active or not, and the profile with this id, if they may act under it now. */
export async function personAs(
  service: Service,
  userUuid: string,
  profileUuid: string,
): Promise<{ user: User | undefined; profile: Profile | undefined }> {
  const person = await findPerson(service.store, userUuid, service.now())
  return {
    user: person?.user,
    profile: person?.profiles.find((one) => one.profileUuid === profileUuid),
  }
}
