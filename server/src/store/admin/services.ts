import type { Kysely } from 'kysely'
import { notFound, wrongField } from '../../protocol/problem.ts'
import type { Store } from '../open.ts'
import { moveRevision } from '../revision.ts'
import type { Schema, ServiceRow } from '../schema.ts'
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
import { dropFromClients, dropPermissions } from './drop.ts'
import type { Authority } from './reach.ts'
import { differs, staleVersion, type Versions } from './version.ts'

type Service = Row<'services'>

export interface ServiceFilter {
  /** Only these; undefined: all. */
  within: readonly string[] | undefined
  /** The beginning of a code. */
  search?: string | undefined
}

/** The next declared services by code, at most `limit`. */
export async function listServices(
  { db }: Store,
  { within, search }: ServiceFilter,
  after: string | undefined,
  limit: number,
): Promise<{ rows: Service[]; next: string | undefined }> {
  if (within?.length === 0) return { rows: [], next: undefined }
  const rows = await db
    .selectFrom('services')
    .selectAll()
    .$if(within !== undefined, (query) => query.where('code', 'in', within ?? []))
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

export async function readService(store: Store, code: string): Promise<Service | undefined> {
  return await selectService(store.db, code)
}

async function selectService(db: Kysely<Schema>, code: string): Promise<Service | undefined> {
  return await db.selectFrom('services').selectAll().where('code', '=', code).executeTakeFirst()
}

/** Adds a service. Throws when its code or audience is taken. */
export async function createService(
  store: Store,
  by: By,
  authority: Authority,
  columns: ServiceRow,
  { show, repeatable }: { show: Show<Service>; repeatable: Repeatable<Service> | undefined },
): Promise<Created<Service>> {
  authority.changesInstallation()
  return await changeOnce(store, by, repeatable, async (trx) => {
    if ((await selectService(trx, columns.code)) !== undefined) {
      throw wrongField('code', 'Another service has this code.', 'conflict')
    }
    await refuseTakenAudience(trx, columns.audience)
    const made = await trx.insertInto('services').values(columns).returningAll().executeTakeFirstOrThrow()
    await moveRevision(trx)
    return { result: made, told: { ...about(made), after: show(made) } }
  })
}

/** Changes a service. Concurrency: see `change`; the version is compared in the statement that writes. */
export async function updateService(
  store: Store,
  by: By,
  authority: Authority,
  { code, versions, set }: { code: string; versions: Versions; set: Partial<Omit<ServiceRow, 'code'>> },
  show: Show<Service>,
): Promise<Service> {
  authority.changesInstallation()
  return await change(store, by, async (trx) => {
    const before = await serviceToChange(trx, code, authority, versions)
    if (!differs(before, set)) return { result: before, told: undefined }
    if (set.audience !== undefined && set.audience !== before.audience) {
      await refuseTakenAudience(trx, set.audience)
    }
    const after = await trx
      .updateTable('services')
      .set({ ...set, version: before.version + 1 })
      .where('code', '=', code)
      .where('version', '=', before.version)
      .returningAll()
      .executeTakeFirst()
    if (after === undefined) throw staleVersion()
    await moveRevision(trx)
    return { result: after, told: { ...about(after), before: show(before), after: show(after) } }
  })
}

/** Removes a service with its permissions, also from the roles that give them and the clients that list them. */
export async function deleteService(
  store: Store,
  by: By,
  authority: Authority,
  { code, versions }: { code: string; versions: Versions },
  show: Show<Service>,
): Promise<void> {
  authority.changesInstallation()
  await change(store, by, async (trx) => {
    const before = await serviceToChange(trx, code, authority, versions)
    await dropPermissions(trx, await permissionsOfService(trx, code), by.now)
    await dropFromClients(trx, 'services', [code], by.now)
    await trx.deleteFrom('services').where('code', '=', code).execute()
    await moveRevision(trx)
    return { result: undefined, told: { ...about(before), before: show(before) } }
  })
}

async function permissionsOfService(trx: Transacting, code: string): Promise<string[]> {
  const rows = await trx.selectFrom('permissions').select('code').where('service_code', '=', code).execute()
  return rows.map((row) => row.code)
}

async function serviceToChange(
  trx: Transacting,
  code: string,
  authority: Authority,
  versions: Versions,
): Promise<Service> {
  const row = await selectService(trx, code)
  if (row === undefined) throw notFound('service')
  if (versions !== undefined && !versions.includes(row.version)) throw staleVersion()
  const permissions = await permissionsOfService(trx, code)
  authority.changes([{ uuid: code, permissions, within: true }])
  return row
}

async function refuseTakenAudience(trx: Transacting, audience: string): Promise<void> {
  const holder = await trx
    .selectFrom('services')
    .select('code')
    .where('audience', '=', audience)
    .executeTakeFirst()
  if (holder !== undefined) throw wrongField('audience', 'Another service has this audience.', 'conflict')
}

const about = ({ code, managed_by: managedBy }: Service) => ({
  thing: 'service' as const,
  id: code,
  managedBy,
})
