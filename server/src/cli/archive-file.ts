import { createReadStream, existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { recordsOf } from '../audit/archive.ts'
import { type AuditRecord, auditRecord, auditRow } from '../audit/read.ts'
import { ChainCheck, type ChainProblem } from '../audit/verify.ts'
import type { AuditKey, ChainHead } from '../database/audit-key.ts'
import type { AuditMonth, AuditRecordRow } from '../database/schema-audit.ts'
import type { Store } from '../database/store.ts'
import { parseJson } from '../protocol/json.ts'

/** The last line of an archived month. */
type MonthLine = Pick<AuditMonth, 'month' | 'first' | 'last' | 'hash' | 'mac'>

/** A line of an export or of an archived month. Throws when it is neither. */
function lineIn(text: string, place: string): { row: AuditRecordRow } | { closed: MonthLine } {
  try {
    const value = parseJson(text) as AuditRecord & MonthLine
    if (typeof value.month === 'string' && Number.isSafeInteger(value.last)) return { closed: value }
    if (Number.isSafeInteger(value.sequence) && typeof value.hash === 'string')
      return { row: auditRow(value) }
  } catch {
    // Said below.
  }
  throw new Error(`${place} is no audit record. Give a file that tessera audit export or archive made.`)
}

export async function* linesOf(file: string) {
  let number = 0
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity }))
    yield lineIn(line, `${file}:${++number}`)
}

/**
 * Writes the records of a closed month, and its head as the last line, into a file that is checked and on the disk
 * when this ends. One that is there already is checked alone. Throws when a record is not what was recorded.
 */
export async function writeMonth(store: Store, closed: AuditMonth, file: string): Promise<void> {
  const key = store.auditKey()
  if (existsSync(file)) return await expectMonth(file, closed, key)
  const partial = `${file}.partial`
  try {
    await written(store, closed, partial)
    await expectMonth(partial, closed, key)
    await rename(partial, file)
  } catch (error) {
    if (isTaken(error))
      throw new Error(`${partial} is there: of an archive under way, or one that was killed; then remove it.`)
    await rm(partial, { force: true })
    throw error
  }
}

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST'

async function written(store: Store, closed: AuditMonth, file: string): Promise<void> {
  // Readable by its owner alone: it holds people's addresses.
  const handle = await open(file, 'wx', 0o600)
  try {
    for await (const rows of recordsOf(store, closed))
      await handle.appendFile(rows.map((row) => `${JSON.stringify(auditRecord(row))}\n`).join(''))
    const { month, first, last, hash, mac } = closed
    await handle.appendFile(`${JSON.stringify({ month, first, last, hash, mac })}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Throws when a file is not this month whole. */
async function expectMonth(file: string, closed: AuditMonth, key: AuditKey): Promise<void> {
  const problems: ChainProblem[] = []
  const { head } = await checkFile(file, { report: (one) => problems.push(one), key, months: [closed] })
  if (problems.length === 0 && head.sequence === closed.last && head.hash === closed.hash) return
  throw new Error(
    `${file} does not hold the records of ${closed.month} as they were recorded: run tessera audit verify. Nothing was removed.`,
  )
}

interface Checking {
  report: (problem: ChainProblem) => void
  kept?: readonly ChainHead[]
  key?: AuditKey
  /** Closed months of the database, by which those of a file are checked. */
  months?: readonly MonthLine[]
}

/** Checks an export or archived months, one after the other in a file; it may begin anywhere. */
export async function checkFile(
  file: string,
  { report, kept = [], key, months }: Checking,
): Promise<{ records: number; head: ChainHead }> {
  let check: ChainCheck | undefined
  let [from, closedTo] = [0, 0]
  // The key may have been made before these records, or after them.
  const ofFile = (one: ChainProblem) => {
    if (one.what !== 'not_kept' || kept.some(({ sequence }) => sequence === one.sequence)) report(one)
  }
  for await (const line of linesOf(file)) {
    if ('row' in line) {
      const { sequence, previous } = line.row
      if (check === undefined) from = sequence
      check ??= new ChainCheck(ofFile, { kept, after: { sequence: sequence - 1, hash: previous }, key })
      check.see(line.row)
    } else {
      const { month, first, last, hash } = line.closed
      const known = months?.find((one) => one.month === month)
      const isKnown = known?.first === first && known.last === last && known.hash === hash
      const isEnd = check?.last.sequence === last && check.last.hash === hash
      if (from > first) report({ what: 'missing', sequence: first, to: from - 1 })
      if (!isEnd || (months !== undefined && !isKnown))
        report({ what: 'month_not_marked', sequence: first, to: last })
      closedTo = last
    }
  }
  if (check === undefined)
    throw new Error(`${file} holds no record. Give a file that tessera audit export or archive made.`)
  check.end(check.last)
  const { sequence: end } = check.last
  if (months !== undefined && end > closedTo) report({ what: 'month_missing', sequence: from, to: end })
  return { records: check.records, head: check.last }
}
