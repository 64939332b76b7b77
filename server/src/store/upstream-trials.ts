/** Sign-ins through upstreams that are tried. */
import { randomUUID } from 'node:crypto'
import type { Actor } from '../audit/record.ts'
import type { UpstreamTrialRow } from '../database/schema-upstream.ts'
import type { Store } from '../database/store.ts'
import { hashSecret, newSecret } from '../protocol/identifier.ts'
import type { Reading } from './in-transaction.ts'

export type { UpstreamTrialRow } from '../database/schema-upstream.ts'

/** How long a trial can be opened, and then how long its person may take, ms. */
const waits = 15 * 60_000
/** How long what came of it can be read, ms. */
const kept = 3_600_000

export interface NewUpstreamTrial extends Pick<UpstreamTrialRow, 'upstream_uuid' | 'draft_of' | 'return_to'> {
  made_by: Actor
  now: number
}

/** Keeps a trial; yields the secret of its address, of which the hash alone is kept. */
export async function keepTrial(
  { db }: Pick<Store, 'db'>,
  { now, made_by, ...trial }: NewUpstreamTrial,
): Promise<{ id: string; secret: string; expires_at: number }> {
  const [id, secret, expires_at] = [randomUUID(), newSecret(), now + waits]
  const none = { browser_hash: null, outcome: null }
  const row = { id, hash: hashSecret(secret), made_by: JSON.stringify(made_by), created_at: now, expires_at }
  await db
    .insertInto('upstream_trials')
    .values({ ...trial, ...row, ...none })
    .execute()
  return { id, secret, expires_at }
}

/** The trial with this id, or of this secret, that is not over. */
export async function findTrial(
  { db }: Pick<Reading, 'db'>,
  asked: { id: string } | { secret: string },
  now: number,
): Promise<UpstreamTrialRow | undefined> {
  const [column, value] =
    'id' in asked ? (['id', asked.id] as const) : (['hash', hashSecret(asked.secret)] as const)
  return await db
    .selectFrom('upstream_trials')
    .selectAll()
    .where(column, '=', value)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Whether this browser may see the trial: nobody has opened it, or this one has. */
export const isOpenTo = ({ browser_hash }: UpstreamTrialRow, browser: string): boolean =>
  browser_hash === null || browser_hash === hashSecret(browser)

/**
 * Binds a trial to the browser that opens it. False: another has, or it is over. Concurrency: one statement looks and
 * binds, so of any number of browsers one goes on.
 */
export async function openTrial(
  { db }: Pick<Store, 'db'>,
  { id, browser, now }: { id: string; browser: string; now: number },
): Promise<boolean> {
  const browser_hash = hashSecret(browser)
  const opened = await db
    .updateTable('upstream_trials')
    .set({ browser_hash, expires_at: now + waits })
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .where('outcome', 'is', null)
    .where((one) => one.or([one('browser_hash', 'is', null), one('browser_hash', '=', browser_hash)]))
    .returning('id')
    .executeTakeFirst()
  return opened !== undefined
}

/** Keeps what came of a trial. False: it has come to something already, or is over. Concurrency: the first one counts. */
export async function endTrial(
  { db }: Pick<Store, 'db'>,
  { id, outcome, now }: { id: string; outcome: unknown; now: number },
): Promise<boolean> {
  const ended = await db
    .updateTable('upstream_trials')
    .set({ outcome: JSON.stringify(outcome), expires_at: now + kept })
    .where('id', '=', id)
    .where('outcome', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return ended !== undefined
}
