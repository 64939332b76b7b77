import { type Kysely, sql } from 'kysely'
import * as z from 'zod'
import { type Reach, unitsFrom } from '../../access/reach.ts'
import type { ImportRow } from '../../database/schema-admin.ts'
import { type After, firstOf, type Page } from '../../database/page.ts'
import type { Schema } from '../../database/schema.ts'
import { wrongField } from '../../protocol/problem.ts'
import { instant, isoTime, pageOf, uuid } from '../fields.ts'
import { importLine, undoLine } from './lines.ts'

export const shownImport = z.object({
  uuid,
  name: z.string().describe('Of the file.'),
  created_at: instant,
  created_by: z.object({ kind: z.string(), id: z.string().nullable() }),
  organisation_uuid: uuid
    .nullable()
    .describe('What its importer administered; null: the whole installation.'),
  organisation_unit_uuid: uuid.nullable(),
  request_id: z.string().nullable().describe('By which the audit has all that it did.'),
  people: z.int().describe('Who came by it and are still there, within your reach.'),
  signed_in: z.int().describe('Of these, who signed in since.'),
})

export const importSchemas = {
  Import: shownImport,
  ImportPage: pageOf(shownImport),
  ImportLine: importLine,
  ImportUndoLine: undoLine,
}

/** An import with the number of its people. */
export interface CountedImport extends ImportRow {
  people: number
  signed_in: number
}

export function shown({
  unit_uuid,
  created_at,
  created_by,
  ...row
}: CountedImport): z.output<typeof shownImport> {
  const { kind, id = null } = JSON.parse(created_by) as { kind: string; id?: string }
  return {
    uuid: row.uuid,
    name: row.name,
    created_at: isoTime(created_at),
    created_by: { kind, id },
    organisation_uuid: row.organisation_uuid,
    organisation_unit_uuid: unit_uuid,
    request_id: row.request_id,
    people: row.people,
    signed_in: row.signed_in,
  }
}

/** The people of an import within a reach. */
export const peopleOf = (
  db: Kysely<Schema>,
  uuids: readonly string[],
  { organisation_uuid, unit_uuid }: Reach,
) => {
  const place = unit_uuid ?? organisation_uuid
  return db
    .selectFrom('users')
    .where('import_uuid', 'in', uuids)
    .$if(place !== undefined, (query) =>
      query.where(
        sql<boolean>`exists (select 1 from members where place_uuid = ${place} and user_uuid = users.uuid)`,
      ),
    )
}

async function counted(
  db: Kysely<Schema>,
  rows: readonly ImportRow[],
  reach: Reach,
): Promise<CountedImport[]> {
  if (rows.length === 0) return []
  const uuids = rows.map((row) => row.uuid)
  const found = await peopleOf(db, uuids, reach)
    .select(({ fn }) => [
      'import_uuid as uuid',
      fn.countAll<number | string>().as('people'),
      sql<number | string>`sum(case when last_sign_in_on > '' then 1 else 0 end)`.as('signed_in'),
    ])
    .groupBy('import_uuid')
    .execute()
  const counts = new Map(found.map(({ uuid: of, ...one }) => [of, one]))
  return rows.map((row) => {
    const { people = 0, signed_in = 0 } = counts.get(row.uuid) ?? {}
    return { ...row, people: Number(people), signed_in: Number(signed_in) }
  })
}

/** The imports within a reach: those of whoever administers no more. */
async function importsWithin(db: Kysely<Schema>, { organisation_uuid, unit_uuid }: Reach) {
  const units = unit_uuid === undefined ? [] : [...(await unitsFrom(db, unit_uuid))]
  return db
    .selectFrom('imports')
    .selectAll()
    .$if(organisation_uuid !== undefined, (query) =>
      query.where('organisation_uuid', '=', organisation_uuid ?? ''),
    )
    .$if(unit_uuid !== undefined, (query) => query.where('unit_uuid', 'in', units))
}

export async function findImport(
  db: Kysely<Schema>,
  of: string,
  reach: Reach,
): Promise<CountedImport | undefined> {
  const row = await (await importsWithin(db, reach)).where('uuid', '=', of).executeTakeFirst()
  const [found] = await counted(db, row === undefined ? [] : [row], reach)
  return found
}

/** The next imports within a reach, the newest first, at most `limit`. */
export async function listImports(
  db: Kysely<Schema>,
  reach: Reach,
  { after, limit }: { after: After; limit: number },
): Promise<Page<CountedImport>> {
  const query = await importsWithin(db, reach)
  const rows = await query
    .$if(after !== undefined, (next) => next.where(sql<boolean>`(created_at, uuid) < (${placeIn(after)})`))
    .orderBy('created_at', 'desc')
    .orderBy('uuid', 'desc')
    .limit(limit + 1)
    .execute()
  const page = firstOf(rows, limit, (row) => [String(row.created_at), row.uuid])
  return { ...page, rows: await counted(db, page.rows, reach) }
}

function placeIn([at = '', of = '']: readonly string[] = []) {
  if (!/^\d{1,15}$/.test(at)) throw wrongField('cursor', 'It is none; send next_cursor of the page before.')
  return sql`${Number(at)}, ${of}`
}
