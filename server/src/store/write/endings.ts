/** What ends when what is administered changes or goes, whichever door did it. */
import type { Kysely } from 'kysely'
import { chunksOf } from '../../database/chunks.ts'
import type { Schema } from '../../database/schema.ts'
import { type Ended, end, endUnusable } from '../ending.ts'
import { entryListsOf } from '../entry.ts'
import type { Subject } from '../subject.ts'
import { usableProfiles } from '../usable.ts'
import type { RowChanges, Writes } from './rows.ts'

export interface Endings {
  now: number
  /** A person who changes their own account: what ends with that is said by the verb, which keeps their session. */
  by: 'others' | 'person'
  /** `each`: of what changed. `all`: whatever does not count any more, in one look, as after a declared file. */
  ends: 'each' | 'all'
  /** What is somebody else's from now on, so that all from before ends. */
  adopted?: { users: readonly string[]; clients: readonly string[] }
}

type EndOf = readonly [subject: Subject, reason: string]

/** What ended in two steps. */
export const both = (one: Ended, other: Ended): Ended => ({
  sessions: [...one.sessions, ...other.sessions],
  families: one.families + other.families,
})

async function endEach(trx: Kysely<Schema>, now: number, all: readonly EndOf[]): Promise<Ended> {
  let ended: Ended = { sessions: [], families: 0 }
  for (const [subject, reason] of all) ended = both(ended, await end(trx, subject, { now, reason }))
  return ended
}

/** What ends with what goes. Asks the rows, so it comes before they are removed. */
export async function endWithRemovals(
  trx: Kysely<Schema>,
  { users, profiles, roles, units, organisations, clients }: Writes,
  { now, ends }: Endings,
): Promise<Ended> {
  const people: EndOf = [{ users: users.remove.map(({ uuid }) => uuid) }, 'user_removed']
  // The look at everything comes after the rows, so that exchanges of codes do not wait for them.
  if (ends === 'all') return await endEach(trx, now, [people])
  const gone = new Set([
    ...[...users.remove, ...units.remove, ...organisations.remove].map(({ uuid }) => uuid),
    ...roles.remove.map(({ code }) => code),
  ])
  // Profiles of a person, a role or a place that goes end with it.
  const own = profiles.remove.filter(({ user_uuid, role_code, organisation_uuid, unit_uuid }) =>
    [user_uuid, role_code, organisation_uuid, unit_uuid].every((one) => one === null || !gone.has(one)),
  )
  return await endEach(trx, now, [
    people,
    [{ profiles: own.map(({ uuid }) => uuid) }, 'profile_removed'],
    ...roles.remove.map(({ code }): EndOf => [{ role: code }, 'role_removed']),
    ...units.remove
      .filter((row) => !gone.has(row.organisation_uuid))
      .map(({ uuid }): EndOf => [{ unit: uuid }, 'unit_removed']),
    ...organisations.remove.map(({ uuid }): EndOf => [{ organisation: uuid }, 'organisation_removed']),
    removedClients(clients),
  ])
}

const removedClients = ({ remove }: Writes['clients']): EndOf => [
  { clients: remove.map(({ client_id }) => client_id) },
  'client_removed',
]

/** What ends with what became something else. */
export async function endWithChanges(trx: Kysely<Schema>, writes: Writes, how: Endings): Promise<Ended> {
  const { now, ends } = how
  const set = await endEach(trx, now, [
    [{ profiles: hadRunOut(writes, now) }, 'profile_disabled'],
    ...endingUsers(writes, how),
    ...endingClients(writes, how),
  ])
  if (ends === 'each') return both(set, await endDisabled(trx, writes, now))
  const unusable = await endUnusable(trx, now)
  return both(both(set, unusable), await endEach(trx, now, [removedClients(writes.clients)]))
}

/** Profiles that had expired: a later end gives no tokens back. */
const hadRunOut = ({ profiles }: Writes, now: number): string[] =>
  profiles.update
    .filter(({ before }) => (before.expires_at ?? Infinity) <= now)
    .map(({ before }) => before.uuid)

/** An unproved account that changes hands loses everything that may belong to its maker. */
function endingUsers({ users }: Writes, { by, adopted }: Endings): EndOf[] {
  if (by === 'person') return []
  const set = users.update.filter(
    ({ before, set }) => set.password_hash !== undefined && set.password_hash !== before.password_hash,
  )
  const taken = set.filter(({ before, set }) => before.limited_reach === 1 && set.limited_reach !== undefined)
  const lost = new Set([...(adopted?.users ?? []), ...taken.map(({ before }) => before.uuid)])
  const others = set.map(({ before }) => before.uuid).filter((uuid) => !lost.has(uuid))
  return [
    [{ users: others }, 'password_changed'],
    [{ users: [...lost] }, 'adopted'],
  ]
}

function endingClients({ clients }: Writes, { adopted }: Endings): EndOf[] {
  const idsOf = (changes: Writes['clients']['update']) => changes.map(({ before }) => before.client_id)
  const moved = clients.update.filter(
    ({ before, set }) =>
      (set.organisation_uuid !== undefined && set.organisation_uuid !== before.organisation_uuid) ||
      // Somebody else says from now on where people are sent to.
      (set.metadata !== undefined && set.metadata !== before.metadata),
  )
  // A refresh token that needs proof from now on is worth less than before; every other one would be worth more.
  const retyped = clients.update.filter(
    ({ before, set }) =>
      set.type !== undefined && set.type !== before.type && !(before.type === 'public' && set.type === 'web'),
  )
  return [
    [{ clients: adopted?.clients ?? [] }, 'adopted'],
    [{ clients: idsOf(moved) }, 'client_moved'],
    [{ clients: idsOf(retyped) }, 'client_type_changed'],
    ...clients.update.flatMap(({ before, set }): EndOf[] => {
      const named = entryListsOf({ ...before, ...set })
      if (set.allowed === undefined || set.allowed === before.allowed || named === undefined) return []
      return [[{ outside: { clientId: before.client_id, named } }, 'client_narrowed']]
    }),
  ]
}

const disabled = <Row extends { active: 0 | 1 }>({ update }: RowChanges<Row>): Row[] =>
  update.filter(({ before, set }) => before.active === 1 && set.active === 0).map(({ before }) => before)

async function endDisabled(trx: Kysely<Schema>, writes: Writes, now: number): Promise<Ended> {
  const { users, roles, units, organisations, clients } = writes
  return await endEach(trx, now, [
    [{ users: disabled(users).map(({ uuid }) => uuid) }, 'user_disabled'],
    ...disabled(roles).map(({ code }): EndOf => [{ role: code }, 'role_disabled']),
    ...disabled(units).map(({ uuid }): EndOf => [{ unit: uuid }, 'unit_disabled']),
    ...disabled(organisations).map(({ uuid }): EndOf => [{ organisation: uuid }, 'organisation_disabled']),
    [{ clients: disabled(clients).map(({ client_id }) => client_id) }, 'client_disabled'],
    [{ profiles: await unusableOf(trx, writes, now) }, 'profile_disabled'],
  ])
}

/** Which changed profiles do not count now: they, their role or their place are disabled, or they have run out. */
async function unusableOf(trx: Kysely<Schema>, { profiles }: Writes, now: number): Promise<string[]> {
  const uuids = profiles.update.map(({ before }) => before.uuid)
  const usable = new Set<string>()
  for (const some of chunksOf(uuids)) {
    const rows = await usableProfiles(trx, now)
      .select('profiles.uuid')
      .where('profiles.uuid', 'in', some)
      .execute()
    for (const { uuid } of rows) usable.add(uuid)
  }
  return uuids.filter((uuid) => !usable.has(uuid))
}
