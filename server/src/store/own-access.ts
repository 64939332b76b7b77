/** What a person may open and has allowed, as they see it themself. */
import type { Kysely } from 'kysely'
import { type AuditEvent, recordAll, type Origin } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import type { Allowance } from '../protocol/allowance.ts'
import { allowanceOf, toldOf, withdrawWithin } from './consents.ts'
import { end } from './ending.ts'
import { entriesOf, type Entry } from './entry.ts'
import { exchanges } from './exchange-lock.ts'
import type { Reading } from './in-transaction.ts'
import { noticeLogouts } from './logout-notices.ts'
import { pictureAt } from './pictures.ts'
import { inActiveOrganisation } from './usable.ts'

/** What somebody allowed a client. */
export interface Allowed {
  client_id: string
  grantedAt: number
  allowance: Allowance
}

/** The consents of a person, the newest first. */
export async function consentsOf({ db }: Pick<Store, 'db'>, user_uuid: string): Promise<Allowed[]> {
  const rows = await db
    .selectFrom('consents')
    .selectAll()
    .where('user_uuid', '=', user_uuid)
    .orderBy('granted_at', 'desc')
    .orderBy('client_id')
    .execute()
  return rows.map((row) => ({
    client_id: row.client_id,
    grantedAt: row.granted_at,
    allowance: allowanceOf(row),
  }))
}

/** An application that has access without having asked for it, and since when: one of ours or of an organisation. */
export interface Unasked {
  client_id: string
  since: number
}

/** The clients with live tokens of a person that needed no consent, the newest first. */
export async function unaskedAccessOf(
  { db }: Pick<Store, 'db'>,
  user_uuid: string,
  now: number,
): Promise<Unasked[]> {
  return await liveFamilies(db, user_uuid, now)
    .select((of) => ['client_id', of.fn.min('created_at').as('since')])
    .where('client_id', 'not in', (of) =>
      of.selectFrom('consents').select('consents.client_id').where('consents.user_uuid', '=', user_uuid),
    )
    .groupBy('client_id')
    .orderBy('since', 'desc')
    .orderBy('client_id')
    .execute()
}

const liveFamilies = (db: Kysely<Schema>, user_uuid: string, now: number) =>
  db
    .selectFrom('token_families')
    .where('user_uuid', '=', user_uuid)
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', now)

/**
 * Ends by a person what an application has of them: the consent, if there is one, the token families and codes. It is told
 * of the logout of each session that it took part in, and what ended is recorded. Concurrency: waits for the exchanges
 * under way, so that what they give ends too.
 */
export async function endOwnAccess(
  store: Store,
  { user_uuid, client_id, now, by }: { user_uuid: string; client_id: string; now: number; by: Origin },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    await exchanges.alone(trx)
    const families = await liveFamilies(trx, user_uuid, now)
      .select(['id', 'sid'])
      .where('client_id', '=', client_id)
      .orderBy('id')
      .execute()
    const allowed = await withdrawWithin(trx, { user_uuid, client_id, now })
    const reason = 'account'
    if (allowed === undefined) await end(trx, { consent: { user_uuid, client_id } }, { now, reason })
    await noticeLogouts(trx, [...new Set(families.map(({ sid }) => sid))], now, client_id)
    const about = { at: now, ...by, user_uuid, client_id }
    const target = { kind: 'client', id: client_id }
    const revoked = families.map(({ id, sid }): AuditEvent => {
      const family = { kind: 'token_family', id }
      return { ...about, kind: 'token_family.revoked', target: family, sid, detail: { reason } }
    })
    const withdrawn = allowed && { kind: 'consent.withdrawn' as const, target, before: toldOf(allowed) }
    await recordAll(store, withdrawn ? [{ ...about, ...withdrawn }] : revoked, trx)
  })
}

/** An application with an address of its own, as people open it. */
export interface OwnApplication {
  name: string
  clientUri: string
  organisation_uuid: string | null
  entry: Entry | undefined
  /** The path of its logo. */
  logo: string | undefined
}

/** The applications that have an address, by name; who may enter is asked of their profiles. From memory where it can. */
export async function applicationsWithAddress(store: Reading): Promise<readonly OwnApplication[]> {
  return await store.cache.get('applications', async () => {
    const rows = await store.db
      .selectFrom('clients')
      .leftJoin('organisations', 'organisations.uuid', 'clients.organisation_uuid')
      .select(['client_name', 'client_uri', 'logo_uri', 'organisation_uuid', 'allowed', 'allowed_removed'])
      .where('clients.active', '=', 1)
      .where('clients.type', '<>', 'machine')
      .where('clients.client_uri', 'is not', null)
      .where(inActiveOrganisation('clients'))
      .orderBy('clients.client_name')
      .orderBy('clients.client_id')
      .execute()
    const entries = await entriesOf(store.db, rows)
    const logos = await Promise.all(rows.map((row) => pictureAt(store, row.logo_uri)))
    return rows.map((row, index) => ({
      name: row.client_name,
      clientUri: row.client_uri ?? '',
      organisation_uuid: row.organisation_uuid,
      entry: entries[index],
      logo: logos[index],
    }))
  })
}
