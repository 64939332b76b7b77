import { accessSync, closeSync, constants, existsSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FieldProblem } from '../protocol/problem.ts'
import { plainWord } from './plain.ts'
import { RefusedKinds } from './refused-kinds.ts'
import type { Counts } from '../import/rows.ts'
import type { SourceRow } from '../import/lines.ts'

interface ReportOptions {
  /** How messages call the file. */
  name: string
  json: boolean
  dryRun: boolean
  /** Whether the refused rows are written into a file. */
  keepsRefused: boolean
  /** The size of the file in bytes; undefined: not known. */
  size: number | undefined
  bytesRead: () => number
}

/** Tells people or programs how an import goes on. */
export class Report {
  readonly #options: ReportOptions
  readonly #shows: boolean
  readonly #kinds = new RefusedKinds()
  #shownAt = 0

  constructor(options: ReportOptions) {
    this.#options = options
    this.#shows = !options.json && process.stderr.isTTY
  }

  progress(counts: Counts): void {
    const { json, size, bytesRead } = this.#options
    if (json) return this.#write({ kind: 'progress', ...counts })
    if (!this.#shows || performance.now() - this.#shownAt < 200) return
    this.#shownAt = performance.now()
    const percent = size === undefined || size === 0 ? '' : `${Math.floor((100 * bytesRead()) / size)} %, `
    process.stderr.write(`\r\u001B[K${percent}${this.#text(counts)}`)
  }

  refused({ line }: Pick<SourceRow, 'line'>, problems: readonly FieldProblem[]): void {
    const { json, name } = this.#options
    for (const problem of problems) {
      const { field, detail: reason } = problem
      if (json) this.#write({ kind: 'refused', line, field, reason })
      else if (this.#kinds.tells(line, problem)) this.#tell(`${name}:${line}: ${field}: ${reason}`)
    }
  }

  done(counts: Counts, stopped: boolean): void {
    const { json, dryRun, keepsRefused, name } = this.#options
    if (json) return this.#write({ kind: stopped ? 'stopped' : 'done', ...counts, dry_run: dryRun })
    process.stderr.write(this.#cleared())
    for (const kind of this.#kinds.summary()) this.#tell(`${name}: ${kind}`)
    process.stdout.write(`${this.#text(counts)}.\n`)
    if (!stopped) return
    const how = keepsRefused ? ' with another file for --refused, which gets all of them' : ''
    process.stderr.write(`tessera: Stopped. Run the same command again${how}: it goes on where it was.\n`)
  }

  #text({ imported, replaced, already, refused }: Counts): string {
    const done = this.#options.dryRun ? 'would be imported' : 'imported'
    const instead = replaced === 0 ? '' : ` (${number(replaced)} in place of an unproved account)`
    return `${number(imported)} ${done}${instead}, ${number(already)} there already, ${number(refused)} refused`
  }

  #tell(line: string): void {
    process.stderr.write(`${this.#cleared()}${plainWord(line)}\n`)
  }

  /** Takes the line of progress away. */
  #cleared(): string {
    return this.#shows ? '\r\u001B[K' : ''
  }

  #write(event: object): void {
    process.stdout.write(`${JSON.stringify(event)}\n`)
  }
}

const number = (value: number): string => value.toLocaleString('en')

/** The file of refused rows, written as they were, under the same names of columns. */
export class RefusedFile {
  readonly #file: string | undefined
  readonly #head: string
  #descriptor: number | undefined

  /** Throws when the file is there, because it may hold rows that somebody mends, and where it can't be made. */
  constructor(file: string | undefined, head: string) {
    if (file !== undefined && existsSync(file)) {
      throw new Error(
        `${file} exists already. Choose another name for the refused rows: all of them are written, also those of a run before.`,
      )
    }
    if (file !== undefined) accessSync(dirname(file), constants.W_OK)
    this.#file = file
    this.#head = head
  }

  add({ raw }: Pick<SourceRow, 'raw'>): void {
    if (this.#file === undefined) return
    if (this.#descriptor === undefined) {
      // The file holds hashes of passwords.
      this.#descriptor = openSync(this.#file, 'wx', 0o600)
      writeSync(this.#descriptor, Buffer.from(this.#head, 'latin1'))
    }
    writeSync(this.#descriptor, Buffer.from(raw.endsWith('\n') ? raw : `${raw}\n`, 'latin1'))
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
  }
}
