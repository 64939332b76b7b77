import type { After } from '../database/page.ts'
import { wrongField } from '../protocol/problem.ts'

/** A cursor as it travels, in a form that nobody is to read; null on the last page. */
export const cursorText = (next: After): string | null =>
  next === undefined ? null : Buffer.from(JSON.stringify(next)).toString('base64url')

/** The values of a cursor that was sent. Throws when it is none of ours; `count` is how many it has. */
export function cursorValues(cursor: string | undefined, count: number): string[] | undefined {
  if (cursor === undefined) return undefined
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(values) && values.length === count && values.every(isKey)) return values
  } catch {
    // Text that is no JSON is refused like any other wrong cursor.
  }
  throw wrongField('cursor', 'It is none; send next_cursor of the page before, with the same parameters.')
}

const isKey = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 1000 && !/\p{Cc}|\p{Cs}/u.test(value)
