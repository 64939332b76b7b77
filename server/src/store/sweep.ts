import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { deviceLifetime } from './devices.ts'
import { addToLimit } from './limits.ts'
import { repudiable } from './removed-factors.ts'
import { longestTrust } from './trusted-devices.ts'
import { deleteRows, updateRows } from '../database/many-rows.ts'
import type { Store } from '../database/store.ts'
import type { Schema } from '../database/schema.ts'
import { idsBefore } from '../protocol/identifier.ts'

const hour = 3_600_000
const day = 24 * hour
/** Rows of one step at the most. */
const step = 500
/** One process sweeps in each, ms. */
const window = 60_000

/** What is over in a table. */
interface Swept {
  table: keyof Schema
  key: string
  ends: string
  /** How long a row stays after its end, ms. */
  stays: number
  /**
   * The column that finds rows that may be over: an indexed one, or ids, which grow with time and so with the end.
   * Left out: the end itself. A family's end moves with each refresh, which must write no index.
   */
  by?: 'id' | 'known_end'
  also?: (over: Over) => RawBuilder<unknown>
  /** When to look again at a row that is not over. */
  again?: (over: Over) => RawBuilder<unknown>
}

interface Over {
  now: number
  /** What ended before this has to go. */
  before: number
}

/**
 * A code stays for a day after its end, so that replaying it still revokes what it gave; an authorization request, so
 * that its page still leads back to the application; a pushed one, as long as a sign-in that it began may be answered;
 * a device code for an hour, so
 * that its device is told why; a family and its session
 * stay for a day after theirs, so that late questions about their tokens are still answered. A family also stays while
 * somebody may be signed in by its session: it says that the client took part, which is then told of the logout. A
 * session is over when its cookie has run out and no token family of it is left.
 */
const all: readonly Swept[] = [
  { table: 'authorization_requests', key: 'id', ends: 'expires_at', stays: day, by: 'id' },
  { table: 'authorization_codes', key: 'id', ends: 'expires_at', stays: day, by: 'id' },
  {
    table: 'token_families',
    key: 'id',
    ends: 'idle_expires_at',
    stays: day,
    by: 'known_end',
    also: ({ now }) => sql`not exists (
      select 1 from sessions
      where sessions.sid = token_families.sid and sessions.ended_at is null and sessions.expires_at > ${now}
    )`,
    again: ({ now, before }) => sql`case when token_families.idle_expires_at < ${before}
      then cast(${now} as bigint) else token_families.idle_expires_at end`,
  },
  { table: 'revoked_tokens', key: 'jti', ends: 'expires_at', stays: 0 },
  { table: 'upstream_requests', key: 'id', ends: 'expires_at', stays: 0 },
  { table: 'upstream_trials', key: 'id', ends: 'expires_at', stays: 0 },
  { table: 'upstream_sessions', key: 'sid', ends: 'expires_at', stays: day },
  { table: 'upstream_invitations', key: 'uuid', ends: 'expires_at', stays: 30 * day },
  { table: 'client_assertions', key: 'key', ends: 'expires_at', stays: 0 },
  { table: 'pushed_requests', key: 'hash', ends: 'expires_at', stays: day },
  { table: 'throttles', key: 'key', ends: 'expires_at', stays: 0 },
  { table: 'limits', key: 'key', ends: 'expires_at', stays: 0 },
  { table: 'repeatable_answers', key: 'key_hash', ends: 'expires_at', stays: 0 },
  { table: 'device_codes', key: 'id', ends: 'expires_at', stays: hour, by: 'id' },
  { table: 'setup_links', key: 'id', ends: 'expires_at', stays: 0 },
  { table: 'invitations', key: 'uuid', ends: 'expires_at', stays: 90 * day },
  { table: 'devices', key: 'id_hash', ends: 'last_used_at', stays: deviceLifetime },
  { table: 'trusted_devices', key: 'id_hash', ends: 'proved_at', stays: longestTrust },
  { table: 'webauthn_challenges', key: 'id', ends: 'expires_at', stays: 0 },
  { table: 'webhook_deliveries', key: 'id', ends: 'expires_at', stays: 0 },
  { table: 'held_addresses', key: 'email_key', ends: 'expires_at', stays: 0 },
  { table: 'foreign_keys', key: 'kid', ends: 'published_until', stays: 0 },
  { table: 'refused_addresses', key: 'id', ends: 'expires_at', stays: 0 },
  // People whom a directory removed can come back by it until then.
  { table: 'scim_resources', key: 'id', ends: 'deleted_at', stays: 30 * day },
  { table: 'links', key: 'hash', ends: 'expires_at', stays: 0 },
  { table: 'mails', key: 'id', ends: 'forgotten_at', stays: 0 },
  { table: 'removed_factors', key: 'id', ends: 'removed_at', stays: repudiable },
  {
    table: 'sessions',
    key: 'sid',
    ends: 'expires_at',
    stays: day,
    by: 'known_end',
    also: () => sql`not exists (select 1 from token_families where token_families.sid = sessions.sid)`,
    again: ({ now, before }) => sql`case when sessions.expires_at < ${before} then coalesce((
      select max(known_end) from token_families
      where token_families.sid = sessions.sid and token_families.known_end >= ${before}
    ), ${now}) else sessions.expires_at end`,
  },
]

/** Sweeps, in the one process that is the first to ask for it in a minute. Ends early when `stopping` says so. */
export async function sweepInTurn(store: Store, now: () => number, stopping: () => boolean): Promise<void> {
  const { count, expiresAt } = await addToLimit(store, 'sweep', { by: 1, now: now(), window })
  if (count > 1) return
  await sweep(store, now(), () => stopping() || now() >= expiresAt)
}

/**
 * Removes what has run out: passes of a bounded number of rows of each table, until nothing is left or `stopping` says
 * so. Reads only rows that may be over, and lets others go between any two steps.
 * Concurrency: several processes may sweep at once; each row's end is looked at in the statement that removes it.
 */
export async function sweep(store: Store, now: number, stopping: () => boolean = () => false): Promise<void> {
  await forgetEntered(store, now)
  for (let left = all; left.length > 0; ) {
    const more: Swept[] = []
    for (const swept of left) {
      if (stopping()) return
      if (await sweepStep(store, swept, now)) more.push(swept)
      await nextTurn()
    }
    left = more
  }
}

/** Takes the secrets from set-up links that ran out: nobody confirms what was entered by them any more. */
async function forgetEntered({ upkeep: db }: Store, now: number): Promise<void> {
  await db
    .updateTable('upstream_invitations')
    .set({ hash: null, secret: null, private_key: null, token_hash: null })
    .where('expires_at', '<=', now)
    .where('private_key', 'is not', null)
    .execute()
}

/** Removes the next rows. True: there may be more. */
async function sweepStep({ upkeep: db }: Store, swept: Swept, now: number): Promise<boolean> {
  const { table, key, ends, stays, by = ends, also, again } = swept
  const over = { now, before: now - stays }
  const found = await sql<Record<string, string>>`
    select ${sql.ref(key)} from ${sql.table(table)}
    where ${sql.ref(by)} < ${by === 'id' ? idsBefore(over.before) : over.before} order by ${sql.ref(by)} limit ${step}
  `.execute(db)
  if (found.rows.length === 0) return false
  const isOver = sql`${sql.ref(ends)} < ${over.before} and ${also?.(over) ?? sql`true`}`
  const removed = await db.transaction().execute(async (trx) => {
    const count = await deleteRows(trx, table, [key], found.rows, isOver)
    if (again !== undefined && count < found.rows.length) {
      const look = { keys: [key], columns: [], also: [sql`known_end = ${again(over)}`] }
      await updateRows(trx, table, look, found.rows)
    }
    return count
  })
  return found.rows.length === step && (again !== undefined || removed === step)
}
