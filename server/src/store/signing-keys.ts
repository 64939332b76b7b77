import { sql } from 'kysely'
import type { SigningAlg } from '../protocol/signing-alg.ts'
import { type Origin, record } from './audit.ts'
import type { Store } from './open.ts'
import type { SigningKeyRow } from './schema.ts'

/** A signing key as it is kept: times in epoch milliseconds, the private part encrypted by `keys/`. */
export interface StoredKey {
  kid: string
  alg: SigningAlg
  publicJwk: string
  privateKey: string
  createdAt: number
  signsFrom: number
  publishedUntil: number | undefined
}

/** The keys that are published at `now`, oldest first. */
export async function publishedKeys(store: Store, now: number): Promise<StoredKey[]> {
  const rows = await store.db
    .selectFrom('signing_keys')
    .selectAll()
    .where((w) => w.or([w('published_until', 'is', null), w('published_until', '>', now)]))
    .orderBy('signs_from')
    .execute()
  return rows.map(asKey)
}

export class KeysTooLate extends Error {}

/**
 * Adds keys, one of each algorithm, says until when their predecessors stay published, and records it.
 *
 * Concurrency: `expected` are the keys without an end that the caller knew; when another process has added some
 * since, nothing happens and false is returned, so several processes rotate once. Throws `KeysTooLate`, and nothing
 * happens, when it is not `inTime` any more at the end: the process was paused, or somebody held a lock.
 */
export async function addKeys(
  store: Store,
  keys: readonly StoredKey[],
  expected: readonly string[],
  { predecessorsUntil, by, inTime }: { predecessorsUntil: number; by: Origin; inTime: () => boolean },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    if (store.dialect === 'postgres') {
      // Two transactions could both find no newer key; the lock makes the second one wait and look again.
      await sql`select pg_advisory_xact_lock(7465737365)`.execute(trx)
    }
    const there = await trx
      .selectFrom('signing_keys')
      .select(['kid', 'alg'])
      .where('published_until', 'is', null)
      .execute()
    if (there.length !== expected.length || there.some(({ kid }) => !expected.includes(kid))) return false
    await trx
      .updateTable('signing_keys')
      .set({ published_until: predecessorsUntil })
      .where('published_until', 'is', null)
      .execute()
    await trx.insertInto('signing_keys').values(keys.map(asRow)).execute()
    for (const { kid, alg, signsFrom, createdAt: at } of keys) {
      const after = { alg, signs_from: new Date(signsFrom).toISOString() }
      const follows = there.find((one) => one.alg === alg)?.kid
      const target = { kind: 'signing_key', id: kid }
      const detail = follows === undefined ? undefined : { follows }
      await record(store, { at, kind: 'signing_key.created', ...by, target, after, detail }, trx)
    }
    if (!inTime()) throw new KeysTooLate()
    return true
  })
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

function asKey(row: SigningKeyRow): StoredKey {
  return {
    kid: row.kid,
    alg: row.alg,
    publicJwk: row.public_jwk,
    privateKey: row.private_key,
    createdAt: row.created_at,
    signsFrom: row.signs_from,
    publishedUntil: row.published_until ?? undefined,
  }
}

function asRow(key: StoredKey): SigningKeyRow {
  return {
    kid: key.kid,
    alg: key.alg,
    public_jwk: key.publicJwk,
    private_key: key.privateKey,
    created_at: key.createdAt,
    signs_from: key.signsFrom,
    published_until: key.publishedUntil ?? null,
  }
}

/** Every key there is, oldest first. */
export async function allKeys(store: Store): Promise<StoredKey[]> {
  const rows = await store.db.selectFrom('signing_keys').selectAll().orderBy('signs_from').execute()
  return rows.map(asKey)
}

/**
 * Replaces how a private key is encrypted, and records it.
 * Concurrency: nothing happens when another process did so meanwhile.
 */
export async function reencryptKey(
  store: Store,
  kid: string,
  { from, to, now, by }: { from: string; to: string; now: number; by: Origin },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('signing_keys')
      .set({ private_key: to })
      .where('kid', '=', kid)
      .where('private_key', '=', from)
      .returning('kid')
      .executeTakeFirst()
    if (row === undefined) return false
    const target = { kind: 'signing_key', id: kid }
    await record(store, { at: now, kind: 'signing_key.reencrypted', ...by, target }, trx)
    return true
  })
}
