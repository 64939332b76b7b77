/** Things that belong to an organisation as a whole, or to the installation: an administrator of a unit sees none. */
import { isOwnedWithin, organisationListed, type Reach } from '../access/reach.ts'
import { type After, emptyPage, type Page, pageBy } from '../database/page.ts'
import { rowOf, rowsOf } from '../database/rows.ts'
import type { Row, Transacting } from './by.ts'

type OwnedTable = 'upstreams' | 'domains' | 'directories' | 'webhooks'

/** Values that are asked for; what is left out may be any. */
type AskedValues<T extends OwnedTable> = { organisation_uuid?: string | undefined } & {
  [C in Exclude<keyof Row<T>, 'organisation_uuid'>]?: Row<T>[C] | undefined
}

/** The one of this uuid, where it is within the reach. */
export async function findOwned<T extends OwnedTable>(
  db: Transacting,
  table: T,
  uuid: string,
  reach: Reach,
): Promise<Row<T> | undefined> {
  const row: Row<OwnedTable> | undefined = await rowOf<OwnedTable>(db, table, { uuid })
  return row !== undefined && isOwnedWithin(reach, row) ? (row as Row<T>) : undefined
}

/** The next within the reach by uuid, at most `limit`: of all of them, or of those that have these values. */
export async function listOwned<T extends OwnedTable>(
  db: Transacting,
  table: T,
  reach: Reach,
  { organisation_uuid: asked, ...values }: AskedValues<T>,
  { after, limit }: { after: After; limit: number },
): Promise<Page<Row<T>>> {
  const organisation_uuid = organisationListed(reach, asked)
  if (organisation_uuid === null || reach.unit_uuid !== undefined) return emptyPage
  const rows = rowsOf<OwnedTable>(db, table, { organisation_uuid, ...values })
  return (await pageBy(rows, ['uuid'], { after, limit })) as Page<Row<T>>
}
