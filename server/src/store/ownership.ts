/**
 * The ownership of accounts (people.md 13). An account is unproved from when somebody limited makes it, or sets how one
 * signs in to it, until its person uses a link that was mailed to its address since, or somebody who administers
 * everything sets it.
 */
import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Actor, AuditEvent } from '../audit/record.ts'
import { iamPermissions, iamWildcard } from '../protocol/permission.ts'
import { chunksOf } from '../database/chunks.ts'
import type { Schema, UserRow } from '../database/schema.ts'
import type { MakerRow } from '../database/schema-admin.ts'
import type { Flag } from '../database/flag.ts'
import { end } from './ending.ts'
import { emailsOf } from './users.ts'
import { waitedEvents } from './waited.ts'
import { holdPerson, type OwnChange, writeOwn } from './write/own.ts'

/** Somebody who makes an account or sets how one signs in to it, and what they may give and where. */
export interface Setter {
  actor: Actor
  /** Whether they do not hold all of iam over the whole installation. */
  limitedReach: Flag
  reach: { organisation_uuid: string | undefined; unit_uuid: string | undefined }
  permissions: ReadonlySet<string>
}

/** The columns of `users` that say whose an account is. */
export interface Owned {
  limited_reach: Flag
  unproved_since: number | null
  makers: string | null
}

export const proved: Owned = { limited_reach: 0, unproved_since: null, makers: null }

export const makersIn = (makers: string): string[] => makers.split(' ')

/**
 * The columns of an account that somebody makes or sets. Given what was `before`, it stays bound by its makers, who may
 * still know the password; makers whom nobody knows stay unknown.
 */
export async function ownedBy(
  trx: Kysely<Schema>,
  setter: Setter,
  { now, before }: { now: number; before?: Pick<Owned, 'limited_reach' | 'makers'> },
): Promise<Owned> {
  if (setter.limitedReach === 0) return proved
  const unproved = { limited_reach: 1, unproved_since: now } as const
  const isKnown = before?.limited_reach !== 1 || before.makers !== null
  if (!isKnown) return { ...unproved, makers: null }
  const others = before?.limited_reach === 1 && before.makers !== null ? makersIn(before.makers) : []
  const makers = [...new Set([...others, await keepMaker(trx, setter)])].join(' ')
  return { ...unproved, makers }
}

/** All of iam as its wildcard: what later versions add to it goes along. */
function listed(permissions: ReadonlySet<string>): string {
  const all = iamPermissions.every((one) => permissions.has(one))
  const named = [...permissions].filter((one) => !all || !iamPermissions.includes(one))
  return [...named, ...(all ? [iamWildcard] : [])].sort().join(' ')
}

async function keepMaker(trx: Kysely<Schema>, { actor, reach, permissions }: Setter): Promise<string> {
  const kept = {
    kind: actor.kind,
    actor_id: actor.id ?? null,
    organisation_uuid: reach.organisation_uuid ?? null,
    unit_uuid: reach.unit_uuid ?? null,
    permissions: listed(permissions),
  }
  const id = hash('sha256', JSON.stringify(kept), 'base64url')
  await trx
    .insertInto('makers')
    .values({ id, ...kept })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return id
}

/** The makers of these ids. */
export async function makersOf(
  db: Kysely<Schema>,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, MakerRow>> {
  const found = new Map<string, MakerRow>()
  for (const some of chunksOf([...new Set(ids)])) {
    const rows = await db.selectFrom('makers').selectAll().where('id', 'in', some).execute()
    for (const row of rows) found.set(row.id, row)
  }
  return found
}

/** Actors as people know them: an address, or such as `client acme-cli`. */
export async function makerNames(
  db: Kysely<Schema>,
  makers: Iterable<MakerRow>,
): Promise<ReadonlyMap<string, string>> {
  const all = [...makers]
  const people = all.flatMap(({ kind, actor_id }) => (kind === 'user' && actor_id !== null ? [actor_id] : []))
  const emails = await emailsOf({ db }, people)
  const nameOf = ({ kind, actor_id: id }: MakerRow) =>
    kind === 'user' ? (emails.get(id ?? '') ?? 'somebody who was removed') : `${kind} ${id ?? ''}`.trim()
  return new Map(all.map((maker) => [maker.id, nameOf(maker)]))
}

/** Whether a link proves an account: it was mailed to the present address since the account is unproved. */
export const isProof = (
  { unproved_since: since }: Pick<Owned, 'unproved_since'>,
  { createdAt }: { createdAt: number },
): boolean => since === null || createdAt >= since

/**
 * An account is proved: all from before ends, but for the factors that its person showed with it, and what waits for the
 * proof counts. What the person sets is written with it: a new password, or that a mail proved the address; a passkey is
 * kept by the caller. Yields what is to be recorded.
 */
export async function prove(
  trx: Kysely<Schema>,
  user_uuid: string,
  { shown, now, set }: { shown: readonly string[]; now: number; set: OwnChange },
): Promise<AuditEvent[]> {
  const before = await holdPerson(trx, user_uuid)
  if (before === undefined) return []
  await end(trx, { users: [user_uuid] }, { now, reason: 'proved', kept: shown })
  // Whatever is not said: the password from before goes.
  const password_hash = set.password_hash ?? null
  await writeOwn(trx, before, { ...proved, password_temporary: 0, ...set, password_hash }, now)
  const waited = await trx
    .selectFrom('profiles')
    .select(['uuid', 'user_uuid', 'organisation_uuid', 'beyond'])
    .where('user_uuid', '=', user_uuid)
    .where('beyond', 'is not', null)
    .execute()
  await trx.updateTable('profiles').set({ beyond: null }).where('user_uuid', '=', user_uuid).execute()
  return waitedEvents(
    waited.map((row) => [row, null]),
    now,
  )
}

/** An administrator sets how somebody signs in: no undo gives back anything from before, as resting factors. */
export async function rankAbove(trx: Kysely<Schema>, user_uuid: string, now: number): Promise<void> {
  await trx.updateTable('users').set({ ranked_at: now }).where('uuid', '=', user_uuid).execute()
  await trx.deleteFrom('removed_factors').where('user_uuid', '=', user_uuid).execute()
}

/** Somebody who is shown a link could use it: whose the account is from then on. No version of the user is told by it. */
export async function share(trx: Kysely<Schema>, user_uuid: string, owned: Owned): Promise<void> {
  await trx.updateTable('users').set(owned).where('uuid', '=', user_uuid).execute()
}

/** What of somebody says whether their account is proved. */
export async function ownershipOf(
  db: Kysely<Schema>,
  user_uuid: string,
): Promise<(Owned & Pick<UserRow, 'email'>) | undefined> {
  return await db
    .selectFrom('users')
    .select(['limited_reach', 'unproved_since', 'makers', 'email'])
    .where('uuid', '=', user_uuid)
    .executeTakeFirst()
}
