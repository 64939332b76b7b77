import { exchangeIn } from '../protocol/exchange.ts'
import { expandPermissions, iamPermissions, iamService, serviceOf } from '../protocol/permission.ts'
import { scopesOf } from '../protocol/scope.ts'
import type { Administrators } from '../store/administrators.ts'
import { textList } from '../store/clients.ts'
import { isUsableClient, isUsableProfile } from '../store/usable.ts'
import type { Flag } from '../database/flag.ts'
import type { ClientRow, ProfileRow, Tables, UnitRow } from '../database/schema.ts'
import type { Beyond } from '../database/schema-admin.ts'
import { groupBy } from './by-key.ts'
import { unitsAbove } from './unit-tree.ts'

/** The whole installation, an organisation or a unit of it. */
export interface Place {
  organisation_uuid: string | null
  unit_uuid: string | null
}

/** A row of a profile; left out: nothing of these keeps it from counting. */
export type HeldProfile = ProfileRow & {
  beyond?: Beyond | null
  suspended?: Flag
  counts_until?: number | null
}

/** The rows that tell what people and clients may do; of people and clients those that are asked about. */
export interface AccessState {
  users: readonly Pick<Tables['users'], 'uuid' | 'email' | 'active'>[]
  profiles: readonly HeldProfile[]
  roles: readonly Pick<Tables['roles'], 'code' | 'active'>[]
  role_permissions: readonly Tables['role_permissions'][]
  organisations: readonly Pick<Tables['organisations'], 'uuid' | 'active'>[]
  units: readonly UnitRow[]
  permissions: readonly Pick<Tables['permissions'], 'code' | 'service_code'>[]
  clients: readonly ClientRow[]
}

/** Permissions with spaces between. Most people have the same ones before and after, and texts are compared at once. */
type Permissions = string

/** The permissions of somebody at each place where they have any. */
export type HeldPermissions = ReadonlyMap<string, { place: Place; permissions: Permissions }>

const textOf = (permissions: Iterable<string>): Permissions => [...new Set(permissions)].join(' ')
export const listOf = (permissions: Permissions): string[] =>
  permissions === '' ? [] : permissions.split(' ')

/** The permissions of each role, active or not. */
export function permissionsOfRoles(state: AccessState): Map<string, Permissions> {
  const held = groupBy(state.role_permissions, (row) => row.role_code)
  const permissions = [...held].map(
    ([code, rows]) => [code, textOf(expandPermissions(rows.map((row) => row.permission).sort()))] as const,
  )
  return new Map(permissions)
}

/** Whether these are all permissions of iam. */
export function isEverything(permissions: Permissions): boolean {
  const held = new Set(listOf(permissions))
  return iamPermissions.every((one) => held.has(one))
}

/** What people and clients may do in one state, as `access` tells it. */
export class Access {
  readonly #now: number
  /** Whether users, roles, organisations and units are active, by uuid or code. */
  readonly #active: Record<'users' | 'roles' | 'places', ReadonlyMap<string, Flag>>
  readonly #ofRole: ReadonlyMap<string, Permissions>
  readonly #ofService: ReadonlyMap<string, readonly string[]>
  /** The moved units below each unit, by its uuid. */
  readonly #below: ReadonlyMap<string, readonly { above: string; unit: UnitRow }[]>

  constructor(state: AccessState, { now, moved }: { now: number; moved: readonly UnitRow[] }) {
    this.#now = now
    this.#active = {
      users: new Map(state.users.map((row) => [row.uuid, row.active])),
      roles: new Map(state.roles.map((row) => [row.code, row.active])),
      places: new Map([...state.organisations, ...state.units].map((row) => [row.uuid, row.active])),
    }
    this.#ofRole = permissionsOfRoles(state)
    const services = groupBy(state.permissions, (row) => row.service_code)
    const ofServices = [...services].map(
      ([code, rows]) => [code, rows.map((row) => row.code).sort()] as const,
    )
    this.#ofService = new Map([...ofServices, [iamService, iamPermissions]])
    const above = unitsAbove(state.units)
    const pairs = moved.flatMap((unit) => above(unit.uuid).map((uuid) => ({ above: uuid, unit })))
    this.#below = groupBy(pairs, (pair) => pair.above)
  }

  /** Permissions by all profiles of a person: at the place of each, and at the moved units below. */
  ofPerson(profiles: readonly HeldProfile[]): HeldPermissions {
    const held = new Map<string, { place: Place; permissions: Permissions }>()
    const add = (place: Place, permissions: Permissions) => {
      const key = `${place.organisation_uuid ?? ''} ${place.unit_uuid ?? ''}`
      const there = held.get(key)?.permissions ?? permissions
      const all = there === permissions ? there : textOf([...listOf(there), ...listOf(permissions)])
      held.set(key, { place, permissions: all })
    }
    for (const profile of profiles) {
      const permissions = this.#ofProfile(profile)
      if (permissions === '') continue
      add(profile, permissions)
      for (const { unit } of this.#below.get(profile.unit_uuid ?? '') ?? [])
        add({ organisation_uuid: unit.organisation_uuid, unit_uuid: unit.uuid }, permissions)
    }
    return held
  }

  /** Whether somebody administers the whole installation by one of these profiles. */
  administrators(profiles: readonly HeldProfile[]): Administrators {
    const held = profiles.filter(
      (one) => one.organisation_uuid === null && isEverything(this.#ofProfile(one)),
    )
    return { any: held.length > 0, lasting: held.some((one) => one.expires_at === null) }
  }

  #ofProfile(profile: HeldProfile): Permissions {
    return this.counts(profile) ? (this.#ofRole.get(profile.role_code) ?? '') : ''
  }

  /** Whether the person may act under the profile. */
  counts(profile: HeldProfile): boolean {
    const { users, roles } = this.#active
    const state = {
      user_active: users.get(profile.user_uuid) ?? 0,
      profile_active: profile.active,
      expires_at: profile.expires_at,
      role_active: roles.get(profile.role_code) ?? 0,
      organisation_active: this.#placeActive(profile.organisation_uuid),
      unit_active: this.#placeActive(profile.unit_uuid),
      beyond: profile.beyond ?? null,
      suspended: profile.suspended ?? 0,
      counts_until: profile.counts_until ?? null,
    }
    return isUsableProfile(state, this.#now)
  }

  /** The permissions of a machine, or the most that a person's token for the client can carry. */
  ofClient(client: ClientRow | undefined): HeldPermissions {
    const permissions = client === undefined ? '' : textOf(this.#mostOf(client))
    if (client === undefined || permissions === '') return new Map()
    const place = { organisation_uuid: client.organisation_uuid, unit_uuid: null }
    return new Map([[client.organisation_uuid ?? '', { place, permissions }]])
  }

  /** The most that tokens carry which a client gets for those who call a service, where it is that one (decisions 31). */
  ofExchange(client: ClientRow | undefined, service: string): HeldPermissions {
    if (client === undefined || client.acts_as !== service || !this.#isUsable(client)) return new Map()
    const permissions = textOf(exchangeIn(client.exchange).permissions)
    const place = { organisation_uuid: client.organisation_uuid, unit_uuid: null }
    return new Map([[client.organisation_uuid ?? '', { place, permissions }]])
  }

  #isUsable({ active, organisation_uuid }: ClientRow): boolean {
    return isUsableClient({ active, organisation_active: this.#placeActive(organisation_uuid) })
  }

  #mostOf(client: ClientRow): readonly string[] {
    if (!this.#isUsable(client)) return []
    if (!scopesOf(client.scope).includes('service.api')) return []
    const services = textList(client.services)
    const listed = client.permissions === null ? undefined : expandPermissions(textList(client.permissions))
    if (client.type === 'machine') return listed ?? []
    if (listed !== undefined) return listed.filter((one) => services.includes(serviceOf(one)))
    return services.flatMap((service) => this.#ofService.get(service) ?? [])
  }

  #placeActive(uuid: string | null): Flag | null {
    return uuid === null ? null : (this.#active.places.get(uuid) ?? 0)
  }
}
