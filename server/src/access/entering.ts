/** Who comes to be able to enter an application, and who ceases to, when its `allowed` changes. */
import { type Kysely, sql } from 'kysely'
import type { ClientRow, Schema } from '../database/schema.ts'
import { type AllowedColumns, entering, type EntryLists, entryListsOf } from '../store/entry.ts'
import { usableProfiles } from '../store/usable.ts'
import { byKey } from './by-key.ts'

/** How many people, and in how many organisations they have the profiles by which they enter. */
export interface Entrants {
  people: number
  organisations: number
}

export interface EntryChange {
  client_id: string
  shut_out: Entrants
  let_in: Entrants
}

type EnteredClient = AllowedColumns & Pick<ClientRow, 'client_id' | 'organisation_uuid'>

/** What it means for people that these clients become others, by the profiles that are there now. */
export async function entryChanges(
  db: Kysely<Schema>,
  before: readonly EnteredClient[],
  after: readonly EnteredClient[],
  now: number,
): Promise<EntryChange[]> {
  const later = byKey(after, (row) => row.client_id)
  const changes: EntryChange[] = []
  for (const client of before) {
    const [had, has] = [entryListsOf(client), entryListsOf(later.get(client.client_id) ?? client)]
    if (JSON.stringify(had) === JSON.stringify(has)) continue
    const { client_id } = client
    const shut_out = await onlyBy(db, client, [had, has], now)
    const let_in = await onlyBy(db, client, [has, had], now)
    if (shut_out.people + let_in.people > 0) changes.push({ client_id, shut_out, let_in })
  }
  return changes
}

/** Who enters by the first lists, and not by the others. */
async function onlyBy(
  db: Kysely<Schema>,
  { organisation_uuid: owner }: EnteredClient,
  [some, others]: readonly [EntryLists | undefined, EntryLists | undefined],
  now: number,
): Promise<Entrants> {
  const by = (named: EntryLists | undefined) =>
    usableProfiles(db, now)
      .$if(owner !== null, (query) => query.where('profiles.organisation_uuid', '=', owner))
      .where(named === undefined ? sql<boolean>`1 = 1` : entering('profiles', named))
  const found = await by(some)
    .where('profiles.user_uuid', 'not in', by(others).select('profiles.user_uuid'))
    .select((of) => [
      of.fn.count('profiles.user_uuid').distinct().as('people'),
      of.fn.count('profiles.organisation_uuid').distinct().as('organisations'),
    ])
    .executeTakeFirstOrThrow()
  return { people: Number(found.people), organisations: Number(found.organisations) }
}
