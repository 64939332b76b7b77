import { sql } from 'kysely'
import { recordAll } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import { dayOf } from '../protocol/values.ts'
import { write } from './write/write.ts'

/** People of one transaction. */
const step = 200

/**
 * Takes away the weak hashes whose time is over, which count no more: their people have no password. Nothing ends with
 * them, because nobody has signed in by one of them.
 */
export async function forgetWeakHashes(store: Store, now: number, stopping: () => boolean): Promise<void> {
  while (!stopping() && (await forgetSome(store, now)) === step);
}

/** Concurrency: of several processes at once one takes each away; a password that is set meanwhile stays. */
async function forgetSome(store: Store, now: number): Promise<number> {
  return await store.db.transaction().execute(async (trx) => {
    const people = await trx
      .selectFrom('users')
      .selectAll()
      // The term of the index.
      .where(sql<boolean>`substr(password_hash, 1, 6) = '$weak$'`)
      .where(sql<string>`substr(password_hash, 7, 10)`, '<=', dayOf(now))
      .limit(step)
      .forUpdate()
      .execute()
    if (people.length === 0) return 0
    const update = people.map((before) => ({ before, set: { password_hash: null, updated_at: now } }))
    await write(trx, { users: { update } }, { now, versions: 'overwritten', by: 'person', ends: 'each' })
    const records = people.map(({ uuid }) => ({
      at: now,
      kind: 'user.changed' as const,
      target: { kind: 'user', id: uuid },
      before: { has_password: true },
      after: { has_password: false },
      detail: { reason: 'weak_hash_over' },
    }))
    await recordAll(store, records, trx)
    return people.length
  })
}
