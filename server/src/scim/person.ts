/**
 * What a resource does to the person whom it is tied to. Everything that touches people and profiles is a verb of
 * `upstream/`; this file alone calls them.
 */
import { sql } from 'kysely'
import type { AuditEvent } from '../audit/record.ts'
import { chunksOf } from '../database/chunks.ts'
import { domainOf, emailKey, emailProblem } from '../protocol/email-address.ts'
import { isTaken } from '../store/addresses.ts'
import { holdPerson } from '../store/write/own.ts'
import { write } from '../store/write/write.ts'
import { makePerson } from '../upstream/accounts.ts'
import { type ToldFields, writeFields } from '../upstream/fields.ts'
import { settleMapped, type ToldPerson } from '../upstream/mapped.ts'
import { domainsOf, ownedAmong } from '../upstream/owned.ts'
import { breakGlassOf } from '../store/break-glass.ts'
import { restore, suspend } from '../upstream/suspended.ts'
import type { ScimDirectory, Transacting } from './directory.ts'
import { type ResourceRow, valuesOf } from './rows.ts'
import { isList, isValues, type Values } from './values.ts'

const text = (values: Values | undefined, name: string): string | undefined => {
  const value = values?.[name]
  return typeof value === 'string' ? value : undefined
}

/** The address that is the person's: the primary one, else the one for work, else the first, else the userName. */
export function addressOf(values: Values): string | undefined {
  const emails = isList(values.emails) ? values.emails : []
  const chosen =
    emails.find((one) => one.primary === true) ??
    emails.find((one) => text(one, 'type')?.toLowerCase() === 'work') ??
    emails[0]
  const address = (text(chosen, 'value') ?? text(values, 'userName'))?.trim()
  return address === undefined || emailProblem(address) !== undefined ? undefined : address
}

function fieldsOf(values: Values): ToldFields {
  const name = isValues(values.name) ? values.name : undefined
  const [given_name, family_name] = [text(name, 'givenName'), text(name, 'familyName')]
  const parts = [given_name, family_name].filter((one) => one !== undefined).join(' ')
  const told = {
    email: addressOf(values),
    name: text(values, 'displayName') ?? text(name, 'formatted') ?? parts,
    given_name,
    family_name,
    preferred_username: text(values, 'userName'),
    locale: text(values, 'locale') ?? text(values, 'preferredLanguage'),
    zoneinfo: text(values, 'timezone'),
  }
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined))
}

const suspending = ({ kind, uuid, organisation_uuid }: ScimDirectory) => ({
  kind,
  source_uuid: uuid,
  organisation_uuid,
})

/** What became of the person of a resource. `user_uuid` null: it waits until its person comes. */
export interface Tied {
  user_uuid: string | null
  events?: AuditEvent[]
  /** The account was made for it. */
  isNew?: boolean
}

/**
 * Ties a resource to its person: within the domains of the organisation to the account that it owns, or to a new one.
 * Every other resource waits, and so does that of a person who has or had another one in this directory, or who gets in
 * when upstreams fail.
 */
export async function tiedPerson(
  trx: Transacting,
  directory: ScimDirectory,
  row: ResourceRow,
): Promise<Tied> {
  const values = valuesOf(row)
  const waits: Tied = { user_uuid: null }
  const email = addressOf(values)
  const domains = await domainsOf(trx, directory.organisation_uuid)
  if (email === undefined || !domains.has(domainOf(email) ?? '')) return waits
  if (await isTaken(trx, email, { now: directory.now })) {
    const account = await trx
      .selectFrom('users')
      .select('uuid')
      .where('email_key', '=', emailKey(email))
      .executeTakeFirst()
    if (account === undefined || !(await mayBeTied(trx, directory, account.uuid))) return waits
    return { user_uuid: account.uuid, events: [eventOf(directory, 'link.created', row, account.uuid)] }
  }
  if (row.active === 0) return waits
  const user_uuid = await makePerson(
    trx,
    { email, fields: fieldsOf(values), source: directory },
    directory.now,
  )
  return { user_uuid, events: [eventOf(directory, 'person.provisioned', row, user_uuid)], isNew: true }
}

async function mayBeTied(trx: Transacting, directory: ScimDirectory, user_uuid: string): Promise<boolean> {
  const { uuid, organisation_uuid } = directory
  const owned = await ownedAmong(trx, organisation_uuid, [user_uuid])
  if (!owned.has(user_uuid) || (await breakGlassOf(trx, organisation_uuid)).has(user_uuid)) return false
  const another = await trx
    .selectFrom('scim_resources')
    .select('id')
    .where('user_uuid', '=', user_uuid)
    .where('directory_uuid', '=', uuid)
    .executeTakeFirst()
  const suspended = await trx
    .selectFrom('suspensions')
    .select('user_uuid')
    .where('user_uuid', '=', user_uuid)
    .where('source_uuid', '=', uuid)
    .executeTakeFirst()
  return another === undefined && suspended === undefined
}

const eventOf = (
  { uuid, organisation_uuid, now }: ScimDirectory,
  kind: 'link.created' | 'person.provisioned',
  { id }: ResourceRow,
  user_uuid: string,
): AuditEvent => ({
  at: now,
  kind,
  actor: { kind: 'directory', id: uuid },
  target: { kind: 'user', id: user_uuid },
  user_uuid,
  organisation_uuid,
  detail: { resource: id },
})

/** What a resource says counts for its person from now on: the fields, the groups, and whether they are there. */
export async function settlePerson(
  trx: Transacting,
  directory: ScimDirectory,
  row: ResourceRow,
): Promise<AuditEvent[]> {
  const { user_uuid } = row
  const { now } = directory
  if (user_uuid === null) return []
  await holdPerson(trx, user_uuid)
  if (row.active === 0 || row.deleted_at !== null) {
    // First, while the profiles still say whose the account is.
    const away = await suspend(trx, suspending(directory), [user_uuid], now)
    return [...away, ...(await settleGroups(trx, directory, [row]))]
  }
  return [
    ...(await restore(trx, suspending(directory), [user_uuid], now)),
    ...(await writeFields(trx, user_uuid, fieldsOf(valuesOf(row)), directory, now)),
    ...(await settleGroups(trx, directory, [row])),
  ]
}

/** `settlePerson` of an account just made: it has its fields, and a new resource is in no group. */
export const settleNew = async (
  trx: Transacting,
  directory: ScimDirectory,
  row: ResourceRow,
): Promise<AuditEvent[]> => (row.version === 1 ? [] : await settleGroups(trx, directory, [row]))

/**
 * Takes from an account that this directory disabled all by which one could sign in to it: who comes back begins anew.
 * The caller asks it before `settlePerson`, which enables it.
 */
export async function beginAnew(
  trx: Transacting,
  { uuid, organisation_uuid, now }: ScimDirectory,
  user_uuid: string,
): Promise<void> {
  const before = await holdPerson(trx, user_uuid)
  if (before?.disabled_by !== uuid || (await isElsewhere(trx, organisation_uuid, user_uuid))) return
  const set = { password_hash: null, password_temporary: 0, updated_at: now } as const
  const how = { now, versions: 'overwritten', by: 'others', ends: 'each' } as const
  const adopted = { users: [user_uuid], clients: [] }
  await write(trx, { users: { update: [{ before, set }] } }, { ...how, adopted })
}

/** Whether somebody holds anything beyond the organisation: then their account is not its to begin anew. */
async function isElsewhere(trx: Transacting, organisation_uuid: string, user_uuid: string): Promise<boolean> {
  const places = await trx
    .selectFrom('profiles')
    .select('organisation_uuid')
    .where('user_uuid', '=', user_uuid)
    .execute()
  return places.some((one) => one.organisation_uuid !== organisation_uuid)
}

type Member = Pick<ResourceRow, 'id' | 'user_uuid' | 'active' | 'deleted_at'>

/** Gives the people of these resources what the mapping says of their groups; to who is away, nothing. */
export async function settleGroups(
  trx: Transacting,
  directory: ScimDirectory,
  members: readonly Member[],
): Promise<AuditEvent[]> {
  if (directory.mapping.length === 0) return []
  const held = await groupsOf(
    trx,
    directory,
    members.map(({ id }) => id),
  )
  const told = members.flatMap(({ id, user_uuid, active, deleted_at }): ToldPerson[] => {
    const counts = active === 1 && deleted_at === null
    const groups = counts ? (held.get(id) ?? new Set<string>()) : new Set<string>()
    return user_uuid === null ? [] : [{ user_uuid, groups, claims: new Map() }]
  })
  return await settleMapped(trx, directory, told, directory.now)
}

/** The ids and externalIds of those groups of these resources that the mapping names. */
async function groupsOf(
  trx: Transacting,
  { uuid, mapping }: ScimDirectory,
  ids: readonly string[],
): Promise<Map<string, Set<string>>> {
  const names = [...new Set(mapping.flatMap(({ group }) => group ?? []))]
  const held = new Map<string, Set<string>>()
  if (names.length === 0) return held
  const named = await trx
    .selectFrom('scim_resources')
    .select(['id', 'external_id'])
    .where('directory_uuid', '=', uuid)
    .where('kind', '=', 'Group')
    .where((where) => where.or([where('id', 'in', names), where('external_id', 'in', names)]))
    .execute()
  if (named.length === 0) return held
  const byId = new Map(named.map(({ id, external_id }) => [id, [id, external_id ?? id]]))
  for (const some of chunksOf(ids)) {
    const rows = await trx
      .selectFrom('scim_members')
      .selectAll()
      .where('user_id', 'in', some)
      // An expression, so that the index of people finds them: each person would be looked for in each group.
      .where(sql<string>`group_id || ''`, 'in', [...byId.keys()])
      .execute()
    for (const { user_id, group_id } of rows) {
      const groups = held.get(user_id) ?? new Set()
      for (const name of byId.get(group_id) ?? []) groups.add(name)
      held.set(user_id, groups)
    }
  }
  return held
}

/** Whether the mapping names a group. */
export const isMapped = ({ mapping }: ScimDirectory, { id, external_id }: ResourceRow): boolean =>
  mapping.some(({ group }) => group !== undefined && (group === id || group === external_id))
