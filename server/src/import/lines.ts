import { TextDecoder } from 'node:util'
import { Problem } from '../protocol/problem.ts'

/** A line of a file. */
export interface TextLine {
  number: number
  /** Its very bytes, as latin1 text, with its end. */
  raw: string
}

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

/** The line on which a row ends. */
export const lastLineOf = ({ line, raw }: SourceRow): number =>
  line + raw.split('\n').length - (raw.endsWith('\n') ? 2 : 1)

/** A row can have this much. */
export const longest = 65_536

/** The refusal of a file that can't be read at all. */
export const wrongFile = (detail: string): Problem =>
  new Problem('invalid_request', detail, { fields: [{ field: 'text', detail }] })

/** The lines of a file, whose bytes go through as latin1. What is UTF-16 by its mark becomes UTF-8 first. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<TextLine, undefined> {
  let rest = ''
  let number = 0
  for await (const text of latin1(chunks)) {
    const all = rest + text
    let at = 0
    for (let end = all.indexOf('\n'); end >= 0; end = all.indexOf('\n', at)) {
      yield { number: ++number, raw: all.slice(at, end + 1) }
      at = end + 1
    }
    rest = all.slice(at)
    if (rest.length > 16 * longest)
      throw wrongFile(`Line ${number + 1} is longer than any row: is this a file of rows?`)
  }
  if (rest !== '') yield { number: ++number, raw: rest }
}

/** The marks that spreadsheets begin a file with. */
const marks = { utf8: '\xEF\xBB\xBF', utf16le: '\xFF\xFE', utf16be: '\xFE\xFF' } as const

async function* latin1(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begin = Buffer.alloc(0)
  let decoder: TextDecoder | 'none' | undefined
  const decoded = (bytes: Buffer, stream: boolean) =>
    decoder instanceof TextDecoder
      ? Buffer.from(decoder.decode(bytes, { stream })).toString('latin1')
      : bytes.toString('latin1')
  for await (const chunk of chunks) {
    if (decoder !== undefined) {
      yield decoded(chunk, true)
      continue
    }
    begin = Buffer.concat([begin, chunk])
    if (begin.length < 3) continue
    decoder = decoderOf(begin)
    const first = decoded(begin, true)
    yield first.startsWith(marks.utf8) ? first.slice(3) : first
  }
  if (decoder === undefined) yield begin.toString('latin1')
  else yield decoded(Buffer.alloc(0), false)
}

function decoderOf(begin: Buffer): TextDecoder | 'none' {
  const start = begin.toString('latin1', 0, 2)
  if (start === marks.utf16le) return new TextDecoder('utf-16le')
  return start === marks.utf16be ? new TextDecoder('utf-16be') : 'none'
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of these bytes. Undefined: they are no UTF-8. */
export function textOf(raw: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(raw, 'latin1'))
  } catch {
    return undefined
  }
}

export const notUtf8 =
  'It is not UTF-8, and perhaps Windows-1252: save the file as "CSV UTF-8", or convert it by iconv -f WINDOWS-1252 -t UTF-8.'
