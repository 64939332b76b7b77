/** A change that is tried out: the same code in the same transaction, of which nothing stays. */
import { type Kysely, sql } from 'kysely'
import * as z from 'zod'
import { accessBetween, type AccessDifferences, type Difference } from '../access/effects.ts'
import { entryChanges } from '../access/entering.ts'
import type { AccessState } from '../access/permitted.ts'
import { isOwnedWithin, type Reach, withinReach } from '../access/reach.ts'
import { accessStateOf, holdersOf, type Touched } from '../access/touched.ts'
import { lockAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { Problem } from '../protocol/problem.ts'
import { administered } from '../protocol/things.ts'
import { weakenedBy } from '../protocol/weakenings.ts'
import { countEnded } from '../store/ending.ts'
import { inTransaction } from '../store/in-transaction.ts'
import type { Authority } from './authority.ts'
import type { By, AuditedChange } from './by.ts'
import { clientId, code, email, uuid } from './fields.ts'
import { forces, forcedBy } from './forced-by.ts'

const placed = {
  organisation_uuid: uuid.nullable(),
  organisation_unit_uuid: uuid.nullable(),
  gains: z.array(z.string()),
  loses: z.array(z.string()),
}

const entrants = z.object({ people: z.int(), organisations: z.int() })

const result = z.object({
  dry_run: z.literal(true),
  would: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('What the change would answer, without secrets; null: nothing.'),
  access: z
    .object({
      users: z.array(z.object({ user_uuid: uuid, email, ...placed })),
      clients: z.array(z.object({ client_id: clientId, ...placed })),
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
      'What makes the sign-in through a client weaker than before, and of an application behind a proxy each route that demands less and each header that is new.',
    ),
  forces,
  removed_with: z
    .record(z.string(), z.int())
    .describe('How many things of which kind would be removed with it, of those that you may read.'),
})

export const dryRunSchemas = { DryRun: result }

/** What an answer shows this once: of a change that is only tried out it would open nothing. */
export const shownOnce: readonly string[] = ['client_secret', 'secret', 'link', 'address']

/** The most people and clients whose effect is told. */
const most = 500

/** Whether a query asks for a dry run, and the query without that. Throws when it says something else. */
export function askedToTry(query: URLSearchParams): { tries: boolean; rest: URLSearchParams } {
  const [asked, ...more] = query.getAll('dry_run')
  const rest = new URLSearchParams(query)
  rest.delete('dry_run')
  if (more.length === 0 && ['true', 'false', undefined].includes(asked))
    return { tries: asked === 'true', rest }
  const field = { field: 'dry_run', detail: 'It is true or false, and sent once.' }
  throw new Problem('invalid_request', 'The query is not valid.', { fields: [field] })
}

interface Trying {
  service: { readonly store: Store }
  by: By
}

/**
 * What a change would do. Throws as the change does. Concurrency: as the change, for which others wait; then all of it
 * is undone, its audit, webhooks and mails with it.
 */
export async function tryOut<A extends Trying>(
  asked: A,
  run: (asked: A) => Promise<{ body?: object }>,
): Promise<{ status: 200; body: z.output<typeof result> }> {
  const { store } = asked.service
  try {
    return await store.db.transaction().execute(async (trx) => {
      throw new Undone(await tried(trx, asked, run))
    })
  } catch (error) {
    if (error instanceof Undone) return { status: 200, body: error.result }
    throw error
  }
}

class Undone extends Error {
  readonly result: z.output<typeof result>

  constructor(tried: z.output<typeof result>) {
    super('The dry run is over.')
    this.result = tried
  }
}

async function tried<A extends Trying>(
  trx: Kysely<Schema>,
  asked: A,
  run: (asked: A) => Promise<{ body?: object }>,
): Promise<z.output<typeof result>> {
  const { by } = asked
  await lockAdministration(trx)
  await sql`savepoint before_change`.execute(trx)
  const trial: NonNullable<By['tried']> = { told: [], people: new Set(), signInAgain: false }
  const { told } = trial
  const ended = countEnded(trx)
  const { body } = await run({
    ...asked,
    ...within(asked, trx),
    by: { ...by, tried: trial },
    repeatable: () => undefined,
  })
  const holders = await holdersOf(trx, touchedBy(trial), most)
  const after = await accessStateOf(trx, holders)
  const listedAfter = await clientsWithLists(trx, by.authority.reach)
  const reachedAfter = await withinReach(trx, by.authority.reach)
  const forced = await forcedBy(trx, told, by.now)
  await sql`rollback to savepoint before_change`.execute(trx)
  const before = await accessStateOf(trx, holders)
  const listed = await clientsWithLists(trx, by.authority.reach)
  const reachedBefore = await withinReach(trx, by.authority.reach)
  const effect = accessBetween(before, after, by.now)
  const isReached = (place: Difference['place']) => reachedBefore(place) || reachedAfter(place)
  const may = (permission: string) => by.authority.permissions.has(permission)
  return {
    dry_run: true,
    would: body === undefined ? null : withoutSecrets(body),
    access: may('iam.access.read')
      ? { ...seenOf(effect, by.authority, isReached), complete: holders.complete }
      : null,
    ends: may('iam.sessions.read') ? { sessions: ended.sessions, token_families: ended.families } : null,
    sign_in_again: trial.signInAgain,
    waits: may('iam.access.read') ? waitingFrom(before, after, isReached) : null,
    enters: may('iam.access.read')
      ? await entryChanges(trx, [...listed, ...before.clients], [...after.clients, ...listedAfter], by.now)
      : null,
    weakens: told.flatMap(({ thing, id, before, after }) =>
      thing === 'client' && after !== undefined
        ? weakenedBy(before ?? {}, after).map((one) => ({ client_id: id, ...one }))
        : [],
    ),
    forces: may('iam.access.read') ? forced : null,
    removed_with: removedWith(told, may),
  }
}

/** The clients that say who may enter: a removal changes them too. */
async function clientsWithLists(trx: Kysely<Schema>, reach: Reach) {
  const rows = await trx.selectFrom('clients').selectAll().where('allowed', 'is not', null).execute()
  return rows.filter((row) => isOwnedWithin(reach, row))
}

/** The store in a transaction: a verb that is handed it is a part of that. */
export function storeWithin(store: Store, trx: Kysely<Schema>): Store {
  const reading = inTransaction(trx)
  const write: Store['write'] = (steps) => reading.read(steps())
  return { ...store, ...reading, write, writeOne: write }
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

function touchedBy({ told, people }: NonNullable<By['tried']>): Touched {
  const [clients, roles, organisations, units] = [0, 1, 2, 3].map(() => new Set<string>())
  const touched = { users: new Set(people), clients, roles, organisations, units } as Touched
  const kinds: { [T in AuditedChange['thing']]?: Set<string> } = {
    user: touched.users,
    client: touched.clients,
    role: touched.roles,
    organisation: touched.organisations,
    unit: touched.units,
  }
  for (const { thing, id, user_uuid, before, after } of told) {
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
      .map((one) => ({ client_id: one.client_id, ...shown(one) }))
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

/** What was asked to be removed is told of last. */
function removedWith(
  told: readonly AuditedChange[],
  may: (permission: string) => boolean,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { thing, after } of told.slice(0, -1)) {
    if (after === undefined && may(`iam.${administered[thing].many}.read`))
      counts[thing] = (counts[thing] ?? 0) + 1
  }
  return counts
}

const withoutSecrets = (body: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !shownOnce.includes(name)))
