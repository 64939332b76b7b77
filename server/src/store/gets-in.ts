/** Whether people who are named in `break_glass` really get in, and that a change leaves one of them (decisions 20). */
import type { Kysely } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import type { Flag } from '../database/flag.ts'
import type { FactorRow } from '../database/schema-factors.ts'
import type { Schema, UserRow } from '../database/schema.ts'
import { Problem } from '../protocol/problem.ts'
import { breakGlassOf } from './break-glass.ts'
import { demandedOf } from './demanded.ts'
import { usableProfiles } from './usable.ts'

/** Nobody who is named would get in any more, where a policy demands the upstream. */
export class NobodyGetsIn extends Problem {
  constructor() {
    super(
      'conflict',
      'Nobody who is named in `break_glass` would get in when the upstream does not work, and a policy demands it. Name somebody else there first, or let people sign in otherwise.',
    )
  }
}

/** The people whom an organisation names, or the installation. */
export interface NamedPeople {
  organisation_uuid: string | null
  people: readonly string[]
}

type OwnPassword = Pick<UserRow, 'password_hash'> & {
  limited_reach?: Flag
  password_temporary?: 0 | 1
  password_reach?: string | null
}

/** Whether a password and these factors, which count everywhere, reach level 2. Those of an unproved account may be anybody's. */
export const reachesLevel2 = (
  {
    password_hash: hash,
    password_temporary: temporary = 0,
    password_reach: reach = null,
    limited_reach: isUnproved = 0,
  }: OwnPassword,
  kinds: readonly FactorRow['kind'][],
): boolean =>
  isUnproved === 0 &&
  kinds.some((kind) => kind === 'passkey' || (hash !== null && temporary === 0 && reach === null))

/** The kinds of the factors of these people that count everywhere. */
export async function ownFactorsOf(
  trx: Kysely<Schema>,
  people: readonly string[],
): Promise<Map<string, FactorRow['kind'][]>> {
  const kinds = new Map<string, FactorRow['kind'][]>()
  for (const some of chunksOf(people)) {
    const rows = await trx
      .selectFrom('factors')
      .select(['user_uuid', 'kind'])
      .where('user_uuid', 'in', some)
      .where('confirmed_at', 'is not', null)
      .where('suspended_at', 'is', null)
      .where('reach', 'is', null)
      .execute()
    for (const { user_uuid, kind } of rows) kinds.set(user_uuid, [...(kinds.get(user_uuid) ?? []), kind])
  }
  return kinds
}

/** A profile by which somebody gets in. */
export interface EntryProfile {
  user_uuid: string
  organisation_uuid: string | null
  expires_at: number | null
}

/** The profiles by which these people get in: the account, the profile and an own credential of level 2 count. */
export async function entryProfilesOf(
  trx: Kysely<Schema>,
  named: readonly NamedPeople[],
  now: number,
): Promise<EntryProfile[]> {
  const people = [...new Set(named.flatMap((one) => one.people))]
  const own = await ownFactorsOf(trx, people)
  const found: EntryProfile[] = []
  for (const some of chunksOf(people)) {
    const profiles = await usableProfiles(trx, now)
      .select(['profiles.user_uuid', 'profiles.organisation_uuid', 'profiles.expires_at'])
      .select([
        'users.password_hash',
        'users.password_temporary',
        'users.password_reach',
        'users.limited_reach',
      ])
      .where('profiles.user_uuid', 'in', some)
      .execute()
    found.push(...profiles.filter((one) => reachesLevel2(one, own.get(one.user_uuid) ?? [])))
  }
  return found
}

/** The profiles by which those get in whom a place names. */
export const entriesInto = (
  { organisation_uuid, people }: NamedPeople,
  profiles: readonly EntryProfile[],
): EntryProfile[] =>
  profiles.filter((one) => one.organisation_uuid === organisation_uuid && people.includes(one.user_uuid))

/** The people who are named, and the profiles by which they get in, before a change or after it. */
export interface NamedEntries {
  named: readonly NamedPeople[]
  profiles: readonly EntryProfile[]
}

/**
 * Throws `NobodyGetsIn` where somebody got in before and nobody does for as long after: an end that is near would be a way
 * round. A place that is named no more after is one that does not count.
 */
export function refuseLost(
  before: NamedEntries,
  after: NamedEntries,
  demanded: readonly (string | null)[],
): void {
  const endIn = (place: NamedPeople, { profiles }: NamedEntries) =>
    Math.max(0, ...entriesInto(place, profiles).map((one) => one.expires_at ?? Infinity))
  const isLost = (was: NamedPeople) => {
    const is = after.named.find((one) => one.organisation_uuid === was.organisation_uuid)
    return is !== undefined && endIn(is, after) < endIn(was, before)
  }
  if (before.named.some((one) => isLost(one) && demanded.includes(one.organisation_uuid)))
    throw new NobodyGetsIn()
}

/** What a change could take from somebody who is named: these people, these lists, or anything. */
export interface TouchedEntries {
  people: readonly string[]
  /** The organisations whose lists change; null: the installation. */
  lists: readonly (string | null)[]
  anything: boolean
}

/**
 * Does what could take away the last who gets in when the upstream does not work. Throws `NobodyGetsIn`, so that nothing
 * happens, where a policy demands it. Where nobody is touched who is named, it asks no more than that.
 */
export async function keepingBreakGlass<T>(
  trx: Kysely<Schema>,
  now: number,
  touched: TouchedEntries,
  work: () => Promise<T>,
): Promise<T> {
  const named = await namedAmong(trx, touched)
  if (named.length === 0) return await work()
  const before = { named, profiles: await entryProfilesOf(trx, named, now) }
  if (before.profiles.length === 0) return await work()
  const result = await work()
  const places = named.map((one) => one.organisation_uuid)
  const left = await namedAt(trx, places)
  const after = { named: left, profiles: await entryProfilesOf(trx, left, now) }
  refuseLost(before, after, await demandedOf(trx, places))
  return result
}

/** The places that name somebody who is touched. */
async function namedAmong(
  trx: Kysely<Schema>,
  { people, lists, anything }: TouchedEntries,
): Promise<NamedPeople[]> {
  const theirs = trx
    .selectFrom('profiles')
    .select('organisation_uuid')
    .where('user_uuid', 'in', ['', ...people])
  const rows = await trx
    .selectFrom('organisations')
    .select(['uuid', 'break_glass'])
    .where('break_glass', '<>', '[]')
    .$if(!anything, (query) =>
      query.where(({ or, eb }) => or([eb('uuid', 'in', theirs), eb('uuid', 'in', ['', ...uuidsIn(lists)])])),
    )
    .execute()
  const all = [await namedByInstallation(trx), ...rows.map(asNamed)]
  const isTouched = (one: NamedPeople) =>
    anything || lists.includes(one.organisation_uuid) || people.some((uuid) => one.people.includes(uuid))
  return all.filter((one) => one.people.length > 0 && isTouched(one))
}

/** The people whom these places name; nobody needs to get into an organisation that is disabled or gone. */
async function namedAt(trx: Kysely<Schema>, places: readonly (string | null)[]): Promise<NamedPeople[]> {
  const rows = []
  for (const some of chunksOf(uuidsIn(places)))
    rows.push(
      ...(await trx
        .selectFrom('organisations')
        .select(['uuid', 'break_glass'])
        .where('uuid', 'in', some)
        .where('active', '=', 1)
        .execute()),
    )
  return [await namedByInstallation(trx), ...rows.map(asNamed)]
}

const uuidsIn = (places: readonly (string | null)[]): string[] => places.flatMap((one) => one ?? [])

const namedByInstallation = async (trx: Kysely<Schema>): Promise<NamedPeople> => ({
  organisation_uuid: null,
  people: [...(await breakGlassOf(trx, null))],
})

export const asNamed = ({ uuid, break_glass: list }: { uuid: string; break_glass: string }): NamedPeople => ({
  organisation_uuid: uuid,
  people: JSON.parse(list) as string[],
})
