import { type Kysely, sql } from 'kysely'
import { expandPermissions, iamPermissions, iamWildcard } from '../../protocol/permission.ts'
import { notFound, wrongField } from '../../protocol/problem.ts'
import { indexMembers } from '../members.ts'
import type { Store } from '../open.ts'
import { moveRevision } from '../revision.ts'
import { revokeFamiliesOf } from '../revoke-unusable.ts'
import type { RoleRow, Schema } from '../schema.ts'
import { keepingAdministrators } from './administrators.ts'
import {
  type By,
  change,
  changeOnce,
  type Created,
  type Repeatable,
  type Row,
  type Show,
  type Transacting,
} from './change.ts'
import type { Authority } from './reach.ts'
import { differs, staleVersion, type Versions } from './version.ts'

/** A role with its permissions as they were given: codes, or the wildcard `iam.*`; sorted. */
export interface Role extends Row<'roles'> {
  permissions: string[]
}

export interface RoleFilter {
  /** Only roles that give nothing else than these; undefined: all. */
  within: readonly string[] | undefined
  active?: boolean | undefined
  /** The beginning of a code. */
  search?: string | undefined
}

/** The next roles by code, at most `limit`. */
export async function listRoles(
  { db }: Store,
  { within, active, search }: RoleFilter,
  after: string | undefined,
  limit: number,
): Promise<{ rows: Role[]; next: string | undefined }> {
  const rows = await db
    .selectFrom('roles')
    .selectAll()
    .$if(within !== undefined, (query) => query.where(givesNothingBut(within ?? [])))
    .$if(active !== undefined, (query) => query.where('active', '=', active === true ? 1 : 0))
    .$if(search !== undefined, (query) => query.where('code', 'like', `${search}%`))
    .$if(after !== undefined, (query) => query.where('code', '>', after ?? ''))
    .orderBy('code')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const next = rows.length > limit ? page.at(-1)?.code : undefined
  return { rows: await withPermissions(db, page), next }
}

function givesNothingBut(permissions: readonly string[]) {
  const stored = storedForms(permissions)
  const others = stored.length === 0 ? sql`true` : sql`permission not in (${sql.join(stored)})`
  return sql<boolean>`not exists (select 1 from role_permissions where role_code = roles.code and ${others})`
}

/** As roles may name them: whoever holds all of iam holds its wildcard too. */
function storedForms(permissions: readonly string[]): string[] {
  const all = iamPermissions.every((one) => permissions.includes(one))
  return all ? [...permissions, iamWildcard] : [...permissions]
}

async function withPermissions(db: Kysely<Schema>, rows: readonly Row<'roles'>[]): Promise<Role[]> {
  if (rows.length === 0) return []
  const codes = rows.map((row) => row.code)
  const held = await db.selectFrom('role_permissions').selectAll().where('role_code', 'in', codes).execute()
  return rows.map((row) => ({
    ...row,
    permissions: held
      .filter((one) => one.role_code === row.code)
      .map((one) => one.permission)
      .sort(),
  }))
}

/** A role; one that gives something else than `within` is none. */
export async function readRole(
  store: Store,
  code: string,
  within: readonly string[] | undefined,
): Promise<Role | undefined> {
  const role = await selectRole(store.db, code)
  const visible =
    within === undefined || expandPermissions(role?.permissions ?? []).every((one) => within.includes(one))
  return visible ? role : undefined
}

async function selectRole(db: Kysely<Schema>, code: string): Promise<Role | undefined> {
  const row = await db.selectFrom('roles').selectAll().where('code', '=', code).executeTakeFirst()
  return row === undefined ? undefined : (await withPermissions(db, [row]))[0]
}

/** Adds a role. Throws when its code is taken, or who asks lacks a permission of it. */
export async function createRole(
  store: Store,
  by: By,
  authority: Authority,
  { permissions, ...columns }: RoleRow & { permissions: readonly string[] },
  { show, repeatable }: { show: Show<Role>; repeatable: Repeatable<Role> | undefined },
): Promise<Created<Role>> {
  authority.changesInstallation()
  return await changeOnce(store, by, repeatable, async (trx) => {
    const holder = await selectRole(trx, columns.code)
    if (holder !== undefined) throw wrongField('code', 'Another role has this code.', 'conflict')
    await checkPermissions(trx, permissions)
    authority.grants(expandPermissions(permissions))
    const made = await insertRole(trx, columns, permissions)
    return { result: made, told: { ...about(made), after: show(made) } }
  })
}

/** Writes a role, which was checked. */
export async function insertRole(
  trx: Transacting,
  columns: RoleRow,
  permissions: readonly string[],
): Promise<Role> {
  const row = await trx.insertInto('roles').values(columns).returningAll().executeTakeFirstOrThrow()
  await writePermissions(trx, columns.code, permissions)
  await moveRevision(trx)
  return { ...row, permissions: permissions.toSorted() }
}

/** Throws when a permission is neither defined nor of the built-in service. */
async function checkPermissions(trx: Transacting, permissions: readonly string[]): Promise<void> {
  const known = new Set([iamWildcard, ...iamPermissions])
  const others = permissions.filter((one) => !known.has(one))
  if (others.length === 0) return
  const rows = await trx.selectFrom('permissions').select('code').where('code', 'in', others).execute()
  for (const row of rows) known.add(row.code)
  const unknown = permissions.findIndex((one) => !known.has(one))
  if (unknown >= 0) throw wrongField(`permissions.${unknown}`, 'There is no such permission.')
}

async function writePermissions(
  trx: Transacting,
  roleCode: string,
  permissions: readonly string[],
): Promise<void> {
  await trx.deleteFrom('role_permissions').where('role_code', '=', roleCode).execute()
  if (permissions.length === 0) return
  const rows = permissions.map((permission) => ({ role_code: roleCode, permission }))
  await trx.insertInto('role_permissions').values(rows).execute()
}

export type RoleChange = Partial<Pick<RoleRow, 'name' | 'active'>> & {
  permissions?: readonly string[]
}

/**
 * Changes a role in the version that was read, and with it what everybody may do who holds it; disabling it ends
 * what they are signed in to by it. Concurrency: see `change`; the version is compared in the statement that writes.
 */
export async function updateRole(
  store: Store,
  by: By,
  authority: Authority,
  { code, versions, set }: { code: string; versions: Versions; set: RoleChange },
  show: Show<Role>,
): Promise<Role> {
  authority.changesInstallation()
  return await change(store, by, async (trx) => {
    const before = await roleToChange(trx, code, authority, versions)
    const { permissions, ...columns } = set
    const wanted = permissions?.toSorted()
    const same = wanted === undefined || JSON.stringify(wanted) === JSON.stringify(before.permissions)
    if (same && !differs(before, columns)) return { result: before, told: undefined }
    if (permissions !== undefined) {
      await checkPermissions(trx, permissions)
      authority.grants(expandPermissions(permissions))
    }
    const after = await keepingAdministrators(trx, by.now, async () => {
      if (wanted !== undefined) await writePermissions(trx, code, wanted)
      return await write(trx, before, columns)
    })
    if (after.active === 0 && before.active === 1) {
      await revokeFamiliesOf(trx, { role_code: code }, by.now, 'role_disabled')
    }
    await moveRevision(trx)
    const result = { ...after, permissions: wanted ?? before.permissions }
    return { result, told: { ...about(result), before: show(before), after: show(result) } }
  })
}

async function roleToChange(
  trx: Transacting,
  code: string,
  authority: Authority,
  versions: Versions,
): Promise<Role> {
  const role = await selectRole(trx, code)
  if (role === undefined) throw notFound('role')
  if (versions !== undefined && !versions.includes(role.version)) throw staleVersion()
  authority.changes([{ uuid: code, permissions: expandPermissions(role.permissions), within: true }])
  return role
}

async function write(
  trx: Transacting,
  { code, version }: Role,
  columns: Partial<RoleRow>,
): Promise<Row<'roles'>> {
  const after = await trx
    .updateTable('roles')
    .set({ ...columns, version: version + 1 })
    .where('code', '=', code)
    .where('version', '=', version)
    .returningAll()
    .executeTakeFirst()
  if (after === undefined) throw staleVersion()
  return after
}

/** Removes a role with every profile that holds it, and ends what these gave. */
export async function deleteRole(
  store: Store,
  by: By,
  authority: Authority,
  { code, versions }: { code: string; versions: Versions },
  show: Show<Role>,
): Promise<void> {
  authority.changesInstallation()
  await change(store, by, async (trx) => {
    const before = await roleToChange(trx, code, authority, versions)
    const people = await keepingAdministrators(trx, by.now, async () => {
      await revokeFamiliesOf(trx, { role_code: code }, by.now, 'role_removed')
      const removed = await trx
        .deleteFrom('profiles')
        .where('role_code', '=', code)
        .returning('user_uuid')
        .execute()
      await trx.deleteFrom('roles').where('code', '=', code).execute()
      return removed.map((row) => row.user_uuid)
    })
    await indexMembers(trx, [...new Set(people)])
    await moveRevision(trx)
    const removedWith = { profiles: people.length }
    return { result: undefined, told: { ...about(before), before: show(before), removedWith } }
  })
}

const about = ({ code, managed_by: managedBy }: Role) => ({ thing: 'role' as const, id: code, managedBy })
