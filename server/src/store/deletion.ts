/** People who have their own account removed, with a while in which they can undo it. */
import type { Kysely } from 'kysely'
import { type AuditEvent, type Origin, recordAll } from '../audit/record.ts'
import { lockAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { Problem } from '../protocol/problem.ts'
import { keepingAdministrators } from './administrators.ts'
import { end } from './ending.ts'
import { inTransaction } from './in-transaction.ts'
import { indexMembers } from './members.ts'
import { installationPolicy } from './policies.ts'

const day = 24 * 3_600_000
/** How long it can be undone. */
const deletionDays = 14

interface Deletion {
  userUuid: string
  now: number
  by: Origin
}

/** Why somebody may not have their own account removed. */
export type DeletionRefusal = 'off' | 'managed' | 'last_administrator'

/** Undefined: they may, as far as the account itself says. */
export async function refusalOf(db: Kysely<Schema>, userUuid: string): Promise<DeletionRefusal | undefined> {
  if ((await installationPolicy(inTransaction(db))).self_deletion !== true) return 'off'
  const row = await db
    .selectFrom('users')
    .select('managed_by')
    .where('uuid', '=', userUuid)
    .executeTakeFirst()
  return row?.managed_by === null ? undefined : 'managed'
}

/**
 * Disables somebody who asked for it, ends all that they are signed in to, and notes when they are removed. Yields that,
 * or why not. Concurrency: alone among changes by administrators, so that of the last two administrators one stays.
 */
export async function requestDeletion(
  store: Store,
  { userUuid, now, by }: Deletion,
): Promise<number | DeletionRefusal> {
  const at = now + deletionDays * day
  try {
    return await store.db.transaction().execute(async (trx) => {
      await lockAdministration(trx)
      const refusal = await refusalOf(trx, userUuid)
      if (refusal !== undefined) return refusal
      await keepingAdministrators(trx, now, () => set(trx, userUuid, { active: 0, deletion_at: at }, now))
      await end(trx, { users: [userUuid] }, { now, reason: 'user_disabled' })
      const after = { active: false, deletion_at: new Date(at).toISOString() }
      await recordAll(store, [{ ...about({ userUuid, now, by }), kind: 'deletion.requested', after }], trx)
      return at
    })
  } catch (error) {
    if (error instanceof Problem && error.code === 'last_administrator') return 'last_administrator'
    throw error
  }
}

const about = ({ userUuid, now, by }: Deletion) => ({
  at: now,
  ...by,
  target: { kind: 'user', id: userUuid },
  userUuid,
})

async function set(
  trx: Kysely<Schema>,
  userUuid: string,
  values: { active: 0 | 1; deletion_at: number | null },
  now: number,
): Promise<void> {
  await trx
    .updateTable('users')
    .set((column) => ({ ...values, version: column('version', '+', 1), updated_at: now }))
    .where('uuid', '=', userUuid)
    .execute()
  await indexMembers(trx, [userUuid])
}

/** Lets somebody stay who asked to be removed. Nothing happens where that is over or was undone. */
export async function undoDeletion(store: Store, deletion: Deletion): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    await recordAll(store, await undoDeletionWithin(trx, deletion), trx)
  })
}

/**
 * Undoes a deletion as a part of another verb; yields what is to be recorded.
 * Concurrency: the row is held, so that this and the removal wait for each other.
 */
export async function undoDeletionWithin(trx: Kysely<Schema>, deletion: Deletion): Promise<AuditEvent[]> {
  const { userUuid, now } = deletion
  const row = await trx
    .selectFrom('users')
    .select('uuid')
    .where('uuid', '=', userUuid)
    .where('deletion_at', '>', now)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) return []
  await set(trx, userUuid, { active: 1, deletion_at: null }, now)
  return [{ ...about(deletion), kind: 'deletion.undone', after: { active: true } }]
}

/** Longer than clocks of processes differ, ms: what one of them still undoes no other one removes. */
const clockSkew = 60_000

/** The people whose removal is due, each in the version that was read. */
export const dueForRemoval = async (
  { db }: Pick<Store, 'db'>,
  now: number,
): Promise<{ uuid: string; version: number }[]> =>
  await db
    .selectFrom('users')
    .select(['uuid', 'version'])
    .where('deletion_at', '<=', now - clockSkew)
    .orderBy('deletion_at')
    .limit(100)
    .execute()
