import { sql } from 'kysely'
import { shownOf } from '../../catalogue/columns.ts'
import { role as catalogued } from '../../catalogue/role.ts'
import type { ChangesOf, ColumnsOf } from '../../catalogue/thing.ts'
import { expandPermissions, iamPermissions, iamWildcard } from '../../protocol/permission.ts'
import { wrongField } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import type { Flag } from '../../database/flag.ts'
import { write } from '../../store/write/write.ts'
import type { RoleRow } from '../../database/schema.ts'
import type { By, Row, Transacting } from '../by.ts'
import type { Created, Repeatable } from '../change.ts'
import { type After, type Page, pageBy } from '../../database/page.ts'
import { checkForcedEverywhere } from '../organisations/forced.ts'
import { isCode } from '../path.ts'
import { type ProfilesOf, profilesOf, refuseTooMany } from '../profiles/removal.ts'
import { profiles as profileResource } from '../profiles/verbs.ts'
import { changeOne, createOne, type One, removeOne, type Resource, toldOfGone } from '../resource.ts'
import { isThere, rowOf, rowsOf } from '../../database/rows.ts'
import { isFound } from '../search.ts'
import { compared, differs, withPolicy } from '../version.ts'

/** A role with its permissions as they were given: codes, or the wildcard `iam.*`; sorted. */
export interface Role extends Row<'roles'> {
  permissions: string[]
}

export const roles: Resource<Role> = {
  thing: 'role',
  path: '/roles',
  key: 'code',
  ofInstallation: true,
  isId: isCode,
  async find(db, code, { sees }) {
    const row = await rowOf(db, 'roles', { code })
    const [role] = row === undefined ? [] : await withPermissions(db, [row])
    const isSeen =
      sees === undefined || expandPermissions(role?.permissions ?? []).every((one) => sees.includes(one))
    return isSeen ? role : undefined
  },
  held: (_trx, role) => [{ permissions: expandPermissions(role.permissions), within: true }],
  shown: (row) => shownOf(catalogued, row),
  about: (_trx, { code, managed_by: managedBy }) => ({ id: code, managedBy }),
}

export interface RoleFilter {
  /** Only roles that give nothing else than these; undefined: all. */
  within: readonly string[] | undefined
  active?: Flag | undefined
  /** The beginning of a code or of a word of a name. */
  q?: string | undefined
}

/** The next roles by code, at most `limit`. */
export async function listRoles(
  { db }: Store,
  { within, active, q }: RoleFilter,
  after: After,
  limit: number,
): Promise<Page<Role>> {
  const matching = rowsOf(db, 'roles', { active }).$if(within !== undefined, (query) =>
    query.where(givesNothingBut(within ?? [])),
  )
  const { rows, next } = await pageBy(matching, ['code'], {
    after,
    limit,
    ...(q !== undefined && { isFound: (row) => isFound(q, row.code, row.name) }),
  })
  return { rows: await withPermissions(db, rows), next }
}

function givesNothingBut(permissions: readonly string[]) {
  const stored = storedForms(permissions)
  const others = stored.length === 0 ? sql`true` : sql`permission not in (${sql.join(stored)})`
  return sql<boolean>`not exists (select 1 from role_permissions where role_code = roles.code and ${others})`
}

/** Permissions as roles may name them: all of iam includes its wildcard. */
function storedForms(permissions: readonly string[]): string[] {
  const all = iamPermissions.every((one) => permissions.includes(one))
  return all ? [...permissions, iamWildcard] : [...permissions]
}

async function withPermissions(db: Transacting, rows: readonly Row<'roles'>[]): Promise<Role[]> {
  if (rows.length === 0) return []
  const codes = rows.map((row) => row.code)
  const held = await rowsOf(db, 'role_permissions', { role_code: codes }).execute()
  return rows.map((row) => ({
    ...row,
    permissions: held
      .filter((one) => one.role_code === row.code)
      .map((one) => one.permission)
      .sort(),
  }))
}

/** Adds a role. Throws when its code is taken, or the administrator lacks a permission of it. */
export async function createRole(
  store: Store,
  by: By,
  { permissions, ...columns }: ColumnsOf<typeof catalogued>,
  repeatable: Repeatable<Role> | undefined,
): Promise<Created<Role>> {
  return await createOne(store, by, roles, repeatable, async (trx) => {
    if (await isThere(trx, 'roles', { code: columns.code }))
      throw wrongField('code', 'Another role has this code.', 'conflict')
    await checkPermissions(trx, permissions)
    by.authority.grants(expandPermissions(permissions))
    await checkForcedEverywhere(trx, by, null, columns.policy)
    return await insertRole(trx, by, columns, permissions)
  })
}

/** Writes a role, which was checked. */
export async function insertRole(
  trx: Transacting,
  by: By,
  columns: RoleRow,
  permissions: readonly string[],
): Promise<Role> {
  const { code } = columns
  const held = { insert: heldBy(code, permissions) }
  await write(trx, { roles: { insert: [columns] }, role_permissions: held }, compared(by))
  return await written(trx, code)
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

const heldBy = (role_code: string, permissions: readonly string[]) =>
  permissions.map((permission) => ({ role_code, permission }))

async function written(trx: Transacting, code: string): Promise<Role> {
  const [role] = await withPermissions(trx, await rowsOf(trx, 'roles', { code }).execute())
  if (role === undefined) throw new Error(`The role ${code} that was written is not there.`)
  return role
}

/** Changes a role, and with it what everybody may do who holds it; disabling it ends what they are signed in to by it. */
export async function updateRole(
  store: Store,
  by: By,
  one: One,
  { permissions, ...changes }: ChangesOf<typeof catalogued>,
): Promise<Role> {
  return await changeOne(store, by, roles, one, async (trx, before) => {
    const columns = withPolicy(before, changes)
    const wanted = permissions?.toSorted()
    const same = wanted === undefined || JSON.stringify(wanted) === JSON.stringify(before.permissions)
    if (same && !differs(before, columns)) return before
    by.authority.changesPolicy(before.policy, columns.policy === undefined ? before.policy : columns.policy)
    if (permissions !== undefined) {
      await checkPermissions(trx, permissions)
      by.authority.grants(expandPermissions(permissions))
    }
    const { code, permissions: held } = before
    const others = {
      insert: heldBy(code, wanted?.filter((one) => !held.includes(one)) ?? []),
      remove: heldBy(code, wanted === undefined ? [] : held.filter((one) => !wanted.includes(one))),
    }
    const update = [{ before, set: columns }]
    await write(trx, { roles: { update }, role_permissions: others }, compared(by))
    const after = await written(trx, code)
    await checkForcedEverywhere(trx, by, before.policy, after.policy)
    return after
  })
}

/** Removes a role with every profile that holds it, and ends what these gave. */
export async function deleteRole(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, roles, one, async (trx, before) => {
    const gone: ProfilesOf = ['role_code', before.code]
    await refuseTooMany(trx, by, gone)
    const profiles = await profilesOf(trx, gone)
    await write(trx, { roles: { remove: [before] }, profiles: { remove: profiles } }, compared(by))
    return {
      others: profiles.map((row) => toldOfGone(profileResource, row)),
      removedWith: { profiles: profiles.length },
    }
  })
}
