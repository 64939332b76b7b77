import { linesOf, notUtf8, textOf } from '../import/lines.ts'
import { beginOf } from './records.ts'
import type { ExportFile } from './told.ts'
import { readOf, UnreadableExport } from './unreadable.ts'

/** An entry of a directory: its name, and the values of each attribute, by its name in lower case. */
export interface DirectoryEntry {
  dn: string
  at: string
  values: ReadonlyMap<string, readonly string[]>
}

/** What is wrong with an entry of which the next one can still be read. */
interface UnreadableEntry {
  unreadable: string
  at: string
}

/** Bytes of one value: pictures are left out unread, and nothing else is as long. */
const longestValue = 1_048_576
/** Bytes of one entry: a group can have as many members. */
const largestEntry = 256 * 1_048_576

type ReadEntry = DirectoryEntry | UnreadableEntry

/** The entries of a file of LDIF (RFC 2849), with the attributes that `reads` names. Throws where it is none. */
export const ldifEntries = (
  file: ExportFile,
  reads: (attribute: string) => boolean,
): AsyncGenerator<ReadEntry> => readOf(file, entriesOf(file, reads))

async function* entriesOf(
  file: ExportFile,
  reads: (attribute: string) => boolean,
): AsyncGenerator<ReadEntry> {
  if (!/^\s*(#[^\n]*\n\s*)*(dn|version)::? ?\S/i.test(await beginOf(file)))
    throw new UnreadableExport('It is no LDIF: its first line begins with neither version: nor dn:.')
  const reader = new EntryReader(file.name, reads)
  for await (const { number, raw } of linesOf(file.bytes())) {
    const done = reader.take(raw.replace(/\r?\n$/, ''), number)
    if (done !== undefined) yield done
  }
  const last = reader.end()
  if (last !== undefined) yield last
}

class EntryReader {
  readonly #file: string
  readonly #reads: (attribute: string) => boolean
  #values = new Map<string, string[]>()
  #dn: string | undefined
  #begins = 0
  #size = 0
  #unreadable: string | undefined
  /** The line that may go on in the next one; undefined: what is left out. */
  #line: string | undefined
  #parts: string[] = []

  constructor(file: string, reads: (attribute: string) => boolean) {
    this.#file = file
    this.#reads = reads
  }

  /** Takes a line. Gives the entry that ended before it. */
  take(line: string, number: number): ReadEntry | undefined {
    if (line.startsWith(' ')) {
      if (this.#line !== undefined) this.#goOn(line.slice(1))
      return undefined
    }
    this.#finishLine()
    if (line.trim() === '') return this.#finish()
    if (this.#begins === 0 && !line.startsWith('#')) this.#begins = number
    const attribute = nameOf(line)
    const isLeftOut = line.startsWith('#') || (attribute !== undefined && !this.#isRead(attribute))
    this.#line = isLeftOut ? undefined : ''
    this.#parts = []
    if (!isLeftOut) this.#goOn(line)
    return undefined
  }

  end(): ReadEntry | undefined {
    this.#finishLine()
    return this.#finish()
  }

  #isRead(attribute: string): boolean {
    return attribute === 'dn' || attribute === 'changetype' || this.#reads(attribute)
  }

  #goOn(more: string): void {
    this.#size += more.length
    if (this.#size > largestEntry) throw new UnreadableExport('It has an entry of more than 256 MiB.')
    this.#parts.push(more)
  }

  #finishLine(): void {
    if (this.#line === undefined) return
    const line = this.#parts.join('')
    this.#line = undefined
    const read = line.length > longestValue ? 'A value is longer than 1 MiB.' : valueOf(line)
    if (typeof read === 'string') this.#unreadable ??= read
    else if (read.attribute === 'version') return
    else if (read.attribute === 'dn') {
      if (this.#dn !== undefined) this.#unreadable ??= 'It has two names (dn): an empty line parts entries.'
      this.#dn = read.value
    } else if (read.attribute === 'changetype')
      throw new UnreadableExport(
        'It holds changes (changetype), not entries: write it by slapcat, ldapsearch -LLL or an export of the directory.',
      )
    else {
      const before = this.#values.get(read.attribute) ?? []
      before.push(read.value)
      this.#values.set(read.attribute, before)
    }
  }

  #finish(): ReadEntry | undefined {
    const [dn, values, unreadable] = [this.#dn, this.#values, this.#unreadable]
    const at = `${this.#file}, line ${this.#begins}`
    this.#dn = undefined
    this.#values = new Map()
    this.#unreadable = undefined
    this.#begins = 0
    this.#size = 0
    if (unreadable !== undefined) return { unreadable, at }
    if (dn !== undefined) return { dn, at, values }
    return values.size === 0 ? undefined : { unreadable: 'It has no name (dn).', at }
  }
}

/** The attribute of a line, without options such as `;lang-de`; undefined: it has none. */
function nameOf(line: string): string | undefined {
  const [, name, options] = /^([a-z0-9.-]+)((?:;[a-z0-9-]+)*):/i.exec(line) ?? []
  // The value in another language, or in another form, is not the value.
  return name === undefined ? undefined : `${name.toLowerCase()}${options ?? ''}`
}

function valueOf(line: string): { attribute: string; value: string } | string {
  const attribute = nameOf(line)
  if (attribute === undefined) return 'A line has no attribute before a colon.'
  const after = line.slice(line.indexOf(':') + 1)
  if (after.startsWith('<'))
    return 'A value stands in another file (:<), which is not read: write it into this one.'
  const isBase64 = after.startsWith(':')
  const text = after.slice(isBase64 ? 1 : 0).trim()
  if (isBase64 && !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return 'A value is no base64.'
  const raw = isBase64 ? Buffer.from(text, 'base64').toString('latin1') : text
  if (attribute === 'objectguid') return { attribute, value: raw }
  const value = textOf(raw)
  return value === undefined ? notUtf8 : { attribute, value }
}
