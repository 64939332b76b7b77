/**
 * What a change would do: whose access grows or shrinks, and whether somebody is left who administers everything. A plan
 * asks it of the rows that a file would write.
 */
import { refuseLast } from '../store/administrators.ts'
import { Access, type Held, isEverything, listOf, permissionsOfRoles, type Place } from './access.ts'
import { byKey, groupBy } from './by-key.ts'
import { Codes } from './codes.ts'
import { type DeclaredWrites, stateAfter } from './rows.ts'
import type { AccessParts, DeclaredState, DeclaredView, People } from './state.ts'
import { movedUnits, unitsAbove } from './unit-tree.ts'

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
  return effectsBetween(before, stateAfter(before, writes), now)
}

/**
 * What it means now that one state becomes the other, for everybody who is in them: by person or client, permission and
 * place. Throws `last_administrator`.
 */
export function effectsBetween(before: DeclaredState, after: DeclaredState, now: number): AccessChanges {
  const moved = movedUnits(before.units, after.units)
  const had = new Access(before, { now, moved })
  const has = new Access(after, { now, moved })
  refuseLast(had.administrators(before.profiles), has.administrators(after.profiles))
  const codes = new Codes(before, after)
  const placed = ({ place, ...difference }: Difference) => ({
    organisation: codes.of(place.organisation_uuid),
    unit: codes.of(place.unit_uuid),
    ...difference,
  })
  const states = { before, after, had, has }
  return {
    users: userChanges(states).map(({ email, ...one }) => ({ email, ...placed(one) })),
    clients: clientChanges(states).map(({ client_id, ...one }) => {
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

interface States {
  before: DeclaredState
  after: DeclaredState
  had: Access
  has: Access
}

function userChanges({ before, after, had, has }: States): (Difference & { email: string })[] {
  const users = byKey([...before.users, ...after.users], (row) => row.uuid)
  const old = groupBy(before.profiles, (row) => row.user_uuid)
  const left = groupBy(after.profiles, (row) => row.user_uuid)
  return [...users.values()].flatMap(({ uuid, email }) => {
    const between = differences(had.ofPerson(old.get(uuid) ?? []), has.ofPerson(left.get(uuid) ?? []))
    return between.map((one) => ({ email, ...one }))
  })
}

function clientChanges({ before, after, had, has }: States): (Difference & { client_id: string })[] {
  const old = byKey(before.clients, (row) => row.client_id)
  const left = byKey(after.clients, (row) => row.client_id)
  return [...new Set([...old.keys(), ...left.keys()])].flatMap((client_id) => {
    const between = differences(had.ofClient(old.get(client_id)), has.ofClient(left.get(client_id)))
    return between.map((one) => ({ client_id, ...one }))
  })
}

interface Difference {
  place: Place
  gains: string[]
  loses: string[]
}

function differences(before: Held, after: Held): Difference[] {
  return [...new Map([...before, ...after])].flatMap(([key, { place }]) => {
    const old = before.get(key)?.permissions ?? ''
    const now = after.get(key)?.permissions ?? ''
    if (old === now) return []
    const [had, has] = [new Set(listOf(old)), new Set(listOf(now))]
    const gains = [...has].filter((one) => !had.has(one))
    const loses = [...had].filter((one) => !has.has(one))
    return gains.length + loses.length === 0 ? [] : [{ place, gains, loses }]
  })
}
