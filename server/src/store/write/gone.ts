/** What clients name in `allowed`, and goes. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { end } from '../ending.ts'
import {
  type AllowedColumns,
  entryLists,
  entryListsOf,
  type ListName,
  listsIn,
  names,
  picked,
  textOf,
} from '../entry.ts'
import { placeCodesOf } from '../place-codes.ts'
import type { Writes } from './rows.ts'

/** What goes, as the lists name it; with an organisation its units. */
export type Gone = Readonly<Record<ListName, ReadonlySet<string>>>

/** What a client's lists name that is not there any more, once this is gone. Null: nothing. */
export function removedAfter({ allowed, allowed_removed }: AllowedColumns, gone: Gone): string | null {
  const had = listsIn(allowed_removed)
  const isGone = (name: ListName, one: string) =>
    gone[name].has(one) || (name === 'organisations' && gone[name].has(one.split('/')[0] ?? ''))
  return textOf(picked(listsIn(allowed), (name, one) => names(had, name, one) || isGone(name, one)))
}

/**
 * Notes in the clients that name it what is gone: nobody meets it, also where another of its code is made. What these
 * let in no more ends.
 */
export async function noteGone(trx: Kysely<Schema>, gone: Gone, now: number): Promise<void> {
  if (entryLists.every((name) => gone[name].size === 0)) return
  const clients = await trx
    .selectFrom('clients')
    .select(['client_id', 'allowed', 'allowed_removed'])
    .where('allowed', 'is not', null)
    .execute()
  for (const { client_id, allowed, allowed_removed: before } of clients) {
    const allowed_removed = removedAfter({ allowed, allowed_removed: before }, gone)
    if (allowed_removed === before) continue
    await trx
      .updateTable('clients')
      .set({ allowed_removed, version: sql<number>`version + 1` })
      .where('client_id', '=', client_id)
      .execute()
    const named = entryListsOf({ allowed, allowed_removed })
    if (named !== undefined)
      await end(trx, { outside: { clientId: client_id, named } }, { now, reason: 'client_narrowed' })
  }
}

/** What goes, as `allowed` of clients names it. Asks the rows of units, so it comes before they are removed. */
export async function goneIn(db: Kysely<Schema>, writes: Writes): Promise<Gone> {
  const removed = { organisations: [], units: writes.units.remove.map(({ uuid }) => uuid) }
  const ofUnits = await placeCodesOf({ db }, removed)
  return goneBy(writes, ofUnits.values())
}

/** `goneIn` where the codes of the units are known. */
export const goneBy = ({ roles, organisations, permissions }: Writes, units: Iterable<string>): Gone => ({
  roles: new Set(roles.remove.map(({ code }) => code)),
  organisations: new Set([...organisations.remove.map(({ code }) => code), ...units]),
  permissions: new Set(permissions.remove.map(({ code }) => code)),
})
