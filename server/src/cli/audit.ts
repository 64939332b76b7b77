import { Command } from 'commander'
import { settled } from '../audit/link.ts'
import { listAudit } from '../audit/read.ts'
import { replaceAuditKey } from '../keys/audit-key.ts'
import { type FilterOptions, filterOf, wholeNumber, withFilters } from './audit-filter.ts'
import { archiveCommand } from './audit-archive.ts'
import { columns, itemsOf } from './audit-show.ts'
import { exportCommand, tailCommand } from './audit-stream.ts'
import { verificationCommand } from './audit-verification.ts'
import { verifyCommand } from './audit-verify.ts'
import { type Context, note, print, printJson } from './context.ts'
import { printTable } from './show.ts'
import { commandOrigin, withStore } from './with-store.ts'

/** `tessera audit`: what happened, who did it, and whether the records of it are whole. */
export function auditCommand(context: Context): Command {
  return new Command('audit')
    .description('See what happened and who did it, and check that no record of it was altered.')
    .addCommand(listCommand(context))
    .addCommand(tailCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(verifyCommand(context))
    .addCommand(verificationCommand(context))
    .addCommand(archiveCommand(context))
    .addCommand(rekeyCommand(context))
    .addHelpText(
      'after',
      `
Examples:
  $ tessera audit list --user mara.lind@acme.example
  $ tessera audit verify`,
    )
}

interface ListOptions extends FilterOptions {
  limit: number
  before?: number
  json?: boolean
}

function listCommand(context: Context): Command {
  return withFilters(new Command('list').description('List records, newest first.'))
    .option('--limit <number>', 'how many at the most', wholeNumber, 50)
    .option('--before <sequence>', 'go on after the page that ended with this record', wholeNumber)
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ tessera audit list --kind sign_in.failed --from 2026-11-20
  $ tessera audit list --actor mara.lind@acme.example --limit 20
  $ tessera audit list --target nightly-import --json | jq '.items[].kind'`,
    )
    .action(async (options: ListOptions) => {
      await withStore(context, async (store) => {
        const { limit, before } = options
        await settled(store)
        const records = await listAudit(store, await filterOf(store, options), { limit, before })
        const next = records.length < limit ? null : (records.at(-1)?.sequence ?? null)
        if (options.json) return printJson(context, { items: records, next_cursor: next })
        printTable(context, await itemsOf(store, records), columns)
        if (next !== null) note(context, `There may be more: add --before ${next}`)
      })
    })
}

/** `tessera audit rekey`: when the secret is lost or has leaked, and with it the key. */
function rekeyCommand(context: Context): Command {
  return new Command('rekey')
    .description('Give the audit another key, when the one before is lost, gone or known to others.')
    .requiredOption('--yes', 'yes: what is in the audit now counts from here on as it stands')
    .addHelpText(
      'after',
      `
Run tessera audit verify before, while it can still be checked by the key before. Stop every service first, and start
them after it: one that runs marks what it records by the key before.

Example:
  $ tessera audit rekey --yes`,
    )
    .action(async () => {
      const after = await withStore(context, (store) =>
        replaceAuditKey(store, { now: Date.now(), by: commandOrigin() }),
      )
      print(
        context,
        `The audit has a new key. Records up to ${after} are not marked by it: of those, only what is changed from now on will be found.`,
      )
    })
}
