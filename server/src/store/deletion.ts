/** People who have their own account removed, with a while in which they can undo it. */
import type { Kysely } from 'kysely'
import { type AuditEvent, type Origin, recordAll } from '../audit/record.ts'
import { lockAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { Problem } from '../protocol/problem.ts'
import { NobodyGetsIn } from './gets-in.ts'
import { inTransaction } from './in-transaction.ts'
import { installationPolicy } from './policies.ts'
import { holdPerson, writeOwn } from './write/own.ts'

const day = 24 * 3_600_000
/** How long it can be undone. */
const deletionDays = 14

interface Deletion {
  user_uuid: string
  now: number
  by: Origin
}

/** Why somebody may not have their own account removed. */
export type DeletionRefusal = 'off' | 'managed' | 'last_administrator' | 'gets_in'

/** Undefined: they may, as far as the account itself says. */
export async function refusalOf(db: Kysely<Schema>, user_uuid: string): Promise<DeletionRefusal | undefined> {
  if ((await installationPolicy(inTransaction(db))).self_deletion !== true) return 'off'
  const row = await db
    .selectFrom('users')
    .select('managed_by')
    .where('uuid', '=', user_uuid)
    .executeTakeFirst()
  return row?.managed_by === null ? undefined : 'managed'
}

/**
 * Disables somebody who asked for it, ends all that they are signed in to, and notes when they are removed. Yields that,
 * or why not. Concurrency: alone among changes by administrators, so that of the last two administrators
 * one stays, and of the last two who get in without an upstream.
 */
export async function requestDeletion(
  store: Store,
  { user_uuid, now, by }: Deletion,
): Promise<number | DeletionRefusal> {
  const at = now + deletionDays * day
  try {
    return await store.db.transaction().execute(async (trx) => {
      await lockAdministration(trx)
      const refusal = await refusalOf(trx, user_uuid)
      if (refusal !== undefined) return refusal
      const row = await holdPerson(trx, user_uuid)
      if (row !== undefined) await writeOwn(trx, row, { active: 0, deletion_at: at }, now)
      const after = { active: false, deletion_at: new Date(at).toISOString() }
      await recordAll(store, [{ ...about({ user_uuid, now, by }), kind: 'deletion.requested', after }], trx)
      return at
    })
  } catch (error) {
    if (error instanceof NobodyGetsIn) return 'gets_in'
    if (error instanceof Problem && error.code === 'last_administrator') return 'last_administrator'
    throw error
  }
}

const about = ({ user_uuid, now, by }: Deletion) => ({
  at: now,
  ...by,
  target: { kind: 'user', id: user_uuid },
  user_uuid,
})

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
  const { user_uuid, now } = deletion
  const row = await holdPerson(trx, user_uuid)
  if (row === undefined || (row.deletion_at ?? 0) <= now) return []
  // A directory alone brings back people whom it sent away meanwhile.
  const active = row.disabled_by === null ? 1 : 0
  const { disabled_by } = row
  await writeOwn(trx, row, { active, disabled_by, deletion_at: null }, now)
  return [{ ...about(deletion), kind: 'deletion.undone', after: { active: active === 1 } }]
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
