import { sql } from 'kysely'
import { prepared, preparedRow } from '../database/prepared.ts'
import { lastly, together } from '../database/steps.ts'
import type { Store } from '../database/store.ts'

/** Wrong passwords that an upstream is shown, and then none until this long after the last, ms (decisions 24). */
const most = 4
const memory = 15 * 60_000

/**
 * Counts a password that an upstream is about to be shown; false: it must not be. There is no growing delay, as
 * `throttles.ts` has it, because a directory locks its people out after a few wrong ones, however slowly they come.
 * Concurrency: one conditional upsert; of any number of parallel ones four pass. A crash of PostgreSQL may lose those of
 * its last second.
 */
export async function countTry(store: Store, key: string, now: number): Promise<boolean> {
  const values = { key, now, expiresAt: now + memory, farOff: now + 2 * memory }
  return (await store.writeOne(() => upsert(values), 'losable')) !== undefined
}

const upsert = preparedRow<Record<'now' | 'expiresAt' | 'farOff', number> & { key: string }, object>(
  (db, slot) => {
    // Nor does a count last that ends later than any may: the clock was set back since.
    const over = sql<boolean>`(throttles.expires_at <= cast(${slot('now')} as bigint)
      or throttles.expires_at > cast(${slot('farOff')} as bigint))`
    return db
      .insertInto('throttles')
      .values({ key: slot('key'), failures: 1, next_at: 0, expires_at: slot('expiresAt') })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet({
            failures: sql<number>`case when ${over} then 1 else throttles.failures + 1 end`,
            expires_at: slot('expiresAt'),
          })
          .where(sql<boolean>`(${over} or throttles.failures < ${sql.lit(most)})`),
      )
      .returning('failures')
  },
)

/** Takes these back: the password was not looked at. */
export async function uncountTries(store: Store, keys: readonly string[]): Promise<void> {
  await store.write(() => lastly(together(...keys.map((key) => takeBack({ key })))), 'losable')
}

const takeBack = prepared<{ key: string }, never>((db, slot) =>
  db
    .updateTable('throttles')
    .set({ failures: sql<number>`case when failures > 0 then failures - 1 else 0 end` })
    .where('key', '=', slot('key')),
)

/** Forgets what was counted by these: the password was right. */
export async function forgetTries(store: Store, keys: readonly string[]): Promise<void> {
  await store.write(() => lastly(together(...keys.map((key) => forget({ key })))), 'losable')
}

const forget = prepared<{ key: string }, never>((db, slot) =>
  db.deleteFrom('throttles').where('key', '=', slot('key')),
)
