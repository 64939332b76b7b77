/**
 * What a spreadsheet would compute, such as a name that begins with =. Some spreadsheets divide at semicolons or tabs,
 * by the language of the machine. The files of the API have the same rule.
 */
const computed = /(?:^|[;\t\r\n])[" ]*(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(computed, "$&'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A CSV file (RFC 4180) with these fields of the rows as its columns. */
export function csvOf(columns: readonly string[], rows: readonly object[]): Blob {
  const lines = rows.map((row) => columns.map((one) => (row as Record<string, unknown>)[one]))
  const text = [columns, ...lines].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('')
  return new Blob([text], { type: 'text/csv;charset=utf-8' })
}
