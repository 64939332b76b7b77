import { sql } from 'kysely'
import { shownOf } from '../../catalogue/columns.ts'
import { organisation } from '../../catalogue/organisation.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import { moveRevision } from '../../database/revision.ts'
import { end } from '../../store/ending.ts'
import { forgetPlaces } from '../../store/members.ts'
import { indexWords } from '../../store/words.ts'
import type { Flag } from '../../database/flag.ts'
import type { By, Row, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import { mostOf } from '../clients/rules.ts'
import { deleteClientsOf } from '../clients/verbs.ts'
import { removeUnits } from '../units/verbs.ts'
import { removeProfiles } from '../profiles/verbs.ts'
import type { HeldProfile, Reach } from '../authority.ts'
import { heldAt } from '../reach.ts'
import { inOrderOf, isAmong, listPage, type SearchCursor } from '../search.ts'
import { differs, inVersion, type Versions, writeVersion } from '../version.ts'
import { removeWebhooks, resumeWebhooksOf } from '../webhooks/verbs.ts'

type Organisation = Row<'organisations'>

export const shownOrganisation = (row: Organisation) => shownOf(organisation, row)

export interface OrganisationFilter {
  reach: Reach
  search?: string | undefined
  active?: boolean | undefined
  /** These alone. */
  uuids?: readonly string[] | undefined
}

/** The next organisations by code, at most `limit`. Within an organisation there is that one alone. */
export async function listOrganisations(
  store: Store,
  { reach, search, active, uuids }: OrganisationFilter,
  after: SearchCursor | undefined,
  limit: number,
): Promise<{ rows: Organisation[]; next: SearchCursor | undefined }> {
  const own = reach.organisationUuid
  const within = (column: string) =>
    sql`${isAmong(column, uuids)} and ${own === undefined ? sql`true` : sql`${sql.ref(column)} = ${own}`}`
  const source = sql`select uuid as id, code as first_key from organisations where ${within('uuid')}`
  const words = { kind: 'organisation', place: undefined, only: within('words.id') } as const
  const listing = { source, id: 'uuid', first: 'code', search, active, words } as const
  const { ids, next } = await listPage(store.db, listing, after, limit)
  if (ids.length === 0) return { rows: [], next }
  const rows = await store.db.selectFrom('organisations').selectAll().where('uuid', 'in', ids).execute()
  return { rows: inOrderOf(ids, rows), next }
}

/** An organisation within the reach; an administrator of a unit sees the organisation of the unit. */
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
  columns: { uuid: string; code: string; name: string; active: Flag },
  repeatable: Repeatable<Organisation> | undefined,
): Promise<Created<Organisation>> {
  by.authority.changesInstallation()
  return await changeOnce(store, by, repeatable, async (trx) => {
    const holder = await trx
      .selectFrom('organisations')
      .select('uuid')
      .where('code', '=', columns.code)
      .executeTakeFirst()
    if (holder !== undefined) throw wrongField('code', 'Another organisation has this code.', 'conflict')
    const made = await trx
      .insertInto('organisations')
      .values(columns)
      .returningAll()
      .executeTakeFirstOrThrow()
    await indexWords(trx, 'organisation', [made.uuid])
    await moveRevision(trx)
    return { result: made, told: { ...about(made), after: shownOrganisation(made) } }
  })
}

/**
 * Changes an organisation in the version that was read; disabling it ends what people are signed in to by it.
 * Concurrency: see `change`; the version is compared in the statement that writes.
 */
export async function updateOrganisation(
  store: Store,
  by: By,
  { uuid, versions, set }: { uuid: string; versions: Versions; set: { name?: string; active?: Flag } },
): Promise<Organisation> {
  return await change(store, by, async (trx) => {
    const before = await organisationToChange(trx, uuid, by.authority.reach, versions)
    if (by.authority.reach.unitUuid !== undefined)
      throw new Problem('forbidden', 'You administer a unit of it.')
    if (!differs(before, set)) return { result: before, told: undefined }
    if (set.active !== undefined && set.active !== before.active) {
      by.authority.changesInstallation()
      by.authority.changes(await heldWithin(trx, uuid))
    }
    const after = await writeVersion(trx, 'organisations', before, set)
    await indexWords(trx, 'organisation', [uuid])
    if (after.active === 0 && before.active === 1)
      await end(trx, { organisation: uuid }, { now: by.now, reason: 'organisation_disabled' })
    if (after.active === 1 && before.active === 0) await resumeWebhooksOf(trx, [uuid])
    await moveRevision(trx)
    return {
      result: after,
      told: { ...about(after), before: shownOrganisation(before), after: shownOrganisation(after) },
    }
  })
}

/**
 * Removes an organisation with its units, the profiles in it, its webhooks and its clients; the people stay. What
 * manages one of the clients is asked too.
 */
export async function deleteOrganisation(
  store: Store,
  by: By,
  { uuid, versions }: { uuid: string; versions: Versions },
): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await organisationToChange(trx, uuid, by.authority.reach, versions)
    by.authority.changesInstallation()
    by.authority.changes(await heldWithin(trx, uuid))
    await end(trx, { organisation: uuid }, { now: by.now, reason: 'organisation_removed' })
    await forgetPlaces(trx, uuid)
    const clients = await deleteClientsOf(trx, uuid, by.now)
    const { told: profiles } = await removeProfiles(trx, ['organisation_uuid', uuid])
    const gone = await removeUnits(trx, uuid)
    const webhooks = await removeWebhooks(trx, uuid)
    const removedWith = { profiles: profiles.length, units: gone.length }
    await trx.deleteFrom('organisations').where('uuid', '=', uuid).execute()
    await indexWords(trx, 'organisation', [uuid])
    await moveRevision(trx)
    const itself = { ...about(before), before: shownOrganisation(before), removedWith }
    return { result: undefined, told: [...clients, ...profiles, ...gone, ...webhooks, itself] }
  })
}

async function organisationToChange(
  trx: Transacting,
  uuid: string,
  reach: Reach,
  versions: Versions,
): Promise<Organisation> {
  return inVersion(await organisationWithin(trx, uuid, reach), 'organisation', versions)
}

/** What ends with an organisation: what people hold in it, and what its clients may do. */
async function heldWithin(trx: Transacting, uuid: string): Promise<HeldProfile[]> {
  const clients = await trx
    .selectFrom('clients')
    .select(['client_id', 'services', 'permissions'])
    .where('organisation_uuid', '=', uuid)
    .execute()
  const held = await heldAt(trx, { organisation: uuid })
  for (const client of clients) {
    held.push({ uuid: client.client_id, permissions: await mostOf(trx, client), within: true })
  }
  return held
}

const about = ({ uuid, managed_by: managedBy }: Organisation) => ({
  thing: 'organisation' as const,
  id: uuid,
  organisationUuid: uuid,
  managedBy,
})
