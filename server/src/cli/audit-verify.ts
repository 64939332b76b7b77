import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Command } from 'commander'
import { type AuditKey, type ChainHead, NoAuditKey } from '../database/audit-key.ts'
import { settled } from '../audit/link.ts'
import { type AuditRecord, auditRow } from '../audit/read.ts'
import { missingTriggers } from '../database/audit-triggers.ts'
import { ChainCheck, type ChainProblem, verifyAudit, verifyMonths, verifyWaiting } from '../audit/verify.ts'
import type { Store } from '../database/store.ts'
import { describe, type Verdict } from './audit-verdict.ts'
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
    .option(
      '--expect <sequence:hash>',
      'a head that was kept elsewhere and must still be in the chain; may be repeated',
      (text: string, before: string[]) => [...before, text],
      [],
    )
    .option('--file <file>', 'check an export in place of the database')
    .option('--json', 'print what was found as JSON')
    .addHelpText(
      'after',
      `
TESSERA_SECRET opens the key that records are marked with: who has the database alone can't make the marks.

It prints the head of the chain. Keep it elsewhere: whoever can write to the database could cut off the end of the chain,
or put it back to an earlier state, and only a head that they can't reach shows that.

Exit code 0: whole; 1: broken, the numbers of the records are printed; 3: it could not be checked, as without the
secret, or with an --expect of another form.

Examples:
  $ tessera audit verify
  $ tessera audit verify --expect 120000:9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de
  $ tessera audit verify --json | jq -r '"\\(.head.sequence):\\(.head.hash)"' >> /elsewhere/heads
  $ tessera audit verify --file audit.jsonl`,
    )
    .action(async (options: VerifyOptions) => {
      try {
        const kept = options.expect.map(headIn)
        const verdict = await (options.file === undefined
          ? verdictOf(context, kept)
          : verdictOnFile(kept, options.file))
        if (options.json) printJson(context, verdict)
        else print(context, describe(verdict, { ofFile: options.file !== undefined }))
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

  verdict({ records, waiting = 0, head, kept, key, missing = [] }: Looked): Verdict {
    const { problems, count } = this
    return {
      whole: count + missing.length === 0,
      records,
      waiting,
      head: head ?? null,
      older_than_key: key?.after.sequence ?? 0,
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
  kept: readonly ChainHead[]
  key?: AuditKey | undefined
  missing?: string[]
}

async function verdictOf(context: Context, kept: readonly ChainHead[]): Promise<Verdict> {
  return await withStore(context, async (store) => {
    const key = keyOf(store)
    const triggers = await missingTriggers(store)
    const missing = [...(key === undefined ? ['key'] : []), ...triggers.map((name) => `trigger ${name}`)]
    const found = new Found()
    const heads = await verifyMonths(store, key, found.report)
    const check = new ChainCheck(found.report, { kept: [...kept, ...heads], key })
    await settled(store)
    const head = await verifyAudit(store, check, progressOn(context))
    const waiting = await verifyWaiting(store, key, found.report)
    return found.verdict({ records: check.records, waiting, head, kept, key, missing })
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

/** An export may begin anywhere; what it follows is in its first record. */
async function verdictOnFile(kept: readonly ChainHead[], file: string): Promise<Verdict> {
  const found = new Found()
  let check: ChainCheck | undefined
  let number = 0
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const row = auditRow(recordIn(line, `${file}:${++number}`))
    check ??= new ChainCheck(found.report, {
      kept,
      after: { sequence: row.sequence - 1, hash: row.previous },
    })
    check.see(row)
  }
  if (check === undefined)
    throw new Error(`${file} holds no record. Give a file that tessera audit export made.`)
  check.end(check.last)
  return found.verdict({ records: check.records, head: check.last, kept })
}

function recordIn(line: string, place: string): AuditRecord {
  try {
    const value = JSON.parse(line) as AuditRecord
    if (Number.isSafeInteger(value.sequence) && typeof value.hash === 'string') return value
  } catch {
    // Said below.
  }
  throw new Error(`${place} is no audit record. Give a file that tessera audit export made.`)
}

/** To people who wait, and not to files. */
const progressOn =
  ({ errors }: Context) =>
  (records: number, of: number): void => {
    if (errors.isTTY !== true || of < 20_000) return
    errors.write(`\r${records} of ${of} records${records >= of ? '\n' : ''}`)
  }
