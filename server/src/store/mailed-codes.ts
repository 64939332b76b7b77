/** A code that is mailed and typed: eight digits, of which the hash alone is kept. Wrong ones end it. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { hashSecret } from '../protocol/identifier.ts'
import type { Reading } from './in-transaction.ts'
import { type LinkPurpose, makeLink, takeLink } from './links.ts'

/** The code of this purpose and subject: there is one at a time. */
export interface CodeOf {
  purpose: LinkPurpose
  subject: string
}

/** The wrong ones end a code, the last of them as well. */
const tries = 5

/** Whether a code waits to be typed. */
export async function codeWaits(
  { db }: Pick<Reading, 'db'>,
  { purpose, subject }: CodeOf,
  now: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('links')
    .select('hash')
    .where('purpose', '=', purpose)
    .where('subject', '=', subject)
    .where('expires_at', '>', now)
    .where('data', '<>', '0')
    .executeTakeFirst()
  return row !== undefined
}

/** Keeps a new code in the place of an earlier one, if `send` takes it. False: it was not sent, and the earlier one stays. */
export async function keepCode(
  store: Store,
  code: CodeOf & { user_uuid?: string; text: string; expiresAt: number; now: number },
  send: (trx: Kysely<Schema>) => Promise<boolean>,
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    if (!(await send(trx))) return false
    await makeLink(trx, { ...code, data: tries })
    return true
  })
}

/**
 * Uses a code. False: it is wrong or none, and a try is gone. Part of the verb that it leads to, whose transaction does
 * not fail by that. Concurrency: one statement counts the try before the code is compared, and one takes the code, so of
 * any number of parallel tries five are evaluated and one goes on.
 */
export async function takeCode(
  trx: Kysely<Schema>,
  { purpose, subject }: CodeOf,
  { text, now }: { text: string; now: number },
): Promise<boolean> {
  const row = await trx
    .updateTable('links')
    .set({ data: sql<string>`cast(cast(data as integer) - 1 as text)` })
    .where('purpose', '=', purpose)
    .where('subject', '=', subject)
    .where('expires_at', '>', now)
    .where('data', '<>', '0')
    .returning('hash')
    .executeTakeFirst()
  return row?.hash === hashSecret(text) && (await takeLink(trx, purpose, text, now)) !== undefined
}
