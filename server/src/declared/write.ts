import { sql, type Transaction } from 'kysely'
import { keepingAdministrators } from '../store/administrators.ts'
import { sendLink } from '../administration/invitations/send.ts'
import { resumeWebhooksOf } from '../administration/webhooks/verbs.ts'
import { append } from '../audit/append.ts'
import { contentOf, type Origin } from '../audit/record.ts'
import type { AuditContent } from '../database/schema-audit.ts'
import { rowOf } from '../database/rows.ts'
import type { Service } from '../service.ts'
import { chunksOf } from '../database/chunks.ts'
import { indexClients } from '../store/client-index.ts'
import { end, endUnusable } from '../store/ending.ts'
import { type EncryptTotp, giveTotp } from '../store/given-totp.ts'
import { forgetAddresses } from '../store/addresses.ts'
import { withdrawLinks } from '../store/links.ts'
import { proved } from '../store/ownership.ts'
import { type Looked, settleWaiting } from '../access/waiting.ts'
import { emailKey } from '../protocol/email-address.ts'
import { indexMembers, indexPlaces, membersOf } from '../store/members.ts'
import { indexWords } from '../store/words.ts'
import { byKey, groupBy } from '../access/by-key.ts'
import type { Comparison } from './comparison.ts'
import {
  changesAnything,
  type DeclaredWrites,
  keyColumns,
  type Mark,
  type RowChanges,
  writeRows,
} from './rows.ts'
import { type NamedByFile, type DeclaredView, viewWithin } from './state.ts'
import { atOneMoment } from '../database/locks.ts'
import type { Store } from '../database/store.ts'
import { lockAdministration, moveRevision, seenAdministration } from '../database/revision.ts'
import type { ManagedTable, ProfileRow, Schema } from '../database/schema.ts'

/** What is to be done, decided from a view. */
export interface DeclaredDecision {
  comparison: Comparison
  /** What the audit is told: the file, its changes in numbers, and a record for each, made before the lock is taken. */
  file: string
  detail: Readonly<Record<string, number>>
  records: readonly AuditContent[]
}

/** When, for the audit, and how secrets of authenticator apps are kept, and by what invitations are sent. */
export interface Giving {
  now: number
  by: Origin
  encryptTotp: EncryptTotp
  mail: Service['mail']
}

/** So often it is decided while others may change things; then they wait. */
const freeAttempts = 3

/**
 * Looks at the state, asks what is to be done, and does it: it writes the rows, ends what became unusable, and writes the
 * audit records. `decide` may throw: then nothing changed. Throws `last_administrator` when nobody would be
 * left who administers the whole installation.
 *
 * Concurrency: it looks and decides while others go on, since that takes seconds where a file has many people. The
 * transaction that writes runs alone, beside no other file and no change by an administrator. Where one of those came in
 * between, it looks again; after some attempts it decides while the others wait.
 */
export async function changeDeclaredState<D extends DeclaredDecision>(
  store: Store,
  named: NamedByFile,
  giving: Giving,
  decide: (view: DeclaredView) => Promise<D>,
): Promise<D> {
  const look = async (trx: Transaction<Schema>) => ({
    seen: await seenAdministration(trx),
    decision: await decide(await viewWithin(trx, named)),
  })
  for (let attempt = 1; attempt <= freeAttempts; attempt++) {
    const { decision, seen } = await atOneMoment(store).execute(look)
    if (!doesAnything(decision.comparison)) return decision
    const done = await store.db.transaction().execute(async (trx) => {
      if (!(await lockAdministration(trx, seen))) return false
      await carryOut(store, trx, decision, giving)
      return true
    })
    if (done) return decision
  }
  return await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx)
    const { decision } = await look(trx)
    if (doesAnything(decision.comparison)) await carryOut(store, trx, decision, giving)
    return decision
  })
}

const doesAnything = ({ writes, marks }: Comparison) => changesAnything(writes) || marks.length > 0

async function carryOut(
  store: Store,
  trx: Transaction<Schema>,
  { comparison, file, detail, records }: DeclaredDecision,
  giving: Giving,
): Promise<void> {
  const { now, by } = giving
  const { writes, marks, totps, disowned, passwordsChanged } = comparison
  const { organisations, profiles, clients } = writes
  await keepingAdministrators(trx, now, () => writeRows(trx, writes))
  const given = await giveTotp(trx, totps, giving)
  const enabled = organisations.update.filter(({ set }) => set.active === 1)
  await resumeWebhooksOf(
    store,
    trx,
    enabled.map(({ before }) => before.uuid),
  )
  await mark(trx, marks)
  await invite(trx, writes, giving)
  await withdrawInvitations(trx, writes)
  const moved = writes.users.update.filter(({ set }) => set.email_key !== undefined)
  await forgetAddresses(
    trx,
    moved.map(({ before }) => before.uuid),
    now,
  )
  await endHolds(trx, comparison)
  await index(trx, writes)
  await moveRevision(trx)
  await settleWaiting(trx, lookedAt(comparison), now)
  // Profiles that had expired: a later end gives no tokens back.
  const runOut = profiles.update.filter(({ before }) => (before.expires_at ?? Infinity) <= now)
  const rehomed = clients.update.filter(({ set }) => set.organisation_uuid !== undefined)
  // A refresh token that needs proof from now on is worth less than before; every other one would be worth more.
  const retyped = clients.update.filter(
    ({ before, set }) => set.type !== undefined && !(before.type === 'public' && set.type === 'web'),
  )
  const clientIds = (rows: readonly { client_id: string }[]) => rows.map((row) => row.client_id)
  const ended = [
    await end(
      trx,
      { profiles: runOut.map(({ before }) => before.uuid) },
      { now, reason: 'profile_disabled' },
    ),
    await end(trx, { users: passwordsChanged }, { now, reason: 'password_changed' }),
    await end(trx, { users: disowned.users }, { now, reason: 'adopted' }),
    await end(trx, { clients: disowned.clients }, { now, reason: 'adopted' }),
    await end(trx, { clients: clientIds(rehomed.map((one) => one.before)) }, { now, reason: 'client_moved' }),
    await end(
      trx,
      { clients: clientIds(retyped.map((one) => one.before)) },
      { now, reason: 'client_type_changed' },
    ),
    await endUnusable(trx, now),
    await end(trx, { clients: clientIds(clients.remove) }, { now, reason: 'client_removed' }),
  ]
  const counts = {
    sessions_ended: ended.reduce((sum, { sessions }) => sum + sessions.length, 0),
    token_families_revoked: ended.reduce((sum, { families }) => sum + families, 0),
  }
  const target = { kind: 'declared_file', id: file }
  const event = { kind: 'declared.applied', target, detail: { ...detail, ...counts } } as const
  await append(store, trx, [contentOf({ at: now, ...by, ...event }), ...records, ...given.map(contentOf)])
}

/** Sends the invitations that are new or say something else. Without a mail server `tessera invitation resend` does. */
async function invite(
  trx: Transaction<Schema>,
  { invitations }: DeclaredWrites,
  { now, mail }: Pick<Giving, 'now' | 'mail'>,
): Promise<void> {
  if (mail === undefined) return
  const uuids = [...invitations.insert, ...invitations.update.map(({ before }) => before)].map(
    (row) => row.uuid,
  )
  for (const uuid of uuids) {
    const row = await rowOf(trx, 'invitations', { uuid, state: 'pending' })
    if (row !== undefined) await sendLink(trx, row, { mail, now })
  }
}

/** The links of invitations that the file names no more: a mail that waits goes out as long as its link is there. */
async function withdrawInvitations(trx: Transaction<Schema>, { invitations }: DeclaredWrites): Promise<void> {
  const withdrawn = invitations.update.filter(({ set }) => set.state === 'withdrawn')
  await withdrawLinks(
    trx,
    'invitation',
    withdrawn.map(({ before }) => before.uuid),
  )
}

/** Their undo links give nothing back any more. */
async function endHolds(trx: Transaction<Schema>, { holds }: Comparison): Promise<void> {
  for (const some of chunksOf(holds.map(({ email }) => emailKey(email))))
    await trx.deleteFrom('held_addresses').where('email_key', 'in', some).execute()
}

/** The changes by which a profile of an unproved account may come beyond what its makers could give, or within it. */
function lookedAt({ writes, disowned }: Comparison): Looked {
  const { profiles, role_permissions: held, units } = writes
  const rehung = units.update.filter(({ set }) => set.parent_uuid !== undefined)
  return {
    users: [
      ...disowned.users,
      ...profiles.insert.map((row) => row.user_uuid),
      ...profiles.update.map(({ before }) => before.user_uuid),
    ],
    roles: [...held.insert, ...held.remove].map((row) => row.role_code),
    organisations: rehung.map(({ before }) => before.organisation_uuid),
  }
}

/** Indexes the people, organisations and clients that were written, so that searches find them. */
async function index(trx: Transaction<Schema>, writes: DeclaredWrites): Promise<void> {
  await indexUsers(trx, writes)
  const rowsOf = <Row>({ insert, update, remove }: RowChanges<Row>): Row[] => [
    ...insert,
    ...update.map(({ before }) => before),
    ...remove,
  ]
  const organisations = rowsOf(writes.organisations).map((row) => row.uuid)
  await indexWords(trx, 'organisation', organisations)
  const clients = rowsOf(writes.clients).map((row) => row.client_id)
  await indexClients(trx, clients)
}

/** Notes which file manages a thing. Its version stays: the mark is no change of the thing. */
async function mark(trx: Transaction<Schema>, marks: readonly Mark[]): Promise<void> {
  const groups = groupBy(marks, ({ table, managedBy }) => JSON.stringify([table, managedBy]))
  for (const group of groups.values()) {
    const [first] = group
    if (first === undefined) continue
    const column = sql.ref(keyColumns[first.table][0])
    const keys = group.map((one) => one.key)
    for (const chunk of chunksOf(keys)) {
      await sql`update ${sql.table(first.table)} set managed_by = ${first.managedBy}
        where ${column} in (${sql.join(chunk)})`.execute(trx)
      if (first.managedBy !== null) await own(trx, first.table, chunk)
    }
  }
}

/** Marks credentials of adopted things as set by somebody who administers everything. */
async function own(trx: Transaction<Schema>, table: ManagedTable, keys: readonly string[]): Promise<void> {
  if (table === 'users') await trx.updateTable(table).set(proved).where('uuid', 'in', keys).execute()
  if (table !== 'clients') return
  const owned = { limited_reach: 0 } as const
  for (const credentials of ['clients', 'client_secrets'] as const)
    await trx.updateTable(credentials).set(owned).where('client_id', 'in', keys).execute()
}

/** Users who are new, gone, moved or of another address are noted as a whole, of others what changes. */
async function indexUsers(
  trx: Transaction<Schema>,
  { users, profiles, units }: DeclaredWrites,
): Promise<void> {
  const changed = (column: 'email_key' | 'name' | 'active') =>
    users.update.filter(({ set }) => set[column] !== undefined).map(({ before }) => before.uuid)
  const rehung = units.update.filter(({ set }) => set.parent_uuid !== undefined)
  const moved = new Set([
    ...[...users.insert, ...users.remove].map((row) => row.uuid),
    ...changed('email_key'),
    ...movedByProfiles(profiles),
    ...(await membersOf(
      trx,
      rehung.map(({ before }) => before.uuid),
    )),
  ])
  const others = (uuids: readonly string[]) => uuids.filter((uuid) => !moved.has(uuid))
  await indexMembers(trx, [...moved])
  await indexPlaces(trx, others(changed('active')))
  await indexWords(trx, 'user', others(changed('name')))
}

/** The users who have a profile at a place where they had none, or have none where they had one. */
function movedByProfiles({ insert, update, remove }: DeclaredWrites['profiles']): string[] {
  const placeOf = (row: ProfileRow) => [row.user_uuid, row.organisation_uuid, row.unit_uuid].join(' ')
  const had = byKey([...remove, ...update.map(({ before }) => before)], placeOf)
  const has = byKey([...insert, ...update.map(({ before, set }) => ({ ...before, ...set }))], placeOf)
  const all = [...new Map([...had, ...has])]
  return all.filter(([place]) => had.has(place) !== has.has(place)).map(([, row]) => row.user_uuid)
}
