/** Lists as files: all that is found, page after page, as CSV or with a JSON object in each line. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as z from 'zod'
import type { Page } from '../database/page.ts'
import { Problem } from '../protocol/problem.ts'
import type { RouteResponse, RouteRequest } from './route.ts'

export const fileTypes = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl' } as const

export const format = z
  .enum(['csv', 'jsonl'])
  .optional()
  .describe('All that is found, as a file: `limit` and `include` do not count.')

/** What a file of a list has. */
export interface File<R> {
  /** The columns of CSV; `actor.id` is the `id` in `actor`. */
  columns: readonly string[]
  itemOf(row: R): object
}

/** The file that begins with this page. */
export function fileAnswer<R>(
  { columns, itemOf }: File<R>,
  as: keyof typeof fileTypes,
  name: string,
  pages: AsyncIterable<readonly R[]>,
): RouteResponse {
  const lineOf = (row: R) =>
    as === 'csv'
      ? csvLine(columns.map((one) => valueAt(itemOf(row), one)))
      : `${JSON.stringify(itemOf(row))}\n`
  const text = async function* () {
    if (as === 'csv') yield csvLine(columns)
    for await (const rows of pages) if (rows.length > 0) yield rows.map(lineOf).join('')
  }
  return { status: 200, stream: { type: fileTypes[as], name: `${name}.${as}`, text: text() } }
}

/** A page and those after it, while the token counts: a file that only ended then would seem whole. */
export async function* pagesFrom<R>(
  first: Page<R>,
  next: (after: readonly string[]) => Promise<Page<R>>,
  { closed, stillCounts }: Pick<RouteRequest, 'closed' | 'stillCounts'>,
): AsyncGenerator<readonly R[]> {
  for (let page = first; ; page = await next(page.next)) {
    yield page.rows
    if (page.next === undefined || closed.aborted) return
    // An embedded database answers at once, and others would wait for the whole file.
    await nextTurn()
    if (!(await stillCounts()))
      throw new Problem('invalid_token', 'The access token does not count any more.')
  }
}

const csvLine = (values: readonly unknown[]): string => `${values.map(cellOf).join(',')}\r\n`

/**
 * What a spreadsheet would compute, such as a name that begins with =. Some spreadsheets divide at semicolons or tabs,
 * by the language of the machine.
 */
const computed = /(?:^|[;\t\r\n])[" ]*(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** A cell as RFC 4180 has it. Text that a spreadsheet would compute gets an apostrophe before it. */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(computed, "$&'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const valueAt = (item: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], item)
