import { jsonProblem, parseJson } from '../protocol/json.ts'
import { csvRows, headOf, namedDelimiter } from './csv.ts'
import {
  linesOf,
  longest,
  notUtf8,
  type ParsedRow,
  type SourceRow,
  textOf,
  type TextLine,
  wrongFile,
} from './lines.ts'
import { shownField } from './shown-name.ts'

export interface ImportSource {
  format: 'csv' | 'jsonl'
  /** The line with the names of the columns, as it is; of JSON lines nothing. */
  head: string
  columns: readonly string[]
  rows: AsyncIterable<SourceRow>
}

/**
 * Reads rows of CSV, with the names of the columns first, or of JSON, one object a line; which of both is seen from the
 * first character. Bytes go through as latin1, so that what is refused can be written out as it was.
 */
export async function readSource(chunks: AsyncIterable<Buffer>): Promise<ImportSource> {
  const lines = linesOf(chunks)
  const first = await firstLine(lines)
  if (first === undefined) throw isEmpty()
  const start = first.raw.trimStart()
  if (start.startsWith('['))
    throw wrongFile('The file is a JSON array: write one object a line (jq -c ".[]").')
  if (start.startsWith('{')) {
    if (!start.trimEnd().endsWith('}')) throw isOneDocument()
    return { format: 'jsonl', head: '', columns: [], rows: jsonRows(startingWith(first, lines)) }
  }
  const named = namedDelimiter(first)
  const head = named === undefined ? first : await firstLine(lines)
  if (head === undefined) throw isEmpty()
  const read = headOf(head, named)
  return { format: 'csv', head: read.raw, columns: read.columns, rows: csvRows(lines, read) }
}

const isEmpty = () => wrongFile('The file is empty: it begins with the names of the columns, or with {.')

const isOneDocument = () =>
  wrongFile(
    'The file is one JSON document over several lines: write one object a line, such as by jq -c ".users[]".',
  )

async function firstLine(lines: AsyncGenerator<TextLine, undefined>): Promise<TextLine | undefined> {
  for (;;) {
    const { value } = await lines.next()
    if (value === undefined || value.raw.trim() !== '') return value
  }
}

async function* startingWith(first: TextLine, rest: AsyncIterable<TextLine>): AsyncGenerator<TextLine> {
  yield first
  yield* rest
}

async function* jsonRows(lines: AsyncIterable<TextLine>): AsyncGenerator<SourceRow> {
  for await (const { number: line, raw } of lines) {
    if (raw.trim() !== '') yield { line, raw, read: jsonValues(raw) }
  }
}

function jsonValues(raw: string): ParsedRow {
  if (raw.length > longest) return { unreadable: `It is longer than ${longest} bytes.` }
  const text = textOf(raw)
  if (text === undefined) return { unreadable: notUtf8 }
  try {
    const value = withoutNulls(parseJson(text))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { values: { ...value } }
  } catch (error) {
    return { unreadable: jsonProblem(error, shownField) }
  }
  return { unreadable: 'It is no JSON object.' }
}

/** Other systems write null for what they leave out. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const said = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(said.map(([name, one]) => [name, withoutNulls(one)]))
}
