import { type Expression, type Kysely, PostgresAdapter, type SqlBool } from 'kysely'
import { newId } from './identifier.ts'
import type { Schema } from './schema.ts'

/** Longer than any code lives, which is ten minutes at most (TESSERA_CODE_LIFETIME), by whichever process's clock. */
const longestLife = 3_600_000

/**
 * Ends codes that were not exchanged yet: what was disabled gives nothing back when it is enabled again, also when that
 * happens while a code lives.
 *
 * Concurrency: after `waitForExchanges`. A code whose exchange waits for this transaction is left to it: there it is
 * asked again who and what can be used, and waiting for it would be a deadlock.
 */
export async function endCodes(trx: Kysely<Schema>, which: Expression<SqlBool>, now: number): Promise<void> {
  const unused = trx
    .selectFrom('authorization_codes')
    .select('id')
    // Codes stay for a day; their ids grow with time, so that an index knows the few that may still live.
    .where('id', '>', newId(now - longestLife))
    .where('expires_at', '>', now)
    .where('consumed_at', 'is', null)
    .where(which)
  const isPostgres = trx.getExecutor().adapter instanceof PostgresAdapter
  const these = isPostgres ? unused.forUpdate().skipLocked() : unused
  await trx.deleteFrom('authorization_codes').where('id', 'in', these).execute()
}
