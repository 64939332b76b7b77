/** The effect of a change on access: who gains and loses which permissions where, between two states. */
import type { Administrators } from '../store/administrators.ts'
import { byKey, groupBy } from './by-key.ts'
import { Access, type AccessState, type HeldPermissions, listOf, type Place } from './permitted.ts'
import { movedUnits } from './unit-tree.ts'

export interface Difference {
  place: Place
  gains: string[]
  loses: string[]
}

/** A client, and the service that it acts for the callers of: then it is what it gets for them by exchange. */
interface ClientActing {
  client_id: string
  acting_for?: string
}

/** What people and clients gain and lose: what machines may do, or tokens of other clients can carry at most. */
export interface AccessDifferences {
  users: (Difference & { uuid: string; email: string })[]
  clients: (Difference & ClientActing)[]
}

/** Compares two states per person or client, permission and place; and says whether somebody administers. */
export function accessBetween(
  before: AccessState,
  after: AccessState,
  now: number,
): AccessDifferences & { administered: Record<'before' | 'after', Administrators> } {
  const moved = movedUnits(before.units, after.units)
  const had = new Access(before, { now, moved })
  const has = new Access(after, { now, moved })
  const states = { before, after, had, has }
  return {
    users: userChanges(states),
    clients: clientChanges(states),
    administered: { before: had.administrators(before.profiles), after: has.administrators(after.profiles) },
  }
}

interface States {
  before: AccessState
  after: AccessState
  had: Access
  has: Access
}

function userChanges({ before, after, had, has }: States): AccessDifferences['users'] {
  const users = byKey([...before.users, ...after.users], (row) => row.uuid)
  const old = groupBy(before.profiles, (row) => row.user_uuid)
  const left = groupBy(after.profiles, (row) => row.user_uuid)
  return [...users.values()].flatMap(({ uuid, email }) => {
    const between = differences(had.ofPerson(old.get(uuid) ?? []), has.ofPerson(left.get(uuid) ?? []))
    return between.map((one) => ({ uuid, email, ...one }))
  })
}

function clientChanges({ before, after, had, has }: States): AccessDifferences['clients'] {
  const old = byKey(before.clients, (row) => row.client_id)
  const left = byKey(after.clients, (row) => row.client_id)
  return [...new Set([...old.keys(), ...left.keys()])].flatMap((client_id) => {
    const [was, is] = [old.get(client_id), left.get(client_id)]
    const services = new Set([was?.acts_as, is?.acts_as].filter((one) => typeof one === 'string'))
    const acting = [...services].flatMap((acting_for) =>
      differences(had.ofExchange(was, acting_for), has.ofExchange(is, acting_for)).map((one) => ({
        acting_for,
        ...one,
      })),
    )
    const between: (Difference & { acting_for?: string })[] = differences(had.ofClient(was), has.ofClient(is))
    return [...between, ...acting].map((one) => ({ client_id, ...one }))
  })
}

function differences(before: HeldPermissions, after: HeldPermissions): Difference[] {
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
