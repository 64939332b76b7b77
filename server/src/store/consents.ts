import { type Kysely, type Selectable, sql } from 'kysely'
import { type Allowance, together } from '../protocol/allowance.ts'
import { scopesOf } from '../protocol/scope.ts'
import { type AuditValues, type Origin, record } from '../audit/record.ts'
import { type Client, textList } from './clients.ts'
import { end } from './ending.ts'
import type { Store } from '../database/store.ts'
import { preparedRow } from '../database/prepared.ts'
import type { Schema } from '../database/schema.ts'
import type { ConsentRow } from '../database/schema-tokens.ts'
import type { Reading } from './in-transaction.ts'

type StoredConsent = Selectable<ConsentRow>

const selectConsent = preparedRow<{ user_uuid: string; client_id: string }, StoredConsent>((db, slot) =>
  db
    .selectFrom('consents')
    .selectAll()
    .where('user_uuid', '=', slot('user_uuid'))
    .where('client_id', '=', slot('client_id')),
)

/** What a person allowed a client, remembered (decisions 2); undefined: nothing. */
export async function findConsent(
  store: Reading,
  user_uuid: string,
  client_id: string,
): Promise<Allowance | undefined> {
  const row = await store.read(selectConsent({ user_uuid, client_id }))
  return row === undefined ? undefined : allowanceOf(row)
}

/** Consent as far as it counts for a session whose proofs reach so far; undefined: everywhere. */
export async function findConsentOf(
  store: Reading,
  user_uuid: string,
  client_id: string,
  reach: string | undefined,
): Promise<Allowance | undefined> {
  const row = await store.read(selectConsent({ user_uuid, client_id }))
  if (row === undefined || (row.reach !== null && row.reach !== reach)) return undefined
  return allowanceOf(row)
}

const consentColumns = ['scope', 'services', 'permissions', 'redirect_hosts', 'claims', 'onward'] as const

export type ConsentColumns = Pick<StoredConsent, (typeof consentColumns)[number]>

export const allowanceOf = (row: ConsentColumns): Allowance => ({
  scopes: scopesOf(row.scope),
  services: textList(row.services),
  permissions: textList(row.permissions),
  redirectHosts: textList(row.redirect_hosts),
  claims: textList(row.claims),
  onward: textList(row.onward),
})

const columnsOf = (allowed: Allowance): ConsentColumns => ({
  scope: allowed.scopes.join(' '),
  services: JSON.stringify(allowed.services),
  permissions: JSON.stringify(allowed.permissions),
  redirect_hosts: JSON.stringify(allowed.redirectHosts),
  claims: JSON.stringify(allowed.claims),
  onward: JSON.stringify(allowed.onward),
})

/** The allowance as the audit tells it. */
export const toldOf = ({ redirectHosts, onward, ...rest }: Allowance): AuditValues => ({
  ...rest,
  redirect_hosts: redirectHosts,
  ...(onward.length > 0 && { onward }),
})

/** The client as it was when the person was asked. */
type AllowedClient = Pick<Client, 'client_id' | 'organisation_uuid'>

export interface NewConsent {
  user_uuid: string
  client: AllowedClient
  allowance: Allowance
  /** How far the proofs reach that it is given by; undefined: everywhere. */
  reach: string | undefined
  now: number
  by: Origin
}

/**
 * Remembers a consent, and records it; it adds to what was allowed the same client before.
 * Concurrency: of parallel calls each keeps what the others add. A client that is removed meanwhile, or is another
 * organisation's by now, is allowed nothing: the removal and this wait for one another.
 */
export async function rememberConsent(store: Store, consent: NewConsent): Promise<void> {
  const { user_uuid, client, allowance, reach = null, now, by } = consent
  const { client_id } = client
  await store.db.transaction().execute(async (trx) => {
    const asked = await trx
      .selectFrom('clients')
      .select('organisation_uuid')
      .where('client_id', '=', client_id)
      .forShare()
      .executeTakeFirst()
    if (asked?.organisation_uuid !== client.organisation_uuid) return
    const theirs = { user_uuid, client_id }
    // The upsert holds the row too, so that another consent waits. Of one that was there the rest stays.
    const row = await trx
      .insertInto('consents')
      .values({ ...theirs, scope: '', granted_at: now })
      .onConflict((conflict) => conflict.columns(['user_uuid', 'client_id']).doUpdateSet({ granted_at: now }))
      .returning(consentColumns)
      .executeTakeFirstOrThrow()
    const earlier = allowanceOf(row)
    const allowed = together(earlier, allowance)
    await trx
      .updateTable('consents')
      .set({ ...columnsOf(allowed), reach })
      .where('user_uuid', '=', user_uuid)
      .where('client_id', '=', client_id)
      .execute()
    const about = { target: { kind: 'client', id: client_id }, user_uuid, client_id }
    const before = row.scope === '' ? undefined : toldOf(earlier)
    const values = { before, after: toldOf(allowed) }
    await record(store, { at: now, kind: 'consent.given', ...by, ...about, ...values }, trx)
  })
}

/**
 * Takes services that are removed out of every consent: another one that is made under the code was shown to nobody. Their
 * permissions may stay, for they count with the service alone.
 */
export async function withdrawServices(trx: Kysely<Schema>, codes: readonly string[]): Promise<void> {
  for (const code of codes) {
    const quoted = JSON.stringify(code)
    const without = (column: 'services' | 'onward') =>
      sql<string>`replace(replace(replace(${sql.ref(column)}, ${`${quoted},`}, ''), ${`,${quoted}`}, ''), ${quoted}, '')`
    await trx
      .updateTable('consents')
      .set({ services: without('services'), onward: without('onward') })
      .where(({ or, eb }) => or([eb('services', 'like', `%${quoted}%`), eb('onward', 'like', `%${quoted}%`)]))
      .execute()
  }
}

/**
 * Withdraws a consent, and with it the client's token families of this person and the codes that would open others,
 * within a transaction that records it. Yields what had been allowed; undefined: there was none.
 */
export async function withdrawWithin(
  trx: Kysely<Schema>,
  { user_uuid, client_id, now }: { user_uuid: string; client_id: string; now: number },
): Promise<Allowance | undefined> {
  const removed = await trx
    .deleteFrom('consents')
    .where('user_uuid', '=', user_uuid)
    .where('client_id', '=', client_id)
    .returning(consentColumns)
    .executeTakeFirst()
  if (removed === undefined) return undefined
  await end(trx, { consent: { user_uuid, client_id } }, { now, reason: 'consent_withdrawn' })
  return allowanceOf(removed)
}
