import { createSecretKey, randomBytes } from 'node:crypto'
import { chained, extend } from '../audit/chain.ts'
import { partitionOf } from '../audit/head.ts'
import { linkWithin } from '../audit/link.ts'
import { remarkMonths } from '../audit/months.ts'
import { forgetVerifications } from '../audit/verification.ts'
import { contentOf, type Origin, record } from '../audit/record.ts'
import type { AuditKeeper, AuditKey, ChainHead } from '../database/audit-key.ts'
import { OtherSecret } from '../database/failure.ts'
import type { Store } from '../database/store.ts'
import { decrypt, encrypt, type Secrets } from './encryption.ts'
import { allKeys } from './kept-keys.ts'
import { opened } from './signing-key.ts'

const purpose = 'tessera audit key'
/** The audit has one key. */
const id = 'chain'

/**
 * Keeps the key of the audit: 256 random bits, with where the chain ended when they were drawn. Both are encrypted
 * together, so nobody without the secret can say that more of the chain is older than its key. `secrets` is asked when
 * the key is needed.
 */
export function auditKeeper(secrets: () => Secrets): AuditKeeper {
  return {
    make(after, others) {
      const { secret, previousSecret } = secrets()
      for (const one of others) opened(one, [secret, previousSecret])
      const text = JSON.stringify({ key: randomBytes(32).toString('base64url'), after })
      return encryptedAuditKey(text, secret)
    },
    open(kept) {
      const { secret, previousSecret } = secrets()
      const { key, after } = JSON.parse(openedAuditKey(kept, [secret, previousSecret])) as {
        key: string
        after: ChainHead
      }
      return { key: createSecretKey(key, 'base64url'), after }
    },
  }
}

/** The key as it is stored. */
export const encryptedAuditKey = (text: string, secret: string): string =>
  encrypt(text, id, { purpose, secret })

/** What rests, opened. Throws when none of the secrets opens it. */
export function openedAuditKey(kept: string, secrets: readonly (string | undefined)[]): string {
  const text = decrypt(kept, id, { purpose, secrets })
  if (text !== undefined) return text
  throw new OtherSecret(
    'The key of the audit was encrypted with another secret. Set TESSERA_SECRET (or TESSERA_SECRET_FILE) to the secret of the service, or TESSERA_SECRET_PREVIOUS to the one before when it has changed. Where that is right, somebody has put something else in its place: see "The key" in docs/audit.md.',
  )
}

interface AuditKeyOptions {
  now: number
  by: Origin
}

/**
 * Replaces how the key of the audit is encrypted, and records it.
 * Concurrency: nothing happens when another process did so meanwhile.
 */
export async function reencryptAuditKey(
  store: Store,
  { from, to, now, by }: AuditKeyOptions & { from: string; to: string },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('audit_keys')
      .set({ kept: to })
      .where('kept', '=', from)
      .returning('name')
      .executeTakeFirst()
    if (row !== undefined) await record(store, { at: now, kind: 'audit_key.reencrypted', ...by }, trx)
  })
}

/**
 * Puts a new key in the place of the one there is, or is no more, and records it, marked by the new one. What stands in
 * the chain stays as it is: the new key is kept together with where it ends now, and marks the months that are closed. What
 * was verified by the key before is forgotten. What waits is linked before, with the
 * key that it was written with. Yields that place.
 */
export async function replaceAuditKey(store: Store, { now, by }: AuditKeyOptions): Promise<number> {
  const [newest] = (await allKeys(store)).slice(-1)
  return await store.db.transaction().execute(async (trx) => {
    const after = await linkWithin(trx, keyBefore(store))
    const kept = store.keeper.make(after, newest === undefined ? [] : [newest])
    await trx
      .insertInto('audit_keys')
      .values({ name: 'chain', kept })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ kept }))
      .execute()
    const detail = { after: after.sequence }
    const event = contentOf({ at: now, kind: 'audit_key.created', ...by, detail })
    const key = store.keeper.open(kept)
    await remarkMonths(trx, key)
    await forgetVerifications(trx)
    await extend(trx, chained(after, key, [{ ...event, month: partitionOf(after) }]))
    return after.sequence
  })
}

/** Undefined when it is gone, or was encrypted with a secret that nobody has. */
function keyBefore(store: Store): AuditKey | undefined {
  try {
    return store.auditKey()
  } catch (error) {
    if (error instanceof OtherSecret) return undefined
    throw error
  }
}
