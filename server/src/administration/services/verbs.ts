import type { Kysely } from 'kysely'
import { shownOf } from '../../catalogue/columns.ts'
import { service as catalogued } from '../../catalogue/service.ts'
import type { ChangesOf } from '../../catalogue/thing.ts'
import { wrongField } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import { moveRevision } from '../../database/revision.ts'
import type { Schema, ServiceRow } from '../../database/schema.ts'
import type { By, Row, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import { dropFromClients, dropFromRoles } from '../references.ts'
import { removePermissions } from '../permissions/verbs.ts'
import type { Authority } from '../authority.ts'
import { isFound } from '../search.ts'
import { differs, inVersion, type Versions, writeVersion } from '../version.ts'

type Service = Row<'services'>

/** One that was declared or added; the built-in one is no row. */
export const shownService = (row: Service) => ({ ...shownOf(catalogued, row), built_in: false })

export interface ServiceFilter {
  /** Only these; undefined: all. */
  within: readonly string[] | undefined
  /** The beginning of a code or of a word of a name. */
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
    .$if(after !== undefined, (query) => query.where('code', '>', after ?? ''))
    .orderBy('code')
    .$if(search === undefined, (query) => query.limit(limit + 1))
    .execute()
  const found = rows.filter((row) => isFound(search, row.code, row.name))
  const page = found.slice(0, limit)
  // With a limit of none, the page after begins where this one would have.
  const last = page.at(-1)?.code ?? after ?? ''
  return { rows: page, next: found.length > limit ? last : undefined }
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
  columns: ServiceRow,
  repeatable: Repeatable<Service> | undefined,
): Promise<Created<Service>> {
  by.authority.changesInstallation()
  return await changeOnce(store, by, repeatable, async (trx) => {
    if ((await selectService(trx, columns.code)) !== undefined) {
      throw wrongField('code', 'Another service has this code.', 'conflict')
    }
    await refuseTakenAudience(trx, columns.audience)
    const made = await trx.insertInto('services').values(columns).returningAll().executeTakeFirstOrThrow()
    await moveRevision(trx)
    return { result: made, told: { ...about(made), after: shownService(made) } }
  })
}

/** Changes a service. Concurrency: see `change`; the version is compared in the statement that writes. */
export async function updateService(
  store: Store,
  by: By,
  { code, versions, set }: { code: string; versions: Versions; set: ChangesOf<typeof catalogued> },
): Promise<Service> {
  by.authority.changesInstallation()
  return await change(store, by, async (trx) => {
    const before = await serviceToChange(trx, code, by.authority, versions)
    if (!differs(before, set)) return { result: before, told: undefined }
    if (set.audience !== undefined && set.audience !== before.audience) {
      await refuseTakenAudience(trx, set.audience)
    }
    const after = await writeVersion(trx, 'services', before, set)
    await moveRevision(trx)
    return {
      result: after,
      told: { ...about(after), before: shownService(before), after: shownService(after) },
    }
  })
}

/** Removes a service with its permissions, also from the roles that give them and the clients that list them. */
export async function deleteService(
  store: Store,
  by: By,
  { code, versions }: { code: string; versions: Versions },
): Promise<void> {
  by.authority.changesInstallation()
  await change(store, by, async (trx) => {
    const before = await serviceToChange(trx, code, by.authority, versions)
    const permissions = await removePermissions(trx, code)
    const codes = permissions.map(({ id }) => id)
    const roles = await dropFromRoles(trx, codes)
    const clients = await dropFromClients(trx, { permissions: codes, services: [code] }, by.now)
    await trx.deleteFrom('services').where('code', '=', code).execute()
    await moveRevision(trx)
    const itself = { ...about(before), before: shownService(before) }
    return { result: undefined, told: [...permissions, ...roles, ...clients, itself] }
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
  const row = inVersion(await selectService(trx, code), 'service', versions)
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
