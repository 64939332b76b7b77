import { randomUUID } from 'node:crypto'
import { shownOf } from '../../catalogue/columns.ts'
import { domain as catalogued } from '../../catalogue/domain.ts'
import type { ChangesOf, ColumnsOf } from '../../catalogue/thing.ts'
import { isThere, rowOf, rowsOf } from '../../database/rows.ts'
import type { Store } from '../../database/store.ts'
import { newSecret } from '../../protocol/identifier.ts'
import { wrongField } from '../../protocol/problem.ts'
import { isUuid } from '../../protocol/values.ts'
import { writeChange, writeNew, writeRemoval } from '../../store/write/write.ts'
import type { AuditedChange, By, Row, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import { managerOf } from '../managed.ts'
import { findOwned } from '../owned.ts'
import { checkOwner } from '../placement.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'
import { type One, removeOne, type Resource, toChange, toldOf } from '../resource.ts'
import { compared, differs } from '../version.ts'

export type Domain = Row<'domains'>

export const domains: Resource<Domain> = {
  thing: 'domain',
  path: '/domains',
  key: 'uuid',
  isId: isUuid,
  find: async (db, uuid, { reach }) => await findOwned(db, 'domains', uuid, reach),
  shown: (row) => shownOf(catalogued, row),
  about: async (trx, { uuid: id, organisation_uuid }) => ({
    id,
    organisation_uuid,
    managedBy: await managerOf(trx, 'organisations', organisation_uuid),
  }),
}

/** The record that proves a domain: by itself, and never guessed. */
export const newDomainToken = (): string => `tessera-domain=${newSecret()}`

/**
 * Claims a domain for an organisation, or gives it. A claim blocks nobody and tells nothing of others: a proof counts.
 */
export async function createDomain(
  store: Store,
  by: By,
  columns: ColumnsOf<typeof catalogued>,
  repeatable: Repeatable<Domain> | undefined,
  token = newDomainToken(),
): Promise<Created<Domain>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    const { organisation_uuid, name, given } = columns
    await checkOwner(trx, 'domain', organisation_uuid, by.authority)
    if (await isThere(trx, 'domains', { organisation_uuid, name }))
      throw wrongField('name', 'The organisation has claimed this domain.', 'conflict')
    const before = given === 1 ? await taken(trx, by, name) : []
    const { now } = by
    const row = {
      ...columns,
      uuid: randomUUID(),
      holds: given === 1 ? await holdsGiven(trx, organisation_uuid) : 0,
      token,
      proved_at: null,
      checked_at: null,
      missing_since: null,
      created_at: now,
      updated_at: now,
    } as const
    const made = await writeNew(trx, 'domains', row, compared(by))
    return { result: made, told: [...before, await toldOf(trx, domains, by, { after: made })] }
  })
}

/** A disabled organisation has no domain. */
const holdsGiven = async (trx: Transacting, uuid: string): Promise<0 | 1> =>
  (await isThere(trx, 'organisations', { uuid, active: 1 })) ? 1 : 0

/** Takes the domain from whoever has it, so that the installation can give it; tells of that. */
async function taken(trx: Transacting, by: By, name: string): Promise<AuditedChange[]> {
  by.authority.changesEverything()
  wantRecentSignIn(by)
  const holder = await rowOf(trx, 'domains', { name, holds: 1 })
  if (holder === undefined) return []
  const set = { holds: 0, given: 0, updated_at: by.now } as const
  const after = await writeChange(trx, 'domains', holder, set, compared(by))
  // The file that manages its organisation is asked, too.
  return [await toldOf(trx, domains, by, { before: holder, after })]
}

/** Gives a domain, or takes that back: what was not proved besides counts no more. */
export async function updateDomain(
  store: Store,
  by: By,
  one: One,
  set: ChangesOf<typeof catalogued>,
): Promise<Domain> {
  return await change(store, by, async (trx) => {
    const before = await toChange(trx, domains, one, by)
    if (!differs(before, set)) return { result: before }
    by.authority.changesEverything()
    const others = set.given === 1 && before.holds === 0 ? await taken(trx, by, before.name) : []
    const holds =
      set.given === 1
        ? await holdsGiven(trx, before.organisation_uuid)
        : before.proved_at !== null && before.missing_since === null
          ? before.holds
          : 0
    const after = await writeChange(
      trx,
      'domains',
      before,
      { ...set, holds, updated_at: by.now },
      compared(by),
    )
    return { result: after, told: [...others, await toldOf(trx, domains, by, { before, after })] }
  })
}

/** Removes a domain: links stay, nothing new is made by it. What the installation gave, it alone takes. */
export async function deleteDomain(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, domains, one, async (trx, before) => {
    if (before.given === 1) by.authority.changesEverything()
    await writeRemoval(trx, 'domains', before, compared(by))
  })
}

export const domainsOf = async (trx: Transacting, organisation_uuid: string): Promise<Domain[]> =>
  await rowsOf(trx, 'domains', { organisation_uuid }).execute()
