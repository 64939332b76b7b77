import { Command } from 'commander'
import { listAudit } from '../store/audit-read.ts'
import { type FilterOptions, filterOf, wholeNumber, withFilters } from './audit-filter.ts'
import { tableOf } from './audit-show.ts'
import { exportPart, tailPart } from './audit-stream.ts'
import { verifyPart } from './audit-verify.ts'
import { withStore } from './with-store.ts'
import { print, type World } from './world.ts'

/** `tessera audit`: what happened, who did it, and whether the records of it are whole. */
export function auditCommand(world: World): Command {
  return new Command('audit')
    .description('See what happened and who did it, and check that no record of it was altered.')
    .addCommand(listPart(world))
    .addCommand(tailPart(world))
    .addCommand(exportPart(world))
    .addCommand(verifyPart(world))
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

function listPart(world: World): Command {
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
      await withStore(world, async (store) => {
        const { limit, before } = options
        const records = await listAudit(store, await filterOf(store, options), { limit, before })
        const next = records.length < limit ? null : (records.at(-1)?.sequence ?? null)
        if (options.json) return print(world, JSON.stringify({ items: records, next_cursor: next }, null, 2))
        print(world, await tableOf(store, records))
        if (next !== null) print(world, `There may be more: add --before ${next}`)
      })
    })
}
