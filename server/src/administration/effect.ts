/** What changes would do together: they are done in a transaction of which nothing stays. */
import { type Kysely, sql } from 'kysely'
import * as z from 'zod'
import { accessBetween, type AccessDifferences, type Difference } from '../access/effects.ts'
import { entryChanges } from '../access/entering.ts'
import type { AccessState } from '../access/permitted.ts'
import { provingBetween } from '../access/proving.ts'
import { isOwnedWithin, withinReach } from '../access/reach.ts'
import { accessStateOf, holdersOf, type Touched } from '../access/touched.ts'
import { Cache } from '../database/cache.ts'
import { lockAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { administered } from '../protocol/things.ts'
import { weakenedBy } from '../protocol/weakenings.ts'
import { countEnded } from '../store/ending.ts'
import { inTransaction } from '../store/in-transaction.ts'
import type { Authority } from './authority.ts'
import { type By, type AuditedChange, netOf } from './by.ts'
import { clientId, code, email, uuid } from './fields.ts'
import { clientsWith, provableNow, proves } from './proving.ts'
import { entrants, stoppedBy, whomStopped } from './stopped.ts'

const placed = {
  organisation_uuid: uuid.nullable(),
  organisation_unit_uuid: uuid.nullable(),
  gains: z.array(z.string()),
  loses: z.array(z.string()),
}

/** What changes would do. */
export const effect = z.object({
  access: z
    .object({
      users: z.array(z.object({ user_uuid: uuid, email, ...placed })),
      clients: z.array(
        z.object({
          client_id: clientId,
          ...placed,
          acting_for: code
            .optional()
            .describe('What it gets by exchange for the people who call this service, not for itself.'),
        }),
      ),
      complete: z.boolean().describe('false: there are more.'),
    })
    .nullable()
    .describe(
      'Who would gain or lose which permissions where: people, machines, and the most that tokens of other clients can carry. As far as you may read it; null: you lack `iam.access.read`.',
    ),
  ends: z
    .object({ sessions: z.int(), token_families: z.int() })
    .nullable()
    .describe('How many would end; null: you lack `iam.sessions.read`.'),
  sign_in_again: z
    .boolean()
    .describe('Whether the change would be refused until the person has signed in again.'),
  waits: z
    .array(z.object({ user_uuid: uuid, email, profile_uuid: uuid, role_code: code }))
    .nullable()
    .describe(
      'Profiles that would wait from then on: nobody has proved whose the account is, and who made it could not give as much. `/access/explain` says who that was, and when. Null: you lack `iam.access.read`.',
    ),
  enters: z
    .array(z.object({ client_id: clientId, shut_out: entrants, let_in: entrants }))
    .nullable()
    .describe(
      'How many people could sign in to which application no longer, and how many newly, because of `allowed`. Null: you lack `iam.access.read`.',
    ),
  weakens: z
    .array(z.object({ client_id: clientId, field: z.string(), detail: z.string() }))
    .describe(
      'What makes a client, or the sign-in through it, weaker than before: what it need not send, push or sign by one algorithm any more, a wider audience of its assertions, each new host that its document may lead to, and of an application behind a proxy each route that demands less and each header that is new.',
    ),
  proves,
  ...whomStopped,
  removed_with: z
    .record(z.string(), z.int())
    .describe('How many things of which kind would be removed with it, of those that you may read.'),
})
export type Effect = z.output<typeof effect>

/** The most people and clients whose effect is told. */
const most = 500

export interface Trying {
  service: { readonly store: Store }
  by: By
}

/** What one change told while it was tried out. */
export type Trial = NonNullable<By['tried']>

export const newTrial = (): Trial => ({ told: [], people: new Set(), signInAgain: false })

/** What was done, and what each change told. */
interface Worked<T> {
  made: T
  trials: readonly Trial[]
}

/**
 * Does changes, and tells what they do together. Concurrency: as a change, for which others wait; then all of it is
 * undone, its audit, webhooks and mails with it.
 */
export async function takenBack<A extends Trying, T>(
  asked: A,
  work: (within: A) => Promise<Worked<T>>,
): Promise<{ made: T; effect: Effect }> {
  return await undone(asked.service.store, async (trx) => await tried(trx, asked, work))
}

/** Does what is undone right after; yields what it yielded. */
export async function undone<T>(
  { db }: Pick<Store, 'db'>,
  work: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  let made: { one: T } | undefined
  try {
    await db.transaction().execute(async (trx) => {
      made = { one: await work(trx) }
      throw new Undone('The dry run is over.')
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
  if (made === undefined) throw new Error('A dry run told nothing.')
  return made.one
}

class Undone extends Error {}

async function tried<A extends Trying, T>(
  trx: Kysely<Schema>,
  asked: A,
  work: (within: A) => Promise<Worked<T>>,
): Promise<{ made: T; effect: Effect }> {
  const { by } = asked
  await lockAdministration(trx)
  await sql`savepoint before_change`.execute(trx)
  const ended = countEnded(trx)
  const { made, trials } = await work({ ...asked, ...within(asked, trx), repeatable: () => undefined })
  const holders = await holdersOf(trx, touchedBy(trials), most)
  const after = await accessStateOf(trx, holders)
  const { reach } = by.authority
  const listedAfter = await clientsWith(trx, reach, 'allowed')
  const reachedAfter = await withinReach(trx, reach)
  const net = netOf(trials.flatMap(({ told }) => told))
  const all = net.some(({ thing }) => thing === 'assertion_issuers')
  const provableAfter = await provableNow(trx, { clients: after.clients, reach, all })
  const stopped = await stoppedBy(trx, net, by.now)
  await sql`rollback to savepoint before_change`.execute(trx)
  const before = await accessStateOf(trx, holders)
  // A client of somebody else may name what is removed.
  const changed = before.clients.filter((row) => isOwnedWithin(reach, row))
  const listed = [...changed, ...(await clientsWith(trx, reach, 'allowed'))]
  const reachedBefore = await withinReach(trx, reach)
  const provableBefore = await provableNow(trx, { clients: before.clients, reach, all })
  const between = accessBetween(before, after, by.now)
  const isReached = (place: Difference['place']) => reachedBefore(place) || reachedAfter(place)
  const may = (permission: string) => by.authority.permissions.has(permission)
  const effect = {
    access: may('iam.access.read')
      ? { ...seenOf(between, by.authority, isReached), complete: holders.complete }
      : null,
    ends: may('iam.sessions.read') ? { sessions: ended.sessions, token_families: ended.families } : null,
    sign_in_again: trials.some((one) => one.signInAgain),
    waits: may('iam.access.read') ? waitingFrom(before, after, isReached) : null,
    enters: may('iam.access.read')
      ? await entryChanges(trx, listed, [...after.clients, ...listedAfter], by.now)
      : null,
    weakens: net.flatMap(({ thing, id, before, after }) =>
      thing === 'client' && after !== undefined
        ? weakenedBy(before ?? {}, after).map((one) => ({ client_id: id, ...one }))
        : [],
    ),
    proves: provingBetween(provableBefore, provableAfter),
    ...(may('iam.access.read') ? stopped : { forces: null, strengthens: null }),
    removed_with: removedWith(trials, may),
  }
  return { made, effect }
}

/** The store in a transaction: a verb that is handed it is a part of that. */
export function storeWithin(store: Store, trx: Kysely<Schema>): Store {
  const reading = inTransaction(trx)
  const write: Store['write'] = (steps) => reading.read(steps())
  let asked = 0
  // Several changes may be made in it, of which each reads what the one before it left.
  const cache = new Cache(async () => asked++)
  return { ...store, ...reading, cache, write, writeOne: write }
}

/** The service as a change in this transaction finds it. What takes a while or reaches out is left out. */
function within({ service }: Trying, trx: Kysely<Schema>) {
  const store = storeWithin(service.store, trx)
  // Its getters stay: the command reads a setting only where one is needed.
  const tried: unknown = Object.create(service, {
    store: { value: store },
    passwords: { value: { hash: async () => '' } },
    keys: { value: { rotate: async () => [] } },
  })
  return { service: tried }
}

function touchedBy(trials: readonly Trial[]): Touched {
  const people = trials.flatMap((one) => [...one.people])
  const [clients, roles, organisations, units] = [0, 1, 2, 3].map(() => new Set<string>())
  const touched = { users: new Set(people), clients, roles, organisations, units } as Touched
  const kinds: { [T in AuditedChange['thing']]?: Set<string> } = {
    user: touched.users,
    client: touched.clients,
    role: touched.roles,
    organisation: touched.organisations,
    unit: touched.units,
  }
  for (const { thing, id, user_uuid, before, after } of trials.flatMap((one) => one.told)) {
    if (thing === 'profile' && user_uuid !== undefined) touched.users.add(user_uuid)
    // What is new is nobody's yet, and what is gone is told of with all that went along.
    else if (before !== undefined && after !== undefined) kinds[thing]?.add(id)
    else if (thing === 'user' || thing === 'client') kinds[thing]?.add(id)
  }
  return touched
}

/** Limits the effect to what the administrator may see of holders and places. */
function seenOf(
  { users, clients }: AccessDifferences,
  { sees, reach }: Authority,
  isReached: (place: Difference['place']) => boolean,
) {
  const seen = (permissions: readonly string[]) => permissions.filter((one) => sees?.includes(one) ?? true)
  const shown = ({ place, gains, loses }: Difference) => ({
    organisation_uuid: place.organisation_uuid,
    organisation_unit_uuid: place.unit_uuid,
    gains: seen(gains),
    loses: seen(loses),
  })
  const isSeen = ({ gains, loses }: Pick<Difference, 'gains' | 'loses'>) => gains.length + loses.length > 0
  return {
    users: users
      .filter((one) => isReached(one.place))
      .map((one) => ({ user_uuid: one.uuid, email: one.email, ...shown(one) }))
      .filter(isSeen),
    clients: clients
      .filter((one) => isOwnedWithin(reach, one.place))
      .map(({ client_id, acting_for, ...one }) => ({
        client_id,
        ...shown(one),
        ...(acting_for !== undefined && { acting_for }),
      }))
      .filter(isSeen),
  }
}

function waitingFrom(
  before: AccessState,
  after: AccessState,
  isReached: (place: Difference['place']) => boolean,
) {
  const waited = new Set(before.profiles.flatMap((row) => (row.beyond === 'waits' ? [row.uuid] : [])))
  const emails = new Map(after.users.map((row) => [row.uuid, row.email]))
  return after.profiles
    .filter((row) => row.beyond === 'waits' && !waited.has(row.uuid) && isReached(row))
    .map(({ uuid, user_uuid, role_code }) => ({
      user_uuid,
      email: emails.get(user_uuid) ?? '',
      profile_uuid: uuid,
      role_code,
    }))
}

/** What a change was asked to remove it tells of last. */
function removedWith(trials: readonly Trial[], may: (permission: string) => boolean): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { thing, after } of trials.flatMap(({ told }) => told.slice(0, -1))) {
    if (after === undefined && may(`iam.${administered[thing].many}.read`))
      counts[thing] = (counts[thing] ?? 0) + 1
  }
  return counts
}
