/**
 * `declared/` owns the declared file: its format, the plan of what it would change, its application and the export. It
 * never hashes a password (that is injected) and never applies half of a file.
 */
import { spelledOut } from '../protocol/characters.ts'
import { beginningOf, tooLong } from '../protocol/length.ts'

/** Something wrong with the file; `line` is 0 when it concerns no line, such as a file that can't be opened. */
export interface Problem {
  file: string
  line: number
  reason: string
}

/** The file can't be applied. Its message is one line per problem: `file:line: reason`. */
export class DeclaredFileError extends Error {
  override readonly name = 'DeclaredFileError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(problemText).join('\n'))
    this.problems = problems
  }
}

function problemText({ file, line, reason }: Problem): string {
  return line === 0 ? `${file}: ${reason}` : `${file}:${line}: ${reason}`
}

/** The most problems listed. */
export const maxProblems = 50
/** The most problems that are told: the rest of the file is not read then. */
const tooManyProblems = 10_000

/** Collects what is wrong, so that everything is told at once. */
export class Problems {
  readonly #file: string
  readonly #found: Problem[] = []

  constructor(file: string) {
    this.#file = file
  }

  add(line: number, reason: string): void {
    this.#found.push({ file: this.#file, line, reason })
    if (this.#found.length >= tooManyProblems) this.throwIfAny()
  }

  /** Whether as many are found as will be listed; no more suggestions are searched for then. */
  get full(): boolean {
    return this.#found.length >= maxProblems
  }

  get any(): boolean {
    return this.#found.length > 0
  }

  throwIfAny(): void {
    if (!this.any) return
    const sorted = this.#found.toSorted((a, b) => a.line - b.line)
    const listed = sorted.slice(0, maxProblems)
    const left = sorted.length - listed.length
    const last = listed.at(-1)
    if (left > 0 && last !== undefined)
      listed.push({ ...last, reason: `${left} more problems are not listed` })
    throw new DeclaredFileError(listed)
  }
}

/** A value of the file as a message may show it: on one line, not too long, and as what it is. */
export function shown(value: string): string {
  return spelledOut(JSON.stringify(tooLong(value, 80) === undefined ? value : `${beginningOf(value, 80)}…`))
}

/** `, did you mean "x"?` when one of the known words is near, otherwise nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const near = nearest(word, known)
  return near === undefined ? '' : `, did you mean ${shown(near)}?`
}

/** The known word that was probably meant. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let found: string | undefined
  let best = word.length <= 4 ? 2 : 3
  for (const one of known) {
    const distance = editDistance(word, one, best)
    if (distance < best) {
      best = distance
      found = one
    }
  }
  return found
}

/** Levenshtein's distance, or `limit` when it is that or more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit || a.length > 200) return limit
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return Math.min(row[b.length] ?? limit, limit)
}
