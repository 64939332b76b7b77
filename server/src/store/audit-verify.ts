import { sql } from 'kysely'
import { type ChainHead, chainStart, contentColumns, hashOf } from './audit-chain.ts'
import type { AuditRecordRow } from './audit-rows.ts'
import type { Store } from './open.ts'

/**
 * What is wrong with a chain, from `sequence` up to `to`.
 * `altered`: a record is not what its hash was made of. `replaced`: it is one that the next one, or the head, was not
 * chained to: it was written anew together with its hash, perhaps with others before it. `missing`: there is none with
 * this number. `inserted`: there is one where there should be none. `no_head`: what tells
 * where the chain ends is gone. `not_kept`: a head that was kept elsewhere is not
 * in the chain: it was cut off or written anew.
 */
export interface ChainProblem {
  what: 'altered' | 'replaced' | 'missing' | 'inserted' | 'no_head' | 'not_kept'
  sequence: number
  to: number
}

/** Looks at records one after the other, and keeps no more of them than the last. */
export class ChainCheck {
  readonly #report: (problem: ChainProblem) => void
  /** The heads that were not passed yet: hashes by number. */
  readonly #kept = new Map<number, Set<string>>()
  #last: ChainHead
  /** The last record was altered: that nothing follows from it needs no second word. */
  #lastAltered = false
  #seen = 0

  /** `after` is what the first record follows; `kept` are heads that the chain must go through. */
  constructor(
    report: (problem: ChainProblem) => void,
    {
      after = { sequence: 0, hash: chainStart },
      kept = [],
    }: { after?: ChainHead; kept?: readonly ChainHead[] } = {},
  ) {
    this.#report = report
    this.#last = after
    for (const { sequence, hash } of kept) {
      this.#kept.set(sequence, (this.#kept.get(sequence) ?? new Set()).add(hash))
    }
    // Also the head of an audit that was empty.
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
    if (altered) this.#tell('altered', row.sequence)
    else if (!follows && !this.#lastAltered) this.#tell('replaced', Math.max(1, sequence))
    this.#lastAltered = altered
    this.#passes(row)
    this.#last = { sequence: row.sequence, hash: row.hash }
  }

  /** After the last record: whether the chain ends where the head says. `last` is the highest number there is. */
  end(head: ChainHead | undefined, last = head?.sequence ?? 0): void {
    const { sequence, hash } = this.#last
    if (head === undefined) this.#tell('no_head', sequence)
    else if (head.sequence > sequence) this.#tell('missing', sequence + 1, head.sequence)
    else if (head.hash !== hash && !this.#lastAltered) this.#tell('replaced', Math.max(1, sequence))
    if (head !== undefined && last > head.sequence) this.#tell('inserted', head.sequence + 1, last)
    for (const kept of this.#kept.keys()) this.#tell('not_kept', kept)
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
 * Looks at the whole chain as it is when this begins. Records that are added meanwhile are left for the next time.
 * Yields where it ends; `undefined` when the head is gone.
 */
export async function verifyAudit(
  store: Store,
  check: ChainCheck,
  progress: (records: number, of: number) => void,
): Promise<ChainHead | undefined> {
  const { head, last } = await endOf(store)
  const to = head?.sequence ?? last
  for await (const rows of auditPages(store, to)) {
    for (const row of rows) check.see(row)
    progress(check.records, to)
  }
  check.end(head, last)
  return head
}

/** Both in one statement, so that no append comes between. */
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

/** Whoever alters numbers may write greater ones than can be told apart. */
const numberOf = (text: string) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)

const textColumns = ['previous', 'hash', ...contentColumns.filter((column) => column !== 'at')]

/** Where a NUL stands in a record; 0: nowhere. PostgreSQL keeps none. */
const hiddenText = sql<number>`instr(${sql.join(
  textColumns.map((column) => sql`coalesce(${sql.ref(column)}, '')`),
  sql` || `,
)}, char(0))`

/**
 * Every record up to `last`, in the order of their numbers. Numbers are read as texts: whoever alters them may write
 * what no driver reads. So is what stands after a NUL: no filter finds such a text any more, and it reads as before.
 */
async function* auditPages({ db, dialect }: Store, last: number): AsyncGenerator<AuditRecordRow[]> {
  for (let after: number | undefined; after === undefined || after < last; ) {
    // Without `last`: of a range between two ends PostgreSQL may think that sorting it is cheaper.
    const page = await db
      .selectFrom('audit_records')
      .select(['previous', 'hash', ...contentColumns.filter((column) => column !== 'at')])
      .select([sql<string>`cast(sequence as text)`.as('number'), sql<string>`cast(at as text)`.as('time')])
      .select((dialect === 'sqlite' ? hiddenText : sql<number>`0`).as('hidden'))
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
