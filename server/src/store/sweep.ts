import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { deviceLifetime } from './devices.ts'
import type { Store } from '../database/store.ts'
import type { Schema } from '../database/schema.ts'

const day = 24 * 3_600_000
/** How many rows one step looks at. */
const step = 500

/** Which rows of a table are over, by the column that says when. */
interface Swept {
  table: keyof Schema
  key: string
  ends: string
  /** How long a row stays after that, ms. */
  stays: number
  also?: (now: number) => RawBuilder<unknown>
}

/**
 * A code stays for a day after its end, so that replaying it still revokes what it gave; a family and its session
 * stay for a day after theirs, so that late questions about their tokens are still answered. A family also stays while
 * somebody may be signed in by its session: it says that the client took part, which is then told of the logout. A
 * session is over when its cookie has run out and no token family of it is left.
 */
const all: readonly Swept[] = [
  { table: 'authorization_requests', key: 'id', ends: 'expires_at', stays: 0 },
  { table: 'authorization_codes', key: 'id', ends: 'expires_at', stays: day },
  {
    table: 'token_families',
    key: 'id',
    ends: 'idle_expires_at',
    stays: day,
    also: (now) => sql`not exists (
      select 1 from sessions
      where sessions.sid = token_families.sid and sessions.ended_at is null and sessions.expires_at > ${now}
    )`,
  },
  { table: 'revoked_tokens', key: 'jti', ends: 'expires_at', stays: 0 },
  { table: 'throttles', key: 'key', ends: 'expires_at', stays: 0 },
  { table: 'limits', key: 'key', ends: 'expires_at', stays: 0 },
  { table: 'repeatable_answers', key: 'key_hash', ends: 'expires_at', stays: 0 },
  { table: 'setup_links', key: 'id', ends: 'expires_at', stays: 0 },
  { table: 'devices', key: 'id_hash', ends: 'last_used_at', stays: deviceLifetime },
  { table: 'webhook_deliveries', key: 'id', ends: 'expires_at', stays: 0 },
  {
    table: 'sessions',
    key: 'sid',
    ends: 'expires_at',
    stays: day,
    also: () => sql`not exists (select 1 from token_families where token_families.sid = sessions.sid)`,
  },
]

/**
 * Removes what has run out. Walks the tables by their keys in small steps, and lets others go between any two, so
 * that nobody waits for it and no index has to be kept for it at every refresh. Ends early when `stopping` says so.
 * Concurrency: several processes may sweep at once; each row's end is looked at in the statement that removes it.
 */
export async function sweep(store: Store, now: number, stopping: () => boolean = () => false): Promise<void> {
  for (const swept of all) {
    let from: string | undefined = ''
    while (from !== undefined && !stopping()) {
      from = await sweepStep(store, swept, from, now)
      await nextTurn()
    }
  }
}

/** Looks at the next rows after `from`; yields the key of the last one, or undefined at the end of the table. */
async function sweepStep(
  store: Store,
  { table, key, ends, stays, also }: Swept,
  from: string,
  now: number,
): Promise<string | undefined> {
  const [rows, id] = [sql.table(table), sql.ref(key)]
  const last = await sql<{ id: string }>`
    select ${id} as id from ${rows} where ${id} > ${from} order by ${id} limit 1 offset ${step - 1}
  `.execute(store.db)
  const to = last.rows[0]?.id
  await sql`
    delete from ${rows} where ${id} > ${from} and ${to === undefined ? sql`true` : sql`${id} <= ${to}`}
    and ${sql.ref(ends)} < ${now - stays} and ${also?.(now) ?? sql`true`}
  `.execute(store.db)
  return to
}
