import { problemDocument } from '../http/problems.ts'
import { Problem } from '../protocol/problem.ts'
import { emailKey, isUuid } from '../protocol/values.ts'
import { type Connection, routeOf, type Thing } from './connection.ts'
import { Refused } from './refused.ts'

/** How people name what the API refers to by an id, or calls otherwise. */
interface Reference {
  option: string
  argument: string
  /** The id; `beside` is what else is known, such as the organisation of a unit. */
  find?: (connection: Connection, text: string, beside: Thing) => Promise<string>
}

/** By the name of the field that holds the id. */
export const references: Readonly<Record<string, Reference>> = {
  user_uuid: { option: 'user', argument: 'e-mail|uuid', find: findUser },
  organisation_uuid: { option: 'organisation', argument: 'code|uuid', find: findOrganisation },
  organisation_unit_uuid: { option: 'unit', argument: 'code|uuid', find: findUnit },
  parent_uuid: { option: 'parent', argument: 'code|uuid', find: findUnit },
  // --url is where the service is.
  url: { option: 'address', argument: 'address' },
  profile_uuid: { option: 'profile', argument: 'uuid' },
  role_code: { option: 'role', argument: 'code' },
  service_code: { option: 'service', argument: 'code' },
  client_id: { option: 'client', argument: 'client_id' },
}

/** The values of fields with people's names for things made into ids. */
export async function withIds(connection: Connection, values: Thing, beside: Thing = {}): Promise<Thing> {
  let ids: Thing = values
  for (const [name, value] of Object.entries(values)) {
    const find = references[name]?.find
    if (find === undefined || typeof value !== 'string') continue
    ids = { ...ids, [name]: await find(connection, value, { ...beside, ...ids }) }
  }
  return ids
}

export async function findUser(connection: Connection, text: string): Promise<string> {
  if (isUuid(text)) return text
  const isThey = (one: Thing) => emailKey(String(one.email)) === emailKey(text)
  return await found(connection, '/users', { q: text.trim() }, isThey, `user ${text}`)
}

export async function findOrganisation(connection: Connection, text: string): Promise<string> {
  if (isUuid(text)) return text
  return await found(connection, '/organisations', { q: text }, hasCode(text), `organisation ${text}`)
}

/** By uuid, by `organisation/unit`, or by its code where the organisation is known. */
export async function findUnit(connection: Connection, text: string, beside: Thing = {}): Promise<string> {
  if (isUuid(text)) return text
  const [before = '', ...rest] = text.split('/')
  const known = typeof beside.organisation_uuid === 'string' ? beside.organisation_uuid : undefined
  const organisation = rest.length > 0 ? await findOrganisation(connection, before) : known
  if (organisation === undefined) {
    throw new Error(`Which organisation has the unit ${text}? Write organisation/${text}, or its uuid.`)
  }
  const code = rest.length > 0 ? rest.join('/') : before
  const query = { organisation_uuid: organisation, q: code }
  return await found(connection, '/units', query, hasCode(code), `unit ${text}`)
}

const hasCode = (code: string) => (one: Thing) => one.code === code

/** The uuid of the one thing in a search that it is. Throws `Refused`, not found. */
async function found(
  connection: Connection,
  path: string,
  parameters: Record<string, string>,
  isIt: (thing: Thing) => boolean,
  what: string,
): Promise<string> {
  const query = new URLSearchParams({ limit: '200', ...parameters })
  // An empty search would be refused in other words.
  while (parameters.q !== '') {
    const { body } = await connection.ask({ route: routeOf('GET', path), query })
    const { items, next_cursor: next } = body as { items: Thing[]; next_cursor: string | null }
    const it = items.find(isIt)
    if (it !== undefined) return String(it.uuid)
    if (next === null) break
    query.set('cursor', next)
  }
  throw new Refused(problemDocument(new Problem('not_found', `There is no ${what}.`)))
}
