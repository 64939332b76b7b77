import { sql } from 'kysely'
import type { Store } from './open.ts'

/** How failures of one key are slowed: `free` of them at once, then a delay that doubles up to `longest` ms. */
export interface ThrottleRule {
  free: number
  longest: number
  /** Failures are forgotten this long after the last, ms. */
  memory: number
}

const firstDelay = 5000

/** An attempt that counts: how many there are by now, and the milliseconds until the next one may, if it was wrong. */
export interface Counted {
  failures: number
  delay: number
}

/**
 * Counts an attempt before it is evaluated, so that parallel guesses count as sequential ones (decisions 7).
 * Yields what was counted when the attempt may be evaluated, or the milliseconds until one may.
 *
 * Concurrency: one conditional upsert; of any number of parallel attempts no more pass than the rule allows.
 */
export async function countAttempt(
  store: Store,
  key: string,
  rule: ThrottleRule,
  now: number,
): Promise<Counted | { retryAfter: number }> {
  const failures = sql<number>`case when throttles.expires_at <= ${now} then 1 else throttles.failures + 1 end`
  const passed = await store.db
    .insertInto('throttles')
    .values({
      key,
      failures: 1,
      next_at: rule.free > 1 ? 0 : now + firstDelay,
      expires_at: now + rule.memory,
    })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          failures,
          next_at: nextAt(rule, now),
          expires_at: now + rule.memory,
        })
        .where('throttles.next_at', '<=', now),
    )
    .returning(['failures', 'next_at'])
    .executeTakeFirst()
  if (passed !== undefined) {
    return { failures: passed.failures, delay: Math.max(0, passed.next_at - now) }
  }
  const row = await store.db
    .selectFrom('throttles')
    .select('next_at')
    .where('key', '=', key)
    .executeTakeFirst()
  return { retryAfter: Math.max(1, (row?.next_at ?? now) - now) }
}

/**
 * When the next attempt may be evaluated after the one that is being counted, written out as a CASE: both
 * databases know it. 0 without a delay, and not `now`: a parallel attempt may have looked at the clock earlier.
 */
function nextAt(rule: ThrottleRule, now: number) {
  const steps: { from: number; delay: number }[] = []
  for (let n = 0, delay = firstDelay; ; n++, delay *= 2) {
    steps.push({ from: rule.free - 1 + n, delay: Math.min(delay, rule.longest) })
    if (delay >= rule.longest) break
  }
  // Forgotten: this is the first failure again.
  const first = time(rule.free > 1 ? 0 : now + firstDelay)
  const branches = steps
    .reverse()
    .map((step) => sql`when throttles.failures >= ${sql.lit(step.from)} then ${time(now + step.delay)}`)
  return sql<number>`case when throttles.expires_at <= ${now} then ${first} ${sql.join(branches, sql` `)} else 0 end`
}

/** A parameter is text to PostgreSQL until it is told otherwise. */
const time = (at: number) => sql<number>`cast(${at} as bigint)`

/** Forgets a key's failures: the attempt was right. */
export async function forgetAttempts(store: Store, key: string): Promise<void> {
  await store.db.deleteFrom('throttles').where('key', '=', key).execute()
}

/** Takes one attempt back: it was counted, but never evaluated or was right. */
export async function uncountAttempt(store: Store, key: string): Promise<void> {
  await store.db
    .updateTable('throttles')
    .set({ failures: sql<number>`case when failures > 0 then failures - 1 else 0 end`, next_at: 0 })
    .where('key', '=', key)
    .execute()
}
