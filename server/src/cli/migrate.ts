import { Command } from 'commander'
import { readDatabaseUrl } from '../settings.ts'
import { openStore } from '../store/open.ts'

/** `tessera migrate`: the tables, before a new version serves. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Bring the tables of the database up to date, as every start does too.')
    .option('--json', 'print the names of the migrations that were made, as JSON')
    .addHelpText(
      'after',
      `
The database is TESSERA_DATABASE_URL. Several may run at once, beside services that start: one migrates, the others
wait. A name with "additive" leaves services of the version before it working.

Examples:
  $ TESSERA_DATABASE_URL=postgres://tessera:…@db.internal/tessera tessera migrate
  $ tessera migrate --json | jq -r '.made[]'`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      const { databaseUrl, databaseLimits } = readDatabaseUrl(process.env)
      const store = await openStore(databaseUrl, databaseLimits)
      await store.close()
      process.stdout.write(json ? `${JSON.stringify({ made: store.migrated })}\n` : describe(store.migrated))
    })
}

function describe(made: readonly string[]): string {
  if (made.length === 0) return 'The tables are up to date; there was nothing to do.\n'
  return `${made.map((name) => `made ${name}`).join('\n')}\nThe tables are up to date.\n`
}
