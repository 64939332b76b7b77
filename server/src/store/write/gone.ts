/** What clients name in `allowed`, and goes. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { entryLists, type ListName, listsIn, names, picked, textOf } from '../entry.ts'
import { placeCodesOf } from '../place-codes.ts'
import type { Writes } from './rows.ts'

/** What goes, as the lists name it; with an organisation its units. */
type Gone = Readonly<Record<ListName, readonly string[]>>

/** Notes in the clients that name it what is gone: nobody meets it, also where another of its code is made. */
export async function noteGone(trx: Kysely<Schema>, gone: Gone): Promise<void> {
  if (entryLists.every((name) => gone[name].length === 0)) return
  const isGone = (name: ListName, one: string) =>
    gone[name].includes(one) || (name === 'organisations' && gone[name].includes(one.split('/')[0] ?? ''))
  const clients = await trx
    .selectFrom('clients')
    .select(['client_id', 'allowed', 'allowed_removed'])
    .where('allowed', 'is not', null)
    .execute()
  for (const { client_id, allowed, allowed_removed: before } of clients) {
    const had = listsIn(before)
    const removed = picked(listsIn(allowed), (name, one) => names(had, name, one) || isGone(name, one))
    const allowed_removed = textOf(removed)
    if (allowed_removed === before) continue
    await trx
      .updateTable('clients')
      .set({ allowed_removed, version: sql<number>`version + 1` })
      .where('client_id', '=', client_id)
      .execute()
  }
}

/** What goes, as `allowed` of clients names it. Asks the rows of units, so it comes before they are removed. */
export async function goneIn(
  db: Kysely<Schema>,
  { roles, organisations, units, permissions }: Writes,
): Promise<Gone> {
  const removed = { organisations: [], units: units.remove.map(({ uuid }) => uuid) }
  const ofUnits = await placeCodesOf({ db }, removed)
  return {
    roles: roles.remove.map(({ code }) => code),
    organisations: [...organisations.remove.map(({ code }) => code), ...ofUnits.values()],
    permissions: permissions.remove.map(({ code }) => code),
  }
}
