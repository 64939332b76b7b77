/**
 * `declared/` owns the declared file: its format, the plan of what it would change, and its application. It
 * never knows SQL (the store's verbs do that), never hashes a password (that is injected) and never half
 * applies a file.
 */

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

const maxProblems = 50
/** Whoever has so many looks at the first of them, and not at what else is wrong. */
const hopeless = 1000

/** Collects what is wrong, so that everything is told at once. */
export class Problems {
  readonly #file: string
  readonly #found: Problem[] = []

  constructor(file: string) {
    this.#file = file
  }

  add(line: number, reason: string): void {
    this.#found.push({ file: this.#file, line, reason })
  }

  /** Whether more are found than will be listed, so that a suggestion is not worth its search. */
  get full(): boolean {
    return this.#found.length >= maxProblems
  }

  get any(): boolean {
    return this.#found.length > 0
  }

  /** In the middle of a file: throws when it is wrong throughout. */
  throwIfHopeless(): void {
    if (this.#found.length >= hopeless) {
      this.#throw(() => 'more problems are not listed, and the rest of the file was not read')
    }
  }

  throwIfAny(): void {
    if (this.#found.length > 0) this.#throw((left) => `${left} more problems are not listed`)
  }

  #throw(others: (left: number) => string): never {
    const sorted = this.#found.toSorted((a, b) => a.line - b.line)
    const listed = sorted.slice(0, maxProblems)
    const left = sorted.length - listed.length
    const last = listed.at(-1)
    if (left > 0 && last !== undefined) {
      listed.push({ ...last, reason: others(left) })
    }
    throw new DeclaredFileError(listed)
  }
}

/** A value of the file as a message may show it: on one line, and not too long. */
export function shown(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)
}

/** `, did you mean "x"?` when one of the known words is near, otherwise nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  let nearest: string | undefined
  let best = word.length <= 4 ? 2 : 3
  for (const one of known) {
    const distance = editDistance(word, one, best)
    if (distance < best) {
      best = distance
      nearest = one
    }
  }
  return nearest === undefined ? '' : `, did you mean ${shown(nearest)}?`
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
