import type { Kysely } from 'kysely'
import { serviceOf } from '../../protocol/permission.ts'
import { notFound, wrongField } from '../../protocol/problem.ts'
import type { Store } from '../open.ts'
import { moveRevision } from '../revision.ts'
import type { Schema } from '../schema.ts'
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
import { dropPermissions } from './drop.ts'
import { managerOf } from './managed.ts'
import type { Authority } from './reach.ts'
import { staleVersion, type Versions } from './version.ts'

type Permission = Row<'permissions'>

export interface PermissionFilter {
  /** Only these; undefined: all. */
  within: readonly string[] | undefined
  serviceCode?: string | undefined
  /** The beginning of a code. */
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
    .$if(search !== undefined, (query) => query.where('code', 'like', `${search}%`))
    .$if(after !== undefined, (query) => query.where('code', '>', after ?? ''))
    .orderBy('code')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  // With a limit of none, the page after begins where this one would have.
  const last = page.at(-1)?.code ?? after ?? ''
  return { rows: page, next: rows.length > limit ? last : undefined }
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
  authority: Authority,
  { code, description }: { code: string; description: string },
  { show, repeatable }: { show: Show<Permission>; repeatable: Repeatable<Permission> | undefined },
): Promise<Created<Permission>> {
  authority.changesInstallation()
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
    return { result: made, told: { ...(await about(trx, made)), after: show(made) } }
  })
}

/** Describes a permission otherwise. Concurrency: see `change`; the version is compared in the statement that writes. */
export async function updatePermission(
  store: Store,
  by: By,
  authority: Authority,
  { code, versions, description }: { code: string; versions: Versions; description: string | undefined },
  show: Show<Permission>,
): Promise<Permission> {
  authority.changesInstallation()
  return await change(store, by, async (trx) => {
    const before = await permissionToChange(trx, code, authority, versions)
    if (description === undefined || description === before.description) {
      return { result: before, told: undefined }
    }
    const after = await trx
      .updateTable('permissions')
      .set({ description, version: before.version + 1 })
      .where('code', '=', code)
      .where('version', '=', before.version)
      .returningAll()
      .executeTakeFirst()
    if (after === undefined) throw staleVersion()
    return { result: after, told: { ...(await about(trx, after)), before: show(before), after: show(after) } }
  })
}

/** Removes a permission, also from the roles that give it and the clients that list it. */
export async function deletePermission(
  store: Store,
  by: By,
  authority: Authority,
  { code, versions }: { code: string; versions: Versions },
  show: Show<Permission>,
): Promise<void> {
  authority.changesInstallation()
  await change(store, by, async (trx) => {
    const before = await permissionToChange(trx, code, authority, versions)
    await dropPermissions(trx, [code], by.now)
    await trx.deleteFrom('permissions').where('code', '=', code).execute()
    await moveRevision(trx)
    return { result: undefined, told: { ...(await about(trx, before)), before: show(before) } }
  })
}

async function permissionToChange(
  trx: Transacting,
  code: string,
  authority: Authority,
  versions: Versions,
): Promise<Permission> {
  const row = await selectPermission(trx, code)
  if (row === undefined) throw notFound('permission')
  if (versions !== undefined && !versions.includes(row.version)) throw staleVersion()
  authority.changes([{ uuid: code, permissions: [code], within: true }])
  return row
}

const about = async (trx: Transacting, { code, service_code: service }: Permission) => ({
  thing: 'permission' as const,
  id: code,
  managedBy: await managerOf(trx, 'services', service),
})
