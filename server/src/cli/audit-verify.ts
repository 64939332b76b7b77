import { Command } from 'commander'
import { type AuditKey, type ChainHead, NoAuditKey } from '../database/audit-key.ts'
import { settled } from '../audit/link.ts'
import { missingTriggers } from '../database/audit-triggers.ts'
import {
  ChainCheck,
  type ChainProblem,
  verifyAudit,
  verifyMonths,
  verifyRemoved,
  verifyWaiting,
} from '../audit/verify.ts'
import { closedMonths } from '../audit/months.ts'
import { checkFile } from './archive-file.ts'
import type { Store } from '../database/store.ts'
import { describe, type Verdict } from './audit-verdict.ts'
import { keepVerdict } from './audit-verification.ts'
import { type Context, note, print, printJson } from './context.ts'
import { wordsOf } from './fail.ts'
import { withStore } from './with-store.ts'

interface VerifyOptions {
  expect: string[]
  file?: string
  json?: boolean
}

const mostShown = 100

/** `tessera audit verify`: whether the records are those that were written, all of them. */
export function verifyCommand(context: Context): Command {
  return new Command('verify')
    .description('Check that no audit record was altered, removed, moved or slipped in.')
    .argument('[files...]', 'archived months, checked by their heads in the database')
    .option(
      '--expect <sequence:hash>',
      'a head that was kept elsewhere and must still be in the chain; may be repeated',
      (text: string, before: string[]) => [...before, text],
      [],
    )
    .option('--file <file>', 'check an export, or an archived month, by itself: without the database')
    .option('--json', 'print what was found as JSON')
    .addHelpText(
      'after',
      `
TESSERA_SECRET opens the key that records are marked with: who has the database alone can't make the marks.

It prints the head of the chain. Keep it elsewhere: whoever can write to the database could cut off the end of the chain,
or put it back to an earlier state, and only a head that they can't reach shows that.

Exit code 0: whole; 1: broken, the numbers of the records are printed; 3: it could not be checked, as without the
secret, or with an --expect of another form.

Without a file it keeps what it found in the database, where tessera audit verification and the console tell it.

Examples:
  $ tessera audit verify
  $ tessera audit verify --expect 120000:9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de
  $ tessera audit verify --json | jq -r '"\\(.head.sequence):\\(.head.hash)"' >> /elsewhere/heads
  $ tessera audit verify --file audit.jsonl
  $ tessera audit verify /archive/audit-2025-12.jsonl`,
    )
    .action(async (files: string[], options: VerifyOptions) => {
      try {
        const kept = options.expect.map(headIn)
        const verdict = await (options.file !== undefined
          ? verdictOnFile(kept, options.file)
          : files.length > 0
            ? verdictOnArchive(context, kept, files)
            : verdictOf(context, kept))
        if (options.json) printJson(context, verdict)
        else
          print(
            context,
            describe(verdict, options.file !== undefined ? 'file' : files.length > 0 ? 'months' : 'database'),
          )
        if (!verdict.whole) context.foundWith(1)
      } catch (error) {
        note(context, `tessera: ${wordsOf(error)}`)
        context.foundWith(3)
      }
    })
}

/** The command line's own check ends with 1, and a typing error must not look like a broken audit. */
function headIn(text: string): ChainHead {
  const [, sequence, hash] = /^(0|[1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  if (sequence !== undefined && hash !== undefined) return { sequence: Number(sequence), hash }
  throw new Error(
    `--expect ${text} is no head. Give it as tessera audit verify printed it: a number, a colon, 64 digits 0-9a-f.`,
  )
}

/** Counts all problems, and keeps the first of them. */
class Found {
  readonly problems: ChainProblem[] = []
  count = 0
  readonly report = (problem: ChainProblem): void => {
    this.count++
    if (this.problems.length < mostShown) this.problems.push(problem)
  }

  verdict({ records, waiting = 0, head, archived = 0, kept, key, missing = [] }: Looked): Verdict {
    const { problems, count } = this
    return {
      whole: count + missing.length === 0,
      records,
      waiting,
      head: head ?? null,
      older_than_key: key === undefined || key.after.sequence <= archived ? 0 : key.after.sequence,
      archived_to: archived,
      kept_to: Math.max(0, ...kept.map(({ sequence }) => sequence)),
      missing,
      problems,
      problem_count: count,
    }
  }
}

interface Looked {
  records: number
  waiting?: number
  head: ChainHead | undefined
  archived?: number | undefined
  kept: readonly ChainHead[]
  key?: AuditKey | undefined
  missing?: string[]
}

async function verdictOf(context: Context, kept: readonly ChainHead[]): Promise<Verdict> {
  return await withStore(context, async (store) => {
    const at = context.now()
    const key = keyOf(store)
    const triggers = await missingTriggers(store)
    const missing = [...(key === undefined ? ['key'] : []), ...triggers.map((name) => `trigger ${name}`)]
    const found = new Found()
    const { archived, heads } = await verifyMonths(store, key, found.report)
    expectLater(kept, archived)
    const after = archived === undefined ? {} : { after: archived }
    const check = new ChainCheck(found.report, { kept: [...kept, ...heads], key, ...after })
    await settled(store)
    const head = await verifyAudit(store, check, progressOn(context))
    if (archived !== undefined) await verifyRemoved(store, archived, found.report)
    const waiting = await verifyWaiting(store, key, found.report)
    const now = await verifyMonths(store, key, () => undefined)
    if (now.archived?.sequence !== archived?.sequence)
      throw new Error('Months were archived meanwhile: run this again when that is done.')
    const records = check.records
    const looked = { records, waiting, head, archived: archived?.sequence, kept, key, missing }
    const verdict = found.verdict(looked)
    await keepVerdict(context, store, key, { ...verdict, at })
    return verdict
  })
}

/** Undefined when its row is gone. */
function keyOf(store: Store): AuditKey | undefined {
  try {
    return store.auditKey()
  } catch (error) {
    if (error instanceof NoAuditKey) return undefined
    throw error
  }
}

/** Throws for a head that the database has no record of any more. */
function expectLater(kept: readonly ChainHead[], archived: ChainHead | undefined): void {
  const older = kept.find(({ sequence }) => sequence < (archived?.sequence ?? 0))
  if (older === undefined) return
  throw new Error(
    `--expect ${older.sequence}:${older.hash} is of an archived month: give it with the file that has it, tessera audit verify FILE --expect HEAD.`,
  )
}

async function verdictOnFile(kept: readonly ChainHead[], file: string): Promise<Verdict> {
  const found = new Found()
  const { records, head } = await checkFile(file, { report: found.report, kept })
  return found.verdict({ records, head, kept })
}

/** Each file by itself: the heads in the database say that nothing of it was written anew. */
async function verdictOnArchive(
  context: Context,
  kept: readonly ChainHead[],
  files: readonly string[],
): Promise<Verdict> {
  return await withStore(context, async (store) => {
    const key = store.auditKey()
    const found = new Found()
    await verifyMonths(store, key, found.report)
    const months = await closedMonths(store.db)
    let records = 0
    let last: ChainHead | undefined
    let unseen = [...kept]
    for (const file of files) {
      const elsewhere = new Set<number>()
      const report = (one: ChainProblem) =>
        void (one.what === 'not_kept' ? elsewhere.add(one.sequence) : found.report(one))
      const { records: more, head } = await checkFile(file, { report, kept: unseen, months })
      records += more
      last = head
      unseen = unseen.filter(({ sequence }) => elsewhere.has(sequence))
    }
    for (const { sequence } of unseen) found.report({ what: 'not_kept', sequence, to: sequence })
    return found.verdict({ records, head: last, kept })
  })
}

/** Shows progress to people who wait, and not in files. */
const progressOn =
  ({ errors }: Context) =>
  (records: number, of: number): void => {
    if (errors.isTTY !== true || of < 20_000) return
    errors.write(`\r${records} of ${of} records${records >= of ? '\n' : ''}`)
  }
