import { randomUUID } from 'node:crypto'
import type { Compilable, Kysely } from 'kysely'
import { type AuditEvent, type Origin, recordAll } from './audit.ts'
import { hashSecret, newSecret } from './identifier.ts'
import type { Store } from './open.ts'
import { asPerson, type PersonNow, type PersonRow, withPerson } from './person.ts'
import { prepared } from './prepared.ts'
import { noticeLogout } from './logout-notices.ts'
import { revokeFamiliesOfSession } from './token-families.ts'
import type { Schema, SessionRow } from './schema.ts'

/** How and when a person proved who they are (OpenID Connect Core 1.0 §2). `authTime` in epoch milliseconds. */
export interface Authentication {
  authTime: number
  acr: string
  amr: readonly string[]
}

export interface Session extends Authentication {
  sid: string
  userUuid: string
  lastSeenAt: number
}

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
      slot('now'),
    ) as Compilable<SessionRow & PersonRow>,
)

/** The live session of a cookie: not ended, not past its absolute or idle end. */
export async function findSession(
  store: Store,
  cookie: string,
  { now, idle }: { now: number; idle: number },
): Promise<LiveSession | undefined> {
  const rows = await store.read(selectSession({ hash: hashSecret(cookie), now, seenSince: now - idle }))
  const [row] = rows
  return row === undefined ? undefined : { ...asSession(row), ...asPerson(row, rows) }
}

/** Whether tokens of this session count: it was not ended. Its cookie may have run out (decisions 3, userinfo). */
export async function isSessionActive(store: Store, sid: string): Promise<boolean> {
  const row = await store.db
    .selectFrom('sessions')
    .select('sid')
    .where('sid', '=', sid)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export interface SignIn extends Authentication {
  userUuid: string
  passwordHash: string
  now: number
  lifetime: number
  /** For the audit: where they signed in from, and to which client. */
  from: { address: string; requestId: string; clientId: string }
}

/**
 * Starts a session after a sign-in, and yields its cookie, which is new at every step up (decisions 7).
 * The same person signing in again keeps the session and its `sid`; another person's session ends first,
 * with its token families, in the same transaction, which also records both.
 *
 * Concurrency: undefined, and nothing changed, when the person was disabled or the password changed since it was
 * checked, which takes a while: what ends sessions must not be outrun by one that is about to begin.
 */
export async function startSession(
  store: Store,
  previous: Session | undefined,
  signIn: SignIn,
): Promise<{ session: Session; cookie: string } | undefined> {
  const cookie = newSecret()
  const { userUuid, now, from } = signIn
  const by: Origin = { ...from, actor: { kind: 'user', id: userUuid } }
  const row = await store.db.transaction().execute(async (trx) => {
    const user = await trx
      .selectFrom('users')
      .select('uuid')
      .where('uuid', '=', userUuid)
      .where('active', '=', 1)
      .where('password_hash', '=', signIn.passwordHash)
      .$if(store.dialect === 'postgres', (query) => query.forShare())
      .executeTakeFirst()
    if (user === undefined) return undefined
    const another = previous !== undefined && previous.userUuid !== userUuid
    const ended = another ? await endWithin(trx, previous.sid, { now, reason: 'replaced', by }) : []
    const started =
      (previous?.userUuid === userUuid ? await renew(trx, previous.sid, signIn, cookie) : undefined) ??
      (await insert(trx, signIn, cookie))
    await recordAll(store, [...ended, signedIn(signIn, by, started)], trx)
    return started
  })
  return row && { session: asSession(row), cookie }
}

async function renew(
  trx: Kysely<Schema>,
  sid: string,
  signIn: SignIn,
  cookie: string,
): Promise<SessionRow | undefined> {
  return await trx
    .updateTable('sessions')
    .set({
      ...proofOf(signIn),
      cookie_hash: hashSecret(cookie),
      last_seen_at: signIn.now,
      expires_at: signIn.now + signIn.lifetime,
    })
    .where('sid', '=', sid)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

async function insert(trx: Kysely<Schema>, signIn: SignIn, cookie: string): Promise<SessionRow> {
  const { now, lifetime } = signIn
  return await trx
    .insertInto('sessions')
    .values({
      ...proofOf(signIn),
      sid: randomUUID(),
      cookie_hash: hashSecret(cookie),
      user_uuid: signIn.userUuid,
      created_at: now,
      last_seen_at: now,
      expires_at: now + lifetime,
      ended_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

function proofOf({ authTime, acr, amr }: SignIn) {
  return { auth_time: authTime, acr, amr: JSON.stringify(amr) }
}

function signedIn({ userUuid, now, from, amr }: SignIn, by: Origin, { sid }: SessionRow): AuditEvent {
  return {
    at: now,
    kind: 'sign_in.succeeded',
    ...by,
    target: { kind: 'session', id: sid },
    userUuid,
    clientId: from.clientId,
    sid,
    detail: { amr },
  }
}

/** Moves the idle end. Callers do so at most once a minute: a read should seldom cost a write. */
export async function touchSession(store: Store, sid: string, now: number): Promise<void> {
  await store.db
    .updateTable('sessions')
    .set({ last_seen_at: now })
    .where('sid', '=', sid)
    .where('ended_at', 'is', null)
    .execute()
}

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
  const ended = await trx
    .updateTable('sessions')
    .set({ ended_at: now })
    .where('sid', '=', sid)
    .where('ended_at', 'is', null)
    .returning('user_uuid')
    .executeTakeFirst()
  if (ended === undefined) return []
  // Before the families end: they tell which clients took part.
  await noticeLogout(trx, sid, now)
  await revokeFamiliesOfSession(trx, sid, now, reason)
  const about = { target: { kind: 'session', id: sid }, userUuid: ended.user_uuid, sid }
  if (reason === 'logout') return [{ at: now, kind: 'sign_out', ...by, ...about }]
  return [{ at: now, kind: 'session.ended', ...by, ...about, detail: { reason } }]
}

function asSession(row: SessionRow): Session {
  return {
    sid: row.sid,
    userUuid: row.user_uuid,
    authTime: row.auth_time,
    acr: row.acr,
    amr: JSON.parse(row.amr) as string[],
    lastSeenAt: row.last_seen_at,
  }
}
