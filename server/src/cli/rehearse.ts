import { Command } from 'commander'
import { withCopy } from '../backup/copy.ts'
import { rehearse, type RehearsedMigration } from '../database/rehearsal.ts'
import { readDatabaseUrl } from '../settings.ts'
import type { ApiObject } from './connection.ts'
import { type Context, note, print, printJson } from './context.ts'
import { printTable } from './show.ts'
import { keeperOf } from './with-store.ts'

/** `tessera rehearse --from BACKUP`: what an upgrade would do to the database, on a copy of it. */
export function rehearseCommand(context: Context): Command {
  return new Command('rehearse')
    .description('Make the migrations on a copy of a backup: how long they take, and what waits meanwhile.')
    .requiredOption(
      '--from <backup>',
      'a file of tessera backup or pg_dump, or the address of a restored copy',
    )
    .option('--yes', 'yes, the database at that address is a copy, and is changed')
    .option('--json', 'print what was measured, as JSON')
    .addHelpText(
      'after',
      `
Run it with the new version before it serves. A backup of the embedded database is copied into the folder for temporary
files (TMPDIR), and that copy is removed. A dump of PostgreSQL is restored by pg_restore into the database of
TESSERA_DATABASE_URL, which must be empty and stays as the rehearsal leaves it. A copy that PostgreSQL restored by other
means is named by its address, and nobody else may be connected to it; PGPASSWORD keeps its password off the command
line. It measures this machine: use one like that of the service. It needs no secret, and sends nothing.

Exit codes: 0 all migrations can be made; 1 refused, or a migration fails on this data.

Examples:
  $ tessera rehearse --from /backups/tessera-monday.sqlite
  $ TESSERA_DATABASE_URL=postgres://localhost/tessera_rehearsal tessera rehearse --from tessera.dump
  $ tessera rehearse --from postgres://replica.internal/copy --yes --json | jq .ms`,
    )
    .action(async ({ from, yes, json }: { from: string; yes?: boolean; json?: boolean }) => {
      const tell = (text: string) => note(context, text)
      const work = (url: string) => rehearse(url, keeperOf(context.environment), tell)
      const migrations = isAddress(from)
        ? await work(copyAt(context, from, yes === true))
        : await withCopy(from, { into: () => readDatabaseUrl(context.environment).databaseUrl, tell }, work)
      const ms = migrations.reduce((sum, one) => sum + one.ms, 0)
      if (json === true) printJson(context, { ms, migrations })
      else show(context, migrations, ms)
    })
}

const isAddress = (from: string): boolean => /^postgres(ql)?:\/\//.test(from)

function copyAt({ environment }: Context, from: string, isSure: boolean): string {
  if (from === environment.TESSERA_DATABASE_URL)
    throw new Error(
      'This is the database of TESSERA_DATABASE_URL: give the address of a copy that nobody uses.',
    )
  if (isSure) return from
  throw new Error(
    'The database at this address is changed: say with --yes that it is a copy that nobody uses.',
  )
}

function show(context: Context, migrations: readonly RehearsedMigration[], ms: number): void {
  if (migrations.length === 0)
    return print(context, 'The backup is of this version: an upgrade has nothing to do.')
  printTable(context, migrations.flatMap(linesOf), ['migration', 'took', 'table', 'rows', 'waits'])
  const breaking = migrations.find(({ kind }) => kind === 'breaking')
  const whom =
    breaking === undefined
      ? 'Processes of the version before may go on meanwhile.'
      : `${breaking.name} is breaking: stop every process first, and start the new version afterwards.`
  print(context, `In all ${duration(ms)}. ${whom}`)
}

function linesOf({ name, ms, locks }: RehearsedMigration): ApiObject[] {
  const one = { migration: name, took: duration(ms) }
  if (locks.length === 0) return [{ ...one, waits: 'nothing' }]
  return locks.map(({ table, rows, waits, rewritten }) => ({
    ...one,
    ...{ table: table ?? 'the whole file', rows, waits: rewritten ? `${waits}; it is written anew` : waits },
  }))
}

const duration = (ms: number): string => (ms < 1000 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)
