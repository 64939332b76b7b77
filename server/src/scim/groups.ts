/** What a directory makes of its Groups. Each verb is one transaction, and set-based: see `asDirectory`. */
import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import type { AuditEvent } from '../audit/record.ts'
import { chunksOf } from '../database/chunks.ts'
import { deleteRows, insertRows } from '../database/many-rows.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { asDirectory, type ByDirectory, type ScimDirectory, type Transacting } from './directory.ts'
import { invalidValue } from './errors.ts'
import type { MemberChanges } from './member-changes.ts'
import type { Patched } from './patch.ts'
import { isMapped, settleGroups } from './person.ts'
import {
  columnsOf,
  foundRow,
  namesakes,
  newRow,
  refuseRivals,
  type ResourceRow,
  valuesOf,
  writeRow,
} from './rows.ts'
import { groups } from './schemas.ts'
import { inVersion, type KnownVersions } from './version.ts'
import type { Values } from './values.ts'

const keys = ['group_id', 'user_id']

export async function createGroup(
  store: Store,
  by: ByDirectory,
  { values, members }: Patched,
): Promise<ResourceRow> {
  return await asDirectory(store, by, 'if mapped', async (trx, directory) => {
    const row = newRow(groups, values, directory)
    refuseRivals(row, await namesakes(trx, row))
    await trx.insertInto('scim_resources').values(row).execute()
    const moved = await writeMembers(trx, row, members)
    return { result: row, events: isMapped(directory, row) ? await settleIds(trx, directory, moved) : [] }
  })
}

/** Changes one to what `work` makes of it. */
export async function changeGroup(
  store: Store,
  by: ByDirectory,
  { id, versions }: { id: string; versions: KnownVersions },
  work: (before: Values) => Promise<Patched>,
): Promise<ResourceRow> {
  return await asDirectory(store, by, 'if mapped', async (trx, directory) => {
    const before = await foundRow(trx, { ...by, kind: groups }, id)
    inVersion(before, versions)
    const kept = valuesOf(before)
    const { values, members } = await work(kept)
    const row = { ...before, ...columnsOf(groups, values) }
    refuseRivals(row, await namesakes(trx, row))
    const moved = await writeMembers(trx, row, members)
    if (moved.length === 0 && isDeepStrictEqual(values, kept)) return { result: before, events: [] }
    const result = await writeRow(trx, row, directory.now)
    return { result, events: await settleChange(trx, directory, { before, row, moved }) }
  })
}

/** A group with another externalId may give everybody something else. */
async function settleChange(
  trx: Transacting,
  directory: ScimDirectory,
  { before, row, moved }: { before: ResourceRow; row: ResourceRow; moved: readonly string[] },
): Promise<AuditEvent[]> {
  if (!isMapped(directory, before) && !isMapped(directory, row)) return []
  const others = before.external_id === row.external_id ? [] : await memberIds(trx, row)
  return await settleIds(trx, directory, [...new Set([...moved, ...others])])
}

export async function removeGroup(
  store: Store,
  by: ByDirectory,
  { id, versions }: { id: string; versions: KnownVersions },
): Promise<void> {
  await asDirectory(store, by, 'if mapped', async (trx, directory) => {
    const row = await foundRow(trx, { ...by, kind: groups }, id)
    inVersion(row, versions)
    const members = isMapped(directory, row) ? await memberIds(trx, row) : []
    // Its members go with it.
    await trx.deleteFrom('scim_resources').where('id', '=', id).execute()
    return { result: undefined, events: await settleIds(trx, directory, members) }
  })
}

const memberIds = async (trx: Transacting, { id }: ResourceRow): Promise<string[]> =>
  (await trx.selectFrom('scim_members').select('user_id').where('group_id', '=', id).execute()).map(
    ({ user_id }) => user_id,
  )

/** Writes who comes and who goes; yields them. Throws `invalidValue` for who is nobody of the directory. */
async function writeMembers(
  trx: Transacting,
  row: ResourceRow,
  { keeps, added, removed }: MemberChanges,
): Promise<string[]> {
  const before = new Set(
    keeps ? await membersAmong(trx, row, [...added, ...removed]) : await memberIds(trx, row),
  )
  const come = [...added].filter((id) => !before.has(id))
  const go = [...before].filter((id) => (keeps ? removed.has(id) : !added.has(id)))
  await refuseStrangers(trx, row, come)
  const rowOf = (user_id: string) => ({ group_id: row.id, user_id })
  await insertRows(trx, 'scim_members', keys, come.map(rowOf))
  await deleteRows(trx, 'scim_members', keys, go.map(rowOf))
  return [...come, ...go]
}

async function membersAmong(
  trx: Transacting,
  { id }: ResourceRow,
  ids: readonly string[],
): Promise<string[]> {
  const found: string[] = []
  for (const some of chunksOf(ids)) {
    const rows = await trx
      .selectFrom('scim_members')
      .select('user_id')
      .where('group_id', '=', id)
      .where('user_id', 'in', some)
      .execute()
    found.push(...rows.map(({ user_id }) => user_id))
  }
  return found
}

async function refuseStrangers(
  trx: Transacting,
  { directory_uuid }: ResourceRow,
  ids: readonly string[],
): Promise<void> {
  for (const some of chunksOf(ids)) {
    const rows = await trx
      .selectFrom('scim_resources')
      .select(['id', 'directory_uuid', 'kind', 'deleted_at'])
      .where('id', 'in', some)
      .execute()
    // Not asked of the database, which would look for them among all of the directory.
    const ours = rows.filter(
      (one) => one.directory_uuid === directory_uuid && one.kind === 'User' && one.deleted_at === null,
    )
    const known = new Set(ours.map(({ id }) => id))
    const stranger = some.find((id) => !known.has(id))
    if (stranger !== undefined)
      throw invalidValue('members', `this directory has no User ${stranger.slice(0, 100)}.`)
  }
}

async function settleIds(
  trx: Transacting,
  directory: ScimDirectory,
  ids: readonly string[],
): Promise<AuditEvent[]> {
  const members = []
  for (const some of chunksOf(ids)) {
    members.push(
      ...(await trx
        .selectFrom('scim_resources')
        .select(['id', 'user_uuid', 'active', 'deleted_at'])
        .where('id', 'in', some)
        .where('user_uuid', 'is not', null)
        .execute()),
    )
  }
  return await settleGroups(trx, directory, members)
}

/** The members of these groups, by group. A removed one is shown no more. */
export async function membersOfGroups(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const members = new Map<string, string[]>(ids.map((id) => [id, []]))
  for (const some of chunksOf(ids)) {
    const rows = await db
      .selectFrom('scim_members')
      .innerJoin('scim_resources', 'scim_resources.id', 'scim_members.user_id')
      .select(['group_id', 'user_id'])
      .where('group_id', 'in', some)
      .where('deleted_at', 'is', null)
      .orderBy('user_id')
      .execute()
    for (const { group_id, user_id } of rows) members.get(group_id)?.push(user_id)
  }
  return members
}

/** How many are in these groups. */
export async function sizesOfGroups(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('scim_members')
    .select(['group_id', sql<number>`count(*)`.as('size')])
    .where('group_id', 'in', ids)
    .groupBy('group_id')
    .execute()
  return new Map(rows.map(({ group_id, size }) => [group_id, Number(size)]))
}
