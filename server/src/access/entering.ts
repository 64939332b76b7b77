/** People who gain or lose the entry to an application when its `allowed` changes. */
import { type Kysely, sql } from 'kysely'
import type { ClientRow, Schema } from '../database/schema.ts'
import { type AllowedColumns, entering, type EntryLists, entryListsOf } from '../store/entry.ts'
import { usableProfiles } from '../store/usable.ts'
import { byKey } from './by-key.ts'

/** How many people, and in how many organisations they have the profiles by which they enter. */
interface Entrants {
  people: number
  organisations: number
}

export interface EntryChange {
  client_id: string
  shut_out: Entrants
  let_in: Entrants
}

type EnteredClient = AllowedColumns & Pick<ClientRow, 'client_id' | 'organisation_uuid' | 'active'>

/** The profiles that a client lets in: of its organisation, by its lists. */
interface Door {
  owner: string | null
  active: 0 | 1
  named: EntryLists | undefined
}

const doorOf = (client: EnteredClient): Door => ({
  owner: client.organisation_uuid,
  active: client.active,
  named: entryListsOf(client),
})

/** What it means for people that these clients become others, by the profiles that are there now. */
export async function entryChanges(
  db: Kysely<Schema>,
  before: readonly EnteredClient[],
  after: readonly EnteredClient[],
  now: number,
): Promise<EntryChange[]> {
  const later = byKey(after, (row) => row.client_id)
  const changes: EntryChange[] = []
  for (const client of byKey(before, (row) => row.client_id).values()) {
    const [had, has] = [doorOf(client), doorOf(later.get(client.client_id) ?? client)]
    if (JSON.stringify(had.named) === JSON.stringify(has.named)) continue
    const { client_id } = client
    const shut_out = await onlyBy(db, had, has, now)
    const let_in = await onlyBy(db, has, had, now)
    if (shut_out.people + let_in.people > 0) changes.push({ client_id, shut_out, let_in })
  }
  return changes
}

/** Entrants by one door, and not by the other. */
async function onlyBy(db: Kysely<Schema>, door: Door, other: Door, now: number): Promise<Entrants> {
  const by = ({ owner, active, named }: Door) =>
    usableProfiles(db, now)
      .$if(owner !== null, (query) => query.where('profiles.organisation_uuid', '=', owner))
      .where(active === 0 ? sql<boolean>`1 = 0` : sql<boolean>`1 = 1`)
      .where(named === undefined ? sql<boolean>`1 = 1` : entering('profiles', named))
  // PostgreSQL compares all with all for `not in`, once they are more than its memory for a step.
  const only = by(door).select('profiles.user_uuid').except(by(other).select('profiles.user_uuid'))
  const found = await by(door)
    .innerJoin(only.as('only_here'), 'only_here.user_uuid', 'profiles.user_uuid')
    .select((of) => [
      of.fn.count('profiles.user_uuid').distinct().as('people'),
      of.fn.count('profiles.organisation_uuid').distinct().as('organisations'),
    ])
    .executeTakeFirstOrThrow()
  return { people: Number(found.people), organisations: Number(found.organisations) }
}
