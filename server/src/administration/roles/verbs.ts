import { type Kysely, sql } from 'kysely'
import { shownOf } from '../../catalogue/columns.ts'
import { role as catalogued } from '../../catalogue/role.ts'
import type { ChangesOf, ColumnsOf } from '../../catalogue/thing.ts'
import { expandPermissions, iamPermissions, iamWildcard } from '../../protocol/permission.ts'
import { wrongField } from '../../protocol/problem.ts'
import { indexMembers } from '../../store/members.ts'
import type { Store } from '../../database/store.ts'
import { moveRevision } from '../../database/revision.ts'
import { end } from '../../store/ending.ts'
import type { RoleRow, Schema } from '../../database/schema.ts'
import { keepingAdministrators } from '../../store/administrators.ts'
import type { By, Row, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import { removeProfiles } from '../profiles/verbs.ts'
import type { Authority } from '../authority.ts'
import { isFound } from '../search.ts'
import { differs, inVersion, type Versions, writeVersion } from '../version.ts'

/** A role with its permissions as they were given: codes, or the wildcard `iam.*`; sorted. */
export interface Role extends Row<'roles'> {
  permissions: string[]
}

export const shownRole = (row: Role) => shownOf(catalogued, row)

export interface RoleFilter {
  /** Only roles that give nothing else than these; undefined: all. */
  within: readonly string[] | undefined
  active?: boolean | undefined
  /** The beginning of a code or of a word of a name. */
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
    .$if(after !== undefined, (query) => query.where('code', '>', after ?? ''))
    .orderBy('code')
    .$if(search === undefined, (query) => query.limit(limit + 1))
    .execute()
  const found = rows.filter((row) => isFound(search, row.code, row.name))
  const page = found.slice(0, limit)
  const next = found.length > limit ? page.at(-1)?.code : undefined
  return { rows: await withPermissions(db, page), next }
}

function givesNothingBut(permissions: readonly string[]) {
  const stored = storedForms(permissions)
  const others = stored.length === 0 ? sql`true` : sql`permission not in (${sql.join(stored)})`
  return sql<boolean>`not exists (select 1 from role_permissions where role_code = roles.code and ${others})`
}

/** As roles may name them: somebody who holds all of iam holds its wildcard too. */
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

/** Adds a role. Throws when its code is taken, or the administrator lacks a permission of it. */
export async function createRole(
  store: Store,
  by: By,
  { permissions, ...columns }: ColumnsOf<typeof catalogued>,
  repeatable: Repeatable<Role> | undefined,
): Promise<Created<Role>> {
  by.authority.changesInstallation()
  return await changeOnce(store, by, repeatable, async (trx) => {
    const holder = await selectRole(trx, columns.code)
    if (holder !== undefined) throw wrongField('code', 'Another role has this code.', 'conflict')
    await checkPermissions(trx, permissions)
    by.authority.grants(expandPermissions(permissions))
    const made = await insertRole(trx, columns, permissions)
    return { result: made, told: { ...about(made), after: shownRole(made) } }
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

/**
 * Changes a role in the version that was read, and with it what everybody may do who holds it; disabling it ends
 * what they are signed in to by it. Concurrency: see `change`; the version is compared in the statement that writes.
 */
export async function updateRole(
  store: Store,
  by: By,
  { code, versions, set }: { code: string; versions: Versions; set: ChangesOf<typeof catalogued> },
): Promise<Role> {
  by.authority.changesInstallation()
  return await change(store, by, async (trx) => {
    const before = await roleToChange(trx, code, by.authority, versions)
    const { permissions, ...columns } = set
    const wanted = permissions?.toSorted()
    const same = wanted === undefined || JSON.stringify(wanted) === JSON.stringify(before.permissions)
    if (same && !differs(before, columns)) return { result: before, told: undefined }
    if (permissions !== undefined) {
      await checkPermissions(trx, permissions)
      by.authority.grants(expandPermissions(permissions))
    }
    const after = await keepingAdministrators(trx, by.now, async () => {
      if (wanted !== undefined) await writePermissions(trx, code, wanted)
      return await writeVersion(trx, 'roles', before, columns)
    })
    if (after.active === 0 && before.active === 1) {
      await end(trx, { role: code }, { now: by.now, reason: 'role_disabled' })
    }
    await moveRevision(trx)
    const result = { ...after, permissions: wanted ?? before.permissions }
    return { result, told: { ...about(result), before: shownRole(before), after: shownRole(result) } }
  })
}

async function roleToChange(
  trx: Transacting,
  code: string,
  authority: Authority,
  versions: Versions,
): Promise<Role> {
  const role = inVersion(await selectRole(trx, code), 'role', versions)
  authority.changes([{ uuid: code, permissions: expandPermissions(role.permissions), within: true }])
  return role
}

/** Removes a role with every profile that holds it, and ends what these gave. */
export async function deleteRole(
  store: Store,
  by: By,
  { code, versions }: { code: string; versions: Versions },
): Promise<void> {
  by.authority.changesInstallation()
  await change(store, by, async (trx) => {
    const before = await roleToChange(trx, code, by.authority, versions)
    const { people, told: profiles } = await keepingAdministrators(trx, by.now, async () => {
      await end(trx, { role: code }, { now: by.now, reason: 'role_removed' })
      const removed = await removeProfiles(trx, ['role_code', code])
      await trx.deleteFrom('roles').where('code', '=', code).execute()
      return removed
    })
    await indexMembers(trx, people)
    await moveRevision(trx)
    const removedWith = { profiles: profiles.length }
    const itself = { ...about(before), before: shownRole(before), removedWith }
    return { result: undefined, told: [...profiles, itself] }
  })
}

const about = ({ code, managed_by: managedBy }: Role) => ({ thing: 'role' as const, id: code, managedBy })
