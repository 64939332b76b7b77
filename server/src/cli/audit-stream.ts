import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { settled } from '../audit/link.ts'
import { record } from '../audit/record.ts'
import { auditHead } from '../audit/head.ts'
import { type AuditFilter, followAudit, listAudit } from '../audit/read.ts'
import type { Store } from '../database/store.ts'
import { type FilterOptions, filterOf, wholeNumber, withFilters } from './audit-filter.ts'
import { lineOf } from './audit-show.ts'
import { plain } from './plain.ts'
import { untilToldToStop } from './stop.ts'
import { commandOrigin, withStore } from './with-store.ts'
import type { Context } from './context.ts'

const page = 500
const pollEvery = 1000

interface TailOptions extends FilterOptions {
  lines: number
  json?: boolean
}

/** `tessera audit tail`: what happens, as it happens. */
export function tailCommand(context: Context): Command {
  return withFilters(new Command('tail').description('Print the last records, then new ones as they come.'))
    .option('-n, --lines <number>', 'how many of the last', wholeNumber, 10)
    .option('--json', 'print each as one line of JSON')
    .addHelpText(
      'after',
      `
It goes on until it is told to stop (Ctrl+C). New records appear within a second.

Examples:
  $ tessera audit tail
  $ tessera audit tail --kind sign_in.throttled --json | jq -r .address`,
    )
    .action(async (options: TailOptions) => {
      await withStore(context, async (store) => {
        const stopping = new AbortController()
        void untilToldToStop().then(() => stopping.abort())
        const print = async (records: Awaited<ReturnType<typeof listAudit>>) => {
          for (const one of records)
            await put(context, options.json ? JSON.stringify(one) : await lineOf(store, one))
        }
        await tail(store, await filterOf(store, options), { ...options, print, stopping: stopping.signal })
      })
    })
}

interface Tail {
  lines: number
  print: (records: Awaited<ReturnType<typeof listAudit>>) => Promise<void>
  stopping: AbortSignal
}

async function tail(store: Store, filter: AuditFilter, { lines, print, stopping }: Tail): Promise<void> {
  await settled(store)
  // The head first: what is recorded meanwhile is then printed once, by the loop.
  let { sequence: after } = await auditHead(store)
  const last = await listAudit(store, filter, { limit: lines })
  await print(last.filter(({ sequence }) => sequence <= after).sort((a, b) => a.sequence - b.sequence))
  while (!stopping.aborted) {
    // Perhaps no service runs that would link what commands record.
    await settled(store)
    const { records, reached } = await followAudit(store, filter, { after, limit: page })
    await print(records)
    after = reached
    if (records.length < page) await wait(pollEvery, undefined, { signal: stopping }).catch(() => undefined)
  }
}

interface ExportOptions extends FilterOptions {
  after?: number
}

/** `tessera audit export`: for other systems, and to be kept elsewhere. */
export function exportCommand(context: Context): Command {
  return withFilters(
    new Command('export').description('Print records as lines of JSON, in the order of the chain.'),
  )
    .option('--after <sequence>', 'go on after this record, as the last export ended', wholeNumber)
    .addHelpText(
      'after',
      `
An export without a filter can be checked by itself: tessera audit verify --file FILE. That it was made is recorded.

Examples:
  $ tessera audit export > audit.jsonl
  $ tessera audit export --after 120000 >> audit.jsonl
  $ tessera audit export --user mara.lind@acme.example --from 2026-11-01 > mara.jsonl`,
    )
    .action(async (options: ExportOptions) => {
      await withStore(context, async (store) => {
        const filter = await filterOf(store, options)
        let after = options.after ?? 0
        // The export is recorded before its first line: one that is broken off has been read in part.
        const detail = { ...filter, after }
        await record(store, { at: Date.now(), kind: 'audit.exported', ...commandOrigin(), detail })
        await settled(store)
        const { sequence: end } = await auditHead(store)
        while (after < end) {
          const { records, reached } = await followAudit(store, filter, { after, limit: page })
          for (const one of records) if (one.sequence <= end) await put(context, JSON.stringify(one))
          after = reached
        }
      })
    })
}

/** Waits for the reader. */
async function put({ output }: Context, line: string): Promise<void> {
  if (!output.write(`${plain(line)}\n`)) await once(output, 'drain')
}
