/** The text of a file of people, as the service reads it: a row is from line to line. */
import type { RefusedRow } from './lines.ts'

/** A line that tells the delimiter, which Excel reads and does not show. */
const delimiter = /^"?sep=.+"?\s*$/i

/** What stands before the rows: the names of the columns, where it is CSV. */
function headOf(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  const start = lines[first] ?? ''
  if (
    start
      .replace(/^\uFEFF/, '')
      .trimStart()
      .startsWith('{')
  )
    return []
  const named = delimiter.test(start)
    ? lines.findIndex((line, at) => at > first && line.trim() !== '')
    : first
  return lines.slice(0, named + 1)
}

/** The refused rows as they stand in the file, below the same names of columns: to be mended and imported. */
export function refusedRows(text: string, refused: readonly RefusedRow[]): string {
  const lines = text.split('\n')
  const rows = new Map(refused.map(({ line, last_line }) => [line, last_line]))
  const cut = [...rows].flatMap(([line, last]) => lines.slice(line - 1, last))
  return [...headOf(lines), ...cut].map((line) => `${line}\n`).join('')
}
