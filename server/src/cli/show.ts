import type { ApiObject } from './connection.ts'
import { headingOf } from './references.ts'
import { type Sheet, sheetOf, tableText } from './table.ts'
import { note, type Context } from './context.ts'

/** Answers as people read them, or with tabs between where programs do. */

/** A list: one line for each. */
export function printTable(context: Context, items: readonly ApiObject[], columns: readonly string[]): void {
  if (items.length === 0) return note(context, 'There are none.')
  const sheet = sheetOf(context, context.output)
  const rows = items.map((one) => columns.map((column) => cellOf(column, one[column], context, sheet)))
  const ids = columns.flatMap((column, at) => (/^(uuid|sid|id|kid|#)$/.test(column) ? [at] : []))
  context.output.write(`${tableText(columns.map(headingOf), rows, sheet, ids)}\n`)
}

/** One thing: a line for each of its fields, with all that it holds. */
export function printFields(context: Context, thing: ApiObject): void {
  const sheet = sheetOf(context, context.output)
  const rows = Object.entries(thing).map(([name, value]) => {
    const time = sheet.width === undefined ? undefined : timeOf(name, value)
    const text = time === undefined ? cellOf(name, value, context, sheet) : String(value)
    return [wordsOf(name), time === undefined ? text : `${text} (${relative(time, context.now())})`]
  })
  printLines(context, rows)
}

/** Lines of cells of which nothing is cut off, however long they are. */
export function printLines(context: Context, rows: readonly (readonly string[])[]): void {
  const sheet = sheetOf(context, context.output)
  const width = sheet.width === undefined ? undefined : Infinity
  context.output.write(`${tableText([], rows, { ...sheet, width })}\n`)
}

function cellOf(name: string, value: unknown, { now }: Context, { width }: Sheet): string {
  if (width === undefined) return textOf(value)
  const time = timeOf(name, value)
  return time === undefined ? textOf(value) || '–' : relative(time, now())
}

/** A moment, by what the field is called: a name may look like one as well. */
function timeOf(name: string, value: unknown): number | undefined {
  if (typeof value !== 'string' || !/(^|_)(at|time|from|until)$/.test(name)) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ')

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .filter(([, one]) => one !== null)
    .map(([name, one]) => `${wordsOf(name)} ${textOf(one)}`)
    .join(', ')
}

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

let words: Intl.RelativeTimeFormat | undefined

/** Such as `3 hours ago`, or `in 2 days`: in whole units that have passed, or are still to pass. */
function relative(time: number, now: number): string {
  const seconds = Math.trunc((time - now) / 1000)
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  words ??= new Intl.RelativeTimeFormat('en')
  return words.format(Math.trunc(seconds / size), unit)
}
