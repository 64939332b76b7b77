import { isAlias, isMap, isNode, isScalar, isSeq, type LineCounter, type Pair, type YAMLMap } from 'yaml'
import { type Problems, shown } from './problems.ts'
import { nameOf, type Path } from './wording.ts'

/** A file as plain data, with the lines that its parts stand on. */
export class FileDocument {
  /** What is wrong as YAML was reported, and is undefined here. */
  readonly data: unknown
  readonly #contents: unknown
  readonly #lines: LineCounter
  readonly #problems: Problems
  readonly #pairs = new Map<YAMLMap, ReadonlyMap<string, Pair>>()

  constructor(contents: unknown, lines: LineCounter, problems: Problems) {
    this.#contents = contents
    this.#lines = lines
    this.#problems = problems
    this.data = this.#dataOf(contents, [])
  }

  /** The line of the last key or entry of the path, or of the last one that is there. */
  lineOf(path: Path): number {
    let node = this.#contents
    let line = 1
    for (const part of path) {
      const pair = isMap(node) ? this.#pairsOf(node).get(String(part)) : undefined
      node = isSeq(node) ? node.items[Number(part)] : pair?.value
      line = this.#lineAt(pair?.key ?? node) ?? line
    }
    return line
  }

  /** An empty value has its place after the key, which may be the next line. */
  #lineAt(node: unknown): number | undefined {
    if (!isNode(node) || !node.range || (isScalar(node) && node.value === null)) return undefined
    return Math.max(1, this.#lines.linePos(node.range[0]).line)
  }

  /** The pairs of a mapping by their keys; the first one of several. */
  #pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    const known = this.#pairs.get(map)
    if (known !== undefined) return known
    const pairs = new Map(map.items.toReversed().map((pair) => [keyOf(pair) ?? '', pair]))
    this.#pairs.set(map, pairs)
    return pairs
  }

  #dataOf(node: unknown, path: Path): unknown {
    if (isMap(node)) return this.#mappingOf(node, path)
    if (isSeq(node)) return node.items.map((item, index) => this.#dataOf(item, [...path, index]))
    if (!isAlias(node)) return isScalar(node) ? node.value : null
    const reason = `${nameOf(path)} is an alias; aliases are not read, write it out`
    this.#problems.add(this.lineOf(path), reason)
    return undefined
  }

  #mappingOf(map: YAMLMap, path: Path): Record<string, unknown> {
    // Without a prototype, `__proto__` is a key like any other.
    const data = Object.create(null) as Record<string, unknown>
    for (const { key, value } of map.items) {
      const name = keyOf({ key })
      const problem = (reason: string) => this.#problems.add(this.#lineAt(key) ?? this.lineOf(path), reason)
      if (name === undefined) problem(`a key of ${nameOf(path)} is no text`)
      else if (Object.hasOwn(data, name))
        problem(`the key ${shown(name)} is there twice; first on line ${this.lineOf([...path, name])}`)
      else data[name] = isScalar(value) ? value.value : this.#dataOf(value, [...path, name])
    }
    return data
  }
}

const keyOf = ({ key }: Pick<Pair, 'key'>): string | undefined =>
  isScalar(key) ? String(key.value) : undefined
