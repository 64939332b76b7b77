/** Sessions here that rest on sessions at an upstream. */
import type { Kysely } from 'kysely'
import { type Origin, recordAll } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import type { UpstreamSessionRow } from '../database/schema-upstream.ts'
import type { Store } from '../database/store.ts'
import { useAssertion } from './client-assertions.ts'
import { endWithin } from './sessions.ts'

/** What an upstream says has ended: one of its sessions, or all of a subject. */
export interface EndedThere {
  upstream_uuid: string
  sid?: string | undefined
  subject?: string | undefined
}

/** Ends the sessions here that were proved by it, with their token families; the clients are told. */
export async function endByUpstream(
  store: Store,
  ended: EndedThere,
  { now, by }: { now: number; by: Origin },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const events = []
    for (const sid of await sessionsOf(trx, ended))
      events.push(...(await endWithin(trx, sid, { now, by, reason: 'upstream_logout' })))
    await recordAll(store, events, trx)
  })
}

async function sessionsOf(
  trx: Kysely<Schema>,
  { upstream_uuid, sid, subject }: EndedThere,
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

/** Whether a logout token, or a request of SAML, comes for the first time. Concurrency: see `useAssertion`. */
export const comesOnce = (
  store: Store,
  upstream_uuid: string,
  { id, expiresAt }: { id: string; expiresAt: number },
): Promise<boolean> => useAssertion(store, { client_id: `upstream ${upstream_uuid}`, jti: id, expiresAt })

/** The sessions at upstreams that a session here was proved by. */
export async function upstreamSessionsOf(
  { db }: Pick<Store, 'db'>,
  sid: string,
): Promise<UpstreamSessionRow[]> {
  return await db.selectFrom('upstream_sessions').selectAll().where('sid', '=', sid).execute()
}
