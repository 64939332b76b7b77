import type { Authentication } from '../protocol/authentication.ts'
import type { Compilable, Kysely } from 'kysely'
import { type AuditEvent, type Origin, recordAll } from '../audit/record.ts'
import { end } from './ending.ts'
import { hashSecret } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import { asPerson, type PersonNow, type PersonRow, withPerson } from './person.ts'
import { prepared, type Steps } from '../database/prepared.ts'
import type { Schema, SessionRow } from '../database/schema.ts'
import type { Reading } from './in-transaction.ts'

export type Session = Pick<SessionRow, 'sid' | 'user_uuid' | 'last_seen_at' | keyof Authentication>

/** A session with whose it is, as they are now. */
export interface LiveSession extends Session, PersonNow {}

const selectSession = prepared<{ hash: string; now: number; seenSince: number }, SessionRow & PersonRow>(
  (db, slot) =>
    withPerson(
      db
        .selectFrom('sessions')
        .innerJoin('users', 'users.uuid', 'sessions.user_uuid')
        .selectAll('sessions')
        .where('cookie_hash', '=', slot('hash'))
        .where('ended_at', 'is', null)
        .where('sessions.expires_at', '>', slot('now'))
        .where('last_seen_at', '>', slot('seenSince')),
    ) as Compilable<SessionRow & PersonRow>,
)

/** The live session of a cookie: not ended, not past its absolute or idle end. */
export function* sessionOf(
  cookie: string,
  { now, idle }: { now: number; idle: number },
): Steps<LiveSession | undefined> {
  const rows = yield* selectSession({ hash: hashSecret(cookie), now, seenSince: now - idle })
  const [row] = rows
  if (row === undefined) return undefined
  const { sid, user_uuid, last_seen_at, auth_time, acr, amr, proofs } = row
  const session = { sid, user_uuid, last_seen_at, auth_time, acr, amr, proofs }
  // Not spread: two objects put together so cost each request a hidden class of its own.
  return Object.assign(session, asPerson(row, rows, now))
}

/** Whether tokens of this session count: it was not ended. Its cookie may have run out (decisions 3, userinfo). */
export async function isSessionActive(store: Reading, sid: string): Promise<boolean> {
  const row = await store.db
    .selectFrom('sessions')
    .select('sid')
    .where('sid', '=', sid)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Moves the idle end. Callers do so at most once a minute: a read should seldom cost a write. Lost, the session ends a
 * minute sooner.
 */
export async function touchSession(store: Store, sid: string, now: number): Promise<void> {
  await store.writeOne(() => moveLastSeen({ sid, now }), 'losable')
}

const moveLastSeen = prepared<{ sid: string; now: number }, never>((db, slot) =>
  db
    .updateTable('sessions')
    .set({ last_seen_at: slot('now') })
    .where('sid', '=', slot('sid'))
    .where('ended_at', 'is', null),
)

/** Why a session ends, and who ended it. */
export interface SessionEnd {
  now: number
  reason: string
  by: Origin
}

/** Ends a session and its token families, in one transaction, with the record of it. */
export async function endSession(store: Store, sid: string, ending: SessionEnd): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    await recordAll(store, await endWithin(trx, sid, ending), trx)
  })
}

/**
 * Yields what is to be recorded of it.
 * Concurrency: of parallel calls one ends the session and tells the clients; the others find it ended.
 */
export async function endWithin(
  trx: Kysely<Schema>,
  sid: string,
  { now, reason, by }: SessionEnd,
): Promise<AuditEvent[]> {
  const [ended] = (await end(trx, { session: sid }, { now, reason })).sessions
  if (ended === undefined) return []
  const about = { target: { kind: 'session', id: sid }, user_uuid: ended.user_uuid, sid }
  if (reason === 'logout') return [{ at: now, kind: 'sign_out', ...by, ...about }]
  return [{ at: now, kind: 'session.ended', ...by, ...about, detail: { reason } }]
}
