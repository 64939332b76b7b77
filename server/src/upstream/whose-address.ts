/** Which accounts an upstream may speak for: by the subject that a directory knows, or by the domain of the address. */
import { type Kysely, sql } from 'kysely'
import { rowsOf } from '../database/rows.ts'
import type { Schema } from '../database/schema.ts'
import { domainOf } from '../protocol/email-address.ts'
import { iamService, serviceOf } from '../protocol/permission.ts'
import { inTransaction } from '../store/in-transaction.ts'
import { permissionsOfRole } from '../store/roles.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import type { Row } from '../store/write/rows.ts'
import { ownedAmong } from './owned.ts'
import type { ReadUpstream } from './upstream.ts'

/**
 * The person of the organisation's SCIM resource whose field is this subject, letter by letter. Where the organisation has
 * several upstreams nobody knows of which the subjects are, so none is taken for another.
 */
export async function provisionedAs(
  trx: Kysely<Schema>,
  { organisation_uuid }: ReadUpstream,
  subject: string,
): Promise<string | undefined> {
  if (organisation_uuid === null) return undefined
  const own = await rowsOf(trx, 'upstreams', { organisation_uuid }).limit(2).execute()
  if (own.length > 1) return undefined
  const fields = { externalId: 'external_id', userName: 'name_key', id: 'id' } as const
  for (const directory of await rowsOf(trx, 'directories', { organisation_uuid, active: 1 }).execute()) {
    if (directory.subject === null) continue
    const column = fields[directory.subject]
    const row = await trx
      .selectFrom('scim_resources')
      .select(['user_uuid', 'data'])
      .where('directory_uuid', '=', directory.uuid)
      .where('kind', '=', sql.lit('User'))
      .where(column, '=', directory.subject === 'userName' ? subject.toLowerCase() : subject)
      .where('deleted_at', 'is', null)
      .where('active', '=', 1)
      .where('user_uuid', 'is not', null)
      .executeTakeFirst()
    const isNamed = directory.subject !== 'userName' || userNameIn(row?.data) === subject
    if (row?.user_uuid && isNamed) return row.user_uuid
  }
  return undefined
}

const userNameIn = (data: string | undefined): unknown =>
  data === undefined ? undefined : (JSON.parse(data) as { userName?: unknown }).userName

/** Whether an address counts from this upstream: its organisation has the domain; of the installation's it is listed. */
export async function speaksFor(
  trx: Kysely<Schema>,
  upstream: ReadUpstream,
  email: string,
): Promise<boolean> {
  const domain = domainOf(email) ?? ''
  if (upstream.organisation_uuid === null) return upstream.domains.includes(domain)
  const { holders } = await upstreamsNow(inTransaction(trx))
  return holders.get(domain) === upstream.organisation_uuid
}

/** Whether the account with the address is linked at once: the organisation owns it, or it gives little enough. */
export async function mayLinkByAddress(
  trx: Kysely<Schema>,
  { organisation_uuid }: ReadUpstream,
  user: Row<'users'>,
): Promise<boolean> {
  if (organisation_uuid !== null)
    return (await ownedAmong(trx, organisation_uuid, [user.uuid])).has(user.uuid)
  if (user.limited_reach === 1 || user.managed_by !== null) return false
  const profiles = await rowsOf(trx, 'profiles', { user_uuid: user.uuid }).execute()
  const reading = inTransaction(trx)
  for (const { organisation_uuid: place, role_code } of profiles) {
    if (place === null) return false
    if ((await permissionsOfRole(reading, role_code)).some((one) => serviceOf(one) === iamService))
      return false
  }
  return true
}
