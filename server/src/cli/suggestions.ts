import { nearest } from '../declared/problems.ts'
import { Problem, problemDocument } from '../protocol/problem.ts'
import { type Connection, pagesOf, routeOf } from './connection.ts'
import { Refused } from './refused.ts'

/** The list of some things, and the field there by which people know them. */
export interface SuggestionList {
  path: string
  by: string
}

export const listed = {
  users: { path: '/users', by: 'email' },
  organisations: { path: '/organisations', by: 'code' },
  units: { path: '/units', by: 'code' },
  roles: { path: '/roles', by: 'code' },
  services: { path: '/services', by: 'code' },
  permissions: { path: '/permissions', by: 'code' },
  clients: { path: '/clients', by: 'client_id' },
} as const satisfies Record<string, SuggestionList>

/** Lists longer than this many pages are asked again for what begins alike. */
const pages = 5

/** ` Did you mean importer?` when there is something of nearly that name, else nothing. */
export async function suggestion(
  connection: Connection,
  listed: SuggestionList,
  text: string,
  within: Record<string, string> = {},
): Promise<string> {
  try {
    const all = await namesOf(connection, listed, within)
    const more = all.whole
      ? []
      : (await namesOf(connection, listed, { ...within, q: text.slice(0, 2) })).names
    const known = [...all.names, ...more]
    return didYouMean(text, nearest(text, known) ?? nearest(text.toLowerCase(), known))
  } catch {
    // Somebody who may not list them learns that there is no such thing, and no more.
    return ''
  }
}

export const didYouMean = (text: string, near: string | undefined): string =>
  near === undefined || near === text ? '' : ` Did you mean ${near}?`

/** A refusal of what is not there, as the API would give it; what may have been meant is for people. */
export const noSuch = (said: string, suggested: string): Refused =>
  new Refused(problemDocument(new Problem('not_found', said)), {
    words: new Map([['', `${said}${suggested}`]]),
  })

async function namesOf(
  connection: Connection,
  { path, by }: SuggestionList,
  parameters: Record<string, string>,
): Promise<{ names: string[]; whole: boolean }> {
  const query = new URLSearchParams(parameters)
  const names: string[] = []
  let page = 0
  for await (const items of pagesOf(connection, { route: routeOf('GET', path), query })) {
    if (page++ === pages) return { names, whole: false }
    names.push(...items.map((one) => String(one[by])))
  }
  return { names, whole: true }
}
