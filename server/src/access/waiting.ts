/**
 * An unproved account gets no more than those could give who made it: a profile beyond that waits until the account is
 * proved (people.md 13).
 */
import { type Kysely, sql } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import { rowsOf } from '../database/rows.ts'
import type { ProfileRow, Schema, UnitRow } from '../database/schema.ts'
import type { Beyond, MakerRow } from '../database/schema-admin.ts'
import { end } from '../store/ending.ts'
import { makersIn, makersOf, type Owned } from '../store/ownership.ts'
import { waitedEvents } from '../store/waited.ts'
import { expandPermissions } from '../protocol/permission.ts'
import { byKey, groupBy } from './by-key.ts'
import type { Place } from './permitted.ts'
import { permissionsOf } from './reach.ts'
import { unitsAbove } from './unit-tree.ts'

/** A profile of somebody, and whose the account is. */
export type Owning = Pick<ProfileRow, 'user_uuid' | 'role_code' | 'organisation_uuid' | 'unit_uuid'> &
  Pick<Owned, 'limited_reach' | 'makers'> & { beyond?: Beyond | null }

/** Permissions that makers could give, and that profiles give. */
export interface Bounds {
  makers: ReadonlyMap<string, MakerRow>
  permissionsOf: (role_code: string) => readonly string[]
  /** The units above one. */
  above: (unit_uuid: string) => readonly string[]
  /** Profiles from before accounts had makers: they alone bound an account whose maker is unknown. */
  before: (user_uuid: string) => readonly Owning[]
}

/** Whether a profile is more than the makers of the account could give. What was there before that was asked counts on. */
export function beyondOf(profile: Owning, bounds: Bounds): Beyond | null {
  const { limited_reach: isUnproved, makers, beyond = null } = profile
  if (isUnproved === 0) return null
  if (makers === null) {
    if (isFromBefore(beyond)) return beyond
    return isHeldBefore(profile, bounds) ? null : 'waits'
  }
  const isWithin = makersIn(makers).every((id) => couldGive(bounds.makers.get(id), profile, bounds))
  return isWithin ? null : 'waits'
}

const isFromBefore = (beyond: Beyond | null): boolean => beyond === 'before' || beyond === 'counts'

/** Whether somebody held as much at a place that has this one in it. */
function isHeldBefore(profile: Owning, { before, permissionsOf, above }: Bounds): boolean {
  const covering = before(profile.user_uuid).filter((one) => isPlaceWithin(one, profile, above))
  const held = new Set(covering.flatMap((one) => permissionsOf(one.role_code)))
  return permissionsOf(profile.role_code).every((one) => held.has(one))
}

function couldGive(maker: MakerRow | undefined, profile: Owning, { permissionsOf, above }: Bounds): boolean {
  if (maker === undefined) return false
  const given = new Set(expandPermissions(maker.permissions.split(' ')))
  return (
    isPlaceWithin(maker, profile, above) && permissionsOf(profile.role_code).every((one) => given.has(one))
  )
}

function isPlaceWithin(
  maker: Place,
  { organisation_uuid, unit_uuid }: Place,
  above: Bounds['above'],
): boolean {
  if (maker.organisation_uuid === null) return true
  if (maker.organisation_uuid !== organisation_uuid) return false
  if (maker.unit_uuid === null) return true
  return unit_uuid !== null && (unit_uuid === maker.unit_uuid || above(unit_uuid).includes(maker.unit_uuid))
}

/** The profiles to look at: of these users, of these roles, or in these organisations. */
export interface Looked {
  users?: readonly string[]
  roles?: readonly string[]
  /** Organisations whose units moved. */
  organisations?: readonly string[]
}

/**
 * Looks again at the profiles of unproved accounts after a change: what is beyond waits, what that gave ends. Yields what
 * is to be recorded. Takes nobody away who gets in by break-glass, for no unproved account does.
 */
export async function settleWaiting(
  trx: Kysely<Schema>,
  looked: Looked,
  now: number,
): Promise<ReturnType<typeof waitedEvents>> {
  const rows = await unprovedAmong(trx, looked)
  if (rows.length === 0) return []
  const bounds = await boundsOf(trx, rows)
  const after = rows.map((row) => ({ ...row, will: beyondOf(row, bounds) }))
  for (const beyond of ['waits', 'counts', 'before', null] as const) {
    const others = after.filter((row) => row.will === beyond && row.beyond !== beyond)
    for (const some of chunksOf(others.map((row) => row.uuid)))
      await trx.updateTable('profiles').set({ beyond }).where('uuid', 'in', some).execute()
  }
  const waiting = after.filter((row) => row.will === 'waits' && row.beyond !== 'waits')
  const changed = after.filter((row) => row.will !== row.beyond)
  const events = waitedEvents(
    changed.map((row) => [row, row.will]),
    now,
  )
  if (waiting.length > 0)
    await end(trx, { profiles: waiting.map((row) => row.uuid) }, { now, reason: 'profile_waits' })
  return events
}

type WaitingProfile = Owning & { uuid: string; beyond: Beyond | null }

async function unprovedAmong(
  trx: Kysely<Schema>,
  { users = [], roles = [], organisations = [] }: Looked,
): Promise<WaitingProfile[]> {
  const found = new Map<string, WaitingProfile>()
  const asked = { user_uuid: users, role_code: roles, organisation_uuid: organisations }
  for (const [column, values] of Object.entries(asked))
    for (const some of chunksOf([...new Set(values)])) {
      const rows = await trx
        .selectFrom('profiles')
        .innerJoin('users', 'users.uuid', 'profiles.user_uuid')
        .select(['profiles.uuid', 'user_uuid', 'role_code', 'organisation_uuid', 'unit_uuid', 'beyond'])
        .select(['limited_reach', 'makers'])
        .where(sql<boolean>`${sql.ref(`profiles.${column}`)} in (${sql.join(some)})`)
        .where(sql<boolean>`(users.limited_reach = 1 or profiles.beyond is not null)`)
        .execute()
      for (const row of rows) found.set(row.uuid, row)
    }
  return [...found.values()]
}

/** The bounds of these profiles, as the transaction has them. */
export async function boundsOf(db: Kysely<Schema>, profiles: readonly Owning[]): Promise<Bounds> {
  const makers = await makersOf(db, makerIds(profiles))
  const unknown = profiles.filter((one) => one.limited_reach === 1 && one.makers === null)
  const before = groupBy(await heldBefore(db, unknown), (row) => row.user_uuid)
  const roles = new Map<string, readonly string[]>()
  for (const { role_code } of [...profiles, ...[...before.values()].flat()])
    if (!roles.has(role_code)) roles.set(role_code, await permissionsOf(db, role_code))
  const ofUnits = [...makers.values()].filter((one) => one.unit_uuid !== null)
  const at = [...ofUnits, ...[...before.values()].flat().filter((one) => one.unit_uuid !== null)]
  const places = [...new Set(at.flatMap((one) => one.organisation_uuid ?? []))]
  const units: UnitRow[] = []
  for (const some of chunksOf(places))
    units.push(...(await rowsOf(db, 'units', { organisation_uuid: some }).execute()))
  return {
    makers,
    permissionsOf: (role) => roles.get(role) ?? [],
    above: unitsAbove(units),
    before: (user_uuid) => before.get(user_uuid) ?? [],
  }
}

async function heldBefore(db: Kysely<Schema>, profiles: readonly Owning[]): Promise<Owning[]> {
  const found: Owning[] = []
  for (const some of chunksOf([...new Set(profiles.map((one) => one.user_uuid))])) {
    const rows = await rowsOf(db, 'profiles', { user_uuid: some })
      .where('beyond', 'in', ['before', 'counts'])
      .execute()
    found.push(...rows.map((row) => ({ ...row, limited_reach: 1 as const, makers: null })))
  }
  return found
}

export const makerIds = (owned: readonly Pick<Owned, 'makers'>[]): string[] => [
  ...new Set(owned.flatMap(({ makers }) => (makers === null ? [] : makersIn(makers)))),
]

/** The profiles of a state as they are once it is written, by the same rule; `proved`: whose accounts become so. */
export function withWaiting<P extends ProfileRow & { beyond?: Beyond | null }>(
  profiles: readonly P[],
  owners: readonly (Partial<Owned> & { uuid: string })[],
  known: Omit<Bounds, 'before'>,
  proved: ReadonlySet<string>,
): P[] {
  const unknown = { limited_reach: 1, makers: null } as const
  const before = groupBy(
    profiles.filter((one) => isFromBefore(one.beyond ?? null)).map((one) => ({ ...one, ...unknown })),
    (one) => one.user_uuid,
  )
  const bounds = { ...known, before: (user_uuid: string) => before.get(user_uuid) ?? [] }
  const byUuid = byKey(owners, (row) => row.uuid)
  return profiles.map((profile) => {
    const { limited_reach = 0, makers = null } = byUuid.get(profile.user_uuid) ?? {}
    const owning = {
      ...profile,
      limited_reach: proved.has(profile.user_uuid) ? 0 : limited_reach,
      makers,
    } as const
    return { ...profile, beyond: beyondOf(owning, bounds) }
  })
}
