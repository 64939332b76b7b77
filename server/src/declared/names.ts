import { didYouMean, type Problems, shown } from './problems.ts'

interface Reference {
  kind: string
  key: string
  line: number
}

/**
 * What the file declares and what it refers to. Order in the file does not matter, so references are looked
 * up at the end.
 */
export class Names {
  readonly #problems: Problems
  /** The line that took a name, by kind and name. */
  readonly #claimed = new Map<string, Map<string, number>>()
  readonly #references: Reference[] = []

  constructor(problems: Problems) {
    this.#problems = problems
  }

  /**
   * Takes a name; a second taker is a problem. Without a key there was none, or it was wrong, which was reported.
   * `text` is how people know it, where the key is not.
   */
  claim(kind: string, key: string | undefined, line: number, text = key): void {
    if (key === undefined || text === undefined) return
    const ofKind = this.#ofKind(kind)
    const first = ofKind.get(key)
    if (first === undefined) ofKind.set(key, line)
    else this.#problems.add(line, `the ${kind} ${shown(text)} is there twice; first on line ${first}`)
  }

  /** Notes that this name must be taken by something in the file. */
  refer(kind: string, key: string | undefined, line: number): void {
    if (key !== undefined) this.#references.push({ kind, key, line })
  }

  /** Reports every reference to a name that nothing took. */
  checkReferences(): void {
    for (const { kind, key, line } of this.#references) {
      const known = this.#ofKind(kind)
      if (known.has(key)) continue
      const suggestion = this.#problems.full ? '' : didYouMean(key, known.keys())
      this.#problems.add(line, `the file declares no ${kind} ${shown(key)}${suggestion}`)
    }
  }

  #ofKind(kind: string): Map<string, number> {
    const existing = this.#claimed.get(kind)
    if (existing !== undefined) return existing
    const created = new Map<string, number>()
    this.#claimed.set(kind, created)
    return created
  }
}
