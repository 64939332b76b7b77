/** What is derived of administered rows for searches: who is found where, and by which words. */
import type { Kysely } from 'kysely'
import { chunksOf } from '../../database/chunks.ts'
import type { Schema } from '../../database/schema.ts'
import { indexClients } from '../client-index.ts'
import { forgetPlaces, indexMembers, indexPlaces, membersOf } from '../members.ts'
import { indexWords, indexWordsAtPlaces } from '../words.ts'
import type { RowChanges, WrittenRow, Writes } from './rows.ts'

/** Forgets who is found at places that go. Asks the rows of their units, so it comes before they are removed. */
export async function unindex(trx: Kysely<Schema>, { organisations }: Writes): Promise<void> {
  for (const { uuid } of organisations.remove) await forgetPlaces(trx, uuid)
}

/** Indexes the people, organisations and clients that were written. */
export async function index(trx: Kysely<Schema>, writes: Writes): Promise<void> {
  await indexUsers(trx, writes)
  await indexWords(
    trx,
    'organisation',
    rowsOf(writes.organisations).map(({ uuid }) => uuid),
  )
  await indexClients(
    trx,
    rowsOf(writes.clients).map(({ client_id }) => client_id),
  )
}

const rowsOf = <Row>({ insert, update, remove }: RowChanges<Row>): Row[] => [
  ...insert,
  ...update.map(({ before }) => before),
  ...remove,
]

/** Users who are gone or of another address are noted as a whole, of others what changes. */
async function indexUsers(trx: Kysely<Schema>, writes: Writes): Promise<void> {
  const { users, units } = writes
  const changed = (column: 'email_key' | 'name' | 'active') =>
    users.update
      .filter(({ before, set }) => set[column] !== undefined && set[column] !== before[column])
      .map(({ before }) => before.uuid)
  const rehung = units.update
    .filter(({ before, set }) => set.parent_uuid !== undefined && set.parent_uuid !== before.parent_uuid)
    .map(({ before }) => before.uuid)
  const whole = new Set([...users.remove.map(({ uuid }) => uuid), ...changed('email_key')])
  const but = (done: ReadonlySet<string>, uuids: readonly string[]) => [
    ...new Set(uuids.filter((uuid) => !done.has(uuid))),
  ]
  const moved = but(whole, [...(await movedByProfiles(trx, writes)), ...(await membersOf(trx, rehung))])
  const named = but(whole, [...users.insert.map(({ uuid }) => uuid), ...changed('name')])
  await indexMembers(trx, [...whole])
  await indexPlaces(trx, but(whole, [...moved, ...changed('active')]))
  await indexWords(trx, 'user', named)
  await indexWordsAtPlaces(trx, but(new Set(named), moved))
}

const placeOf = (row: Pick<WrittenRow<'profiles'>, 'user_uuid' | 'organisation_uuid' | 'unit_uuid'>) =>
  [row.user_uuid, row.organisation_uuid, row.unit_uuid].join(' ')

/** The users who have a profile at a place where they had none, or have none where they had one. */
async function movedByProfiles(
  trx: Kysely<Schema>,
  { users, profiles: { insert, update, remove }, organisations }: Writes,
): Promise<string[]> {
  const forgotten = new Set(organisations.remove.map(({ uuid }) => uuid))
  const lost = remove.filter(({ organisation_uuid: place }) => place === null || !forgotten.has(place))
  const byPlace = (rows: readonly WrittenRow<'profiles'>[]) =>
    new Map(rows.map((row) => [placeOf(row), row] as const))
  const had = byPlace([...lost, ...update.map(({ before }) => before)])
  const has = byPlace([...insert, ...update.map(({ before, set }) => ({ ...before, ...set }))])
  const all = [...new Map([...had, ...has])]
  const differs = all.filter(([place]) => had.has(place) !== has.has(place)).map(([, row]) => row)
  const written = new Set([...insert, ...update.map(({ before }) => before)].map(({ uuid }) => uuid))
  const isNew = new Set(users.insert.map(({ uuid }) => uuid))
  const others = await placesBeside(
    trx,
    written,
    differs.flatMap(({ user_uuid }) => (isNew.has(user_uuid) ? [] : [user_uuid])),
  )
  return differs.filter((row) => !others.has(placeOf(row))).map(({ user_uuid }) => user_uuid)
}

/** Where these users have a profile beside the written ones: that place stays theirs. */
async function placesBeside(
  trx: Kysely<Schema>,
  written: ReadonlySet<string>,
  user_uuids: readonly string[],
): Promise<Set<string>> {
  const places = new Set<string>()
  for (const some of chunksOf([...new Set(user_uuids)])) {
    const rows = await trx
      .selectFrom('profiles')
      .select(['uuid', 'user_uuid', 'organisation_uuid', 'unit_uuid'])
      .where('user_uuid', 'in', some)
      .execute()
    for (const row of rows) if (!written.has(row.uuid)) places.add(placeOf(row))
  }
  return places
}
