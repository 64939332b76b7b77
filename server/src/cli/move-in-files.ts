import {
  chmodSync,
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { moveIn } from '../move-in/move-in.ts'
import { type MovedSystem, prefixProblem } from '../protocol/move-in.ts'
import type { ExportFile } from '../move-in/told.ts'
import { type Context, print } from './context.ts'

export interface MoveInOptions {
  out: string
  rpId?: string
  prefix?: string
  json?: boolean
}

/** Reads the files of an export and writes what comes of them; half of it is never there. */
export async function moveInFiles(
  context: Context,
  { source, files }: { source: MovedSystem; files: readonly string[] },
  { out, rpId, prefix, json = false }: MoveInOptions,
): Promise<void> {
  const progress = new Progress(json)
  const exported = files.flatMap(filesOf).map((path) => exportFile(path, progress))
  const wrong = prefix === undefined ? undefined : prefixProblem(prefix)
  if (wrong !== undefined) throw new Error(`The prefix ${wrong}.`)
  const mapping = prepare(out)
  const written = new PartialFiles(out)
  try {
    const lines = written.lines('people.jsonl')
    const moved = await moveIn({
      source,
      files: exported,
      mapping,
      prefix,
      rpId,
      person: (line) => lines.add(line),
    })
    lines.end()
    written.text('declared.yaml', moved.declared)
    written.text('mapping.yaml', moved.mapping)
    written.text('report.md', moved.report)
    written.done()
    progress.end()
    const { people, clients, decide } = moved
    if (json) return print(context, JSON.stringify({ kind: 'done', people, clients, decide }))
    const say = (count: number) => count.toLocaleString('en')
    print(
      context,
      `${say(people)} people and ${say(clients)} clients are in ${out}. ${say(decide)} kinds of things are to be decided: read ${join(out, 'report.md')}.`,
    )
  } catch (error) {
    written.remove()
    progress.end()
    throw error
  }
}

/** A directory stands for the JSON, CSV and LDIF files in it, in the order of their names. */
function filesOf(path: string): string[] {
  if (!existsSync(path)) throw new Error(`There is no ${path}.`)
  if (!statSync(path).isDirectory()) return [path]
  const found = readdirSync(path)
    .filter((one) => /\.(json|jsonl|ndjson|csv|ldif|ya?ml)$/i.test(one))
    .sort()
  if (found.length === 0) throw new Error(`The directory ${path} holds no file of an export.`)
  return found.map((one) => join(path, one))
}

function exportFile(path: string, progress: Progress): ExportFile {
  return {
    name: basename(path),
    bytes: async function* () {
      const { size } = statSync(path)
      let read = 0
      const stream: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1_048_576 })
      for await (const chunk of stream) {
        read += chunk.length
        progress.show(basename(path), size === 0 ? 100 : Math.floor((100 * read) / size))
        yield chunk
      }
    },
  }
}

/** Makes the directory, or finds the mapping in it that somebody edited. */
function prepare(out: string): string | undefined {
  mkdirSync(out, { recursive: true, mode: 0o700 })
  // One that is there may be open to others; one of somebody else is refused by that.
  chmodSync(out, 0o700)
  const mapping = join(out, 'mapping.yaml')
  if (existsSync(mapping)) return readFileSync(mapping, 'utf8')
  if (readdirSync(out).length > 0)
    throw new Error(
      `The directory ${out} holds something else. Name one that is new, or that an earlier run wrote.`,
    )
  return undefined
}

/** Files that have their names when all of them are whole. They hold hashes: only their owner reads them. */
class PartialFiles {
  readonly #directory: string
  readonly #names: string[] = []
  #open: number | undefined

  constructor(directory: string) {
    this.#directory = directory
  }

  #path(name: string): string {
    return join(this.#directory, `${name}.partial`)
  }

  #begin(name: string): number {
    this.#names.push(name)
    rmSync(this.#path(name), { force: true })
    return openSync(this.#path(name), 'wx', 0o600)
  }

  lines(name: string): { add(line: string): void; end(): void } {
    const file = this.#begin(name)
    this.#open = file
    let waiting: string[] = []
    let size = 0
    const flush = () => {
      if (waiting.length > 0) writeSync(file, `${waiting.join('\n')}\n`)
      waiting = []
      size = 0
    }
    return {
      add: (line) => {
        waiting.push(line)
        size += line.length
        if (size > 1_048_576) flush()
      },
      end: () => {
        flush()
        closeSync(file)
        this.#open = undefined
      },
    }
  }

  text(name: string, text: string): void {
    const file = this.#begin(name)
    writeFileSync(file, text)
    closeSync(file)
  }

  done(): void {
    for (const name of this.#names) renameSync(this.#path(name), join(this.#directory, name))
  }

  remove(): void {
    if (this.#open !== undefined) closeSync(this.#open)
    for (const name of this.#names) rmSync(this.#path(name), { force: true })
  }
}

/** How far it is, on a terminal alone. */
class Progress {
  readonly #shows: boolean
  #shownAt = 0

  constructor(json: boolean) {
    this.#shows = !json && process.stderr.isTTY
  }

  show(name: string, percent: number): void {
    if (!this.#shows || performance.now() - this.#shownAt < 200) return
    this.#shownAt = performance.now()
    process.stderr.write(`\r\u001B[KReading ${name}: ${percent} %`)
  }

  end(): void {
    if (this.#shows) process.stderr.write('\r\u001B[K')
  }
}
