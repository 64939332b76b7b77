/**
 * Reads CSV as RFC 4180 describes it: comma, optional double quotes, a quote inside quotes doubled, line ends
 * CRLF or LF. Small enough to stand here; the files are bounded before they come to it.
 */

/** Why a text is no CSV; the message may be shown to its sender. */
export class CsvError extends Error {}

/** A quoted field, or one without quotes; then what ends it. Sticky, so that nothing is skipped. */
const field = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y

/**
 * @returns the records with their fields; lines that are empty are left out.
 * @throws CsvError naming the line when a quote stands where none may.
 */
export function parseCsv(text: string): string[][] {
  const records: string[][] = []
  let record: string[] = []
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  field.lastIndex = 0
  while (field.lastIndex < source.length || record.length > 0) {
    const start = field.lastIndex
    const match = field.exec(source)
    if (match === null) throw new CsvError(`Line ${lineAt(source, start)}: a quote is missing or misplaced`)
    const [, quoted, plain = '', end] = match
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    if (record.length > 1 || record[0] !== '') records.push(record)
    record = []
  }
  return records
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}
