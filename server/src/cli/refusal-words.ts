import type { ApiCall, Connection, ApiObject } from './connection.ts'
import { references } from './references.ts'
import type { Refused } from './refused.ts'
import { suggestion } from './suggestions.ts'

/**
 * What people read instead of the refusal of something that is not there: what was asked for, and what may have been
 * meant. By the field that it is about; the path has the empty one.
 */
export async function betterWords(
  connection: Connection,
  asking: ApiCall,
  { problem }: Refused,
): Promise<Map<string, string>> {
  const words = new Map<string, string>()
  const about = problem.status === 404 ? [{ field: '', detail: problem.detail }] : (problem.errors ?? [])
  for (const { field, detail } of about) {
    const [, noun = '', named] = /\bno (?:such )?([a-z]+)(?: (\S+))?[.:]/.exec(detail) ?? []
    const meant = nouns[noun]
    const listed = references[meant ?? '']?.listed
    const text = named ?? textAt(asking, field || (meant ?? ''))
    if (listed === undefined || text === undefined) continue
    // What somebody may not give: it is not told whether it is there.
    const said = detail.startsWith('There is no ') ? `There is no ${noun} ${text}.` : detail
    words.set(field, `${said}${await suggestion(connection, listed, text)}`)
  }
  return words
}

/** The fields that hold their codes. A mistyped address must not tell those of others. */
const nouns: Readonly<Record<string, string>> = {
  role: 'role_code',
  service: 'service_code',
  permission: 'permission',
  client: 'client_id',
}

/** What was sent there: in the body, in the query or in the path, which says `code` of everything. */
function textAt({ body, query, params }: ApiCall, field: string): string | undefined {
  let at: unknown = body
  for (const part of field.split('.'))
    at = typeof at === 'object' && at !== null ? (at as ApiObject)[part] : undefined
  const found = at ?? query?.get(field) ?? params?.[field] ?? params?.code
  return typeof found === 'string' ? found : undefined
}
