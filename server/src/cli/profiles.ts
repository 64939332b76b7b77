import type { Command } from 'commander'
import { isUuid } from '../protocol/values.ts'
import { type Connection, pagesOf, routeOf, type ApiObject } from './connection.ts'
import { nearest } from '../declared/problems.ts'
import { collecting } from './fields.ts'
import { placeFields, spelled } from './names.ts'
import { findOrganisation, findUnit, findUser } from './references.ts'
import { didYouMean, noSuch } from './suggestions.ts'

/** How people name a profile: `role@organisation/unit`, `role@organisation`, or `role` for the whole installation. */

/** The profile of this text, in the fields of the API. */
export async function profileOf(connection: Connection, text: string): Promise<ApiObject> {
  const [role = '', place] = text.split(/@(.*)/s)
  if (place === undefined) return { role_code: role }
  const [organisation = '', unit] = place.split(/\/(.*)/s)
  const uuid = await findOrganisation(connection, organisation)
  const at = { role_code: role, organisation_uuid: uuid }
  if (unit === undefined) return at
  return { ...at, organisation_unit_uuid: await findUnit(connection, unit, at) }
}

/** Offers the profiles that go with somebody new. */
export const withProfiles = (command: Command): Command =>
  command.option(
    '--profile <role[@organisation[/unit]]>',
    'what they may do, and where; without an organisation everywhere; repeat it for several',
    collecting(),
  )

/** The typed profiles as the body has them; nothing where there are none. */
export async function profilesOf(connection: Connection, texts: unknown): Promise<ApiObject> {
  const profiles: ApiObject[] = []
  for (const text of (texts ?? []) as string[]) profiles.push(await profileOf(connection, text))
  return profiles.length > 0 ? { profiles } : {}
}

/** The one of somebody's profiles that is meant. Throws `Refused`, not found. */
async function oneOf(
  connection: Connection,
  held: readonly ApiObject[],
  text: string,
  user: string,
): Promise<ApiObject> {
  const at = await profileOf(connection, text)
  const isIt = (one: ApiObject) =>
    ['role_code', ...placeFields].every((field) => (one[field] ?? null) === (at[field] ?? null))
  const it = held.find(isIt)
  if (it !== undefined) return it
  const near = nearest(text, await spelled(connection, held))
  throw noSuch(`${user} has no profile ${text}.`, didYouMean(text, near))
}

/** Finds a profile by its uuid, or by its text where the user is known. */
export async function findProfile(
  connection: Connection,
  text: string,
  { user }: { user?: string },
): Promise<string> {
  if (isUuid(text)) return text
  if (user === undefined) {
    throw new Error(
      `Whose profile ${text}? Add --user with an e-mail address, or give the uuid of the profile.`,
    )
  }
  const query = new URLSearchParams({ user_uuid: await findUser(connection, user) })
  const held: ApiObject[] = []
  for await (const items of pagesOf(connection, { route: routeOf('GET', '/profiles'), query }))
    held.push(...items)
  return String((await oneOf(connection, held, text, user)).uuid)
}

/** The profile that an explanation is about: the one that was typed, else the only one that can be used. */
export async function explainedProfile(
  connection: Connection,
  user: { uuid: string; typed: string },
  text: string | undefined,
): Promise<{ uuid: string; said: string }> {
  const route = routeOf('GET', '/users/:uuid/access')
  const { body } = await connection.ask({ route, params: { uuid: user.uuid } })
  const held = body.profiles as ApiObject[]
  const uuidOf = ({ profile_uuid: uuid }: ApiObject) => String(uuid)
  if (text !== undefined) return { uuid: uuidOf(await oneOf(connection, held, text, user.typed)), said: text }
  const usable = held.filter((one) => one.usable === true)
  const meant = usable.length === 0 ? held : usable
  const said = await spelled(connection, meant)
  const [only, ...more] = meant
  if (only !== undefined && more.length === 0) return { uuid: uuidOf(only), said: said.join() }
  if (only === undefined) throw new Error(`${user.typed} has no profile, and so no permission at all.`)
  const among = said.map((one) => `\n  --profile ${one}`).join('')
  throw new Error(`${user.typed} has ${said.length} profiles; say which:${among}`)
}
