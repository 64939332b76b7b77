import type { DeclaredState, DeclaredView, Managed } from './state.ts'
import { groupBy } from '../access/by-key.ts'
import { type Comparison, managerOf, type Pruning } from './comparison.ts'
import { takeProfile } from './compare-profiles.ts'
import type { Declared } from './declared.ts'
import { type ChangeKind, shownOf } from './kinds.ts'
import { userFinder } from './people.ts'

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

/** Rows that the file managed and names no more, and that are to be pruned. */
export type Unnamed = Pick<DeclaredState, 'services' | 'roles' | 'organisations' | 'users' | 'clients'>

/** What the file managed and names no more. Without pruning it is only told of, and none is yielded. */
export function unnamedBy(comparison: Comparison, declared: Declared): Unnamed {
  const { state, manager } = comparison
  const left = <Row extends Managed>(rows: readonly Row[], key: keyof Row, named: readonly unknown[]) => {
    const names = new Set(named)
    return rows.filter((row) => row.managed_by === manager && !names.has(row[key]))
  }
  const codes = (things: readonly { code: string }[]) => things.map((one) => one.code)
  const find = userFinder(state)
  const ids = declared.clients.map((one) => one.client_id)
  const unnamed = {
    services: left(state.services, 'code', codes(declared.services)),
    roles: left(state.roles, 'code', codes(declared.roles)),
    organisations: left(state.organisations, 'code', codes(declared.organisations)),
    users: left(
      state.users,
      'uuid',
      declared.users.map((one) => find(one)?.uuid),
    ),
    clients: left(state.clients, 'client_id', ids),
  }
  if (comparison.settings.pruning !== undefined) return unnamed
  const told = {
    service: codes(unnamed.services),
    role: codes(unnamed.roles),
    organisation: codes(unnamed.organisations),
    user: unnamed.users.map((row) => row.email),
    client: unnamed.clients.map((row) => row.client_id),
  }
  for (const [kind, left] of Object.entries(told))
    comparison.unnamed.push(...left.map((id) => ({ kind: kind as ChangeKind, id })))
  return { services: [], roles: [], organisations: [], users: [], clients: [] }
}

/** Yields the permissions that vanish with them. */
export function pruneServices(comparison: Comparison, { services }: Unnamed): string[] {
  const codes = new Set(services.map((row) => row.code))
  const permissions = comparison.state.permissions.filter((row) => codes.has(row.service_code))
  for (const row of permissions) comparison.take('permission', row, { id: row.code }, true)
  for (const row of services) comparison.take('service', row, { id: row.code }, true)
  return permissions.map((row) => row.code)
}

/** Removes roles. One that is held by somebody whom the file does not manage is disabled: that profile is not the file's. */
export function pruneRoles(comparison: Comparison, { roles }: Unnamed): Set<string> {
  const removed = new Set<string>()
  for (const row of roles) {
    const id = row.code
    if (comparison.settings.pruning?.heldRoles.has(id) === true) {
      comparison.marks.push({ table: 'roles', key: id, managedBy: null })
      comparison.disable('role', row, { id }, { pruned: true })
      continue
    }
    removed.add(id)
    const held = comparison.state.role_permissions.filter((one) => one.role_code === id)
    for (const one of held) comparison.remove('role_permissions', one)
    const permissions = held.map((one) => one.permission).sort()
    comparison.take(
      'role',
      row,
      { id, was: { ...shownOf('role', row, comparison.codes), permissions } },
      true,
    )
  }
  return removed
}

/** Organisations are disabled: profiles, clients and records may speak of them. */
export function pruneOrganisations(comparison: Comparison, { organisations }: Unnamed): void {
  for (const row of organisations) {
    const { uuid, code: id } = row
    comparison.marks.push({ table: 'organisations', key: uuid, managedBy: null })
    comparison.disable('organisation', row, { id, uuid, organisation_uuid: uuid }, { pruned: true })
  }
}

/** People are disabled and lose their profiles; who they were stays, since records speak of them. */
export function pruneUsers(comparison: Comparison, { users }: Unnamed): void {
  const changed = { updated_at: comparison.settings.now }
  const profiles = groupBy(comparison.state.profiles, (row) => row.user_uuid)
  for (const row of users) {
    const { uuid, email: id } = row
    comparison.marks.push({ table: 'users', key: uuid, managedBy: null })
    comparison.disable('user', row, { id, uuid, user_uuid: uuid }, { pruned: true, changed })
    for (const profile of profiles.get(uuid) ?? []) takeProfile(comparison, id, profile, true)
  }
}

export function pruneClients(comparison: Comparison, { clients }: Unnamed): void {
  const secrets = groupBy(comparison.state.client_secrets, (row) => row.client_id)
  for (const row of clients) {
    const { client_id: id, organisation_uuid } = row
    for (const secret of secrets.get(id) ?? []) comparison.remove('client_secrets', secret)
    comparison.take('client', row, { id, organisation_uuid }, true)
  }
}
