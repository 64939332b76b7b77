import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Command } from 'commander'
import type { ChainHead } from '../store/audit-chain.ts'
import { type AuditRecord, auditRow } from '../store/audit-read.ts'
import { ChainCheck, type ChainProblem, verifyAudit } from '../store/audit-verify.ts'
import { wordsOf } from './fail.ts'
import { withStore } from './with-store.ts'
import { note, print, type World } from './world.ts'

interface VerifyOptions {
  expect: string[]
  file?: string
  json?: boolean
}

/** What was found; `head` is where the chain ends. */
interface Verdict {
  whole: boolean
  records: number
  head: ChainHead | null
  problems: ChainProblem[]
  /** More than `problems` holds, where there are very many. */
  problem_count: number
}

const mostShown = 100

/** `tessera audit verify`: whether the records are those that were written, all of them. */
export function verifyPart(world: World): Command {
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
It prints the head of the chain. Keep it elsewhere: whoever can write to the database could write the whole chain
anew, or cut off its end, and only a head that they can't reach shows that.

Exit code 0: whole; 1: broken, the numbers of the records are printed; 3: it could not be checked, as with an --expect
of another form.

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
          ? verdictOf(world, kept)
          : verdictOnFile(kept, options.file))
        print(world, options.json ? JSON.stringify(verdict, null, 2) : describe(verdict))
        if (!verdict.whole) world.foundWith(1)
      } catch (error) {
        note(world, `tessera: ${wordsOf(error)}`)
        world.foundWith(3)
      }
    })
}

/** Not by the command line's own check, which ends with 1: a slip of the hand must not look like a broken audit. */
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

  verdict(records: number, head: ChainHead | undefined): Verdict {
    const { problems, count } = this
    return { whole: count === 0, records, head: head ?? null, problems, problem_count: count }
  }
}

async function verdictOf(world: World, kept: readonly ChainHead[]): Promise<Verdict> {
  const found = new Found()
  const check = new ChainCheck(found.report, { kept })
  const head = await withStore(world, (store) => verifyAudit(store, check, progressOn(world)))
  return found.verdict(check.records, head)
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
  return found.verdict(check.records, check.last)
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
  ({ errors }: World) =>
  (records: number, of: number): void => {
    if (errors.isTTY !== true || of < 20_000) return
    errors.write(`\r${records} of ${of} records${records >= of ? '\n' : ''}`)
  }

function describe({ whole, records, head, problems, problem_count: count }: Verdict): string {
  const end = head === null ? 'There is no head.' : `Head: ${head.sequence}:${head.hash}`
  if (whole) return `The audit is whole: ${records} records.\n${end}`
  const more = count > problems.length ? [`and ${count - problems.length} more`] : []
  return [`The audit is broken. Of ${records} records:`, ...problems.map(words), ...more, end].join('\n')
}

function words({ what, sequence, to }: ChainProblem): string {
  const which = sequence === to ? `record ${sequence}` : `records ${sequence} to ${to}`
  return `  ${which} ${meanings[what]}`
}

const meanings: Record<ChainProblem['what'], string> = {
  altered: 'altered: not what its hash was made of',
  replaced: 'replaced: what follows was chained to another; perhaps records before it are others too',
  missing: 'missing',
  inserted: 'inserted: there should be none with this number',
  no_head: 'may be the last: what told where the chain ends is gone',
  not_kept: 'not the one that was kept elsewhere: the end was cut off, or the chain written anew',
}
