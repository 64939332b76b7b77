/** People whom a directory or upstream suspends: nothing of them counts in the organisation until it says otherwise. */
import { type Kysely, sql } from 'kysely'
import type { AuditEvent } from '../audit/record.ts'
import { chunksOf } from '../database/chunks.ts'
import { insertRows, updateRows } from '../database/many-rows.ts'
import type { ProfileRow, Schema } from '../database/schema.ts'
import { end } from '../store/ending.ts'
import { write } from '../store/write/write.ts'
import { breakGlassOf } from '../store/break-glass.ts'
import { ownedAmong } from './owned.ts'

/** The source that says so, and its organisation. */
export interface Suspending {
  kind: 'upstream' | 'directory'
  source_uuid: string
  organisation_uuid: string
}

/**
 * Nothing of these people counts in the organisation any more, whatever gave it; the account of one whom it owns is
 * disabled. Break-glass people are left out. Yields what is to be recorded of those whom it ended.
 */
export async function suspend(
  trx: Kysely<Schema>,
  by: Suspending,
  users: readonly string[],
  now: number,
): Promise<AuditEvent[]> {
  const { source_uuid, organisation_uuid } = by
  const exempt = await breakGlassOf(trx, organisation_uuid)
  const known = await suspendedBy(trx, by, users)
  const fresh = [...new Set(users)].filter((one) => !known.has(one) && !exempt.has(one))
  if (fresh.length === 0) return []
  const rows = fresh.map((user_uuid) => ({ user_uuid, organisation_uuid, source_uuid, created_at: now }))
  await insertRows(trx, 'suspensions', ['user_uuid', 'organisation_uuid', 'source_uuid', 'created_at'], rows)
  const profiles = await profilesIn(trx, organisation_uuid, fresh)
  await setSuspended(trx, profiles, 1)
  await end(trx, { profiles }, { now, reason: 'person_suspended' })
  const owned = await ownedAmong(trx, organisation_uuid, fresh)
  const disabled = await setActive(trx, owned, { from: 1, to: 0, before: null, by: source_uuid }, now)
  await markLeaving(trx, owned, source_uuid)
  return fresh.map(
    (one): AuditEvent => ({
      kind: 'person.suspended',
      ...aboutPerson(by, one, now),
      ...(disabled.has(one) && { detail: { account: 'disabled' } }),
    }),
  )
}

/** Lifts what this source ended, and nothing that anybody else did. */
export async function restore(
  trx: Kysely<Schema>,
  by: Suspending,
  users: readonly string[],
  now: number,
): Promise<AuditEvent[]> {
  const { source_uuid, organisation_uuid } = by
  const lifted = [...(await suspendedBy(trx, by, users))]
  for (const some of chunksOf(lifted))
    await trx
      .deleteFrom('suspensions')
      .where('source_uuid', '=', source_uuid)
      .where('organisation_uuid', '=', organisation_uuid)
      .where('user_uuid', 'in', some)
      .execute()
  const still = await suspendedBy(trx, { organisation_uuid }, lifted)
  const free = lifted.filter((one) => !still.has(one))
  await setSuspended(trx, await profilesIn(trx, organisation_uuid, free), 0)
  // Another source says that they are away too: the account is its from now on.
  await passOn(trx, by, [...still], now)
  const enabled = await setActive(trx, free, { from: 0, to: 1, before: source_uuid, by: null }, now)
  return lifted.map(
    (one): AuditEvent => ({
      kind: 'person.restored',
      ...aboutPerson(by, one, now),
      ...(enabled.has(one) && { detail: { account: 'enabled' } }),
    }),
  )
}

/**
 * A source that is removed says nothing more of these people: what it ended stays so, as if an administrator had done it,
 * and one can give it back. Yields what is to be recorded.
 */
export async function letStand(
  trx: Kysely<Schema>,
  by: Suspending,
  users: readonly string[],
  now: number,
): Promise<AuditEvent[]> {
  const { source_uuid, organisation_uuid } = by
  const events: AuditEvent[] = []
  const away = [...(await suspendedBy(trx, by, users))]
  for (const some of chunksOf(away)) {
    const held = await trx
      .selectFrom('profiles')
      .selectAll()
      .where('organisation_uuid', '=', organisation_uuid)
      .where('user_uuid', 'in', some)
      .where('active', '=', 1)
      .execute()
    const update = held.map((before) => ({ before, set: { active: 0 as const } }))
    const how = { now, versions: 'overwritten', by: 'others', ends: 'each' } as const
    await write(trx, { profiles: { update } }, how)
    events.push(...update.map(({ before }) => disabledProfile(by, before, now)))
    await trx
      .deleteFrom('suspensions')
      .where('source_uuid', '=', source_uuid)
      .where('organisation_uuid', '=', organisation_uuid)
      .where('user_uuid', 'in', some)
      .execute()
  }
  const still = await suspendedBy(trx, { organisation_uuid }, away)
  const free = away.filter((one) => !still.has(one))
  await setSuspended(trx, await profilesIn(trx, organisation_uuid, free), 0)
  await setActive(trx, away, { from: 0, to: 0, before: source_uuid, by: null }, now)
  const stands = { detail: { reason: 'source_removed' } }
  return [
    ...events,
    ...away.map((one): AuditEvent => ({ kind: 'person.restored', ...aboutPerson(by, one, now), ...stands })),
  ]
}

/** People whom a source, or any, suspended in an organisation. */
async function suspendedBy(
  trx: Kysely<Schema>,
  { source_uuid, organisation_uuid }: { source_uuid?: string; organisation_uuid: string },
  users: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const some of chunksOf(users)) {
    const rows = await trx
      .selectFrom('suspensions')
      .select('user_uuid')
      .where('organisation_uuid', '=', organisation_uuid)
      .$if(source_uuid !== undefined, (query) => query.where('source_uuid', '=', source_uuid ?? ''))
      .where('user_uuid', 'in', some)
      .execute()
    for (const { user_uuid } of rows) found.add(user_uuid)
  }
  return found
}

/** The accounts that a source disabled, and that another one keeps disabled, are that one's to enable. */
async function passOn(
  trx: Kysely<Schema>,
  { source_uuid, organisation_uuid }: Suspending,
  users: readonly string[],
  now: number,
): Promise<void> {
  for (const user_uuid of users) {
    const other = await trx
      .selectFrom('suspensions')
      .select('source_uuid')
      .where('organisation_uuid', '=', organisation_uuid)
      .where('user_uuid', '=', user_uuid)
      .executeTakeFirst()
    const at = { from: 0, to: 0, before: source_uuid, by: other?.source_uuid ?? null } as const
    await setActive(trx, [user_uuid], at, now)
  }
}

async function profilesIn(
  trx: Kysely<Schema>,
  organisation_uuid: string,
  users: readonly string[],
): Promise<string[]> {
  const uuids: string[] = []
  for (const some of chunksOf(users)) {
    const rows = await trx
      .selectFrom('profiles')
      .select('uuid')
      .where('organisation_uuid', '=', organisation_uuid)
      .where('user_uuid', 'in', some)
      .execute()
    uuids.push(...rows.map(({ uuid }) => uuid))
  }
  return uuids
}

async function setSuspended(
  trx: Kysely<Schema>,
  profiles: readonly string[],
  suspended: 0 | 1,
): Promise<void> {
  const rows = profiles.map((uuid) => ({ uuid, suspended }))
  await updateRows(trx, 'profiles', { keys: ['uuid'], columns: ['suspended'], also: [] }, rows)
}

/** Disables accounts for a source, or enables those that it disabled. Yields those that became so by it. */
async function setActive(
  trx: Kysely<Schema>,
  users: Iterable<string>,
  { from, to, before, by }: { from: 0 | 1; to: 0 | 1; before: string | null; by: string | null },
  now: number,
): Promise<Set<string>> {
  const done = new Set<string>()
  for (const some of chunksOf([...users])) {
    const rows = await trx
      .selectFrom('users')
      .selectAll()
      .where('uuid', 'in', some)
      .where('active', '=', from)
      .where(sql<boolean>`disabled_by is not distinct from ${before}`)
      // Managed people are enabled by their file alone.
      .where('managed_by', 'is', null)
      .execute()
    const update = rows.map((row) => ({
      before: row,
      // People to be removed stay disabled until that is undone.
      set: { active: row.deletion_at === null ? to : row.active, disabled_by: by, updated_at: now },
    }))
    const how = { now, versions: 'overwritten', by: 'others', ends: 'each' } as const
    await write(trx, { users: { update } }, how)
    for (const { before, set } of update) if (set.active !== before.active) done.add(before.uuid)
  }
  return done
}

/** People to be removed are disabled already: undoing that does not bring back whom a source sent away. */
async function markLeaving(trx: Kysely<Schema>, users: Iterable<string>, disabled_by: string): Promise<void> {
  for (const some of chunksOf([...users])) {
    const leaving = await trx
      .selectFrom('users')
      .select('uuid')
      .where('uuid', 'in', some)
      .where('deletion_at', 'is not', null)
      .execute()
    const rows = leaving.map(({ uuid }) => ({ uuid, disabled_by }))
    await updateRows(trx, 'users', { keys: ['uuid'], columns: ['disabled_by'], also: [] }, rows)
  }
}

const disabledProfile = (by: Suspending, { uuid, user_uuid }: ProfileRow, now: number): AuditEvent => ({
  ...aboutPerson(by, user_uuid, now),
  kind: 'profile.changed',
  target: { kind: 'profile', id: uuid },
  before: { active: true },
  after: { active: false },
})

const aboutPerson = (
  { kind, source_uuid, organisation_uuid }: Suspending,
  user_uuid: string,
  now: number,
) => ({
  at: now,
  actor: { kind, id: source_uuid },
  target: { kind: 'user', id: user_uuid },
  user_uuid,
  organisation_uuid,
})
