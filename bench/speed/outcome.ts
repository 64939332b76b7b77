/** What a part of the suite found. */
export interface Outcome {
  tables: Table[]
  bars: Bar[]
  /** What a reader has to know, a sentence each. */
  notes: string[]
  /** All figures, for programs. */
  figures: unknown
}

export interface Table {
  title: string
  head: readonly string[]
  rows: readonly (readonly string[])[]
}

export interface Bar {
  what: string
  /** Undefined: it could not be measured or judged, and `why` says why not. */
  measured: number | undefined
  sort: 'at most' | 'at least'
  bar: number
  unit: string
  why?: string
}

/** What the parts of one run share. */
export interface Run {
  seed: number
}

export type Part = (run: Run) => Promise<Outcome>

export function atMost(what: string, measured: number, bar: number, unit: string): Bar {
  return { what, measured, sort: 'at most', bar, unit }
}

export function atLeast(what: string, measured: number, bar: number, unit: string): Bar {
  return { what, measured, sort: 'at least', bar, unit }
}

export function isMet({ measured, sort, bar }: Bar): boolean | undefined {
  if (measured === undefined) return undefined
  return sort === 'at most' ? measured <= bar : measured >= bar
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** What follows a name on the command line. */
export function option(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}

/** `--root DIR`: another clone, which is built. */
export function otherClone(): string {
  const root = option('--root')
  if (root === undefined) throw new Error('Say where the other clone is: --root DIR.')
  return root.endsWith('/') ? root : `${root}/`
}
