import type { Kysely } from 'kysely'
import { type AuditEvent, type Origin, recordAll } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import type { Proved } from '../protocol/authentication.ts'
import { end } from './ending.ts'
import { endWithin } from './sessions.ts'

interface Gone {
  user_uuid: string
  now: number
  by: Origin
  reason: string
  /** Goes on. */
  sid?: string | undefined
}

/** Whether a proof no longer counts, and what rests on it. */
type Void = (proof: Proved) => boolean

/** Matches what came from factors that no longer count: their proofs, and trust in a device. */
export const ofFactors =
  (ids: readonly string[], { recoveryCodes = false } = {}): Void =>
  ({ method, credential }) =>
    (credential !== undefined && ids.includes(credential)) ||
    method === 'trusted_device' ||
    (recoveryCodes && method === 'recovery_code')

/** Ends all other sessions of a person, and their token families. */
export async function endOtherSessions(store: Store, gone: Gone): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    await recordAll(store, await endRestingOn(trx, 'any', gone), trx)
  })
}

/**
 * Ends what rests on proofs that no longer count: other sessions, and token families of any other. Yields what is to be
 * recorded.
 */
export async function endRestingOn(
  trx: Kysely<Schema>,
  isVoid: Void | 'any',
  { user_uuid, sid: kept, ...ending }: Gone,
): Promise<AuditEvent[]> {
  const rests = (proofs: string) => isVoid === 'any' || (JSON.parse(proofs) as Proved[]).some(isVoid)
  const sessions = await trx
    .selectFrom('sessions')
    .select(['sid', 'proofs'])
    .where('user_uuid', '=', user_uuid)
    .where('ended_at', 'is', null)
    .orderBy('sid')
    .execute()
  const events: AuditEvent[] = []
  for (const { sid, proofs } of sessions) {
    if (sid !== kept && rests(proofs)) events.push(...(await endWithin(trx, sid, ending)))
  }
  const families = await trx
    .selectFrom('token_families')
    .select(['id', 'sid', 'proofs'])
    .where('user_uuid', '=', user_uuid)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute()
  for (const { id, sid, proofs } of families) {
    if (sid !== kept && rests(proofs)) await end(trx, { family: id }, ending)
  }
  return events
}
