import { sql } from 'kysely'
import type { AuditEvent } from '../../audit/record.ts'
import { shownOf } from '../../catalogue/columns.ts'
import { organisation } from '../../catalogue/organisation.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import type { Flag } from '../../database/flag.ts'
import { write, writeChange, writeNew } from '../../store/write/write.ts'
import { isUuid } from '../../protocol/values.ts'
import type { ChangesOf, ColumnsOf } from '../../catalogue/thing.ts'
import { type PermissionGrant, type Reach, heldAt } from '../../access/reach.ts'
import type { By, Row, Transacting } from '../by.ts'
import { type Created, originOf, type Repeatable } from '../change.ts'
import { mostOf } from '../clients/rules.ts'
import { clients as clientResource, clientsOf } from '../clients/verbs.ts'
import type { After, Page } from '../../database/page.ts'
import { type ProfilesOf, profilesOf, refuseTooMany } from '../profiles/removal.ts'
import { profiles as profileResource } from '../profiles/verbs.ts'
import { changeOne, createOne, type One, removeOne, type Resource, toldOfGone } from '../resource.ts'
import { isThere, rowOf, rowsOf } from '../../database/rows.ts'
import { isAmong, pageFound } from '../search.ts'
import { directories as directoryResource, directoriesOf } from '../directories/verbs.ts'
import { domains as domainResource, domainsOf } from '../domains/verbs.ts'
import { upstreams as upstreamResource, upstreamsOf } from '../upstreams/verbs.ts'
import { endDirectory, endUpstream } from '../../upstream/ended.ts'
import { units as unitResource, unitsUpwards } from '../units/verbs.ts'
import { checkForced } from './forced.ts'
import { checkNamed } from './opened.ts'
import { compared, differs, withBranding, withPolicy } from '../version.ts'
import { resumeWebhooksOf, webhooks as webhookResource, webhooksOf } from '../webhooks/verbs.ts'

type Organisation = Row<'organisations'>

/** An administrator of a unit sees the organisation of the unit. */
export const organisations: Resource<Organisation> = {
  thing: 'organisation',
  path: '/organisations',
  key: 'uuid',
  isId: isUuid,
  async find(db, uuid, { reach }) {
    if (uuid !== (reach.organisation_uuid ?? uuid)) return undefined
    return await rowOf(db, 'organisations', { uuid })
  },
  shown: (row) => shownOf(organisation, row),
  about: (_trx, { uuid, managed_by: managedBy }) => ({ id: uuid, organisation_uuid: uuid, managedBy }),
}

export interface OrganisationFilter {
  q?: string | undefined
  active?: Flag | undefined
  /** Lists only organisations with these uuids. */
  uuid?: readonly string[] | undefined
}

/** The next organisations by code, at most `limit`. Within an organisation there is that one alone. */
export async function listOrganisations(
  { db }: Store,
  { organisation_uuid: own }: Reach,
  { q: search, active, uuid }: OrganisationFilter,
  after: After,
  limit: number,
): Promise<Page<Organisation>> {
  const within = (column: string) =>
    sql`${isAmong(column, uuid)} and ${own === undefined ? sql`true` : sql`${sql.ref(column)} = ${own}`}`
  const source = sql`select uuid as id, code as first_key from organisations where ${within('uuid')}`
  const words = { kind: 'organisation', place: undefined, only: within('words.id') } as const
  const listing = { source, id: 'uuid', first: 'code', search, active, words } as const
  return await pageFound(db, listing, after, limit, (ids) =>
    rowsOf(db, 'organisations', { uuid: ids }).execute(),
  )
}

/** Adds an organisation. Throws when its code is taken. */
export async function createOrganisation(
  store: Store,
  by: By,
  columns: ColumnsOf<typeof organisation> & { uuid: string },
  repeatable: Repeatable<Organisation> | undefined,
): Promise<Created<Organisation>> {
  by.authority.changesInstallation()
  return await createOne(store, by, organisations, repeatable, async (trx) => {
    if (await isThere(trx, 'organisations', { code: columns.code }))
      throw wrongField('code', 'Another organisation has this code.', 'conflict')
    await checkNamed(trx, by, columns.uuid, { before: undefined, after: columns })
    return await writeNew(trx, 'organisations', columns, compared(by))
  })
}

/** Changes an organisation; disabling it ends what people are signed in to by it. */
export async function updateOrganisation(
  store: Store,
  by: By,
  one: One,
  changes: ChangesOf<typeof organisation>,
): Promise<Organisation> {
  return await changeOne(store, by, organisations, one, async (trx, before) => {
    const { uuid } = before
    if (by.authority.reach.unit_uuid !== undefined)
      throw new Problem('forbidden', 'You administer a unit of it.')
    const set = withBranding(before, withPolicy(before, changes))
    if (!differs(before, set)) return before
    by.authority.changesPolicy(before.policy, set.policy === undefined ? before.policy : set.policy)
    if (set.active !== undefined && set.active !== before.active) {
      by.authority.changesInstallation()
      by.authority.changes(await heldWithin(trx, uuid))
    }
    await checkNamed(trx, by, uuid, { before, after: { ...before, ...set } })
    const after = await writeChange(trx, 'organisations', before, set, compared(by))
    await checkForced(trx, by, uuid, { before: before.policy, after: after.policy })
    if (after.active === 1 && before.active === 0) await resumeWebhooksOf(store, trx, [uuid])
    return after
  })
}

/**
 * Removes an organisation with its units, the profiles in it, its webhooks and its clients; the people stay. What
 * manages one of the clients is asked too.
 */
export async function deleteOrganisation(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, organisations, one, async (trx, before) => {
    const { uuid } = before
    by.authority.changesInstallation()
    by.authority.changes(await heldWithin(trx, uuid))
    const gone: ProfilesOf = ['organisation_uuid', uuid]
    await refuseTooMany(trx, by, gone)
    const sources = await sourcesOf(trx, uuid)
    const events = await endSources(trx, by, sources)
    const clients = await clientsOf(trx, uuid)
    const profiles = await profilesOf(trx, gone)
    const units = await unitsUpwards(trx, uuid)
    const hooks = await webhooksOf(trx, uuid)
    await write(
      trx,
      {
        organisations: { remove: [before] },
        units: { remove: units },
        profiles: { remove: profiles },
        clients: { remove: clients },
        webhooks: { remove: hooks },
        upstreams: { remove: sources.upstreams },
        directories: { remove: sources.directories },
        domains: { remove: sources.domains },
      },
      compared(by),
    )
    const others = [
      ...clients.map((one) => ({ ...toldOfGone(clientResource, one), managedBy: one.managed_by })),
      ...profiles.map((one) => toldOfGone(profileResource, one)),
      ...units.map((one) => toldOfGone(unitResource, one)),
      ...hooks.map((one) => toldOfGone(webhookResource, one)),
      ...sources.upstreams.map((one) => ({
        ...toldOfGone(upstreamResource, one),
        managedBy: one.managed_by,
      })),
      ...sources.directories.map((one) => toldOfGone(directoryResource, one)),
      ...sources.domains.map((one) => toldOfGone(domainResource, one)),
    ]
    return { others, events, removedWith: { profiles: profiles.length, units: units.length } }
  })
}

/** What an organisation signs its people in and provisions them by. */
const sourcesOf = async (trx: Transacting, uuid: string) => ({
  upstreams: await upstreamsOf(trx, uuid),
  directories: await directoriesOf(trx, uuid),
  domains: await domainsOf(trx, uuid),
})

async function endSources(
  trx: Transacting,
  by: By,
  { upstreams, directories }: Awaited<ReturnType<typeof sourcesOf>>,
): Promise<AuditEvent[]> {
  const events: AuditEvent[] = []
  for (const one of directories) events.push(...(await endDirectory(trx, one, by)))
  for (const one of upstreams)
    events.push(...(await endUpstream(trx, one, { now: by.now, by: originOf(by) })))
  return events
}

/** What ends with an organisation: what people hold in it, and what its clients may do. */
async function heldWithin(trx: Transacting, uuid: string): Promise<PermissionGrant[]> {
  const clients = await trx
    .selectFrom('clients')
    .select(['services', 'permissions', 'exchange'])
    // Each of them asks the database again, and thousands of clients are alike.
    .distinct()
    .where('organisation_uuid', '=', uuid)
    .execute()
  const held = await heldAt(trx, { organisation: uuid })
  for (const client of clients) {
    held.push({ permissions: await mostOf(trx, client), within: true })
  }
  return held
}
