import { Command } from 'commander'
import { readDatabaseUrl } from '../settings.ts'
import { backUp, restore } from '../backup/backup.ts'
import { type Context, print } from './context.ts'
import { commandOrigin, expectedKeeper, keeperOf, openOrMake } from './with-store.ts'

/** `tessera backup FILE`: the embedded database, while it serves. */
export function backupCommand(context: Context): Command {
  return new Command('backup')
    .description('Copy the embedded database into a new file, while it serves.')
    .argument('<file>', 'the file to make; it must not exist')
    .addHelpText(
      'after',
      '\nPostgreSQL has its own backups: see docs/operations.md.\n\nExample:\n  $ tessera backup /backups/tessera-monday.sqlite',
    )
    .action((file: string) => {
      const { databaseUrl } = readDatabaseUrl(context.environment)
      backUp(databaseUrl, file, {
        now: Date.now(),
        by: commandOrigin(),
        keeper: keeperOf(context.environment),
      })
      print(
        context,
        `${file} holds a backup. The signing keys in it are encrypted with TESSERA_SECRET: keep that too.`,
      )
    })
}

/** `tessera restore FILE`: puts a backup in place of what is there. */
export function restoreCommand(context: Context): Command {
  return new Command('restore')
    .description('Put a backup in the place of what the embedded database holds. Everybody signs in again.')
    .argument('<file>', 'a file that tessera backup made')
    .requiredOption('--yes', 'yes, replace what is there')
    .addHelpText(
      'after',
      `
All or nothing, and it may happen while the service runs. Every session and refresh token ends, so that nothing that
was rotated, revoked or signed out since the backup comes back. Signing keys and audit records of both remain; a backup
of before the secret changed is read with TESSERA_SECRET_PREVIOUS.

Example:
  $ tessera restore /backups/tessera-monday.sqlite --yes`,
    )
    .action(async (file: string) => {
      const { databaseUrl } = readDatabaseUrl(context.environment)
      const keeper = expectedKeeper(context.environment)
      if (databaseUrl.startsWith('sqlite:')) await (await openOrMake(context)).close()
      restore(databaseUrl, file, { now: Date.now(), by: commandOrigin(), keeper })
      print(context, `${file} is restored. Every session and refresh token has ended.`)
    })
}
