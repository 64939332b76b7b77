import type { DeclaredState, DeclaredView, Managed } from '../store/declared-state.ts'
import { type Comparison, fieldsBetween, managerOf, type Pruning } from './comparison.ts'
import type { Declared } from './declared.ts'
import { userFinder } from './people.ts'
import type { PlaceCodes } from './place-codes.ts'

type Rows<T extends keyof DeclaredState> = readonly DeclaredState[T][number][]

/** What has to be known of people whom the file does not manage. */
export async function pruningOf(declared: Declared, { state, touchedBy }: DeclaredView): Promise<Pruning> {
  const manager = managerOf(declared)
  const named = new Set(declared.roles.map((one) => one.code))
  const roles = state.roles.filter((row) => row.managed_by === manager && !named.has(row.code))
  const roleCodes = roles.map((row) => row.code)
  const { profiles } = await touchedBy({ roleCodes, organisationUuids: [], unitUuids: [] })
  const find = userFinder(state)
  const own = new Set([
    ...declared.users.map((user) => find(user)?.uuid),
    ...state.users.filter((row) => row.managed_by === manager).map((row) => row.uuid),
  ])
  return {
    heldRoles: new Set(profiles.filter((row) => !own.has(row.user_uuid)).map((row) => row.role_code)),
  }
}

/** What the file managed and names no more: to be pruned, or else to be told of. */
export class Unnamed {
  readonly services: Rows<'services'>
  readonly roles: Rows<'roles'>
  readonly organisations: Rows<'organisations'>
  readonly users: Rows<'users'>
  readonly clients: Rows<'clients'>

  constructor(comparison: Comparison, declared: Declared) {
    const { state, manager } = comparison
    const unnamed = <Row extends Managed>(
      rows: readonly Row[],
      named: readonly unknown[],
      key: keyof Row,
    ) => {
      const names = new Set(named)
      return rows.filter((row) => row.managed_by === manager && !names.has(row[key]))
    }
    const codes = (things: readonly { code: string }[]) => things.map((one) => one.code)
    const find = userFinder(state)
    const users = declared.users.map((one) => find(one)?.uuid)
    const clients = declared.clients.map((one) => one.clientId)
    const all = {
      services: unnamed(state.services, codes(declared.services), 'code'),
      roles: unnamed(state.roles, codes(declared.roles), 'code'),
      organisations: unnamed(state.organisations, codes(declared.organisations), 'code'),
      users: unnamed(state.users, users, 'uuid'),
      clients: unnamed(state.clients, clients, 'client_id'),
    }
    const pruned = comparison.settings.pruning !== undefined
    if (!pruned) tellUnnamed(comparison, all)
    this.services = pruned ? all.services : []
    this.roles = pruned ? all.roles : []
    this.organisations = pruned ? all.organisations : []
    this.users = pruned ? all.users : []
    this.clients = pruned ? all.clients : []
  }
}

function tellUnnamed(
  { unnamed }: Comparison,
  all: Pick<Unnamed, 'services' | 'roles' | 'organisations' | 'users' | 'clients'>,
): void {
  unnamed.push(
    ...all.services.map((row) => ({ kind: 'service' as const, id: row.code })),
    ...all.roles.map((row) => ({ kind: 'role' as const, id: row.code })),
    ...all.organisations.map((row) => ({ kind: 'organisation' as const, id: row.code })),
    ...all.users.map((row) => ({ kind: 'user' as const, id: row.email })),
    ...all.clients.map((row) => ({ kind: 'client' as const, id: row.client_id })),
  )
}

const disabled = fieldsBetween({ active: true }, { active: false })

/** Yields the permissions that vanish with them. */
export function pruneServices(comparison: Comparison, { services }: Unnamed): string[] {
  const codes = new Set(services.map((row) => row.code))
  const permissions = comparison.state.permissions.filter((row) => codes.has(row.service_code))
  for (const row of permissions) {
    comparison.remove('permissions', row)
    comparison.tellPruned('permission', 'remove', row.code, [], { was: { description: row.description } })
  }
  for (const row of services) {
    comparison.remove('services', row)
    comparison.tellPruned('service', 'remove', row.code, [], {
      was: { name: row.name, audience: row.audience },
    })
  }
  return permissions.map((row) => row.code)
}

/** A role that somebody holds whom the file does not manage is disabled: that profile is not the file's to remove. */
export function pruneRoles(comparison: Comparison, { roles }: Unnamed): Set<string> {
  const removed = new Set<string>()
  for (const row of roles) {
    if (comparison.settings.pruning?.heldRoles.has(row.code) === true) {
      comparison.marks.push({ table: 'roles', key: row.code, managedBy: null })
      if (comparison.update('roles', row, { active: 0 })) {
        comparison.tellPruned('role', 'change', row.code, disabled)
      }
      continue
    }
    removed.add(row.code)
    const held = comparison.state.role_permissions.filter((one) => one.role_code === row.code)
    for (const one of held) comparison.remove('role_permissions', one)
    comparison.remove('roles', row)
    comparison.tellPruned('role', 'remove', row.code, [], {
      was: { name: row.name, active: row.active === 1 },
    })
  }
  return removed
}

/** Organisations are disabled: profiles, clients and records may speak of them. */
export function prunePlaces(comparison: Comparison, { organisations }: Unnamed): void {
  for (const row of organisations) {
    comparison.marks.push({ table: 'organisations', key: row.uuid, managedBy: null })
    if (!comparison.update('organisations', row, { active: 0 })) continue
    comparison.tellPruned('organisation', 'change', row.code, disabled, {
      uuid: row.uuid,
      organisationUuid: row.uuid,
    })
  }
}

/** People are disabled and lose their profiles; who they were stays, since records speak of them. */
export function pruneUsers(comparison: Comparison, codes: PlaceCodes, { users }: Unnamed): void {
  const updated_at = comparison.settings.now
  for (const row of users) {
    comparison.marks.push({ table: 'users', key: row.uuid, managedBy: null })
    if (comparison.update('users', row, { active: 0 }, { updated_at })) {
      comparison.tellPruned('user', 'change', row.email, disabled, { uuid: row.uuid, userUuid: row.uuid })
    }
    for (const profile of comparison.state.profiles.filter((one) => one.user_uuid === row.uuid)) {
      comparison.remove('profiles', profile)
      comparison.tellPruned('profile', 'remove', `${row.email} as ${codes.roleAt(profile)}`, [], {
        uuid: profile.uuid,
        userUuid: row.uuid,
        organisationUuid: profile.organisation_uuid,
        was: { role: profile.role_code },
      })
    }
  }
}

/** Yields their ids. */
export function pruneClients(comparison: Comparison, { clients }: Unnamed): string[] {
  const { client_origins, client_secrets } = comparison.state
  for (const row of clients) {
    const own = (one: { client_id: string }) => one.client_id === row.client_id
    for (const origin of client_origins.filter(own)) comparison.remove('client_origins', origin)
    for (const secret of client_secrets.filter(own)) comparison.remove('client_secrets', secret)
    comparison.remove('clients', row)
    comparison.tellPruned('client', 'remove', row.client_id, [], {
      organisationUuid: row.organisation_uuid,
      was: { client_name: row.client_name },
    })
  }
  return clients.map((row) => row.client_id)
}
