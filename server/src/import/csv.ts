/** CSV as people have it: RFC 4180, and what spreadsheets make of it. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse/sync'
import {
  longest,
  notUtf8,
  type ParsedRow,
  type SourceRow,
  textOf,
  type TextLine,
  wrongFile,
} from './lines.ts'

/** A quoted field can have this many lines. */
const mostLines = 100

const delimiters = [',', ';', '\t'] as const
type Delimiter = (typeof delimiters)[number]

export interface CsvHead {
  delimiter: Delimiter
  /** Empty: a column without a name. */
  columns: string[]
  raw: string
}

/** The delimiter that the line `sep=;` names, which Excel reads and does not show. Undefined: it is another line. */
export function namedDelimiter({ raw }: TextLine): Delimiter | undefined {
  const [, named] = /^"?sep=(.)"?\s*$/i.exec(raw) ?? []
  return delimiters.find((one) => one === named)
}

/** Reads the line with the names of the columns; where nothing names the delimiter, it is the one that comes most often. */
export function headOf({ raw, number }: TextLine, named: Delimiter | undefined): CsvHead {
  if (raw.length > longest) throw wrongFile(`Line ${number} is longer than any row: is this a file of rows?`)
  const bare = raw.replaceAll(/"[^"]*"/g, '')
  const count = (one: Delimiter) => bare.split(one).length
  const [most] = delimiters.toSorted((a, b) => count(b) - count(a))
  const delimiter = named ?? most ?? ','
  const cells = cellsOf(raw, delimiter)
  const columns = typeof cells === 'string' ? undefined : cells.map(textOf)
  const names = columns?.filter((one) => one !== undefined) ?? []
  if (columns === undefined || names.length < columns.length)
    throw wrongFile(`Line ${number} can not be read: it holds the names of the columns. ${notUtf8}`)
  return { delimiter, columns: names, raw: raw.endsWith('\n') ? raw : `${raw}\n` }
}

type Cells = string[] | 'unclosed' | 'broken'

/** The fields of a record; `unclosed` while a quoted one goes on; otherwise what is wrong with it. */
function cellsOf(raw: string, delimiter: Delimiter): Cells {
  // Refused in any case: to read megabytes of it would keep others waiting.
  if (raw.length > longest) return 'broken'
  const options = { relax_column_count: true, record_delimiter: ['\r\n', '\n'], trim: true, delimiter }
  try {
    const records = parse(raw, options)
    return records[0] ?? []
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'unclosed' : 'broken'
  }
}

/** The rows after the head, but for empty ones. */
export async function* csvRows(
  lines: AsyncGenerator<TextLine, undefined>,
  { columns, delimiter }: CsvHead,
): AsyncGenerator<SourceRow> {
  const named = columns.findLastIndex((one) => one !== '') + 1
  for (;;) {
    const { value: first } = await lines.next()
    if (first === undefined) return
    if (first.raw.trim() === '') continue
    let { raw } = first
    let cells = cellsOf(raw, delimiter)
    for (let count = 1; cells === 'unclosed' && count < mostLines && raw.length <= longest; count++) {
      const { value: next } = await lines.next()
      if (next === undefined) break
      raw += next.raw
      if (!next.raw.includes('"')) continue
      // A service that reads it has others to answer.
      await nextTurn()
      cells = cellsOf(raw, delimiter)
    }
    // Spreadsheets write rows that were emptied.
    if (Array.isArray(cells) && cells.every((cell) => cell === '')) continue
    yield { line: first.number, raw, read: csvValues(raw, cells, { columns, named }) }
  }
}

function csvValues(
  raw: string,
  cells: Cells,
  { columns, named }: { columns: readonly string[]; named: number },
): ParsedRow {
  if (raw.length > longest) return { unreadable: `It is longer than ${longest} bytes.` }
  if (cells === 'unclosed')
    return { unreadable: `A quote that opens here is not closed within ${mostLines} lines.` }
  if (cells === 'broken') {
    return {
      unreadable: 'A quote stands where none may: a field with quotes is quoted, and they are doubled.',
    }
  }
  const filled = cells.findLastIndex((one) => one !== '') + 1
  if (cells.length !== columns.length && (cells.length < named || filled > columns.length))
    return { unreadable: `It has ${cells.length} fields, the first line ${columns.length}.` }
  const values: Record<string, string> = {}
  for (const [index, cell] of cells.entries()) {
    const [column = '', text] = [columns[index], textOf(cell)]
    if (text === undefined) return { unreadable: notUtf8 }
    // An empty field says nothing.
    if (text === '') continue
    if (column === '') return { unreadable: `Field ${index + 1} stands below no name.` }
    values[column] = text
  }
  return { values }
}
