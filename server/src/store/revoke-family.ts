import { type AuditEvent, record } from './audit.ts'
import type { Store } from './open.ts'
import { revokeFamily, type TokenFamily } from './token-families.ts'

/** Ends a token family by itself, with the record of it. False: it had ended before, and nothing changed. */
export async function endFamily(
  store: Store,
  family: TokenFamily,
  { reason, ...event }: Omit<AuditEvent, 'kind' | 'target'> & { reason: string },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    if (!(await revokeFamily(trx, family.id, event.at, reason))) return false
    const { id, userUuid, clientId, sid } = family
    const about = { target: { kind: 'token_family', id }, userUuid, clientId, sid, detail: { reason } }
    await record(store, { ...event, kind: 'token_family.revoked', ...about }, trx)
    return true
  })
}
