import { textList } from '../store/clients.ts'
import type { PermissionRow, RoleRow, ServiceRow } from '../store/schema.ts'
import { byKey, type Comparison, fieldsBetween, flagOf, groupBy } from './comparison.ts'
import type { DeclaredRole, DeclaredService } from './declared.ts'
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
    const holder = audiences.get(service.audience)
    if (holder !== undefined && !leaving.has(holder.code)) {
      const reason = `the audience ${shown(service.audience)} is that of the service ${shown(holder.code)}, which is not in this file`
      comparison.problems.add(service.line, reason)
    }
    compareService(comparison, service, stored.get(service.code))
    comparison.manage('services', service.code, stored.get(service.code))
    const rows = storedPermissions.get(service.code) ?? []
    for (const gone of comparePermissions(comparison, service, rows)) vanished.add(gone)
  }
  return vanished
}

function compareService(
  comparison: Comparison,
  service: DeclaredService,
  before: ServiceRow | undefined,
): void {
  const { code, name, audience, accessTokenAlg: access_token_alg } = service
  const columns = { name, audience, access_token_alg }
  if (before === undefined) {
    comparison.create('services', { code, ...columns })
    comparison.tell('service', 'create', code, fieldsBetween(undefined, columns))
  } else if (comparison.update('services', before, columns)) {
    comparison.tell('service', 'change', code, fieldsBetween({ ...before }, columns))
  }
}

function comparePermissions(
  comparison: Comparison,
  service: DeclaredService,
  rows: readonly PermissionRow[],
): string[] {
  const left = byKey(rows, (row) => row.code)
  for (const { code, description } of service.permissions) {
    const before = left.get(code)
    left.delete(code)
    if (before === undefined) {
      comparison.create('permissions', { code, service_code: service.code, description })
      comparison.tell('permission', 'create', code, fieldsBetween(undefined, { description }))
    } else if (comparison.update('permissions', before, { description })) {
      const fields = fieldsBetween({ description: before.description }, { description })
      comparison.tell('permission', 'change', code, fields)
    }
  }
  for (const row of left.values()) {
    comparison.remove('permissions', row)
    comparison.tell('permission', 'remove', row.code, [], { was: { description: row.description } })
  }
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
    comparison.manage('roles', role.code, stored.get(role.code))
    stored.delete(role.code)
  }
  for (const code of stored.keys()) {
    if (pruned.has(code)) continue
    const before = permissionsOf(code)
    const after = before.filter((one) => !vanished.has(one))
    writePermissions(comparison, code, before, after)
    comparison.tellChange('role', code, fieldsBetween({ permissions: before }, { permissions: after }))
  }
}

function compareRole(
  comparison: Comparison,
  role: DeclaredRole,
  before: RoleRow | undefined,
  permissionsBefore: readonly string[],
): void {
  const { code, name } = role
  const active = flagOf(role.active)
  const permissions = role.permissions.toSorted()
  const after = { name, active: role.active, permissions }
  writePermissions(comparison, code, permissionsBefore, permissions)
  if (before === undefined) {
    comparison.create('roles', { code, name, active })
    comparison.tell('role', 'create', code, fieldsBetween(undefined, after))
    return
  }
  comparison.update('roles', before, { name, active })
  const shownBefore = { name: before.name, active: before.active === 1, permissions: permissionsBefore }
  comparison.tellChange('role', code, fieldsBetween(shownBefore, after))
}

function writePermissions(
  comparison: Comparison,
  roleCode: string,
  before: readonly string[],
  after: readonly string[],
): void {
  for (const permission of after) {
    if (!before.includes(permission))
      comparison.create('role_permissions', { role_code: roleCode, permission })
  }
  for (const permission of before) {
    if (!after.includes(permission))
      comparison.remove('role_permissions', { role_code: roleCode, permission })
  }
}

/** Takes permissions that vanished, and services that were pruned, from the clients that the file does not name. */
export function dropFromOtherClients(
  comparison: Comparison,
  without: ReadonlySet<string>,
  { permissions, services }: Record<'permissions' | 'services', ReadonlySet<string>>,
): void {
  if (permissions.size + services.size === 0) return
  for (const row of comparison.state.clients) {
    if (without.has(row.client_id)) continue
    const before = {
      services: textList(row.services),
      permissions: row.permissions === null ? null : textList(row.permissions),
    }
    const after = {
      services: before.services.filter((one) => !services.has(one)),
      permissions: before.permissions?.filter((one) => !permissions.has(one)) ?? null,
    }
    const fields = fieldsBetween(before, after)
    if (fields.length === 0) continue
    const columns = {
      services: JSON.stringify(after.services),
      permissions: after.permissions === null ? null : JSON.stringify(after.permissions),
    }
    comparison.update('clients', row, columns, { updated_at: comparison.settings.now })
    comparison.tell('client', 'change', row.client_id, fields, { organisationUuid: row.organisation_uuid })
  }
}
