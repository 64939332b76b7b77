import { chunksOf } from '../database/chunks.ts'
import type { Store } from '../database/store.ts'

/** What people call these organisations and units, by their uuids: `acme`, and `acme/intake`. */
export async function placeCodesOf(
  { db }: Pick<Store, 'db'>,
  { organisations, units }: { organisations: readonly string[]; units: readonly string[] },
): Promise<Map<string, string>> {
  const codes = new Map<string, string>()
  for (const chunk of chunksOf(organisations)) {
    const rows = await db
      .selectFrom('organisations')
      .select(['uuid', 'code'])
      .where('uuid', 'in', chunk)
      .execute()
    for (const { uuid, code } of rows) codes.set(uuid, code)
  }
  for (const chunk of chunksOf(units)) {
    const rows = await db
      .selectFrom('units')
      .innerJoin('organisations', 'organisations.uuid', 'units.organisation_uuid')
      .select(['units.uuid', 'units.code', 'organisations.code as organisation'])
      .where('units.uuid', 'in', chunk)
      .execute()
    for (const { uuid, code, organisation } of rows) codes.set(uuid, `${organisation}/${code}`)
  }
  return codes
}

/** The uuid of the organisation with this code. */
export async function organisationOfCode(
  { db }: Pick<Store, 'db'>,
  code: string,
): Promise<string | undefined> {
  const row = await db.selectFrom('organisations').select('uuid').where('code', '=', code).executeTakeFirst()
  return row?.uuid
}
