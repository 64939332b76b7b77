import { CsvError, parse } from 'csv-parse/sync'
import { jsonProblem, parseJson } from '../protocol/json.ts'
import { shownField } from './shown-name.ts'

/** One row of a file, as its format has it. */
export interface SourceRow {
  /** The line on which the row begins, from 1. */
  line: number
  /** Its very bytes, as latin1 text, with the end of its line. */
  raw: string
  read: ParsedRow
}

/** The values of a row, by the names of the columns or keys; or why it can't be read. */
export type ParsedRow = { values: Readonly<Record<string, unknown>> } | { unreadable: string }

export interface ImportSource {
  format: 'csv' | 'jsonl'
  /** The line with the names of the columns, as it is; of JSON lines nothing. */
  head: string
  columns: readonly string[]
  rows: AsyncIterable<SourceRow>
}

interface Line {
  number: number
  raw: string
}

/** A row can have this much, and a quoted field this many lines. */
const longest = 65_536
const mostLines = 100

/**
 * Reads rows of CSV (RFC 4180, with the names of the columns first) or of JSON, one object a line; which of both is
 * seen from the first character. Bytes go through as latin1, so that what is refused can be written out as it was.
 */
export async function readSource(chunks: AsyncIterable<Buffer>): Promise<ImportSource> {
  const lines = linesOf(chunks)
  const first = await firstLine(lines)
  if (first === undefined)
    throw new Error('The file is empty: it begins with the names of the columns, or with {.')
  const start = first.raw.trimStart()
  if (start.startsWith('['))
    throw new Error('The file is a JSON array: write one object a line (jq -c ".[]").')
  const all = startingWith(first, lines)
  if (start.startsWith('{')) return { format: 'jsonl', head: '', columns: [], rows: jsonRows(all) }
  const { columns, raw } = headOf(first)
  return { format: 'csv', head: raw, columns, rows: csvRows(lines, columns) }
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line, undefined> {
  let rest = ''
  let number = 0
  let begun = false
  for await (const chunk of chunks) {
    let text = rest + chunk.toString('latin1')
    if (!begun && text.length < 3) {
      rest = text
      continue
    }
    // The mark that some programs begin a UTF-8 file with.
    if (!begun && text.startsWith('\xEF\xBB\xBF')) text = text.slice(3)
    begun = true
    let at = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      yield { number: ++number, raw: text.slice(at, end + 1) }
      at = end + 1
    }
    rest = text.slice(at)
    if (rest.length > 16 * longest)
      throw new Error(`Line ${number + 1} is longer than any row: is this a file of rows?`)
  }
  if (rest !== '') yield { number: ++number, raw: rest }
}

async function firstLine(lines: AsyncGenerator<Line, undefined>): Promise<Line | undefined> {
  for (;;) {
    const { value } = await lines.next()
    if (value === undefined || value.raw.trim() !== '') return value
  }
}

async function* startingWith(first: Line, rest: AsyncIterable<Line>): AsyncGenerator<Line> {
  yield first
  yield* rest
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const notUtf8 = 'It is not UTF-8.'

function decoded(latin1: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(latin1, 'latin1'))
  } catch {
    return undefined
  }
}

async function* jsonRows(lines: AsyncIterable<Line>): AsyncGenerator<SourceRow> {
  for await (const { number: line, raw } of lines) {
    if (raw.trim() !== '') yield { line, raw, read: jsonValues(raw) }
  }
}

function jsonValues(raw: string): ParsedRow {
  if (raw.length > longest) return { unreadable: `It is longer than ${longest} bytes.` }
  const text = decoded(raw)
  if (text === undefined) return { unreadable: notUtf8 }
  try {
    const value = parseJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { values: { ...value } }
  } catch (error) {
    return { unreadable: jsonProblem(error, shownField) }
  }
  return { unreadable: 'It is no JSON object.' }
}

function headOf({ raw }: Line): { columns: string[]; raw: string } {
  const cells = cellsOf(raw)
  const columns = typeof cells === 'string' ? undefined : cells.map((cell) => decoded(cell.trim()))
  const names = columns?.filter((one) => one !== undefined) ?? []
  if (columns === undefined || names.length < columns.length) {
    throw new Error('Line 1 can not be read: it holds the names of the columns, in UTF-8.')
  }
  return { columns: names, raw: raw.endsWith('\n') ? raw : `${raw}\n` }
}

/** The fields of a record; `unclosed` while a quoted one goes on; otherwise what is wrong with it. */
function cellsOf(raw: string): string[] | 'unclosed' | 'broken' {
  try {
    const records = parse(raw, { relax_column_count: true, record_delimiter: ['\r\n', '\n'] })
    return records[0] ?? []
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'unclosed' : 'broken'
  }
}

async function* csvRows(
  lines: AsyncGenerator<Line, undefined>,
  columns: readonly string[],
): AsyncGenerator<SourceRow> {
  for (;;) {
    const { value: first } = await lines.next()
    if (first === undefined) return
    if (first.raw.trim() === '') continue
    let { raw } = first
    let cells = cellsOf(raw)
    for (let count = 1; cells === 'unclosed' && count < mostLines && raw.length <= longest; count++) {
      const { value: next } = await lines.next()
      if (next === undefined) break
      raw += next.raw
      if (next.raw.includes('"')) cells = cellsOf(raw)
    }
    yield { line: first.number, raw, read: csvValues(raw, cells, columns) }
  }
}

function csvValues(raw: string, cells: ReturnType<typeof cellsOf>, columns: readonly string[]): ParsedRow {
  if (raw.length > longest) return { unreadable: `It is longer than ${longest} bytes.` }
  if (cells === 'unclosed')
    return { unreadable: `A quote that opens here is not closed within ${mostLines} lines.` }
  if (cells === 'broken') {
    return {
      unreadable: 'A quote stands where none may: a field with quotes is quoted, and they are doubled.',
    }
  }
  if (cells.length !== columns.length) {
    return { unreadable: `It has ${cells.length} fields, the first line ${columns.length}.` }
  }
  const values: Record<string, string> = {}
  for (const [index, cell] of cells.entries()) {
    const text = decoded(cell)
    if (text === undefined) return { unreadable: notUtf8 }
    // An empty field says nothing.
    if (text !== '') values[columns[index] ?? ''] = text
  }
  return { values }
}
