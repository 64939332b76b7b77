/** What somebody could do at a moment of the past, as the audit tells it. */
import type { Kysely } from 'kysely'
import type { HeldByRow } from '../access/holders.ts'
import { keyOf, type PastRecord, takenBack, type Things, Untold, type ThingValues } from '../access/moment.ts'
import type { Reach } from '../access/reach.ts'
import { shownOf } from '../catalogue/columns.ts'
import { organisation } from '../catalogue/organisation.ts'
import { profile } from '../catalogue/profile.ts'
import { unit } from '../catalogue/unit.ts'
import { user } from '../catalogue/user.ts'
import { atOneMoment } from '../database/locks.ts'
import { rowOf, rowsOf } from '../database/rows.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { expandPermissions } from '../protocol/permission.ts'
import { pastRecords, reachesBack, untold } from './past-records.ts'
import { countedAt } from './past-counting.ts'

/** Somebody as they were, with their profiles. */
interface PastAccess {
  user: { uuid: string; name: string; active: 0 | 1 }
  profiles: (HeldByRow & { permissions: string[] })[]
}

const ofPerson = ['created', 'changed', 'removed']
const kinds = {
  person: [
    ...['user', 'profile'].flatMap((thing) => ofPerson.map((one) => `${thing}.${one}`)),
    ...['profile.mapped', 'profile.unmapped', 'person.provisioned', 'person.suspended', 'person.restored'],
    ...['deletion.requested', 'deletion.undone'],
  ],
  place: ['role', 'organisation', 'unit'].flatMap((thing) => ofPerson.map((one) => `${thing}.${one}`)),
}

/**
 * Everything that one person's access came from at that time, within the reach; undefined: there was no such user there.
 * Throws `conflict`, with the earliest moment that can be told, where the audit does not tell this one. Reads, at one
 * moment, what is there of them, and the records since about them and about their roles and places.
 */
export async function accessAt(
  store: Store,
  user_uuid: string,
  { at, reach, now }: { at: number; reach: Reach; now: number },
): Promise<PastAccess | undefined> {
  return await atOneMoment(store).execute(async (trx) => {
    await reachesBack(trx, at)
    try {
      return await pastOf(trx, user_uuid, { at, reach })
    } catch (error) {
      if (!(error instanceof Untold)) throw error
      const since = Number.isNaN(error.since) ? now : error.since
      throw untold(since, 'The audit does not tell all that has changed since.')
    }
  })
}

async function pastOf(
  trx: Kysely<Schema>,
  user_uuid: string,
  { at, reach }: { at: number; reach: Reach },
): Promise<PastAccess | undefined> {
  const own = { column: 'user_uuid', ids: [user_uuid], kinds: kinds.person, since: at } as const
  const within = partWithin(await personNow(trx, user_uuid), await pastRecords(trx, own), reach)
  if (within === undefined) return undefined
  const things = takenBack(within.now, within.records)
  const person = things.get(keyOf('user', user_uuid))
  const held = [...things].filter(([key]) => key.startsWith('profile ')).map(([, values]) => values)
  const isWithin = (one: ThingValues) =>
    reach.organisation_uuid === undefined || one['organisation_uuid'] === reach.organisation_uuid
  const seen = held.filter(isWithin)
  if (person === undefined || (reach.organisation_uuid !== undefined && seen.length === 0)) return undefined
  const places = await placesAt(trx, seen, at)
  const active = flagOf(person['active'])
  const rows = seen
    .map((values) => rowOfProfile(values, places, { user_uuid, user_active: active }))
    .sort((one, other) => (one.uuid < other.uuid ? -1 : 1))
  const counted = await countedAt(trx, rows, { user_uuid, at })
  return { user: { uuid: user_uuid, name: textOf(person['name']), active }, profiles: counted }
}

/**
 * What is of the reach: what happened elsewhere is not looked at, for its refusals would tell of it. Undefined: the
 * person never had a profile there since.
 */
function partWithin(
  now: Things,
  records: readonly PastRecord[],
  { organisation_uuid }: Reach,
): { now: Things; records: readonly PastRecord[] } | undefined {
  if (organisation_uuid === undefined) return { now, records }
  const ofProfile = ({ kind }: PastRecord) => kind.startsWith('profile.')
  const there = new Set([
    ...[...now].flatMap(([key, one]) => (one['organisation_uuid'] === organisation_uuid ? key : [])),
    ...records
      .filter((one) => ofProfile(one) && one.organisation_uuid === organisation_uuid)
      .map((one) => keyOf('profile', one.target_id ?? '')),
  ])
  if (there.size === 0) return undefined
  return {
    now: new Map([...now].filter(([key]) => !key.startsWith('profile ') || there.has(key))),
    records: records.filter((one) => !ofProfile(one) || there.has(keyOf('profile', one.target_id ?? ''))),
  }
}

const flagOf = (value: unknown): 0 | 1 => (value === true ? 1 : 0)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

async function personNow(trx: Kysely<Schema>, uuid: string): Promise<Things> {
  const person = await rowOf(trx, 'users', { uuid })
  const profiles = await rowsOf(trx, 'profiles', { user_uuid: uuid }).execute()
  const held = profiles.map((row): readonly [string, ThingValues] => {
    const { organisation_unit_uuid: at, ...shown } = shownOf(profile, row)
    return [keyOf('profile', row.uuid), { ...shown, unit: at === null ? null : { uuid: at } }]
  })
  return new Map(person === undefined ? held : [...held, [keyOf('user', uuid), { ...shownOf(user, person) }]])
}

/** The roles, organisations and units of these profiles, as they were. */
async function placesAt(trx: Kysely<Schema>, held: readonly ThingValues[], at: number): Promise<Things> {
  const roles = held.map((one) => textOf(one['role_code']))
  const organisations = held.flatMap((one) => textOf(one['organisation_uuid']) || [])
  const units = await unitsOf(trx, held, at)
  const now = await placesNow(trx, { roles, organisations, units })
  const ids = [...roles, ...organisations, ...units]
  if (ids.length === 0) return now
  return takenBack(now, await pastRecords(trx, { column: 'target_id', ids, kinds: kinds.place, since: at }))
}

/** The units that these profiles were at: a declared file knows them by their codes alone. */
async function unitsOf(trx: Kysely<Schema>, held: readonly ThingValues[], at: number): Promise<string[]> {
  const named = held.flatMap((one) => unitIn(one) ?? [])
  const known = named.flatMap(({ uuid }) => uuid ?? [])
  const organisations = held
    .filter((one) => unitIn(one)?.code !== undefined)
    .map((one) => textOf(one['organisation_uuid']))
  if (organisations.length === 0) return known
  const there = await rowsOf(trx, 'units', { organisation_uuid: organisations }).execute()
  const codes = new Set(named.flatMap(({ code }) => code ?? []))
  const removed = await pastRecords(trx, {
    ...{ column: 'organisation_uuid', ids: organisations, kinds: ['unit.removed'], since: at },
  })
  return [
    ...known,
    ...there.filter(({ code }) => codes.has(code)).map(({ uuid }) => uuid),
    ...removed.flatMap(({ target_id }) => target_id ?? []),
  ]
}

const unitIn = ({ unit: named }: ThingValues) => named as { uuid?: string; code?: string } | null | undefined

async function placesNow(
  trx: Kysely<Schema>,
  { roles, organisations, units }: Record<'roles' | 'organisations' | 'units', readonly string[]>,
): Promise<Things> {
  const given = await rowsOf(trx, 'role_permissions', { role_code: [...roles, ''] }).execute()
  const ofRole = (code: string) =>
    given.filter((row) => row.role_code === code).map(({ permission }) => permission)
  const [role, place, part] = [
    await rowsOf(trx, 'roles', { code: [...roles, ''] }).execute(),
    await rowsOf(trx, 'organisations', { uuid: [...organisations, ''] }).execute(),
    await rowsOf(trx, 'units', { uuid: [...units, ''] }).execute(),
  ]
  const entries: (readonly [string, ThingValues])[] = [
    ...role.map(({ code, name, active }): readonly [string, ThingValues] => [
      keyOf('role', code),
      { name, active: active === 1, permissions: ofRole(code).sort() },
    ]),
    ...place.map((row): readonly [string, ThingValues] => [
      keyOf('organisation', row.uuid),
      { ...shownOf(organisation, row) },
    ]),
    ...part.map((row): readonly [string, ThingValues] => [
      keyOf('unit', row.uuid),
      { ...shownOf(unit, row) },
    ]),
  ]
  return new Map(entries)
}

function rowOfProfile(
  values: ThingValues,
  places: Things,
  person: { user_uuid: string; user_active: 0 | 1 },
): HeldByRow & { permissions: string[] } {
  const role_code = textOf(values['role_code'])
  const organisation_uuid = textOf(values['organisation_uuid']) || null
  const unit_uuid = unitAt(values, places)
  const role = there(places, 'role', role_code)
  const [of, at] = [there(places, 'organisation', organisation_uuid), there(places, 'unit', unit_uuid)]
  const ends = values['expires_at']
  return {
    uuid: textOf(values['uuid']),
    ...person,
    role_code,
    organisation_uuid,
    unit_uuid,
    active: flagOf(values['active']),
    expires_at: typeof ends === 'string' ? Date.parse(ends) : null,
    role_name: textOf(role?.['name']),
    role_active: flagOf(role?.['active']),
    organisation_name: of === undefined ? null : textOf(of['name']),
    organisation_active: of === undefined ? null : flagOf(of['active']),
    unit_name: at === undefined ? null : textOf(at['name']),
    unit_active: at === undefined ? null : flagOf(at['active']),
    beyond: null,
    suspended: 0,
    counts_until: null,
    unproved_since: null,
    permissions: expandPermissions((role?.['permissions'] ?? []) as string[]),
  }
}

/** What a profile refers to. Throws where the records say that it was not there. */
function there(places: Things, thing: string, id: string | null): ThingValues | undefined {
  if (id === null) return undefined
  const found = places.get(keyOf(thing, id))
  if (found === undefined) throw new Untold(Number.NaN)
  return found
}

function unitAt(values: ThingValues, places: Things): string | null {
  const named = unitIn(values)
  if (!named) return null
  if (named.uuid !== undefined) return named.uuid
  const [found] = [...places].filter(
    ([key, one]) =>
      key.startsWith('unit ') &&
      one['code'] === named.code &&
      one['organisation_uuid'] === values['organisation_uuid'],
  )
  return found?.[0].slice('unit '.length) ?? ''
}
