import stringWidth from 'fast-string-width'
import { plainWord } from './plain.ts'
import type { Output, Context } from './context.ts'

/** What a table is written for. */
export interface Sheet {
  /** How wide it may be; undefined: programs read it, and want tabs. */
  width: number | undefined
  coloured: boolean
}

const gap = '  '

/** A terminal that does not know its width has 80 columns, as the first ones had. */
export const sheetOf = ({ environment }: Pick<Context, 'environment'>, output: Output): Sheet => ({
  width: output.isTTY === true ? output.columns || 80 : undefined,
  // https://no-color.org: set, and not empty.
  coloured: output.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb',
})

/**
 * Lines of cells: under headings and as wide as the terminal, or bare and with tabs between, as programs read them.
 * `whole`: the columns that are of no use in part, as ids are.
 */
export function tableText(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  sheet: Sheet,
  whole: readonly number[] = [],
): string {
  const cells = rows.map((row) => row.map(plainWord))
  if (sheet.width === undefined) return cells.map((row) => row.join('\t')).join('\n')
  const all = head.length === 0 ? cells : [head, ...cells]
  const widths = fitted(widthsOf(all), sheet.width, whole)
  const [first = '', ...rest] = all.map((row) => lineOf(row, widths))
  return [head.length === 0 ? first : inColour(first, 'bold', sheet), ...rest].join('\n')
}

const colours = { bold: 1, red: 31, green: 32 }

export const inColour = (text: string, colour: keyof typeof colours, { coloured }: Sheet): string =>
  coloured ? `\u001B[${colours[colour]}m${text}\u001B[0m` : text

const widthsOf = (rows: readonly (readonly string[])[]): number[] =>
  (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, stringWidth(row[column] ?? '')), 0),
  )

/** The widest columns give way until all of them fit; those that are whole give way last. */
function fitted(widths: readonly number[], width: number, whole: readonly number[]): number[] {
  const room = width - gap.length * (widths.length - 1)
  const cutTo = (most: number) =>
    widths.map((one, column) => (whole.includes(column) ? one : Math.min(one, most)))
  for (let most = Math.max(1, ...widths); most > 0; most--) {
    const cut = cutTo(most)
    if (cut.reduce((sum, one) => sum + one, 0) <= room) return cut
  }
  return whole.length > 0 ? fitted(widths, width, []) : cutTo(1)
}

const lineOf = (row: readonly string[], widths: readonly number[]): string =>
  row
    .map((cell, column) => {
      const width = widths[column] ?? 0
      const text = shortened(cell, width)
      return text + ' '.repeat(width - stringWidth(text))
    })
    .join(gap)
    .trimEnd()

let characters: Intl.Segmenter | undefined

/** Cut between characters as people see them. */
function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  characters ??= new Intl.Segmenter()
  let short = ''
  for (const { segment } of characters.segment(text)) {
    if (stringWidth(short + segment) >= width) break
    short += segment
  }
  return `${short}…`
}
