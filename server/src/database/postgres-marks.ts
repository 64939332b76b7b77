import type { Statement } from './postgres-statements.ts'

/** Between two marks, ms. */
const pause = 10
const anHour = 3_600_000

const insert = `with gone as (
    delete from process_marks where written_at < (extract(epoch from now()) * 1000)::bigint - 2592000000
  )
  insert into process_marks (process, value, written_at)
  values ($1, $2, (extract(epoch from now()) * 1000)::bigint)
  on conflict (process) do update set value = excluded.value, written_at = excluded.written_at
  returning value`
/** Only where the mark before it is: a database that lacks that one gets no later one, which would hide the loss. */
const update = `update process_marks set value = $2, written_at = (extract(epoch from now()) * 1000)::bigint
  where process = $1 and value = $3 returning value`

/**
 * The marks of one process: after what it wrote it writes a number, beside the requests and at most 100 times a second.
 * PostgreSQL keeps commits in their order. So a database that has the mark has all that was acknowledged before it.
 */
export class Marks {
  readonly #process: string
  readonly #put: (statement: Statement) => Promise<object[]>
  /** The last number that was tried, and the last that was acknowledged. */
  #tried = 0
  #acknowledged: number | undefined
  #on = false
  #isDue = false
  #isUnderWay = false
  #since = 0

  constructor(process: string, put: (statement: Statement) => Promise<object[]>) {
    this.#process = process
    this.#put = put
  }

  get acknowledged(): number | undefined {
    return this.#acknowledged
  }

  /** From now on marks are written; a command that ends soon needs none. */
  begin(): void {
    // Rows of processes that are gone are removed after a month: one that writes nothing keeps its own.
    if (this.#on && performance.now() - this.#since < anHour) return
    this.#on = true
    this.written()
  }

  /** What was acknowledged is covered by the next mark. */
  written(): void {
    this.#isDue = true
    if (this.#on && !this.#isUnderWay) void this.#write()
  }

  /** The database has this mark of a database that it followed. */
  has(mark: number | undefined): void {
    if (mark !== undefined && mark > (this.#acknowledged ?? 0)) this.#acknowledged = mark
  }

  /** What was lost has been answered: begins anew. */
  forget(): void {
    this.#acknowledged = undefined
    this.begin()
    this.written()
  }

  async #write(): Promise<void> {
    this.#isUnderWay = true
    this.#isDue = false
    this.#since = performance.now()
    const before = this.#acknowledged
    const value = ++this.#tried
    const values = [this.#process, value]
    const statement =
      before === undefined ? { text: insert, values } : { text: update, values: [...values, before] }
    try {
      const rows = await this.#put(statement)
      if (rows.length > 0 && this.#acknowledged === before) this.#acknowledged = value
    } catch {
      // The next look says what the database has.
    }
    setTimeout(() => {
      this.#isUnderWay = false
      if (this.#isDue) void this.#write()
    }, pause).unref()
  }
}
