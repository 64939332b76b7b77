import { sql } from 'kysely'
import { type AuditKey, type ChainHead, markOf } from '../database/audit-key.ts'
import { archiveMarkOf, chainStart, hashOf, monthMarkOf, waitingMarkOf } from './chain.ts'
import { closedMonths } from './months.ts'
import { positionOfNul } from '../database/hidden-text.ts'
import { type AuditRecordRow, contentColumns } from '../database/schema-audit.ts'
import type { Store } from '../database/store.ts'

/**
 * What is wrong with a chain, from `sequence` up to `to`.
 * `altered`: the record does not fit its hash.
 * `replaced`: the next record, or the head, is not chained to it; it was rewritten together with its hash.
 * `not_marked`: it fits its hash and lacks the mark of the audit key; its writer did not have the key.
 * `missing`: there is no record with this number.
 * `inserted`: there is a record where none belongs.
 * `no_head`: the row that says where the chain ends is gone.
 * `not_kept`: a head that was kept elsewhere, or with the key, is not in the chain; it was cut off or rewritten.
 * `month_not_marked`: the head of a closed month, of these records, was written or altered by somebody without the key,
 * or said to be archived.
 * `archived`: records of an archived month, whose removal was broken off, or which somebody put there.
 * `month_missing`: the head of a closed month, of these records, is gone.
 * `waiting_not_marked`: a record that waits was written or altered by somebody without the key. It has no number in the
 * chain; `sequence` is the one under which it waits.
 */
export interface ChainProblem {
  what:
    | 'altered'
    | 'replaced'
    | 'not_marked'
    | 'missing'
    | 'inserted'
    | 'no_head'
    | 'not_kept'
    | 'month_not_marked'
    | 'month_missing'
    | 'archived'
    | 'waiting_not_marked'
  sequence: number
  to: number
}

/** Checks records one after the other; keeps only the last one in memory. */
export class ChainCheck {
  readonly #report: (problem: ChainProblem) => void
  /** The expected heads that were not passed yet: hashes by number. */
  readonly #kept = new Map<number, Set<string>>()
  /** Undefined: marks are not checked. */
  readonly #key: AuditKey | undefined
  #last: ChainHead
  /** The last record was reported; that the next one does not follow from it is not reported again. */
  #lastAltered = false
  #seen = 0

  /** `after` is what the first record follows; `kept` are heads that the chain must go through. */
  constructor(
    report: (problem: ChainProblem) => void,
    {
      after = { sequence: 0, hash: chainStart },
      kept = [],
      key,
    }: { after?: ChainHead; kept?: readonly ChainHead[]; key?: AuditKey | undefined } = {},
  ) {
    this.#report = report
    this.#key = key
    this.#last = after
    // A key that is older than the first record says nothing of it.
    const ofKey = key === undefined || key.after.sequence < after.sequence ? [] : [key.after]
    for (const { sequence, hash } of [...kept, ...ofKey]) {
      this.#kept.set(sequence, (this.#kept.get(sequence) ?? new Set()).add(hash))
    }
    // An expected head may be that of an empty audit.
    this.#passes(after)
  }

  get records(): number {
    return this.#seen
  }

  get last(): ChainHead {
    return this.#last
  }

  see(row: AuditRecordRow): void {
    this.#seen++
    const { sequence, hash: before } = this.#last
    if (row.sequence <= sequence) return this.#tell('inserted', row.sequence)
    if (row.sequence > sequence + 1) this.#tell('missing', sequence + 1, row.sequence - 1)
    const altered = hashOf(row) !== row.hash
    const follows = row.sequence > sequence + 1 || row.previous === before
    const unmarked = !altered && !this.#isMarked(row)
    if (altered) this.#tell('altered', row.sequence)
    else if (unmarked) this.#tell('not_marked', row.sequence)
    else if (!follows && !this.#lastAltered) this.#tell('replaced', Math.max(1, sequence))
    this.#lastAltered = altered || unmarked
    this.#passes(row)
    this.#last = { sequence: row.sequence, hash: row.hash }
  }

  /** Checks that the chain ends where the head says. `last` is the highest number there is. */
  end(head: ChainHead | undefined, last = head?.sequence ?? 0): void {
    const { sequence, hash } = this.#last
    if (head === undefined) this.#tell('no_head', sequence)
    else if (head.sequence > sequence) this.#tell('missing', sequence + 1, head.sequence)
    else if (head.hash !== hash && !this.#lastAltered) this.#tell('replaced', Math.max(1, sequence))
    if (head !== undefined && last > head.sequence) this.#tell('inserted', head.sequence + 1, last)
    for (const kept of this.#kept.keys()) this.#tell('not_kept', kept)
  }

  #isMarked({ sequence, hash, mac }: AuditRecordRow): boolean {
    const key = this.#key
    return key === undefined || sequence <= key.after.sequence || mac === markOf(hash, key)
  }

  #passes({ sequence, hash }: ChainHead): void {
    const hashes = this.#kept.get(sequence)
    hashes?.delete(hash)
    if (hashes?.size === 0) this.#kept.delete(sequence)
  }

  #tell(what: ChainProblem['what'], sequence: number, to = sequence): void {
    this.#report({ what, sequence, to })
  }
}

const step = 1000

/**
 * Checks the chain up to its end at the beginning of this call, and yields its head; undefined when that is gone. What
 * `check` begins after was archived.
 */
export async function verifyAudit(
  store: Store,
  check: ChainCheck,
  progress: (records: number, of: number) => void,
): Promise<ChainHead | undefined> {
  const { head, last } = await endOf(store)
  const to = head?.sequence ?? last
  const { sequence: archived } = check.last
  const after = archived === 0 ? undefined : archived
  for await (const rows of auditPages(store, { after, last: to })) {
    for (const row of rows) check.see(row)
    progress(archived + check.records, to)
  }
  check.end(head, last)
  return head
}

/** What the heads of closed months say. */
export interface MonthHeads {
  /** The last archived month: the audit begins after it. */
  archived: (ChainHead & { month: string }) | undefined
  /** The heads of later months: the chain must go through them. */
  heads: ChainHead[]
}

/** Checks the heads of closed months. Without a key their marks are not checked. */
export async function verifyMonths(
  { db }: Store,
  key: AuditKey | undefined,
  report: (problem: ChainProblem) => void,
): Promise<MonthHeads> {
  let archived: MonthHeads['archived']
  let heads: ChainHead[] = []
  let next = 1
  for (const closed of await closedMonths(db)) {
    const { month, first, last, hash, mac, archived_at: at, archive_mac: archiveMac } = closed
    if (first !== next) report({ what: 'month_missing', sequence: next, to: first - 1 })
    next = last + 1
    const head = { sequence: last, hash }
    const isMarked =
      key === undefined ||
      (mac === monthMarkOf(closed, key) && (at === null || archiveMac === archiveMarkOf(closed, key)))
    if (!isMarked) report({ what: 'month_not_marked', sequence: first, to: last })
    else if (at === null) heads.push(head)
    else [archived, heads] = [{ ...head, month }, []]
  }
  return { archived, heads }
}

/** Reports records that stand where they were archived. */
export async function verifyRemoved(
  { db }: Store,
  { sequence: archived }: ChainHead,
  report: (problem: ChainProblem) => void,
): Promise<void> {
  const { first, last } = await db
    .selectFrom('audit_records')
    .select(({ fn }) => [
      fn.min<number | null>('sequence').as('first'),
      fn.max<number | null>('sequence').as('last'),
    ])
    .where('sequence', '<=', archived)
    .executeTakeFirstOrThrow()
  if (first !== null && last !== null) report({ what: 'archived', sequence: first, to: last })
}

/** Checks the records that wait to be linked, and yields how many there are. Without a key their marks are not checked. */
export async function verifyWaiting(
  { db }: Store,
  key: AuditKey | undefined,
  report: (problem: ChainProblem) => void,
): Promise<number> {
  for (let seen = 0, after = 0; ; ) {
    const page = db.selectFrom('audit_waiting').selectAll().where('number', '>', after).orderBy('number')
    const rows = await page.limit(step).execute()
    for (const row of rows) {
      if (key !== undefined && row.mac !== waitingMarkOf(row, key))
        report({ what: 'waiting_not_marked', sequence: row.number, to: row.number })
    }
    seen += rows.length
    after = rows.at(-1)?.number ?? after
    if (rows.length < step) return seen
  }
}

/** The head and the highest number, read in one statement so that no append comes between. */
async function endOf({ db }: Store): Promise<{ head: ChainHead | undefined; last: number }> {
  const { rows } = await sql<{ last: string | null; sequence: string | null; hash: string | null }>`
    select cast(ends.last as text) as last, cast(head.sequence as text) as sequence, head.hash
    from (select max(sequence) as last from audit_records) as ends
    left join audit_head as head on head.name = 'chain'
  `.execute(db)
  const { last = null, sequence = null, hash = null } = rows[0] ?? {}
  const head = sequence === null || hash === null ? undefined : { sequence: numberOf(sequence), hash }
  return { head, last: numberOf(last ?? '0') }
}

/** Altered rows may hold greater numbers than JavaScript can tell apart. */
const numberOf = (text: string) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)

const textColumns = [
  'previous',
  'hash',
  'mac',
  ...contentColumns.filter((column) => column !== 'at'),
] as const

/**
 * Every record after one and up to `last`, in the order of their numbers. Numbers are read as text, because altered ones may be out of
 * a driver's range. A record with a NUL is made to fail its hash: text after a NUL is hidden from drivers and filters.
 */
export async function* auditPages(
  { db }: Store,
  { after: start, last }: { after: number | undefined; last: number },
): AsyncGenerator<AuditRecordRow[]> {
  for (let after = start; after === undefined || after < last; ) {
    // No upper bound: for a range with two ends PostgreSQL may choose to sort.
    const page = await db
      .selectFrom('audit_records')
      .select(textColumns)
      .select([sql<string>`cast(sequence as text)`.as('number'), sql<string>`cast(at as text)`.as('time')])
      .select(positionOfNul(db, textColumns).as('hidden'))
      .$if(after !== undefined, (query) => query.where('sequence', '>', after ?? 0))
      .orderBy('sequence')
      .limit(step)
      .execute()
    const rows = page.map(({ number, time, hidden, kind, ...row }) => ({
      ...row,
      kind: hidden > 0 ? `${kind}\0` : kind,
      sequence: Number(number),
      at: Number(time),
    }))
    yield rows.filter(({ sequence }) => sequence <= last)
    if (rows.length < step) return
    after = rows.at(-1)?.sequence
  }
}
