import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { expectUnarchived, markArchived, removeArchived } from '../audit/archive.ts'
import { closedMonths, closeMonth, openMonth } from '../audit/months.ts'
import { verifyMonths } from '../audit/verify.ts'
import type { AuditMonth } from '../database/schema-audit.ts'
import type { Store } from '../database/store.ts'
import { forgetDeliveries } from '../webhooks/archived-deliveries.ts'
import { writeMonth } from './archive-file.ts'
import { agreed, refuseUnasked } from './ask.ts'
import { type Context, note, print, printJson } from './context.ts'
import { commandOrigin, withStore } from './with-store.ts'

interface ArchiveOptions {
  before: string
  to: string
  yes?: boolean
  json?: boolean
}

/** `tessera audit archive`: old months leave the database, and the audit begins after them. */
export function archiveCommand(context: Context): Command {
  return new Command('archive')
    .description('Write the records of closed months into files, and remove them from the database.')
    .requiredOption('--before <month>', 'the first month that stays, such as 2026-01', monthIn)
    .requiredOption('--to <folder>', 'where audit-YYYY-MM.jsonl of each month is written')
    .option('--yes', 'do not ask')
    .option('--json', 'print what was archived as JSON')
    .addHelpText(
      'after',
      `
A month is removed when its file was written, read again and checked, and that is recorded. From then on the audit
begins after it: tessera audit verify goes on from its head, and checks the file by itself. Keep the files as long as
you need the records: nothing else has them. On PostgreSQL it runs as the owner of the tables.

Run it again when it was killed: it goes on, and checks what is written already.

Examples:
  $ tessera audit archive --before 2026-01 --to /archive
  $ tessera audit archive --before "$(date -d '13 months ago' +%Y-%m)" --to /archive --yes --json
  $ tessera audit verify /archive/audit-2025-12.jsonl`,
    )
    .action(async (options: ArchiveOptions) => {
      refuseUnasked(context, options)
      const archived = await withStore(context, (store) => archive(context, store, options))
      if (options.json) return printJson(context, { archived })
      if (archived.length === 0) print(context, `There is no month to archive before ${options.before}.`)
    })
}

function monthIn(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text
  throw new InvalidArgumentError('Write a month as 2026-01.')
}

interface Archived {
  month: string
  first: number
  last: number
  hash: string
  file: string
}

async function archive(
  context: Context,
  store: Store,
  { before, to, yes, json }: ArchiveOptions,
): Promise<Archived[]> {
  const due = await dueMonths(store, before, context.now())
  if (due.length > 0) await agreed(context, questionOf(due, to), yes === true ? { yes } : {})
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const done: Archived[] = []
  const tell = (text: string) => note(context, text)
  // What a run before this one has left.
  await removeArchived(store, tell)
  for (const closed of due) {
    const { month, first, last, hash } = closed
    const name = `audit-${month}.jsonl`
    const file = join(to, name)
    await writeMonth(store, closed, file).catch(async (error: unknown) => {
      await expectUnarchived(store, month)
      throw error
    })
    const told = { now: context.now(), by: commandOrigin(), file: name }
    await markArchived(store, closed, told, (trx) => forgetDeliveries(trx, last))
    await removeArchived(store, tell)
    done.push({ month, first, last, hash, file })
    if (!json)
      print(context, `${file} holds records ${first} to ${last}, which are removed. Head: ${last}:${hash}`)
  }
  return done
}

const questionOf = (due: readonly AuditMonth[], to: string) =>
  `Write records ${due[0]?.first} to ${due.at(-1)?.last} (${due.map(({ month }) => month).join(', ')}) into ${to} and remove them?`

/** The months to archive. Throws when one of them is open, or a head is not what was written. */
async function dueMonths(store: Store, before: string, now: number): Promise<AuditMonth[]> {
  await closeMonth(store, now)
  const open = await openMonth(store.db)
  if (open === null || before > open)
    throw new Error(
      `${open ?? 'The month'} is open${open === null ? '' : ', or records of the month before it wait'}: only months before it can be archived.`,
    )
  let isWrong = false
  await verifyMonths(store, store.auditKey(), () => (isWrong = true))
  if (isWrong)
    throw new Error(
      'The head of a closed month is not what was written: run tessera audit verify. Nothing was removed.',
    )
  const closed = await closedMonths(store.db)
  return closed.filter(({ month, archived_at: at }) => at === null && month < before)
}
