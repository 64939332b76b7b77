import { sql } from 'kysely'
import { notFound, Problem, wrongField } from '../../protocol/problem.ts'
import { emailKey } from '../../protocol/values.ts'
import type { Store } from '../open.ts'
import { moveRevision } from '../revision.ts'
import { revokeFamiliesOf, revokeFamiliesOfClientsOf } from '../revoke-unusable.ts'
import type { Flag } from '../schema.ts'
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
import { mostOf } from './client-rules.ts'
import { type AdministeredClient, deleteClientsOf } from './clients.ts'
import { type Authority, heldAt, type HeldProfile, type Reach } from './reach.ts'
import { inOrderOf, listPage, type SearchCursor } from './search.ts'
import { differs, staleVersion, type Versions } from './version.ts'
import { resumeWebhooksOf } from './webhooks.ts'

type Organisation = Row<'organisations'>

export interface OrganisationFilter {
  reach: Reach
  search?: string | undefined
  active?: boolean | undefined
}

/** The next organisations by code, at most `limit`. Within an organisation there is that one alone. */
export async function listOrganisations(
  store: Store,
  { reach, search, active }: OrganisationFilter,
  after: SearchCursor | undefined,
  limit: number,
): Promise<{ rows: Organisation[]; next: SearchCursor | undefined }> {
  const own = reach.organisationUuid
  const within = (column: string) => (own === undefined ? sql`true` : sql`${sql.ref(column)} = ${own}`)
  const source = sql`select uuid as id, code as first_key, name_key from organisations as named
    where ${within('named.uuid')}`
  const words = sql`select later.organisation_uuid as id, later.code as first_key, later.words as name_key
    from organisation_words as later cross join organisations as named
    where named.uuid = later.organisation_uuid and ${within('later.organisation_uuid')}`
  const later = { table: 'organisation_words', keys: ['organisation_uuid'], source: words } as const
  const { ids, next } = await listPage(
    store.db,
    { source, first: 'code', search, active, later },
    after,
    limit,
  )
  if (ids.length === 0) return { rows: [], next }
  const rows = await store.db.selectFrom('organisations').selectAll().where('uuid', 'in', ids).execute()
  return { rows: inOrderOf(ids, rows), next }
}

/** An organisation within the reach; whoever administers a unit may see whose it is. */
export async function readOrganisation(
  store: Store,
  uuid: string,
  reach: Reach,
): Promise<Organisation | undefined> {
  return await organisationWithin(store.db, uuid, reach)
}

async function organisationWithin(
  db: Transacting,
  uuid: string,
  { organisationUuid }: Reach,
): Promise<Organisation | undefined> {
  if (organisationUuid !== undefined && organisationUuid !== uuid) return undefined
  return await db.selectFrom('organisations').selectAll().where('uuid', '=', uuid).executeTakeFirst()
}

/** Adds an organisation. Throws when its code is taken. */
export async function createOrganisation(
  store: Store,
  by: By,
  authority: Authority,
  columns: { uuid: string; code: string; name: string; active: Flag },
  { show, repeatable }: { show: Show<Organisation>; repeatable: Repeatable<Organisation> | undefined },
): Promise<Created<Organisation>> {
  authority.changesInstallation()
  return await changeOnce(store, by, repeatable, async (trx) => {
    const holder = await trx
      .selectFrom('organisations')
      .select('uuid')
      .where('code', '=', columns.code)
      .executeTakeFirst()
    if (holder !== undefined) throw wrongField('code', 'Another organisation has this code.', 'conflict')
    const made = await trx
      .insertInto('organisations')
      .values({ ...columns, name_key: emailKey(columns.name) })
      .returningAll()
      .executeTakeFirstOrThrow()
    await moveRevision(trx)
    return { result: made, told: { ...about(made), after: show(made) } }
  })
}

/**
 * Changes an organisation in the version that was read; disabling it ends what people are signed in to by it.
 * Concurrency: see `change`; the version is compared in the statement that writes.
 */
export async function updateOrganisation(
  store: Store,
  by: By,
  authority: Authority,
  { uuid, versions, set }: { uuid: string; versions: Versions; set: { name?: string; active?: Flag } },
  show: Show<Organisation>,
): Promise<Organisation> {
  return await change(store, by, async (trx) => {
    const before = await organisationToChange(trx, uuid, authority.reach, versions)
    if (authority.reach.unitUuid !== undefined) throw new Problem('forbidden', 'You administer a unit of it.')
    const columns = { ...set, ...(set.name !== undefined && { name_key: emailKey(set.name) }) }
    if (!differs(before, columns)) return { result: before, told: undefined }
    if (set.active !== undefined && set.active !== before.active) {
      authority.changesInstallation()
      authority.changes(await heldWithin(trx, uuid))
    }
    const after = await trx
      .updateTable('organisations')
      .set({ ...columns, version: before.version + 1 })
      .where('uuid', '=', uuid)
      .where('version', '=', before.version)
      .returningAll()
      .executeTakeFirst()
    if (after === undefined) throw staleVersion()
    if (after.active === 0 && before.active === 1) await endAt(trx, uuid, by.now, 'organisation_disabled')
    if (after.active === 1 && before.active === 0) await resumeWebhooksOf(trx, [uuid])
    await moveRevision(trx)
    return { result: after, told: { ...about(after), before: show(before), after: show(after) } }
  })
}

/**
 * Removes an organisation with its units, the profiles in it and its clients; the people stay. What manages one of the
 * clients is asked too.
 */
export async function deleteOrganisation(
  store: Store,
  by: By,
  authority: Authority,
  { uuid, versions }: { uuid: string; versions: Versions },
  show: { organisation: Show<Organisation>; client: Show<AdministeredClient> },
): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await organisationToChange(trx, uuid, authority.reach, versions)
    authority.changesInstallation()
    authority.changes(await heldWithin(trx, uuid))
    await endAt(trx, uuid, by.now, 'organisation_removed')
    const units = trx.selectFrom('units').select('uuid').where('organisation_uuid', '=', uuid)
    await trx
      .deleteFrom('members')
      .where((where) => where.or([where('place_uuid', '=', uuid), where('place_uuid', 'in', units)]))
      .execute()
    const clients = await deleteClientsOf(trx, uuid, show.client)
    const removedWith = { profiles: 0, units: 0 }
    for (const table of ['profiles', 'units'] as const) {
      const gone = await trx.deleteFrom(table).where('organisation_uuid', '=', uuid).executeTakeFirst()
      removedWith[table] = Number(gone.numDeletedRows)
    }
    await trx.deleteFrom('organisations').where('uuid', '=', uuid).execute()
    await moveRevision(trx)
    const itself = { ...about(before), before: show.organisation(before), removedWith }
    return { result: undefined, told: [...clients, itself] }
  })
}

async function organisationToChange(
  trx: Transacting,
  uuid: string,
  reach: Reach,
  versions: Versions,
): Promise<Organisation> {
  const row = await organisationWithin(trx, uuid, reach)
  if (row === undefined) throw notFound('organisation')
  if (versions !== undefined && !versions.includes(row.version)) throw staleVersion()
  return row
}

/** What ends with an organisation: what people hold in it, and what its clients may do. */
async function heldWithin(trx: Transacting, uuid: string): Promise<HeldProfile[]> {
  const clients = await trx
    .selectFrom('clients')
    .select(['client_id', 'services', 'permissions'])
    .where('organisation_uuid', '=', uuid)
    .execute()
  const held = await heldAt(trx, { organisation_uuid: uuid })
  for (const client of clients) {
    held.push({ uuid: client.client_id, permissions: await mostOf(trx, client), within: true })
  }
  return held
}

async function endAt(trx: Transacting, uuid: string, now: number, reason: string): Promise<void> {
  await revokeFamiliesOf(trx, { organisation_uuid: uuid }, now, reason)
  await revokeFamiliesOfClientsOf(trx, uuid, now, reason)
}

const about = ({ uuid, managed_by: managedBy }: Organisation) => ({
  thing: 'organisation' as const,
  id: uuid,
  organisationUuid: uuid,
  managedBy,
})
