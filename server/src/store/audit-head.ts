import type { ChainHead } from './audit-chain.ts'
import type { Store } from './open.ts'

/** Where the chain ends now; undefined: what tells it is gone. */
export async function auditHead({ db }: Store): Promise<ChainHead | undefined> {
  return await db
    .selectFrom('audit_head')
    .select(['sequence', 'hash'])
    .where('name', '=', 'chain')
    .executeTakeFirst()
}

/** Whether the chain still goes through where it once ended. */
export async function goesThrough({ db }: Store, { sequence, hash }: ChainHead): Promise<boolean> {
  if (sequence === 0) return true
  const row = await db
    .selectFrom('audit_records')
    .select('hash')
    .where('sequence', '=', sequence)
    .executeTakeFirst()
  return row?.hash === hash
}
