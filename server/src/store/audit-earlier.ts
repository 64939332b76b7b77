import { setImmediate as nextTurn } from 'node:timers/promises'
import { append, type AuditContent } from './audit-chain.ts'
import type { EarlierAuditRow } from './audit-rows.ts'
import type { Store } from './open.ts'

const step = 500

/**
 * Moves into the chain what stands in `audit`: records of the version before, of its processes that still run beside
 * this one, and of operators' own statements (docs/operations.md).
 *
 * Concurrency: each record is moved once, by the statement that removes it, however many processes do so.
 */
export async function chainEarlier(store: Pick<Store, 'db'>): Promise<void> {
  while (await isAnyLeft(store)) {
    await store.db.transaction().execute(async (trx) => {
      const rows = await trx
        .deleteFrom('audit')
        .where('sequence', 'in', (from) =>
          from.selectFrom('audit').select('sequence').orderBy('sequence').limit(step),
        )
        .returningAll()
        .execute()
      rows.sort((a, b) => a.sequence - b.sequence)
      await append(trx, rows.map(asContent))
    })
    // An embedded database answers within the turn: others go between any two steps.
    await nextTurn()
  }
}

/** Asked first: nearly always there is nothing, and then nothing is locked. */
async function isAnyLeft({ db }: Pick<Store, 'db'>): Promise<boolean> {
  return (await db.selectFrom('audit').select('sequence').limit(1).executeTakeFirst()) !== undefined
}

/** It said nothing of an actor: who did it is not known. */
function asContent(row: Omit<EarlierAuditRow, 'sequence'>): AuditContent {
  return {
    at: row.at,
    kind: row.kind,
    actor_kind: 'service',
    actor_id: null,
    actor_profile_uuid: null,
    actor_role_code: null,
    actor_organisation_uuid: null,
    address: row.address,
    request_id: row.request_id,
    target_kind: null,
    target_id: null,
    user_uuid: row.user_uuid,
    client_id: row.client_id,
    sid: row.sid,
    organisation_uuid: null,
    before: null,
    after: null,
    detail: spelt(row.detail),
  }
}

/** JSON as this version spells it, so that an export spells it the same. */
function spelt(detail: string): string {
  try {
    return JSON.stringify(JSON.parse(detail))
  } catch {
    return JSON.stringify({ text: detail })
  }
}
