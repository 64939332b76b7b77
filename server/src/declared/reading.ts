import type { LineCounter } from 'yaml'
import type * as z from 'zod'
import { parsedBy } from '../catalogue/check.ts'
import { FileDocument } from './document.ts'
import { Names } from './names.ts'
import { Problems } from './problems.ts'
import { findingsOf, type Path, thingAt } from './wording.ts'

/** What is right in a value of the file. The rest was reported; an entry of a list that was wrong is undefined. */
export type Partly<T> = { [K in keyof T]?: PartlyValue<T[K]> | undefined }
type PartlyValue<V> = V extends readonly (infer E)[] ? (PartlyEntry<E> | undefined)[] : V
type PartlyEntry<E> = E extends object ? Partly<E> : E

/** A value of the file as its schema has it, undefined where something is wrong with it, and what is right in it. */
export interface Checked<T> {
  place: Place
  whole: T | undefined
  said: Partly<T>
}

/** One file while it is read, with what was found in it so far. */
export class Reading {
  readonly problems: Problems
  readonly names = new Names()
  readonly document: FileDocument

  constructor(file: string, contents: unknown, lines: LineCounter) {
    this.problems = new Problems(file)
    this.document = new FileDocument(contents, lines, this.problems)
  }

  /** Checks a value by its schema. What is wrong is reported and then left out of it. */
  check<S extends z.ZodType>(schema: S, value: unknown, path: Path): Checked<z.output<S>> {
    const { data, error } = parsedBy(schema, value)
    const issues = error?.issues.flatMap(plainIssues) ?? []
    for (const one of issues.flatMap((issue) => this.#report(issue, path, value))) leaveOut(one, path, value)
    const said = data ?? (isObject(value) ? value : {})
    // What is left of a wrong value is what `Partly` says: each wrong part of it has an issue.
    return { place: new Place(this, path), whole: data, said: said as Partly<z.output<S>> }
  }

  /** The paths to what is wrong. */
  #report(issue: z.core.$ZodIssue, base: Path, value: unknown): Path[] {
    const path = [...base, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))]
    const found = stepsTo(issue.path, value)
    // The value was wrong as YAML, which was reported.
    if (found.isThere && found.value === undefined) return []
    const findings = findingsOf(issue, path, found)
    for (const one of findings) this.problems.add(this.document.lineOf(one.path), one.reason)
    return findings.map((one) => one.path)
  }
}

/** A place in the file. */
export class Place {
  readonly #reading: Reading
  readonly #path: Path

  constructor(reading: Reading, path: Path) {
    this.#reading = reading
    this.#path = path
  }

  get line(): number {
    return this.#reading.document.lineOf(this.#path)
  }

  /** The place below it. */
  at(...path: Path): Place {
    return new Place(this.#reading, [...this.#path, ...path])
  }

  problem(reason: string): void {
    this.#reading.problems.add(this.line, reason)
  }

  /** Claims a name, if there is one that is right. */
  claim(kind: string, key: string | undefined, text = key): void {
    if (key !== undefined && text !== undefined) this.#reading.names.claim(kind, key, this, text)
  }

  refer(kind: string, key: string | undefined): void {
    if (key !== undefined) this.#reading.names.refer(kind, key, this)
  }
}

/** The issues of a union are those of the alternative that has the type of the value. */
function plainIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const isOfType = (one: z.core.$ZodIssue) => one.path.length > 0 || one.code !== 'invalid_type'
  const issues = issue.errors.find((all) => all.every(isOfType)) ?? issue.errors[0] ?? []
  return issues.flatMap(plainIssues).map((one) => ({ ...one, path: [...issue.path, ...one.path] }))
}

const isObject = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null

function stepsTo(path: readonly PropertyKey[], value: unknown): { value: unknown; isThere: boolean } {
  let found = value
  for (const part of path) {
    if (!isObject(found) || !Object.hasOwn(found, part)) return { value: undefined, isThere: false }
    found = found[part]
  }
  return { value: found, isThere: true }
}

/** Leaves a field out of its thing, or an entry out of its list. */
function leaveOut(path: Path, base: Path, value: unknown): void {
  const { end, rest } = thingAt(path)
  const isEntry = rest.length === 2 && typeof rest[1] === 'number'
  const wrong = path.slice(base.length, end + (isEntry ? 2 : 1))
  const [last] = wrong.slice(-1)
  const container = stepsTo(wrong.slice(0, -1), value).value
  if (last !== undefined && isObject(container) && Object.hasOwn(container, last)) container[last] = undefined
}
