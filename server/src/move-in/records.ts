import { TextDecoder } from 'node:util'
import { csvRows, headOf, namedDelimiter } from '../import/csv.ts'
import { linesOf, notUtf8, type ParsedRow, textOf, type TextLine } from '../import/lines.ts'
import { jsonProblem, parseJson } from '../protocol/json.ts'
import { jsonParts } from './json-parts.ts'
import { type ExportFile, lost, type Remark } from './told.ts'
import { readOf, UnreadableExport } from './unreadable.ts'

/** An entry of an export: of a list of JSON, a line of JSON, a row of CSV, or a document that is one entry. */
export interface ExportRecord {
  is: 'record'
  /** The key of its list; '' where it has none. */
  list: string
  /** The name of its file. */
  file: string
  /** Where it stands, such as `users.json, entry 4`. */
  at: string
  values: Readonly<Record<string, unknown>>
}

export interface RecordShape {
  /** The keys of lists. A document with another one is an entry itself. */
  lists: readonly string[]
  /** The columns of CSV that has no first line with their names. */
  columns?: readonly string[]
}

/** Bytes of a document that is one entry: more is none. */
const largestEntry = 16 * 1_048_576

/** The entries of a file, one by one, and what can't be read of it. Throws, with its name, where it is no such file. */
export const recordsOf = (file: ExportFile, shape: RecordShape): AsyncGenerator<ExportRecord | Remark> =>
  readOf(file, entriesOf(file, shape))

async function* entriesOf(file: ExportFile, shape: RecordShape): AsyncGenerator<ExportRecord | Remark> {
  const form = formOf(await beginOf(file), shape)
  if (form === 'document') yield* documentRecords(file, shape)
  else if (form === 'lines') yield* lineRecords(file)
  else yield* csvRecords(file, shape)
}

/** The first characters of a file, in which its form is seen. */
export async function beginOf({ bytes }: ExportFile): Promise<string> {
  let begin = Buffer.alloc(0)
  for await (const chunk of utf8Of(bytes())) {
    begin = Buffer.concat([begin, chunk])
    if (begin.length >= 65_536) break
  }
  if (begin[0] === 0x1f && begin[1] === 0x8b)
    throw new UnreadableExport('It is compressed: write it out by gunzip first.')
  if (begin.toString('latin1', 0, 4) === 'PK\u0003\u0004')
    throw new UnreadableExport('It is compressed: write it out by unzip first.')
  const text = begin.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') throw new UnreadableExport('It is empty.')
  return text
}

/** UTF-16, as PowerShell writes it, as UTF-8. */
async function* utf8Of(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | 'none' | undefined
  for await (const chunk of chunks) {
    if (decoder === undefined) {
      const mark = chunk.toString('latin1', 0, 2)
      decoder =
        mark === '\xFF\xFE'
          ? new TextDecoder('utf-16le')
          : mark === '\xFE\xFF'
            ? new TextDecoder('utf-16be')
            : 'none'
    }
    yield decoder === 'none' ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }))
  }
}

function formOf(begin: string, { lists }: RecordShape): 'document' | 'lines' | 'csv' {
  const text = begin.trimStart()
  if (/^(dn|version)::? ?\S/i.test(text))
    throw new UnreadableExport('It looks like LDIF: name the source ldif.')
  if (text.startsWith('[')) return 'document'
  if (!text.startsWith('{')) return 'csv'
  const [line = ''] = text.split('\n', 1)
  const values = valuesOf(line)
  if ('unreadable' in values) return /^\{[^\n]*\}[^\S\n]*\n\s*\{/.test(text) ? 'lines' : 'document'
  return lists.some((one) => Object.hasOwn(values.values, one)) ? 'document' : 'lines'
}

function valuesOf(text: string | undefined): ParsedRow {
  if (text === undefined) return { unreadable: notUtf8 }
  try {
    const value = parseJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { values: { ...value } }
  } catch (error) {
    // The name that is there twice may be anything: it is not repeated.
    return { unreadable: jsonProblem(error, () => '…') }
  }
  return { unreadable: 'It is no JSON object.' }
}

async function* documentRecords(
  file: ExportFile,
  { lists }: RecordShape,
): AsyncGenerator<ExportRecord | Remark> {
  let count = 0
  let size = 0
  const own: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  const ownLists: Record<string, unknown[]> = Object.create(null) as Record<string, unknown[]>
  let hasLists = false
  for await (const { key, listed, text } of jsonParts(utf8Of(file.bytes()))) {
    if (key === '' || lists.includes(key)) {
      hasLists = true
      if (listed) yield recordOf(file, `entry ${++count}`, key, valuesOf(text))
      continue
    }
    size += text.length
    if (size > largestEntry) throw new UnreadableExport('It is one entry of more than 16 MiB.')
    const value = partOf(text)
    if (listed) (own[key] = ownLists[key] ??= []).push(value)
    else own[key] = value
  }
  if (!hasLists && Object.keys(own).length > 0)
    yield recordOf(file, 'the document', '', { values: { ...own } })
}

function partOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw new UnreadableExport(jsonProblem(error, () => '…'))
  }
}

async function* lineRecords(file: ExportFile): AsyncGenerator<ExportRecord | Remark> {
  for await (const { number, raw } of linesOf(file.bytes()))
    if (raw.trim() !== '') yield recordOf(file, `line ${number}`, '', valuesOf(textOf(raw)))
}

async function* csvRecords(
  file: ExportFile,
  { columns }: RecordShape,
): AsyncGenerator<ExportRecord | Remark> {
  const lines = linesOf(file.bytes())
  const { value: first } = await lines.next()
  if (first === undefined) return
  const named = namedDelimiter(first)
  const line = named === undefined ? first : (await lines.next()).value
  if (line === undefined) return
  const isHeadless = columns !== undefined && !line.raw.includes(columns[0] ?? '')
  // Earlier versions wrote fewer.
  const fields = line.raw.replaceAll(/"[^"]*"/g, '').split(',').length
  const head = isHeadless
    ? { delimiter: ',' as const, columns: columns.slice(0, fields), raw: '' }
    : headOf(line, named)
  const rows = csvRows(isHeadless ? startingWith(line, lines) : lines, head)
  for await (const { line: number, read } of rows) yield recordOf(file, `line ${number}`, '', read)
}

async function* startingWith(
  first: TextLine,
  rest: AsyncGenerator<TextLine, undefined>,
): AsyncGenerator<TextLine, undefined> {
  yield first
  yield* rest
  return undefined
}

function recordOf(
  { name: file }: ExportFile,
  place: string,
  list: string,
  read: ParsedRow,
): ExportRecord | Remark {
  const at = `${file}, ${place}`
  return 'unreadable' in read
    ? lost(`An entry can not be read, and is left out. ${read.unreadable}`, at)
    : { is: 'record', list, file, at, values: read.values }
}
