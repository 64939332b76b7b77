import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml'
import { Names } from './names.ts'
import { didYouMean, Problems, shown } from './problems.ts'

export type Mode = 'development' | 'production'

/** One file while it is read: where its lines are, and what was found in it so far. */
export class Reading {
  readonly mode: Mode
  readonly problems: Problems
  readonly names: Names
  readonly #lines: LineCounter

  constructor(file: string, mode: Mode, lines: LineCounter) {
    this.mode = mode
    this.problems = new Problems(file)
    this.names = new Names(this.problems)
    this.#lines = lines
  }

  lineAt(offset: number): number {
    return Math.max(1, this.#lines.linePos(offset).line)
  }
}

/** A place in the file: the YAML there, its line, and what a message calls it. */
export interface Place {
  readonly node: unknown
  readonly line: number
  readonly name: string
}

/** Reads a place; undefined: it is wrong, and that was reported. */
export type Read<T> = (place: Place, reading: Reading) => T | undefined

/** A value with the line it stands on, for what is checked later. */
export interface Located<T> {
  value: T
  line: number
}

function placeOf(node: unknown, name: string, fallbackLine: number, reading: Reading): Place {
  const range = isNode(node) ? node.range : undefined
  // An empty value has its place after the key, which may be the next line; the key's line is what people look at.
  const empty = !isNode(node) || (isScalar(node) && node.value === null)
  return { node, name, line: range && !empty ? reading.lineAt(range[0]) : fallbackLine }
}

function isNode(value: unknown): value is Node {
  return isMap(value) || isSeq(value) || isScalar(value) || isAlias(value)
}

/** What a YAML value is, in words for a message. */
export function kindOf(node: unknown): string {
  if (isMap(node)) return 'a mapping'
  if (isSeq(node)) return 'a list'
  if (isAlias(node)) return 'an alias'
  const value: unknown = isScalar(node) ? node.value : null
  if (value === null) return 'nothing'
  return typeof value === 'string' ? 'a text' : `the ${typeof value} ${shown(String(value))}`
}

/** The keys of one mapping. Every key must be asked for before `done`: what is left over is unknown. */
export class Fields {
  readonly line: number
  readonly #what: string
  readonly #reading: Reading
  readonly #places = new Map<string, { place: Place; keyLine: number }>()
  readonly #asked = new Set<string>()

  private constructor(what: string, line: number, reading: Reading) {
    this.#what = what
    this.line = line
    this.#reading = reading
  }

  /** Opens a mapping; undefined when there is something else, which is reported. */
  static of(place: Place, what: string, reading: Reading): Fields | undefined {
    const { node } = place
    if (!isMap(node)) {
      reading.problems.add(place.line, `${what} is a mapping of keys, not ${kindOf(node)}`)
      return undefined
    }
    const fields = new Fields(what, place.line, reading)
    for (const pair of node.items) fields.#take(pair.key, pair.value)
    return fields
  }

  #take(key: unknown, value: unknown): void {
    const keyLine = placeOf(key, '', this.line, this.#reading).line
    const name: unknown = isScalar(key) ? key.value : undefined
    if (typeof name !== 'string') {
      this.#reading.problems.add(keyLine, `a key of ${this.#what} is ${kindOf(key)}, not a text`)
      return
    }
    const first = this.#places.get(name)
    if (first !== undefined) {
      this.#reading.problems.add(
        keyLine,
        `the key ${shown(name)} is there twice; first on line ${first.keyLine}`,
      )
      return
    }
    this.#places.set(name, { place: placeOf(value, name, keyLine, this.#reading), keyLine })
  }

  /** The value of a key; undefined when it is missing or wrong, which is reported. */
  required<T>(key: string, read: Read<T>): T | undefined {
    if (!this.has(key)) this.#reading.problems.add(this.line, `${this.#what} has no ${shown(key)}`)
    return this.optional(key, read)
  }

  optional<T>(key: string, read: Read<T>): T | undefined {
    this.#asked.add(key)
    const found = this.#places.get(key)
    return found && read(found.place, this.#reading)
  }

  has(key: string): boolean {
    return this.#places.has(key)
  }

  /** The value of a key as it stands there, before any rule. */
  raw(key: string): unknown {
    const node = this.#places.get(key)?.place.node
    return isScalar(node) ? node.value : undefined
  }

  isEmptyList(key: string): boolean {
    const node = this.#places.get(key)?.place.node
    return isSeq(node) && node.items.length === 0
  }

  /** The line of a key, or of the whole when the key is missing. */
  lineOf(key: string): number {
    return this.#places.get(key)?.keyLine ?? this.line
  }

  /** Reports the keys that nobody asked for. */
  done(): void {
    const { problems } = this.#reading
    const left = [...this.#asked].filter((one) => !this.#places.has(one))
    for (const [key, { keyLine }] of this.#places) {
      if (this.#asked.has(key)) continue
      const suggestion = problems.full ? '' : didYouMean(key, left) || didYouMean(key, this.#asked)
      problems.add(keyLine, `${this.#what} has the unknown key ${shown(key)}${suggestion}`)
    }
  }
}

/** A list; entries that are wrong are reported and left out. */
export function listOf<T>(read: Read<T>): Read<T[]> {
  return (place, reading) => {
    const { node } = place
    if (!isSeq(node)) {
      const cure = isScalar(node) && node.value === null ? '; write [] for none' : ''
      reading.problems.add(place.line, `${place.name} is a list, not ${kindOf(node)}${cure}`)
      return undefined
    }
    return node.items.flatMap((item: unknown) => {
      const entry = read(placeOf(item, place.name, place.line, reading), reading)
      return entry === undefined ? [] : [entry]
    })
  }
}

/** A list in which nothing stands twice. */
export function distinctList<T>(read: Read<T>): Read<T[]> {
  return (place, reading) => {
    const seen = new Set<T>()
    for (const { value, line } of listOf(located(read))(place, reading) ?? []) {
      if (seen.has(value)) reading.problems.add(line, `${place.name} lists ${shown(String(value))} twice`)
      seen.add(value)
    }
    return isSeq(place.node) ? [...seen] : undefined
  }
}

/** Keeps the line with the value. */
export function located<T>(read: Read<T>): Read<Located<T>> {
  return (place, reading) => {
    const value = read(place, reading)
    return value === undefined ? undefined : { value, line: place.line }
  }
}
