import { sql } from 'kysely'
import { preparedRow } from '../database/prepared.ts'
import type { Store } from '../database/store.ts'

/**
 * Whether a window has ended. Also one that ends later than any may: the clock was set back since it began. The clocks
 * of two machines differ by less.
 */
export const isOver = (end: number, now: number, window: number) => end <= now || end > now + 2 * window

/**
 * Adds to what all processes counted of a key in its current window, and yields the total and the window's end.
 * The first count opens a window; one after its end opens the next.
 * Concurrency: one upsert; no count is lost, but those of the last second when PostgreSQL crashes.
 */
export async function addToLimit(
  store: Store,
  key: string,
  added: { by: number; now: number; window: number },
): Promise<{ count: number; expiresAt: number }> {
  const { by, now, window } = added
  const values = { key, by, now, end: now + window, farOff: now + 2 * window }
  const row = await store.writeOne(() => upsertLimit(values), 'losable')
  if (row === undefined) throw new Error('The count was not kept.')
  return { count: row.count, expiresAt: row.expires_at }
}

interface Added {
  key: string
  by: number
  now: number
  end: number
  /** No window ends later. */
  farOff: number
}

const upsertLimit = preparedRow<Added, { count: number; expires_at: number }>((db, slot) => {
  const bigint = (name: 'by' | 'now' | 'end' | 'farOff') => sql<number>`cast(${slot(name)} as bigint)`
  // The condition of `isOver`, in SQL.
  const over = sql<boolean>`(limits.expires_at <= ${bigint('now')} or limits.expires_at > ${bigint('farOff')})`
  return db
    .insertInto('limits')
    .values({ key: slot('key'), count: slot('by'), expires_at: slot('end') })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when ${over} then ${bigint('by')} else limits.count + ${bigint('by')} end`,
        expires_at: sql<number>`case when ${over} then ${bigint('end')} else limits.expires_at end`,
      }),
    )
    .returning(['count', 'expires_at'])
})
