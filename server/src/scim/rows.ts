/** The rows of resources: how they are found, and what of their values stands in columns. */
import type { Selectable } from 'kysely'
import type { ScimResourceRow } from '../database/schema-upstream.ts'
import { newId } from '../protocol/identifier.ts'
import { nameKey } from '../protocol/values.ts'
import type { ScimDirectory, Transacting } from './directory.ts'
import { invalidValue, noResource, notUnique } from './errors.ts'
import { groups, type Kind, users } from './schemas.ts'
import { keptValues, type Values } from './values.ts'

export type ResourceRow = Selectable<ScimResourceRow>

/** How long somebody whom a directory removed can come back by it, ms. */
export const keptFor = 30 * 86_400_000

/** One that is there, in a version that may be changed. Throws `not_found`. */
export async function foundRow(
  db: Transacting,
  { directory_uuid, kind }: { directory_uuid: string; kind: Kind },
  id: string,
): Promise<ResourceRow> {
  const row = await db
    .selectFrom('scim_resources')
    .selectAll()
    .where('id', '=', id)
    .where('directory_uuid', '=', directory_uuid)
    .where('kind', '=', kind.name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) throw noResource()
  return row
}

const nameOf = { User: 'userName', Group: 'displayName' } as const
const longestName = 300
const largest = 64 * 1024

/** What of the values the table has columns for. Throws `invalidValue` where a name is missing, or something is too long. */
export function columnsOf(kind: Kind, values: Values) {
  const [name, externalId] = [values[nameOf[kind.name]], values.externalId]
  if (typeof name !== 'string' || nameKey(name) === '')
    throw invalidValue(nameOf[kind.name], 'it is missing.')
  const external_id = typeof externalId === 'string' ? externalId : null
  const name_key = nameKey(name)
  if (name_key.length > longestName) throw invalidValue(nameOf[kind.name], 'it is too long.')
  if ((external_id ?? '').length > longestName) throw invalidValue('externalId', 'it is too long.')
  const data = JSON.stringify(values)
  if (data.length > largest) throw invalidValue(kind.name, 'all of it together is too long.')
  return { name_key, external_id, data, active: values.active === false ? 0 : 1 } as const
}

export const newRow = (kind: Kind, values: Values, { uuid, now }: ScimDirectory): ResourceRow => ({
  id: newId(now),
  directory_uuid: uuid,
  kind: kind.name,
  ...columnsOf(kind, values),
  user_uuid: null,
  deleted_at: null,
  created_at: now,
  updated_at: now,
  version: 1,
})

export const valuesOf = ({ kind, data }: ResourceRow): Values =>
  keptValues((kind === 'User' ? users : groups).attributes, data)

/** The resources that have the name, or the externalId, that this one is to have. Names of groups are not unique. */
export async function rivals(
  trx: Transacting,
  { id, directory_uuid, kind, name_key, external_id }: ResourceRow,
): Promise<ResourceRow[]> {
  return await trx
    .selectFrom('scim_resources')
    .selectAll()
    .where('directory_uuid', '=', directory_uuid)
    .where('kind', '=', kind)
    .where('deleted_at', 'is', null)
    .where('id', '<>', id)
    .where((where) =>
      where.or([
        ...(kind === 'User' ? [where('name_key', '=', name_key)] : []),
        ...(external_id === null ? [] : [where('external_id', '=', external_id)]),
      ]),
    )
    .execute()
}

export async function refuseRivals(trx: Transacting, row: ResourceRow): Promise<void> {
  const [rival] = await rivals(trx, row)
  if (rival !== undefined)
    throw notUnique(
      rival.external_id === row.external_id && row.external_id !== null ? 'externalId' : 'userName',
    )
}

/** Writes what has become of a resource; yields its row. */
export async function writeRow(trx: Transacting, row: ResourceRow, now: number): Promise<ResourceRow> {
  const { id, name_key, external_id, data, user_uuid, active } = row
  const set = { name_key, external_id, data, user_uuid, active, updated_at: now, version: row.version + 1 }
  await trx.updateTable('scim_resources').set(set).where('id', '=', id).execute()
  return { ...row, ...set }
}
