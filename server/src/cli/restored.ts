import { Command } from 'commander'
import { recordAll } from '../audit/record.ts'
import { moveRevision, raiseGeneration } from '../database/revision.ts'
import { openStore } from '../database/open.ts'
import { readDatabaseUrl } from '../settings.ts'
import { endEverything } from '../store/ending-all.ts'
import { type Context, print } from './context.ts'
import { commandOrigin, expectedKeeper } from './with-store.ts'

/** `tessera restored`: what has to follow when PostgreSQL was restored by its own means. */
export function restoredCommand(context: Context): Command {
  return new Command('restored')
    .description('End every session and token, after PostgreSQL was restored by its own means.')
    .requiredOption('--yes', 'yes, everybody signs in again')
    .addHelpText(
      'after',
      `
A restored database is the past: what was signed out, revoked or used since counts again. This ends every session,
refresh token, code and machine token, and records it in the audit. Run it after the restore and before a service
starts. It may also run while services do, to sign everybody out; services that stopped because of
TESSERA_DATABASE_LOSS=stop go on after it. The embedded database is put back by tessera restore, which does the same.

Example:
  $ tessera restored --yes`,
    )
    .action(async () => {
      const now = Date.now()
      const { databaseUrl, databaseLimits } = readDatabaseUrl(context.environment)
      // Millions of rows take longer than a request may.
      const patient = { ...databaseLimits, statementTimeout: hour }
      const store = await openStore(databaseUrl, expectedKeeper(context.environment), patient)
      try {
        const { sessions, families } = await store.db.transaction().execute(async (trx) => {
          await raiseGeneration(trx, now)
          const ended = await endEverything(trx, { now, reason: 'restored' })
          await moveRevision(trx)
          await recordAll(
            store,
            [{ at: now, kind: 'database.restored', ...commandOrigin(), detail: ended }],
            trx,
          )
          return ended
        })
        print(
          context,
          `Ended ${sessions} sessions, ${families} token families, and the tokens of every machine. Everybody signs in again.`,
        )
      } finally {
        await store.close()
      }
    })
}

const hour = 3_600_000
