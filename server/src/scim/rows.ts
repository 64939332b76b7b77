/** The rows of resources: how they are found, and what of their values stands in columns. */
import { type Selectable, sql } from 'kysely'
import type { ScimResourceRow } from '../database/schema-upstream.ts'
import { newId } from '../protocol/identifier.ts'
import { nameKey } from '../protocol/values.ts'
import type { ScimDirectory, Transacting } from './directory.ts'
import { invalidValue, noResource, notUnique } from './errors.ts'
import { groups, type Kind, type KindName, users } from './schemas.ts'
import { keptValues, type Values } from './values.ts'

export type ResourceRow = Selectable<ScimResourceRow>

/** How long somebody whom a directory removed can come back by it, ms. */
export const keptFor = 30 * 86_400_000

/** A kind as it stands in the text of a query: SQLite finds by the indexes of one kind only what is not a parameter. */
export const isKind = (name: KindName) => sql.lit(name)

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
    .where('kind', '=', isKind(kind.name))
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

/**
 * The resources that have the name, or the externalId, that this one is to have: those that are there, and those of its
 * externalId that were removed. Names of groups are not unique. Each is found by an index of its own.
 */
export async function namesakes(
  trx: Transacting,
  { id, directory_uuid, kind, name_key, external_id }: ResourceRow,
): Promise<ResourceRow[]> {
  const of = () =>
    trx
      .selectFrom('scim_resources')
      .selectAll()
      .where('directory_uuid', '=', directory_uuid)
      .where('kind', '=', isKind(kind))
      .where('id', '<>', id)
  const there = () => of().where('deleted_at', 'is', null)
  const named = kind === 'User' ? [there().where('name_key', '=', name_key)] : []
  const known =
    external_id === null
      ? []
      : [there(), of().where('deleted_at', 'is not', null)].map((all) =>
          all.where('external_id', '=', external_id),
        )
  const [first, ...others] = [...named, ...known]
  if (first === undefined) return []
  const rows = await others.reduce((all, one) => all.unionAll(one), first).execute()
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

/** Throws `uniqueness` where one that is there has the name or the externalId. */
export function refuseRivals(row: ResourceRow, found: readonly ResourceRow[]): void {
  const rival = found.find(({ deleted_at }) => deleted_at === null)
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
