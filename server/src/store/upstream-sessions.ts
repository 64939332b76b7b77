/** Sessions here that rest on sessions at an upstream. */
import type { Kysely } from 'kysely'
import { type Origin, recordAll } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import type { UpstreamSessionRow } from '../database/schema-upstream.ts'
import type { Store } from '../database/store.ts'
import {
  type Authentication,
  authenticationOf,
  type Proved,
  provedOf,
  provesSomebody,
} from '../protocol/authentication.ts'
import { useOnceWithin } from './used-once.ts'
import { endWithin } from './sessions.ts'

/** What an upstream says has ended: one of its sessions, or all of a subject. */
interface EndedThere {
  sid?: string | undefined
  subject?: string | undefined
}

/** What an upstream says has ended, and the id of a message that counts once. */
export interface ToldEnded {
  upstream_uuid: string
  sessions: readonly EndedThere[]
  once?: { id: string; expiresAt: number }
}

/**
 * Ends the proof, and what rests on it: a session that nothing else proves, with its token families, whose clients are
 * told. One that the person's own proof holds up goes on by that alone. False: the message came before.
 *
 * Concurrency: see `useOnce`. One transaction: a message that ended nothing because the process died can come again.
 */
export async function endByUpstream(
  store: Store,
  { upstream_uuid, sessions, once }: ToldEnded,
  { now, by }: { now: number; by: Origin },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    if (once !== undefined && !(await comesOnce(trx, upstream_uuid, once))) return false
    const events = []
    for (const ended of sessions)
      for (const sid of await sessionsOf(trx, upstream_uuid, ended)) {
        if (await goesOnWithout(trx, sid, upstream_uuid)) continue
        events.push(...(await endWithin(trx, sid, { now, by, reason: 'upstream_logout' })))
      }
    await recordAll(store, events, trx)
    return true
  })
}

/** Takes an upstream's proof out of a person's session. False: it has ended, or nothing else proves anybody. */
export async function liveWithout(
  trx: Kysely<Schema>,
  { sid, user_uuid }: { sid: string; user_uuid: string },
  upstream_uuid: string,
): Promise<boolean> {
  const row = await trx
    .selectFrom('sessions')
    .select('sid')
    .where('sid', '=', sid)
    .where('user_uuid', '=', user_uuid)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined && (await goesOnWithout(trx, sid, upstream_uuid))
}

/** Takes the proof out of a session and its families, where others prove somebody. False: nothing else does. */
async function goesOnWithout(trx: Kysely<Schema>, sid: string, upstream_uuid: string): Promise<boolean> {
  const session = await trx
    .selectFrom('sessions')
    .selectAll()
    .where('sid', '=', sid)
    .where('ended_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (session === undefined) return true
  const left = without(session, upstream_uuid)
  if (!provesSomebody(left)) return false
  await trx.updateTable('sessions').set(authenticationOf(left)).where('sid', '=', sid).execute()
  const families = await trx
    .selectFrom('token_families')
    .select(['id', 'auth_time', 'acr', 'amr', 'proofs'])
    .where('sid', '=', sid)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute()
  for (const family of families) {
    const proofs = JSON.stringify(without(family, upstream_uuid))
    await trx.updateTable('token_families').set({ proofs }).where('id', '=', family.id).execute()
  }
  await trx
    .deleteFrom('upstream_sessions')
    .where('sid', '=', sid)
    .where('upstream_uuid', '=', upstream_uuid)
    .execute()
  return true
}

const without = (said: Authentication, upstream_uuid: string): Proved[] =>
  provedOf(said).filter(({ method, credential }) => method !== 'upstream' || credential !== upstream_uuid)

async function sessionsOf(
  trx: Kysely<Schema>,
  upstream_uuid: string,
  { sid, subject }: EndedThere,
): Promise<string[]> {
  if (sid === undefined && subject === undefined) return []
  const rows = await trx
    .selectFrom('upstream_sessions')
    .select('sid')
    .where('upstream_uuid', '=', upstream_uuid)
    .$if(sid !== undefined, (query) => query.where('upstream_sid', '=', sid ?? ''))
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
    .orderBy('sid')
    .execute()
  return rows.map((row) => row.sid)
}

/** Whether a logout token, or a request of SAML, comes for the first time. */
const comesOnce = (
  trx: Kysely<Schema>,
  upstream_uuid: string,
  { id, expiresAt }: { id: string; expiresAt: number },
): Promise<boolean> => useOnceWithin(trx, { holder: `upstream ${upstream_uuid}`, id, expiresAt })

/** The sessions at upstreams that a session here was proved by. */
export async function upstreamSessionsOf(
  { db }: Pick<Store, 'db'>,
  sid: string,
): Promise<UpstreamSessionRow[]> {
  return await db.selectFrom('upstream_sessions').selectAll().where('sid', '=', sid).execute()
}
