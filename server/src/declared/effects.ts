/** What the writes of a file would do to whose access, and whether somebody is left who administers everything. */
import { byKey } from '../access/by-key.ts'
import { accessBetween, type Difference } from '../access/effects.ts'
import { isEverything, listOf, permissionsOfRoles } from '../access/permitted.ts'
import { withWaiting } from '../access/waiting.ts'
import { movedUnits, unitsAbove } from '../access/unit-tree.ts'
import { refuseLast } from '../store/administrators.ts'
import { keepBreakGlass } from './break-glass.ts'
import { Codes } from './codes.ts'
import type { Comparison } from './comparison.ts'
import type { Writes } from '../store/write/rows.ts'
import { stateAfter } from './rows.ts'
import { makersIn } from '../store/ownership.ts'
import type { AccessParts, AccountMakers, DeclaredState, DeclaredView, People } from './state.ts'

/** What somebody newly may do at a place, and may do there no more. */
interface AccessChange {
  /** null: everywhere. */
  organisation: string | null
  gains: string[]
  loses: string[]
}

/** The change of one person's access, by whichever profiles. */
interface UserAccessChange extends AccessChange {
  email: string
  /** The unit of the organisation, with those below it; null: all of it. */
  unit: string | null
}

/** The change of a machine's access, or of what tokens of another client can carry at most. */
interface ClientAccessChange extends AccessChange {
  client_id: string
  /** The service for whose callers the client gets these by exchange. */
  acting_for?: string
}

export interface AccessChanges {
  users: UserAccessChange[]
  clients: ClientAccessChange[]
}

/** A profile that is given, or counts no more, until somebody proves whose the account is. */
export interface WaitingProfile {
  email: string
  /** Such as `reader at acme`. */
  profile: string
  /** The maker of the account, or the last who set how one signs in to it; and when. */
  made_by: string | null
  made_at: string | null
}

/** What this comparison would do. Throws `last_administrator` and `NobodyGetsIn` as writing it would. */
export async function effectsOf(
  view: DeclaredView,
  { writes, marks, disowned }: Pick<Comparison, 'writes' | 'marks' | 'disowned'>,
  now: number,
): Promise<{ access: AccessChanges; waits: WaitingProfile[] }> {
  const parts = changedParts(view.state, stateAfter(view.state, writes), writes)
  const named = await view.breakGlass()
  const before = [await view.touchedBy(parts), named].reduce(withPeople, view.state)
  const written = stateAfter(before, writes)
  const proved = new Set(
    marks.flatMap(({ table, key, managedBy }) => (table === 'users' && managedBy !== null ? [key] : [])),
  )
  const unproved = written.users.filter((row) => row.limited_reach === 1 && !proved.has(row.uuid))
  const owners = await view.accountMakersOf(unproved.map(({ makers = null }) => ({ makers })))
  const after = { ...written, profiles: profilesAfter(written, proved, owners) }
  const { users, clients, administered } = accessBetween(before, after, now)
  refuseLast(administered.before, administered.after)
  keepBreakGlass({ before, after, factors: named.factors, adopted: disowned.users, now })
  const codes = new Codes(before, after)
  const placed = ({ place, ...difference }: Difference) => ({
    organisation: codes.of(place.organisation_uuid),
    unit: codes.of(place.unit_uuid),
    ...difference,
  })
  const access = {
    users: users.map(({ email, place, gains, loses }) => ({ email, ...placed({ place, gains, loses }) })),
    clients: clients.map(({ client_id, acting_for, ...one }) => {
      const { unit: _, ...rest } = placed(one)
      return { client_id, ...(acting_for !== undefined && { acting_for }), ...rest }
    }),
  }
  return { access, waits: waitingFrom(before, after, { codes, names: owners.names }) }
}

/** The profiles after the write: what unproved accounts get beyond what their makers could give waits. */
function profilesAfter(
  after: DeclaredState,
  proved: ReadonlySet<string>,
  { makers }: AccountMakers,
): DeclaredState['profiles'] {
  const given = permissionsOfRoles(after)
  const bounds = {
    makers,
    permissionsOf: (role: string) => listOf(given.get(role) ?? ''),
    above: unitsAbove(after.units),
  }
  return withWaiting(after.profiles, after.users, bounds, proved)
}

/** The profiles that begin to wait. */
function waitingFrom(
  before: DeclaredState,
  after: DeclaredState,
  { codes, names }: { codes: Codes; names: AccountMakers['names'] },
): WaitingProfile[] {
  const waited = new Set(before.profiles.filter((row) => row.beyond === 'waits').map((row) => row.uuid))
  const users = byKey(after.users, (row) => row.uuid)
  return after.profiles
    .filter((row) => row.beyond === 'waits' && !waited.has(row.uuid))
    .map((row) => {
      const { email = '', makers, unproved_since: since } = users.get(row.user_uuid) ?? {}
      const [maker = ''] = typeof makers === 'string' ? makersIn(makers) : []
      const made_at = typeof since === 'number' ? new Date(since).toISOString() : null
      return { email, profile: codes.roleAt(row), made_by: names.get(maker) ?? null, made_at }
    })
}

/**
 * The roles, organisations and units whose change matters to everybody who has a profile by them, also to people whom the
 * file does not name. A unit that moves matters to those above its old and its new place. The roles that administer
 * everything are among them, for `last_administrator`.
 */
function changedParts(before: DeclaredState, after: DeclaredState, writes: Writes): AccessParts {
  const { roles, role_permissions: held, organisations, units } = writes
  const above = [unitsAbove(before.units), unitsAbove(after.units)]
  const rehung = new Set(movedUnits(before.units, after.units).map(({ uuid }) => uuid))
  // Units that move along: what they give may come to be beyond what the makers of accounts could give.
  const below = after.units.filter(({ uuid }) => above[1]?.(uuid).some((one) => rehung.has(one)))
  const moved = [
    ...[...rehung].flatMap((uuid) => [uuid, ...above.flatMap((of) => of(uuid))]),
    ...below.map(({ uuid }) => uuid),
  ]
  const switched = <Row extends { active: 0 | 1 }>(updates: { before: Row; set: Partial<Row> }[]) =>
    updates.filter((one) => one.set.active !== undefined).map((one) => one.before)
  const everything = [before, after]
    .flatMap((state) => [...permissionsOfRoles(state)])
    .filter(([, permissions]) => isEverything(permissions))
  const changedRoles = [
    ...switched(roles.update).map((row) => row.code),
    ...[...held.insert, ...held.remove].map((row) => row.role_code),
    ...everything.map(([code]) => code),
  ]
  return {
    roleCodes: [...new Set(changedRoles)],
    organisationUuids: switched(organisations.update).map((row) => row.uuid),
    unitUuids: [...new Set([...switched(units.update).map((row) => row.uuid), ...moved])],
  }
}

/** The state with more people in it. */
function withPeople(state: DeclaredState, { users, profiles }: People): DeclaredState {
  const merged = <Row extends { uuid: string }>(rows: Row[], others: Row[]) => [
    ...byKey([...others, ...rows], (row) => row.uuid).values(),
  ]
  return { ...state, users: merged(state.users, users), profiles: merged(state.profiles, profiles) }
}
