import { wrongField } from '../protocol/problem.ts'
import type { SearchCursor } from './search.ts'

/** A cursor as it travels: where a page begins, in a form that nobody is to read. */
export function cursorText(values: readonly string[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** The values of a cursor that was sent. Throws when it is none of ours; `count` is how many it has. */
export function cursorValues(cursor: string | undefined, count: number): string[] | undefined {
  if (cursor === undefined) return undefined
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(values) && values.length === count && values.every(isKey)) return values
  } catch {
    // The same as another text that is no cursor.
  }
  throw wrongField('cursor', 'It is none; send next_cursor of the page before, with the same parameters.')
}

const isKey = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 1000 && !/\p{Cc}|\p{Cs}/u.test(value)

/** The cursor of a list that is searched; null on its last page. */
export function searchCursorText(next: SearchCursor | undefined): string | null {
  return next === undefined ? null : cursorText([next.by, next.first, next.name])
}

export function searchCursor(cursor: string | undefined): SearchCursor | undefined {
  const [by, first = '', name = ''] = cursorValues(cursor, 3) ?? []
  return by === undefined ? undefined : { by: by === 'name' || by === 'word' ? by : 'first', first, name }
}

/** The cursor of a list that is ordered by one key. */
export function keyCursorText(next: string | undefined): string | null {
  return next === undefined ? null : cursorText([next])
}

export function keyCursor(cursor: string | undefined): string | undefined {
  return cursorValues(cursor, 1)?.[0]
}

/** The cursor of a list that is ordered by two keys. */
export function pairCursorText(next: readonly [string, string] | undefined): string | null {
  return next === undefined ? null : cursorText(next)
}

export function pairCursor(cursor: string | undefined): string[] | undefined {
  return cursorValues(cursor, 2)
}
