/** What a directory makes of its Users. Each verb is one transaction: see `asDirectory`. */
import { isDeepStrictEqual } from 'node:util'
import { insertRows } from '../database/many-rows.ts'
import type { Store } from '../database/store.ts'
import { emailKey } from '../protocol/email-address.ts'
import { breakGlassOf } from '../store/break-glass.ts'
import {
  asDirectory,
  type ByDirectory,
  type ScimDirectory,
  type Done,
  type Transacting,
} from './directory.ts'
import { addressOf, beginAnew, settleNew, settlePerson, type Tied, tiedPerson } from './person.ts'
import {
  columnsOf,
  foundRow,
  keptFor,
  newRow,
  namesakes,
  refuseRivals,
  type ResourceRow,
  valuesOf,
  writeRow,
} from './rows.ts'
import { users } from './schemas.ts'
import { inVersion, type KnownVersions } from './version.ts'
import { isList, noValues, type Values, withValues } from './values.ts'

/** Adds one, or brings back whom this directory sent away: with the same externalId and address. */
export async function createUser(store: Store, by: ByDirectory, sent: Values): Promise<ResourceRow> {
  const values = withValues(noValues(), { active: true, ...sent })
  return await asDirectory(store, by, 'always', async (trx, directory) => {
    const row = newRow(users, values, directory)
    const found = await namesakes(trx, row)
    const [rival, ...others] = found.filter(({ deleted_at }) => deleted_at === null)
    if (rival !== undefined && others.length === 0 && isBack(rival, row)) {
      if (rival.user_uuid !== null) await beginAnew(trx, directory, rival.user_uuid)
      return await settled(trx, directory, { ...rival, ...columnsOf(users, values) }, rewritten)
    }
    refuseRivals(row, found)
    const gone = removedBefore(row, found, directory)
    const was = gone?.user_uuid ?? null
    // Break-glass people belong to no directory by now.
    const isExempt = was !== null && (await breakGlassOf(trx, directory.organisation_uuid)).has(was)
    const user_uuid = isExempt ? null : was
    if (user_uuid !== null) await beginAnew(trx, directory, user_uuid)
    return await settled(trx, directory, { ...row, user_uuid }, async (tied) => {
      await trx.insertInto('scim_resources').values(tied).execute()
      if (gone !== undefined) await takeOver(trx, gone, tied)
      return tied
    })
  })
}

const rewritten: Write = async (row, trx, { now }) => await writeRow(trx, row, now)

const isSameAddress = (one: ResourceRow, other: ResourceRow): boolean => {
  const [a, b] = [addressOf(valuesOf(one)), addressOf(valuesOf(other))]
  return a !== undefined && b !== undefined && emailKey(a) === emailKey(b)
}

const isBack = (before: ResourceRow, row: ResourceRow): boolean =>
  before.active === 0 &&
  before.external_id !== null &&
  before.external_id === row.external_id &&
  isSameAddress(before, row)

/** The person whom this directory removed within 30 days, and adds again. */
function removedBefore(
  row: ResourceRow,
  found: readonly ResourceRow[],
  { now }: ScimDirectory,
): ResourceRow | undefined {
  const at = ({ deleted_at }: ResourceRow) => deleted_at ?? 0
  return found
    .filter((one) => at(one) > now - keptFor && one.user_uuid !== null && isSameAddress(one, row))
    .sort((one, other) => at(other) - at(one))[0]
}

/** The new resource has the groups of the one that was removed. */
async function takeOver(trx: Transacting, gone: ResourceRow, { id }: ResourceRow): Promise<void> {
  await trx.updateTable('scim_members').set({ user_id: id }).where('user_id', '=', gone.id).execute()
  await trx.deleteFrom('scim_resources').where('id', '=', gone.id).execute()
}

/** Changes one to what `work` makes of it. */
export async function changeUser(
  store: Store,
  by: ByDirectory,
  { id, versions }: { id: string; versions: KnownVersions },
  work: (before: Values) => Promise<Values> | Values,
): Promise<ResourceRow> {
  return await asDirectory(store, by, 'always', async (trx, directory) => {
    const before = await foundRow(trx, { ...by, kind: users }, id)
    inVersion(before, versions)
    const kept = valuesOf(before)
    const values = await work(kept)
    if (isDeepStrictEqual(values, kept)) return { result: before, events: [] }
    const row = { ...before, ...columnsOf(users, values) }
    refuseRivals(row, await namesakes(trx, row))
    return await settled(trx, directory, row, rewritten)
  })
}

/** Removes one: nobody finds it any more, and it is kept, for a person may come back. */
export async function removeUser(
  store: Store,
  by: ByDirectory,
  { id, versions }: { id: string; versions: KnownVersions },
): Promise<void> {
  await asDirectory(store, by, 'always', async (trx, directory) => {
    const { now } = directory
    const before = await foundRow(trx, { ...by, kind: users }, id)
    inVersion(before, versions)
    await trx.updateTable('scim_resources').set({ deleted_at: now }).where('id', '=', id).execute()
    await trx.deleteFrom('scim_emails').where('user_id', '=', id).execute()
    return { result: undefined, events: await settlePerson(trx, directory, { ...before, deleted_at: now }) }
  })
}

type Write = (row: ResourceRow, trx: Transacting, directory: ScimDirectory) => Promise<ResourceRow>

/** Writes a resource, and what follows for its person, to whom it is tied where it can be. */
async function settled(
  trx: Transacting,
  directory: ScimDirectory,
  row: ResourceRow,
  write: Write,
): Promise<Done<ResourceRow>> {
  const tied: Tied = row.user_uuid === null ? await tiedPerson(trx, directory, row) : row
  const { user_uuid, events = [], isNew = false } = tied
  const result = await write({ ...row, user_uuid }, trx, directory)
  await writeEmails(trx, result)
  const settle = isNew ? settleNew : settlePerson
  return { result, events: [...events, ...(await settle(trx, directory, result))] }
}

/** The addresses by which the directory finds it. */
async function writeEmails(trx: Transacting, row: ResourceRow): Promise<void> {
  const { emails } = valuesOf(row)
  const all = (isList(emails) ? emails : []).flatMap(({ value, type }) => {
    if (typeof value !== 'string') return []
    const email_key = emailKey(value)
    if (email_key.length > 300) return []
    return [{ user_id: row.id, email_key, type: typeof type === 'string' ? type.toLowerCase() : '' }]
  })
  const once = new Map(all.map((one) => [JSON.stringify(one), one]))
  if (row.version > 1) await trx.deleteFrom('scim_emails').where('user_id', '=', row.id).execute()
  await insertRows(trx, 'scim_emails', ['user_id', 'email_key', 'type'], [...once.values()])
}
