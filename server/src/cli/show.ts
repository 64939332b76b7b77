import Table from 'cli-table3'
import type { Thing } from './connection.ts'

/** Answers as people read them. */

/** A list: one line for each. */
export function tableOf(items: readonly Thing[], columns: readonly string[]): string {
  if (items.length === 0) return 'There are none.'
  const table = new Table({ head: columns.map(wordOf), style: { head: [], border: [] } })
  for (const one of items) table.push(columns.map((column) => textOf(one[column])))
  return table.toString()
}

/** One thing: a line for each of its fields. */
export function describe(thing: Thing): string {
  const table = new Table({ style: { head: [], border: [], compact: true } })
  for (const [name, value] of Object.entries(thing)) table.push([wordOf(name), textOf(value)])
  return table.toString()
}

const wordOf = (name: string): string => name.replaceAll('_', ' ')

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(textOf).join('\n')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .filter(([, one]) => one !== null)
    .map(([name, one]) => `${wordOf(name)} ${textOf(one)}`)
    .join(', ')
}
