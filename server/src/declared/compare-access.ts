import { clientWithout, type Vanished } from '../store/client-without.ts'
import { newColumns } from '../catalogue/columns.ts'
import { permission as permissionThing } from '../catalogue/permission.ts'
import { role as roleThing } from '../catalogue/role.ts'
import { service as serviceThing } from '../catalogue/service.ts'
import type { PermissionRow, RoleRow } from '../database/schema.ts'
import { byKey, groupBy } from '../access/by-key.ts'
import { fieldsBetween } from './change.ts'
import type { Comparison } from './comparison.ts'
import type { DeclaredRole, DeclaredService } from './declared.ts'
import { shownOf } from './kinds.ts'
import { shown } from './problems.ts'

/** Services and their permissions. Yields the permissions that vanish. What is pruned leaves its audience to others. */
export function compareServices(
  comparison: Comparison,
  services: readonly DeclaredService[],
  pruned: ReadonlySet<string>,
): Set<string> {
  const { state } = comparison
  const stored = byKey(state.services, (row) => row.code)
  const audiences = byKey(state.services, (row) => row.audience)
  const leaving = new Set([...services.map((one) => one.code), ...pruned])
  const storedPermissions = groupBy(state.permissions, (row) => row.service_code)
  const vanished = new Set<string>()
  for (const service of services) {
    const { code: id, audience, line } = service
    const holder = audiences.get(audience)
    if (holder !== undefined && !leaving.has(holder.code)) {
      const reason = `the audience ${shown(audience)} is that of the service ${shown(holder.code)}, which is not in this file`
      comparison.problems.add(line, reason)
    }
    const before = stored.get(id)
    comparison.put('service', before, newColumns(serviceThing, service), { id })
    comparison.manage('services', before, { kind: 'service', id, key: id })
    for (const gone of comparePermissions(comparison, service, storedPermissions.get(id) ?? []))
      vanished.add(gone)
  }
  return vanished
}

function comparePermissions(
  comparison: Comparison,
  service: DeclaredService,
  rows: readonly PermissionRow[],
): string[] {
  const left = byKey(rows, (row) => row.code)
  for (const permission of service.permissions) {
    const { code: id } = permission
    const columns = { ...newColumns(permissionThing, permission), service_code: service.code }
    comparison.put('permission', left.get(id), columns, { id })
    left.delete(id)
  }
  for (const row of left.values()) comparison.take('permission', row, { id: row.code })
  return [...left.keys()]
}

/** Roles of the file, and of others the permissions that vanished. */
export function compareRoles(
  comparison: Comparison,
  roles: readonly DeclaredRole[],
  vanished: ReadonlySet<string>,
  pruned: ReadonlySet<string>,
): void {
  const stored = byKey(comparison.state.roles, (row) => row.code)
  const held = groupBy(comparison.state.role_permissions, (row) => row.role_code)
  const permissionsOf = (code: string) => (held.get(code) ?? []).map((row) => row.permission).sort()
  for (const role of roles) {
    compareRole(comparison, role, stored.get(role.code), permissionsOf(role.code))
    comparison.manage('roles', stored.get(role.code), { kind: 'role', id: role.code, key: role.code })
    stored.delete(role.code)
  }
  for (const code of stored.keys()) {
    if (pruned.has(code)) continue
    const before = permissionsOf(code)
    const after = before.filter((one) => !vanished.has(one))
    comparison.putList('role_permissions', before, after, heldBy(code))
    comparison.tellChange('role', code, fieldsBetween({ permissions: before }, { permissions: after }))
  }
}

function compareRole(
  comparison: Comparison,
  role: DeclaredRole,
  before: RoleRow | undefined,
  permissionsBefore: readonly string[],
): void {
  const { permissions: listed, ...columns } = newColumns(roleThing, role)
  const permissions = listed.toSorted()
  const shownRow = (row: object, held: readonly string[]) => ({
    ...shownOf('role', row, comparison.codes),
    permissions: held,
  })
  const after = shownRow(columns, permissions)
  comparison.putList('role_permissions', permissionsBefore, permissions, heldBy(role.code))
  if (before === undefined) {
    comparison.create('roles', columns)
    comparison.tell('role', 'create', role.code, fieldsBetween(undefined, after))
    return
  }
  comparison.update('roles', before, columns)
  comparison.tellChange('role', role.code, fieldsBetween(shownRow(before, permissionsBefore), after))
}

const heldBy = (role_code: string) => (permission: string) => ({ role_code, permission })

/** Takes permissions that vanished, and services that were pruned, from the clients that the file does not name. */
export function takeFromOtherClients(
  comparison: Comparison,
  without: ReadonlySet<string>,
  vanished: Vanished,
): void {
  if (vanished.permissions.size + vanished.services.size === 0) return
  for (const row of comparison.state.clients) {
    const columns = without.has(row.client_id) ? undefined : clientWithout(row, vanished)
    if (columns === undefined) continue
    comparison.put(
      'client',
      row,
      { ...row, ...columns },
      {
        id: row.client_id,
        about: { organisation_uuid: row.organisation_uuid },
        changed: { updated_at: comparison.settings.now },
      },
    )
  }
}
