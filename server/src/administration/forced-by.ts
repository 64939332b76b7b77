/** The people that a policy would stop that is only tried out. */
import type { Kysely } from 'kysely'
import * as z from 'zod'
import { type ForcedPlace, forcedOut, isNewlyForced } from '../access/forced-out.ts'
import type { Schema } from '../database/schema.ts'
import { inTransaction } from '../store/in-transaction.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import type { AuditedChange } from './by.ts'

export const forces = z
  .object({
    people: z.int(),
    never: z.int().describe('Of these, who have never signed in through it.'),
    last_used_at: z.iso.datetime().nullable().describe('When the last of the others did.'),
  })
  .nullable()
  .describe(
    'How many people could not act because a policy newly demands their organisation’s upstream, which has not let them in lately. Null: nobody, or you lack `iam.access.read`.',
  )

/** Who could not act by policies that changed. */
export async function forcedBy(trx: Kysely<Schema>, told: readonly AuditedChange[], now: number) {
  const places = told.flatMap(({ thing, id, before, after }): ForcedPlace[] => {
    if (before === undefined || after === undefined) return []
    if (thing === 'policy') return isNewlyForced(JSON.stringify(before), JSON.stringify(after)) ? [{}] : []
    if (thing !== 'organisation' && thing !== 'role') return []
    const of = (one: { policy?: unknown }) => JSON.stringify(one.policy ?? null)
    if (!isNewlyForced(of(before), of(after))) return []
    return [thing === 'role' ? { role_code: id } : { organisation_uuid: id }]
  })
  const { breakGlass } = await upstreamsNow(inTransaction(trx))
  const exempt = new Set([...breakGlass.values()].flatMap((people) => [...people]))
  const forced = await forcedOut(trx, places, exempt, now)
  if (forced === undefined) return null
  const { last_used_at: last } = forced
  return { ...forced, last_used_at: last === null ? null : new Date(last).toISOString() }
}
