import type { Kysely } from 'kysely'
import { shownOf } from '../../catalogue/columns.ts'
import { permission as catalogued } from '../../catalogue/permission.ts'
import { serviceOf } from '../../protocol/permission.ts'
import { wrongField } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import { moveRevision } from '../../database/revision.ts'
import type { Schema } from '../../database/schema.ts'
import type { By, Row, Told, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import { dropFromClients, dropFromRoles } from '../references.ts'
import { managerOf } from '../managed.ts'
import type { Authority } from '../authority.ts'
import { isFound } from '../search.ts'
import { inVersion, type Versions, writeVersion } from '../version.ts'

type Permission = Row<'permissions'>

/** One of a service; those of the built-in one are no rows. */
export const shownPermission = (row: Permission) => ({ ...shownOf(catalogued, row), built_in: false })

export interface PermissionFilter {
  /** Only these; undefined: all. */
  within: readonly string[] | undefined
  serviceCode?: string | undefined
  /** The beginning of a code or of a word of a description. */
  search?: string | undefined
}

/** The next permissions of declared services by code, at most `limit`. */
export async function listPermissions(
  { db }: Store,
  { within, serviceCode, search }: PermissionFilter,
  after: string | undefined,
  limit: number,
): Promise<{ rows: Permission[]; next: string | undefined }> {
  if (within?.length === 0) return { rows: [], next: undefined }
  const rows = await db
    .selectFrom('permissions')
    .selectAll()
    .$if(within !== undefined, (query) => query.where('code', 'in', within ?? []))
    .$if(serviceCode !== undefined, (query) => query.where('service_code', '=', serviceCode ?? ''))
    .$if(after !== undefined, (query) => query.where('code', '>', after ?? ''))
    .orderBy('code')
    .$if(search === undefined, (query) => query.limit(limit + 1))
    .execute()
  const found = rows.filter((row) => isFound(search, row.code, row.description))
  const page = found.slice(0, limit)
  // With a limit of none, the page after begins where this one would have.
  const last = page.at(-1)?.code ?? after ?? ''
  return { rows: page, next: found.length > limit ? last : undefined }
}

export async function readPermission(store: Store, code: string): Promise<Permission | undefined> {
  return await selectPermission(store.db, code)
}

async function selectPermission(db: Kysely<Schema>, code: string): Promise<Permission | undefined> {
  return await db.selectFrom('permissions').selectAll().where('code', '=', code).executeTakeFirst()
}

/** Adds a permission to the service that its code begins with. */
export async function createPermission(
  store: Store,
  by: By,
  { code, description }: { code: string; description: string },
  repeatable: Repeatable<Permission> | undefined,
): Promise<Created<Permission>> {
  by.authority.changesInstallation()
  return await changeOnce(store, by, repeatable, async (trx) => {
    const service = await trx
      .selectFrom('services')
      .select('code')
      .where('code', '=', serviceOf(code))
      .executeTakeFirst()
    if (service === undefined) throw wrongField('code', `There is no service ${serviceOf(code)}.`)
    if ((await selectPermission(trx, code)) !== undefined) {
      throw wrongField('code', 'This permission is there already.', 'conflict')
    }
    const made = await trx
      .insertInto('permissions')
      .values({ code, description, service_code: service.code })
      .returningAll()
      .executeTakeFirstOrThrow()
    await moveRevision(trx)
    return { result: made, told: { ...(await about(trx, made)), after: shownPermission(made) } }
  })
}

/** Describes a permission otherwise. Concurrency: see `change`; the version is compared in the statement that writes. */
export async function updatePermission(
  store: Store,
  by: By,
  { code, versions, description }: { code: string; versions: Versions; description: string | undefined },
): Promise<Permission> {
  by.authority.changesInstallation()
  return await change(store, by, async (trx) => {
    const before = await permissionToChange(trx, code, by.authority, versions)
    if (description === undefined || description === before.description) {
      return { result: before, told: undefined }
    }
    const after = await writeVersion(trx, 'permissions', before, { description })
    await moveRevision(trx)
    return {
      result: after,
      told: { ...(await about(trx, after)), before: shownPermission(before), after: shownPermission(after) },
    }
  })
}

/** Removes a permission, also from the roles that give it and the clients that list it. */
export async function deletePermission(
  store: Store,
  by: By,
  { code, versions }: { code: string; versions: Versions },
): Promise<void> {
  by.authority.changesInstallation()
  await change(store, by, async (trx) => {
    const before = await permissionToChange(trx, code, by.authority, versions)
    const roles = await dropFromRoles(trx, [code])
    const clients = await dropFromClients(trx, { permissions: [code], services: [] }, by.now)
    await trx.deleteFrom('permissions').where('code', '=', code).execute()
    await moveRevision(trx)
    const itself = { ...(await about(trx, before)), before: shownPermission(before) }
    return { result: undefined, told: [...roles, ...clients, itself] }
  })
}

async function permissionToChange(
  trx: Transacting,
  code: string,
  authority: Authority,
  versions: Versions,
): Promise<Permission> {
  const row = inVersion(await selectPermission(trx, code), 'permission', versions)
  authority.changes([{ uuid: code, permissions: [code], within: true }])
  return row
}

const about = async (trx: Transacting, { code, service_code: service }: Permission) => ({
  thing: 'permission' as const,
  id: code,
  managedBy: await managerOf(trx, 'services', service),
})

/** Removes the permissions of a service. */
export async function removePermissions(trx: Transacting, service: string): Promise<Told[]> {
  const rows = await trx
    .deleteFrom('permissions')
    .where('service_code', '=', service)
    .returningAll()
    .execute()
  return rows.map((row) => ({
    thing: 'permission' as const,
    id: row.code,
    managedBy: null,
    before: shownPermission(row),
  }))
}
