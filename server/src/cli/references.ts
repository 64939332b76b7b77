import { emailKey } from '../protocol/email-address.ts'
import { isUuid } from '../protocol/values.ts'
import { type Connection, pagesOf, routeOf, type ApiObject } from './connection.ts'
import { listed, type SuggestionList, noSuch, suggestion } from './suggestions.ts'

/** How people name what the API refers to by an id, or calls otherwise. */
interface Reference {
  option: string
  argument: string
  /** The id; `beside` is what else is known, such as the organisation of a unit. */
  find?: (connection: Connection, text: string, beside: ApiObject) => Promise<string>
  listed?: SuggestionList
}

const service = { option: 'service', argument: 'code', listed: listed.services }
const permission = { option: 'permission', argument: 'code', listed: listed.permissions }

/** References by the name of the field that holds the id. */
export const references: Readonly<Record<string, Reference>> = {
  user_uuid: { option: 'user', argument: 'e-mail|uuid', find: findUser, listed: listed.users },
  organisation_uuid: {
    option: 'organisation',
    argument: 'code|uuid',
    find: findOrganisation,
    listed: listed.organisations,
  },
  // The API takes a code or a uuid here.
  organisation: { option: 'organisation', argument: 'code|uuid', listed: listed.organisations },
  organisation_unit_uuid: { option: 'unit', argument: 'code|uuid', find: findUnit, listed: listed.units },
  parent_uuid: { option: 'parent', argument: 'code|uuid', find: findUnit, listed: listed.units },
  // --url is where the service is.
  url: { option: 'address', argument: 'address' },
  profile_uuid: { option: 'profile', argument: 'role[@organisation[/unit]]|uuid' },
  role_code: { option: 'role', argument: 'code', listed: listed.roles },
  service_code: service,
  services: service,
  permission,
  permissions: permission,
  client_id: { option: 'client', argument: 'client_id', listed: listed.clients },
}

/** What people call a field. */
export const headingOf = (name: string): string =>
  (/_(uuid|code|id)$/.test(name) ? references[name]?.option : undefined) ?? name.replaceAll('_', ' ')

/** The values of fields with people's names for things made into ids. */
export async function withIds(
  connection: Connection,
  values: ApiObject,
  beside: ApiObject = {},
): Promise<ApiObject> {
  let ids: ApiObject = values
  for (const [name, value] of Object.entries(values)) {
    const find = references[name]?.find
    if (find === undefined || typeof value !== 'string') continue
    ids = { ...ids, [name]: await find(connection, value, { ...beside, ...ids }) }
  }
  return ids
}

export async function findUser(connection: Connection, text: string): Promise<string> {
  if (isUuid(text)) return text
  const isThey = (one: ApiObject) => emailKey(String(one.email)) === emailKey(text)
  const uuid = await found(connection, listed.users, { q: text.trim() }, isThey)
  if (uuid !== undefined) return uuid
  // A mistyped address must not tell those of others.
  throw noSuch(`There is no user ${text}.`, '')
}

export async function findOrganisation(connection: Connection, text: string): Promise<string> {
  if (isUuid(text)) return text
  return await foundByCode(connection, { what: 'organisation', ...listed.organisations }, text)
}

/** Finds a unit by uuid, by `organisation/unit`, or by its code where the organisation is known. */
export async function findUnit(
  connection: Connection,
  text: string,
  beside: ApiObject = {},
): Promise<string> {
  if (isUuid(text)) return text
  const [before = '', ...rest] = text.split('/')
  const { organisation_uuid: uuid, organisation: named } = beside
  const known = [uuid, named].find((one): one is string => typeof one === 'string')
  const place = rest.length > 0 ? before : known
  if (place === undefined) {
    throw new Error(`Which organisation has the unit ${text}? Write organisation/${text}, or its uuid.`)
  }
  const code = rest.length > 0 ? rest.join('/') : before
  const within = { organisation_uuid: await findOrganisation(connection, place) }
  return await foundByCode(connection, { what: 'unit', ...listed.units }, code, within)
}

/** Throws `Refused`, not found, which says what may have been meant. */
async function foundByCode(
  connection: Connection,
  { what, ...listed }: SuggestionList & { what: string },
  code: string,
  within: Record<string, string> = {},
): Promise<string> {
  const uuid = await found(connection, listed, { ...within, q: code }, (one) => one.code === code)
  if (uuid !== undefined) return uuid
  throw noSuch(`There is no ${what} ${code}.`, await suggestion(connection, listed, code, within))
}

/** The uuid of the one thing in a search that it is. */
async function found(
  connection: Connection,
  { path }: SuggestionList,
  parameters: Record<string, string>,
  isIt: (thing: ApiObject) => boolean,
): Promise<string | undefined> {
  // An empty search would be refused in other words.
  if (parameters.q === '') return undefined
  const query = new URLSearchParams(parameters)
  for await (const items of pagesOf(connection, { route: routeOf('GET', path), query })) {
    const it = items.find(isIt)
    if (it !== undefined) return String(it.uuid)
  }
  return undefined
}
