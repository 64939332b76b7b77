import { Command } from 'commander'
import { type Context, note, print } from './context.ts'
import { openOrMake } from './with-store.ts'

/** `tessera migrate`: the tables, before a new version serves. */
export function migrateCommand(context: Context): Command {
  return new Command('migrate')
    .description('Bring the tables of the database up to date, as every start does too.')
    .option('--json', 'print the names of the migrations that were made, as JSON')
    .addHelpText(
      'after',
      `
The database is TESSERA_DATABASE_URL; TESSERA_SECRET encrypts the key of the audit, which is made with the tables. Several may run at once, beside services that start: one migrates, the others
wait. A name with "additive" leaves services of the version before it working.

Examples:
  $ TESSERA_DATABASE_URL=postgres://tessera:…@db.internal/tessera tessera migrate
  $ tessera migrate --json | jq -r '.made[]'`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      const store = await openOrMake(context, (text) => (json ? note : print)(context, text))
      await store.close()
      print(context, json ? JSON.stringify({ made: store.migrated }) : describe(store.migrated))
    })
}

function describe(made: readonly string[]): string {
  if (made.length === 0) return 'The tables are up to date; there was nothing to do.'
  return `${made.map((name) => `made ${name}`).join('\n')}\nThe tables are up to date.`
}
