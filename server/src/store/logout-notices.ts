import type { Kysely } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import { newId } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import type { Schema } from '../database/schema.ts'

/** A logout that a client has still to be told of (OpenID Connect Back-Channel Logout 1.0). */
export interface LogoutNotice {
  id: string
  client_id: string
  uri: string
  sub: string
  sid: string
  attempts: number
}

/**
 * Queues a notice to every client that took part in one of the sessions and registered an address, or to this one alone;
 * part of ending them.
 */
export async function noticeLogouts(
  trx: Kysely<Schema>,
  sids: readonly string[],
  now: number,
  client_id?: string,
): Promise<void> {
  for (const some of chunksOf(sids)) {
    const told = await trx
      .selectFrom('token_families')
      .innerJoin('clients', 'clients.client_id', 'token_families.client_id')
      .select([
        'clients.client_id',
        'clients.backchannel_logout_uri',
        'token_families.user_uuid',
        'token_families.sid',
      ])
      .distinct()
      .where('token_families.sid', 'in', some)
      .where('clients.active', '=', 1)
      .where('clients.backchannel_logout_uri', 'is not', null)
      .$if(client_id !== undefined, (one) => one.where('clients.client_id', '=', client_id ?? ''))
      .execute()
    const notices = told.map((client) => ({
      id: newId(now),
      client_id: client.client_id,
      uri: client.backchannel_logout_uri ?? '',
      sub: client.user_uuid,
      sid: client.sid,
      attempts: 0,
      next_at: now,
      created_at: now,
    }))
    for (const chunk of chunksOf(notices)) await trx.insertInto('logout_notices').values(chunk).execute()
  }
}

/**
 * Takes notices that are due, and puts their next attempt off, so that no other process takes them meanwhile.
 * Concurrency: one conditional statement per notice; a notice is taken by one process at a time.
 */
export async function takeNotices(store: Store, now: number, until: number): Promise<LogoutNotice[]> {
  const due = await store.db
    .selectFrom('logout_notices')
    .select(['id', 'attempts'])
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(20)
    .execute()
  const taken: LogoutNotice[] = []
  for (const { id, attempts } of due) {
    const row = await store.db
      .updateTable('logout_notices')
      .set({ attempts: attempts + 1, next_at: until })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .returningAll()
      .executeTakeFirst()
    if (row !== undefined) {
      taken.push({
        id,
        client_id: row.client_id,
        uri: row.uri,
        sub: row.sub,
        sid: row.sid,
        attempts: row.attempts,
      })
    }
  }
  return taken
}

/** The notice was delivered, or is given up. */
export async function removeNotice(store: Store, id: string): Promise<void> {
  await store.db.deleteFrom('logout_notices').where('id', '=', id).execute()
}

/** When the next attempt is due. */
export async function postponeNotice(store: Store, id: string, nextAt: number): Promise<void> {
  await store.db.updateTable('logout_notices').set({ next_at: nextAt }).where('id', '=', id).execute()
}

/** How many notices are still to be delivered, and since when the first of them is due. */
export async function waitingNotices({
  db,
}: Store): Promise<{ count: number; dueSince: number | undefined }> {
  const { count, first } = await db
    .selectFrom('logout_notices')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<number | null>('next_at').as('first')])
    .executeTakeFirstOrThrow()
  return { count: Number(count), dueSince: first === null ? undefined : Number(first) }
}
