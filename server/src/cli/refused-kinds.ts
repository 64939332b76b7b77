import type { FieldProblem } from '../protocol/problem.ts'

/** Rows of a kind told one by one. */
const told = 5
/** More kinds are counted together: a file can have a field of its own in each row. */
const mostKinds = 200

interface Kind {
  what: string
  rows: number
  first: number
}

/** What is wrong with rows, by kinds: a file of a million rows has the same mistake in each. */
export class RefusedKinds {
  readonly #kinds = new Map<string, Kind>()

  /** Whether a problem of this row is told by itself. */
  tells(line: number, { field, detail }: FieldProblem): boolean {
    const what = `${field.replaceAll(/\.\d+/g, '')}: ${detail.replace(/; first on line \d+/, '')}`
    const key = this.#kinds.has(what) || this.#kinds.size < mostKinds ? what : 'Something else is wrong.'
    const kind = this.#kinds.get(key) ?? { what: key, rows: 0, first: line }
    this.#kinds.set(key, kind)
    return ++kind.rows <= told
  }

  /** A line for each kind that was not told row by row to its end. */
  summary(): string[] {
    return [...this.#kinds.values()]
      .filter(({ rows }) => rows > told)
      .map(({ what, rows, first }) => `${what} (${rows.toLocaleString('en')} rows, first on line ${first})`)
  }
}
