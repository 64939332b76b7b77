/** What the writes of a file would do to whose access, and whether somebody is left who administers everything. */
import { byKey } from '../access/by-key.ts'
import { accessBetween, type Difference } from '../access/effects.ts'
import { isEverything, permissionsOfRoles } from '../access/permitted.ts'
import { movedUnits, unitsAbove } from '../access/unit-tree.ts'
import { refuseLast } from '../store/administrators.ts'
import { Codes } from './codes.ts'
import { type DeclaredWrites, stateAfter } from './rows.ts'
import type { AccessParts, DeclaredState, DeclaredView, People } from './state.ts'

/** What somebody newly may do at a place, and may do there no more. */
interface AccessChange {
  /** null: everywhere. */
  organisation: string | null
  gains: string[]
  loses: string[]
}

/** Of one person, by whichever profiles. */
export interface UserAccessChange extends AccessChange {
  email: string
  /** Of the organisation, with those below it; null: all of it. */
  unit: string | null
}

/** Of a machine; or what tokens of another client can carry at most. */
export interface ClientAccessChange extends AccessChange {
  client_id: string
}

export interface AccessChanges {
  users: UserAccessChange[]
  clients: ClientAccessChange[]
}

/** What these writes would do. Throws `last_administrator` as writing them would. */
export async function effectsOf(
  view: DeclaredView,
  writes: DeclaredWrites,
  now: number,
): Promise<AccessChanges> {
  const parts = changedParts(view.state, stateAfter(view.state, writes), writes)
  const before = withPeople(view.state, await view.touchedBy(parts))
  const after = stateAfter(before, writes)
  const { users, clients, administered } = accessBetween(before, after, now)
  refuseLast(administered.before, administered.after)
  const codes = new Codes(before, after)
  const placed = ({ place, ...difference }: Difference) => ({
    organisation: codes.of(place.organisation_uuid),
    unit: codes.of(place.unit_uuid),
    ...difference,
  })
  return {
    users: users.map(({ email, place, gains, loses }) => ({ email, ...placed({ place, gains, loses }) })),
    clients: clients.map(({ client_id, ...one }) => {
      const { unit: _, ...rest } = placed(one)
      return { client_id, ...rest }
    }),
  }
}

/**
 * The roles, organisations and units whose change matters to everybody who has a profile by them, also to people whom the
 * file does not name. A unit that moves matters to those above its old and its new place. The roles that administer
 * everything are among them, for `last_administrator`.
 */
function changedParts(before: DeclaredState, after: DeclaredState, writes: DeclaredWrites): AccessParts {
  const { roles, role_permissions: held, organisations, units } = writes
  const above = [unitsAbove(before.units), unitsAbove(after.units)]
  const moved = movedUnits(before.units, after.units).flatMap(({ uuid }) => above.flatMap((of) => of(uuid)))
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
