import { createHmac, type KeyObject } from 'node:crypto'
import type { Kysely } from 'kysely'
import { OtherSecret } from './failure.ts'
import type { Schema } from './schema.ts'

/** The end of the chain of audit records. */
export interface ChainHead {
  sequence: number
  hash: string
}

/** What marks the records that the service itself has written: who has the database alone can't. */
export interface AuditKey {
  key: KeyObject
  /** The end of the chain when the key was made. Only records up to there may lack its mark. */
  after: ChainHead
}

/** A signing key as it rests. */
export interface ClosedKey {
  kid: string
  private_key: string
}

/** Makes and opens keys of the audit, by the service's secret: `keys/` does. Both throw `OtherSecret`. */
export interface AuditKeeper {
  /** A new key as it rests. What is encrypted in this database already must open by the same secret. */
  make(after: ChainHead, others: readonly ClosedKey[]): string
  open(kept: string): AuditKey
}

/** The mark of a record: HMAC-SHA256 of its hash, and so of all records up to it, in hexadecimal digits. */
export const markOf = (hash: string, { key }: AuditKey): string =>
  createHmac('sha256', key).update(hash).digest('hex')

/** The row of the key is gone: somebody removed it. */
export class NoAuditKey extends OtherSecret {
  constructor() {
    super(
      'The key of the audit is gone from the database: see "The key" in docs/audit.md before anything else is recorded.',
    )
  }
}

/** The key as it rests, opened when something is recorded first: who only reads needs no secret. */
export function openedOnce(kept: string | undefined, keeper: AuditKeeper): () => AuditKey {
  let key: AuditKey | undefined
  return () => {
    if (kept === undefined) throw new NoAuditKey()
    return (key ??= keeper.open(kept))
  }
}

/** The key as it rests; undefined when its row is gone. */
export async function keptAuditKey(db: Kysely<Schema>): Promise<string | undefined> {
  const row = await db.selectFrom('audit_keys').select('kept').where('name', '=', 'chain').executeTakeFirst()
  return row?.kept
}
