import { type Kysely, sql } from 'kysely'
import type { AuditKey } from '../database/audit-key.ts'
import type { AuditVerification } from '../database/schema-audit.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { verificationMarkOf } from './chain.ts'
import { findHead, goesThrough } from './head.ts'

/** What a check of the whole audit found. */
export type Verification = Omit<AuditVerification, 'name' | 'mac'>

/**
 * Keeps it, marked by the key.
 * Concurrency: of several checks at once, that which ends last counts as the last.
 */
export async function keepVerification({ db }: Store, key: AuditKey, found: Verification): Promise<void> {
  const names = found.problems === 0 ? (['last', 'whole'] as const) : (['last'] as const)
  await db.transaction().execute(async (trx) => {
    for (const name of names) {
      const row = { name, ...found, mac: verificationMarkOf({ name, ...found }, key) }
      await trx
        .insertInto('audit_verifications')
        .values(row)
        .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
        .execute()
    }
  })
}

/** Forgets what was marked by a key that no longer counts. */
export async function forgetVerifications(trx: Kysely<Schema>): Promise<void> {
  await trx.deleteFrom('audit_verifications').execute()
}

/**
 * `never`: no check was kept.
 * `whole`: the last one found nothing wrong.
 * `broken`: the last one found something.
 * `not_marked`: what is kept was written, altered or removed in part by somebody without the key.
 * `not_kept`: the last one found nothing wrong, and the chain no longer goes through where it ended then.
 */
export const verifiedStates = ['never', 'whole', 'broken', 'not_marked', 'not_kept'] as const

export interface Verified {
  state: (typeof verifiedStates)[number]
  last: Verification | undefined
  /** The last one that found nothing wrong. */
  whole: Verification | undefined
}

/** What was last found, without a check: reads a few rows. Needs the key where there are any. */
export async function lastVerified(store: Store): Promise<Verified> {
  const rows = await store.db.selectFrom('audit_verifications').selectAll().execute()
  if (rows.length === 0) return { state: 'never', last: undefined, whole: undefined }
  const key = store.auditKey()
  const marked = rows.filter(({ mac, ...row }) => mac === verificationMarkOf(row, key))
  const last = marked.find(({ name }) => name === 'last')
  const whole = last?.problems === 0 ? last : marked.find(({ name }) => name === 'whole')
  return { state: await stateOf(), last, whole }

  async function stateOf(): Promise<Verified['state']> {
    if (marked.length < rows.length || last === undefined) return 'not_marked'
    if (last.problems > 0) return 'broken'
    return (await stillEndsAfter(store, last)) ? 'whole' : 'not_kept'
  }
}

/** Whether the chain still goes through a head, and ends there or after it. */
async function stillEndsAfter(store: Store, head: Verification): Promise<boolean> {
  const now = await findHead(store.db)
  return now !== undefined && now.sequence >= head.sequence && (await goesThrough(store, head))
}

/** How many records came after this one, and when the first of them: archived ones are not among them. */
export async function recordsAfter(
  { db }: Store,
  sequence: number,
): Promise<{ records: number; since: number | null }> {
  const { sequence: end = 0 } = (await findHead(db)) ?? {}
  const first = await db
    .selectFrom('audit_records')
    // Read as text: what was altered may be out of a driver's range.
    .select(['sequence', sql<string>`cast(at as text)`.as('time')])
    .where('sequence', '>', sequence)
    .where('sequence', '<=', end)
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()
  if (first === undefined) return { records: 0, since: null }
  const time = new Date(Number(first.time)).getTime()
  return { records: Math.max(0, end - first.sequence + 1), since: Number.isNaN(time) ? null : time }
}
