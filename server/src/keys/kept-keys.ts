import type { Selectable } from 'kysely'
import { type Origin, record } from '../audit/record.ts'
import { TransactionLock } from '../database/locks.ts'
import type { Store } from '../database/store.ts'
import type { SigningKeyRow } from '../database/schema.ts'

/** A signing key as it is stored, the private part encrypted. */
export type StoredKey = Selectable<SigningKeyRow>

const inOrder = ({ db }: Store) =>
  db.selectFrom('signing_keys').selectAll().orderBy('signs_from').orderBy('alg')

/** Every key there is, oldest first. */
export const allKeys = async (store: Store): Promise<StoredKey[]> => await inOrder(store).execute()

/** The keys that are published at `now`, oldest first. */
export async function publishedKeys(store: Store, now: number): Promise<StoredKey[]> {
  return await inOrder(store)
    .where((w) => w.or([w('published_until', 'is', null), w('published_until', '>', now)]))
    .execute()
}

/** The lock of a rotation. Two transactions could both find no newer key otherwise. */
const rotation = new TransactionLock(7_465_737_365)

export class KeysTooLate extends Error {}

/**
 * Adds keys, one of each algorithm, says until when those before them stay published, and records it. A key that was to
 * sign later than they do gives up its turn.
 *
 * Concurrency: `expected` are the keys without an end that the caller knew; when another process has added some
 * since, nothing happens and false is returned, so several processes rotate once. Throws `KeysTooLate`, and nothing
 * happens, when it is not `inTime` any more at the end: the process was paused, or somebody held a lock.
 */
export async function addKeys(
  store: Store,
  keys: readonly StoredKey[],
  expected: readonly string[],
  times: { signsFrom: number; publishedUntil: number; by: Origin; inTime: () => boolean },
): Promise<boolean> {
  const { signsFrom, publishedUntil, by, inTime } = times
  return await store.db.transaction().execute(async (trx) => {
    await rotation.alone(trx)
    const before = await trx
      .selectFrom('signing_keys')
      .select(['kid', 'alg'])
      .where('published_until', 'is', null)
      .execute()
    if (before.length !== expected.length || before.some(({ kid }) => !expected.includes(kid))) return false
    await trx
      .updateTable('signing_keys')
      .set({ published_until: publishedUntil })
      .where('published_until', 'is', null)
      .execute()
    await passOver(trx, signsFrom)
    await trx.insertInto('signing_keys').values(keys).execute()
    for (const { kid, alg, signs_from, created_at: at } of keys) {
      const after = { alg, signs_from: new Date(signs_from).toISOString() }
      const follows = before.find((one) => one.alg === alg)?.kid
      const target = { kind: 'signing_key', id: kid }
      const detail = follows === undefined ? undefined : { follows }
      await record(store, { at, kind: 'signing_key.created', ...by, target, after, detail }, trx)
    }
    if (!inTime()) throw new KeysTooLate()
    return true
  })
}

/** Gives keys that wait for a later turn one just before that moment: no two of an algorithm have the same. */
async function passOver(trx: Store['db'], moment: number): Promise<void> {
  const keys = await trx
    .selectFrom('signing_keys')
    .select(['kid', 'signs_from'])
    .orderBy('signs_from')
    .execute()
  const taken = new Set(keys.map((one) => one.signs_from))
  let free = moment
  for (const { kid, signs_from: later } of keys.reverse()) {
    if (later < moment) return
    do free -= 1
    while (taken.has(free))
    await trx.updateTable('signing_keys').set({ signs_from: free }).where('kid', '=', kid).execute()
  }
}

/** Lets a key that has a successor stay published for longer, and never for less. */
export async function publishUntil(store: Store, kid: string, until: number): Promise<void> {
  await store.db
    .updateTable('signing_keys')
    .set({ published_until: until })
    .where('kid', '=', kid)
    .where('published_until', '<', until)
    .execute()
}

/**
 * Replaces how a private key is encrypted, and records it.
 * Concurrency: nothing happens when another process did so meanwhile.
 */
export async function reencryptKey(
  store: Store,
  kid: string,
  { from, to, now, by }: { from: string; to: string; now: number; by: Origin },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('signing_keys')
      .set({ private_key: to })
      .where('kid', '=', kid)
      .where('private_key', '=', from)
      .returning('kid')
      .executeTakeFirst()
    if (row === undefined) return
    const target = { kind: 'signing_key', id: kid }
    await record(store, { at: now, kind: 'signing_key.reencrypted', ...by, target }, trx)
  })
}
