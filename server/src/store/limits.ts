import { sql } from 'kysely'
import type { Store } from '../database/store.ts'

/**
 * Whether a window has ended. Also one that ends later than any may: the clock was set back since it began. The clocks
 * of two machines differ by less.
 */
export const isOver = (end: number, now: number, window: number) => end <= now || end > now + 2 * window

/**
 * Adds to what all processes counted of a key in its current window, and yields the total and the window's end.
 * The first count opens a window; one after its end opens the next.
 * Concurrency: one upsert; no count is lost.
 */
export async function addToLimit(
  store: Store,
  key: string,
  added: { by: number; now: number; window: number },
): Promise<{ count: number; expiresAt: number }> {
  const { by, now, window } = added
  // As `isOver`.
  const over = sql<boolean>`(limits.expires_at <= ${now} or limits.expires_at > ${now + 2 * window})`
  const row = await store.db
    .insertInto('limits')
    .values({ key, count: by, expires_at: now + window })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when ${over} then cast(${by} as bigint) else limits.count + cast(${by} as bigint) end`,
        expires_at: sql<number>`case when ${over} then cast(${now + window} as bigint) else limits.expires_at end`,
      }),
    )
    .returning(['count', 'expires_at'])
    .executeTakeFirstOrThrow()
  return { count: row.count, expiresAt: row.expires_at }
}
