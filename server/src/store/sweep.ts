import { sql } from 'kysely'
import type { Store } from './open.ts'

const day = 24 * 3_600_000
const step = 500

/**
 * Removes what has run out, in small steps so that nobody waits for it; true when there may be more.
 * A code stays for a day after its end, so that replaying it still revokes what it gave; a family and its session
 * stay for a day after theirs, so that late questions about their tokens are still answered.
 */
export async function sweep(store: Store, now: number): Promise<boolean> {
  const removed = [
    await sweepTable(store, 'authorization_requests', 'id', 'expires_at', now),
    await sweepTable(store, 'authorization_codes', 'id', 'expires_at', now - day),
    await sweepTable(store, 'token_families', 'id', 'idle_expires_at', now - day),
    await sweepTable(store, 'revoked_tokens', 'jti', 'expires_at', now),
    await sweepTable(store, 'throttles', 'key', 'expires_at', now),
    await sweepTable(store, 'limits', 'key', 'expires_at', now),
    await sweepSessions(store, now - day),
  ]
  return removed.some((count) => count >= step)
}

type Swept =
  | 'authorization_requests'
  | 'authorization_codes'
  | 'token_families'
  | 'revoked_tokens'
  | 'throttles'
  | 'limits'

async function sweepTable(
  store: Store,
  table: Swept,
  key: string,
  ends: string,
  before: number,
): Promise<number> {
  const [from, id] = [sql.table(table), sql.ref(key)]
  const result = await sql`
    delete from ${from} where ${id} in (select ${id} from ${from} where ${sql.ref(ends)} < ${before} limit ${step})
  `.execute(store.db)
  return Number(result.numAffectedRows ?? 0)
}

/** A session is over when its cookie has run out and no token family of it is left. */
async function sweepSessions(store: Store, before: number): Promise<number> {
  const result = await store.db
    .deleteFrom('sessions')
    .where('sid', 'in', (query) =>
      query
        .selectFrom('sessions')
        .select('sid')
        .where('expires_at', '<', before)
        .where((w) =>
          w.not(
            w.exists(
              w.selectFrom('token_families').select('id').whereRef('token_families.sid', '=', 'sessions.sid'),
            ),
          ),
        )
        .limit(step),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
