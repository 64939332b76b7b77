import { isUuid } from '../protocol/values.ts'
import { type Connection, routeOf, type ApiObject } from './connection.ts'
import { references } from './references.ts'
import type { SuggestionList } from './suggestions.ts'

/** The most values that lists of the API take. */
const most = 100

/**
 * Puts codes and addresses in the place of the uuids in these fields. Asks for a hundred of a kind at a time. What the
 * caller may not see stays a uuid.
 */
export async function withNames(
  connection: Connection,
  things: readonly ApiObject[],
  fields: readonly string[],
): Promise<ApiObject[]> {
  const asked = new Map<string, { listed: SuggestionList; uuids: Set<string> }>()
  const held = fields.filter((field) => field.endsWith('_uuid'))
  for (const field of held) {
    const listed = references[field]?.listed
    const uuids = things.map((one) => one[field]).filter(isUuidText)
    if (listed === undefined || uuids.length === 0) continue
    const before = asked.get(listed.path)?.uuids ?? []
    asked.set(listed.path, { listed, uuids: new Set([...before, ...uuids]) })
  }
  const names = new Map<string, string>()
  for (const { listed, uuids } of asked.values()) await look(connection, listed, [...uuids], names)
  const named = (value: unknown) => (isUuidText(value) && names.get(value)) || value
  return things.map((one) => ({
    ...one,
    ...Object.fromEntries(held.map((field) => [field, named(one[field])])),
  }))
}

const isUuidText = (value: unknown): value is string => typeof value === 'string' && isUuid(value)

async function look(
  connection: Connection,
  { path, by }: SuggestionList,
  uuids: readonly string[],
  names: Map<string, string>,
): Promise<void> {
  for (let at = 0; at < uuids.length; at += most) {
    const some = uuids.slice(at, at + most)
    const query = new URLSearchParams({ uuid: some.join(), limit: String(most) })
    try {
      const { body } = await connection.ask({ route: routeOf('GET', path), query })
      for (const one of body.items as ApiObject[]) names.set(String(one.uuid), String(one[by]))
    } catch {
      // What was asked for or done is told without the names.
      return
    }
  }
}

export const placeFields = ['organisation_uuid', 'organisation_unit_uuid']

/** Writes profiles as people do, in the same order: `role@organisation/unit`. */
export async function spelled(connection: Connection, held: readonly ApiObject[]): Promise<string[]> {
  const named = await withNames(connection, held, placeFields)
  return named.map((one) => {
    const [role, organisation, unit] = ['role_code', ...placeFields].map((field) => one[field] ?? '')
    return [role, organisation && `@${String(organisation)}`, unit && `/${String(unit)}`].join('')
  })
}

/** One thing as people read it: before each uuid stands the code or address that it means. */
export async function asShown(
  connection: Connection,
  thing: ApiObject,
  { json }: { json?: boolean },
): Promise<ApiObject> {
  if (json === true) return thing
  const fields = Object.keys(thing)
  const [named = thing] = await withNames(connection, [thing], fields)
  // A new user is shown with them.
  const profiles = Array.isArray(thing.profiles)
    ? await spelled(connection, thing.profiles as ApiObject[])
    : []
  return Object.fromEntries(
    fields.flatMap((field) => {
      const own: [string, unknown] = [field, field === 'profiles' ? profiles : thing[field]]
      const option = references[field]?.option
      return named[field] === thing[field] || option === undefined ? [own] : [[option, named[field]], own]
    }),
  )
}
