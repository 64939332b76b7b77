import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import type { Reading } from './in-transaction.ts'
import { makeLink } from './links.ts'
import { keepCode, takeCode } from './mailed-codes.ts'

/** The session that a code belongs to. Each session has one code at a time. */
export interface CodeHolder {
  user_uuid: string
  sid: string
}

/** `sent`: a code waits to be typed. `proved`: it was, in this session. */
export type CodeState = 'none' | 'sent' | 'proved'

/** How far a session has come with its code. */
export async function enrolmentCodeState(
  { db }: Pick<Reading, 'db'>,
  { user_uuid, sid }: CodeHolder,
  now: number,
): Promise<CodeState> {
  const rows = await db
    .selectFrom('links')
    .select('purpose')
    .where('purpose', 'in', ['enrolment_code', 'enrolment_proof'])
    .where('subject', '=', sid)
    .where('user_uuid', '=', user_uuid)
    .where('expires_at', '>', now)
    .where('data', '<>', '0')
    .execute()
  if (rows.some(({ purpose }) => purpose === 'enrolment_proof')) return 'proved'
  return rows.length > 0 ? 'sent' : 'none'
}

/**
 * Keeps a new code of a session in the place of its earlier one, if `send` takes it. False: it was not sent, and the
 * earlier one stays.
 */
export async function keepEnrolmentCode(
  store: Store,
  { user_uuid, sid }: CodeHolder,
  { text, expiresAt, now }: { text: string; expiresAt: number; now: number },
  send: (trx: Kysely<Schema>) => Promise<boolean>,
): Promise<boolean> {
  return await keepCode(
    store,
    { purpose: 'enrolment_code', subject: sid, user_uuid, text, expiresAt, now },
    send,
  )
}

/**
 * Uses a code, after which its session may set up a first factor until `until`. False: it is wrong or none, and a try is
 * gone.
 * Concurrency: see `takeCode`.
 */
export async function useEnrolmentCode(
  store: Store,
  { user_uuid, sid }: CodeHolder,
  { text, until, now }: { text: string; until: number; now: number },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    if (!(await takeCode(trx, { purpose: 'enrolment_code', subject: sid }, { text, now }))) return false
    await keepMailboxProof(trx, { user_uuid, sid }, { until, now })
    return true
  })
}

/** The session may set up a first factor until `until`, without a code: its person has proved the mailbox. */
export async function keepMailboxProof(
  db: Kysely<Schema>,
  { user_uuid, sid }: CodeHolder,
  { until, now }: { until: number; now: number },
): Promise<void> {
  await makeLink(db, { purpose: 'enrolment_proof', subject: sid, user_uuid, expiresAt: until, now })
}
