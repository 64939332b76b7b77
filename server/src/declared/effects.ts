import { expandPermissions, iamPermissions, iamService, serviceOf } from '../protocol/permission.ts'
import { scopesOf } from '../protocol/scope.ts'
import { textList } from '../store/clients.ts'
import type { DeclaredState } from '../store/declared-state.ts'
import type { ClientRow, ProfileRow, RolePermissionRow, UserRow } from '../store/schema.ts'
import { byKey, groupBy } from './comparison.ts'
import { PlaceCodes } from './place-codes.ts'

/** What one profile of a person newly gives, and gives no more. */
export interface UserAccessChange {
  email: string
  role: string
  organisation: string | null
  unit: string | null
  gains: string[]
  loses: string[]
}

/** What tokens of a client can newly carry, and carry no more. */
export interface ClientAccessChange {
  client_id: string
  gains: string[]
  loses: string[]
}

export interface AccessChanges {
  users: UserAccessChange[]
  clients: ClientAccessChange[]
}

/** Whose access differs between two states, at this moment. */
export function accessChanges(before: DeclaredState, after: DeclaredState, now: number): AccessChanges {
  return { users: userChanges(before, after, now), clients: clientChanges(before, after) }
}

function userChanges(before: DeclaredState, after: DeclaredState, now: number): UserAccessChange[] {
  const had = new Access(before, now)
  const has = new Access(after, now)
  const codes = new PlaceCodes([before, after])
  const users = byKey([...before.users, ...after.users], (row) => row.uuid)
  const profilesBefore = byKey(before.profiles, (row) => row.uuid)
  const profilesAfter = byKey(after.profiles, (row) => row.uuid)
  const changes: UserAccessChange[] = []
  for (const uuid of new Set([...profilesBefore.keys(), ...profilesAfter.keys()])) {
    const old = profilesBefore.get(uuid)
    const profile = profilesAfter.get(uuid) ?? old
    if (profile === undefined) continue
    const difference = differenceOf(had.ofProfile(old), has.ofProfile(profilesAfter.get(uuid)))
    if (difference === undefined) continue
    changes.push({
      email: users.get(profile.user_uuid)?.email ?? profile.user_uuid,
      role: profile.role_code,
      organisation: codes.organisation(profile.organisation_uuid),
      unit: codes.unit(profile.unit_uuid),
      ...difference,
    })
  }
  return changes
}

function clientChanges(before: DeclaredState, after: DeclaredState): ClientAccessChange[] {
  const had = new Access(before, 0)
  const has = new Access(after, 0)
  const old = byKey(before.clients, (row) => row.client_id)
  const left = byKey(after.clients, (row) => row.client_id)
  return [...new Set([...old.keys(), ...left.keys()])].flatMap((client_id) => {
    const difference = differenceOf(had.ofClient(old.get(client_id)), has.ofClient(left.get(client_id)))
    return difference === undefined ? [] : [{ client_id, ...difference }]
  })
}

function differenceOf(
  before: readonly string[],
  after: readonly string[],
): { gains: string[]; loses: string[] } | undefined {
  // Most profiles are untouched, and theirs are the same list twice.
  const had = new Set(before)
  const has = new Set(after)
  const gains = after.filter((one) => !had.has(one))
  const loses = before.filter((one) => !has.has(one))
  return gains.length === 0 && loses.length === 0 ? undefined : { gains, loses }
}

/** What profiles and clients may do in one state. */
class Access {
  readonly #now: number
  readonly #users: ReadonlyMap<string, UserRow>
  readonly #activePlaces: ReadonlySet<string>
  readonly #activeRoles: ReadonlySet<string>
  readonly #rolePermissions: ReadonlyMap<string, readonly string[]>
  readonly #servicePermissions: ReadonlyMap<string, readonly string[]>

  constructor(state: DeclaredState, now: number) {
    this.#now = now
    this.#users = byKey(state.users, (row) => row.uuid)
    const places = [...state.organisations, ...state.units].filter((row) => row.active === 1)
    this.#activePlaces = new Set(places.map((row) => row.uuid))
    this.#activeRoles = new Set(state.roles.filter((row) => row.active === 1).map((row) => row.code))
    const held = groupBy(state.role_permissions, (row) => row.role_code)
    const expand = (rows: readonly RolePermissionRow[]) =>
      expandPermissions(rows.map((row) => row.permission))
    this.#rolePermissions = new Map([...held].map(([code, rows]) => [code, expand(rows)]))
    const services = groupBy(state.permissions, (row) => row.service_code)
    const ofServices = [...services].map(
      ([code, rows]) => [code, rows.map((row) => row.code).sort()] as const,
    )
    this.#servicePermissions = new Map([...ofServices, [iamService, iamPermissions]])
  }

  ofProfile(profile: ProfileRow | undefined): readonly string[] {
    if (profile === undefined || profile.active !== 1) return []
    if (this.#users.get(profile.user_uuid)?.active !== 1) return []
    if (profile.expires_at !== null && profile.expires_at <= this.#now) return []
    if (!this.#activeRoles.has(profile.role_code)) return []
    if (!this.#isActive(profile.organisation_uuid) || !this.#isActive(profile.unit_uuid)) return []
    return this.#rolePermissions.get(profile.role_code) ?? []
  }

  /** A machine's permissions, or those that a person's token for the client can carry at most. */
  ofClient(client: ClientRow | undefined): readonly string[] {
    if (client === undefined || client.active !== 1) return []
    if (!this.#isActive(client.organisation_uuid)) return []
    if (!scopesOf(client.scope).includes('service.api')) return []
    const services = textList(client.services)
    const listed = client.permissions === null ? undefined : expandPermissions(textList(client.permissions))
    if (client.type === 'machine') return listed ?? []
    if (listed !== undefined) return listed.filter((one) => services.includes(serviceOf(one)))
    return services.flatMap((service) => this.#servicePermissions.get(service) ?? [])
  }

  #isActive(placeUuid: string | null): boolean {
    return placeUuid === null || this.#activePlaces.has(placeUuid)
  }
}
