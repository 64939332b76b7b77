import { didYouMean, type Problems, shown } from './problems.ts'

/** A place in the file. */
interface LinePlace {
  readonly line: number
  problem(reason: string): void
}

/**
 * What the file declares and what it refers to. Order in the file does not matter, so references are looked
 * up at the end.
 */
export class Names {
  /** The place that took a name, by kind and name. */
  readonly #claimed = new Map<string, Map<string, LinePlace>>()
  readonly #references: { kind: string; key: string; place: LinePlace }[] = []

  /** Takes a name; a second taker is a problem. `text` is how people know it, where the key is not. */
  claim(kind: string, key: string, place: LinePlace, text: string): void {
    const ofKind = this.#ofKind(kind)
    const first = ofKind.get(key)
    if (first === undefined) ofKind.set(key, place)
    else place.problem(`the ${kind} ${shown(text)} is there twice; first on line ${first.line}`)
  }

  /** Notes that this name must be taken by something in the file. */
  refer(kind: string, key: string, place: LinePlace): void {
    this.#references.push({ kind, key, place })
  }

  /** Reports every reference to a name that nothing took. */
  checkReferences(problems: Problems): void {
    for (const { kind, key, place } of this.#references) {
      const known = this.#ofKind(kind)
      if (known.has(key)) continue
      const suggestion = problems.full ? '' : didYouMean(key, known.keys())
      place.problem(`the file declares no ${kind} ${shown(key)}${suggestion}`)
    }
  }

  #ofKind(kind: string): Map<string, LinePlace> {
    const existing = this.#claimed.get(kind)
    if (existing !== undefined) return existing
    const created = new Map<string, LinePlace>()
    this.#claimed.set(kind, created)
    return created
  }
}

/** How a unit is named in the whole file; undefined when a part is missing. */
export function unitKey(organisation: string, unit: string): string
export function unitKey(organisation: string | undefined, unit: string | undefined): string | undefined
export function unitKey(organisation: string | undefined, unit: string | undefined): string | undefined {
  return organisation === undefined || unit === undefined ? undefined : `${organisation}/${unit}`
}
