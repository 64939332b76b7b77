/** Somebody who was sent to an upstream, from a browser, for one purpose. */
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { UpstreamRequestRow } from '../database/schema-upstream.ts'
import type { Store } from '../database/store.ts'
import { hashSecret } from '../protocol/identifier.ts'
import type { Reading } from './in-transaction.ts'

export type { UpstreamRequestRow } from '../database/schema-upstream.ts'

/** How long somebody may take at their provider, ms. */
const lifetime = 15 * 60_000

export interface NewUpstreamRequest extends Pick<UpstreamRequestRow, 'upstream_uuid' | 'about' | 'purpose'> {
  /** Random, in the address that leads back. */
  state: string
  browser: string
  data: unknown
  now: number
  /** How long it waits, ms; left out: as long as somebody may take at their provider. */
  waits?: number
}

export async function keepUpstreamRequest(
  { db }: Pick<Store, 'db'>,
  { state, browser, data, now, waits = lifetime, ...request }: NewUpstreamRequest,
): Promise<void> {
  const times = { created_at: now, expires_at: now + waits }
  const row = {
    ...request,
    id: hashSecret(state),
    browser_hash: hashSecret(browser),
    data: JSON.stringify(data),
  }
  await db
    .insertInto('upstream_requests')
    .values({ ...row, ...times })
    .execute()
}

interface StateOfBrowser {
  state: string
  browser: string
  now: number
}

/** The request of this state, which the service itself kept. Changes nothing. */
export async function findUpstreamRequest(
  { db }: Pick<Reading, 'db'>,
  { state, purpose, now }: Omit<StateOfBrowser, 'browser'> & Pick<UpstreamRequestRow, 'purpose'>,
): Promise<UpstreamRequestRow | undefined> {
  return await db
    .selectFrom('upstream_requests')
    .selectAll()
    .where('id', '=', hashSecret(state))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/**
 * Takes the request of this state, which only the browser that it is of can, if it is for one of these purposes.
 * Concurrency: one statement looks and takes, so of any number of answers with one state one counts; another browser's
 * changes nothing.
 */
export async function takeUpstreamRequest(
  db: Kysely<Schema>,
  { state, browser, purposes, now }: StateOfBrowser & { purposes: readonly UpstreamRequestRow['purpose'][] },
): Promise<UpstreamRequestRow | undefined> {
  return await db
    .deleteFrom('upstream_requests')
    .where('id', '=', hashSecret(state))
    .where('browser_hash', '=', hashSecret(browser))
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}
