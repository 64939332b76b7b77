/** The address from before takes an account back. */
import type { Kysely } from 'kysely'
import type { AuditEvent, Origin } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import { heldAddress, returnTo, setAddress } from './addresses.ts'
import { removeFactorsWithin } from './factors.ts'
import { putBack } from './removed-factors.ts'

interface Change {
  userUuid: string
  now: number
  by: Origin
}

/**
 * Gives a person back an address that they hold, with what was changed since of how they sign in; part of `repudiate`,
 * which lets no other change in. Yields what is to be recorded: nothing where the address had not changed.
 */
export async function undoAddress(
  trx: Kysely<Schema>,
  address: string,
  change: Change,
): Promise<AuditEvent[]> {
  const { userUuid, now, by } = change
  const held = await heldAddress(trx, { userUuid, email: address, now })
  if (held === undefined) return []
  await returnTo(trx, { userUuid, email: address, now })
  const factors = await undoFactors(trx, held.changedAt, change)
  const row = await trx
    .selectFrom('users')
    .select(['email', 'managed_by'])
    .where('uuid', '=', userUuid)
    .executeTakeFirstOrThrow()
  // A declared file that manages them by now says their address.
  if (row.managed_by !== null) return factors
  await setAddress(trx, { userUuid, email: held.email, now })
  const target = { kind: 'user', id: userUuid }
  const values = { before: { email: row.email }, after: { email: held.email } }
  return [{ at: now, kind: 'address.undone', ...by, target, ...values }, ...factors]
}

/** The notices of these went to the later address: what somebody set up since goes for good, what they removed returns. */
async function undoFactors(trx: Kysely<Schema>, since: number, change: Change): Promise<AuditEvent[]> {
  const { userUuid, now, by } = change
  const removed = await trx
    .selectFrom('removed_factors')
    .select(['id', 'kept'])
    .where('user_uuid', '=', userUuid)
    .where('removed_at', '>=', since)
    .execute()
  const added = await trx
    .selectFrom('factors')
    .select('id')
    .where('user_uuid', '=', userUuid)
    .where('created_at', '>=', since)
    .execute()
  const back: AuditEvent[] = []
  for (const { id, kept } of removed) {
    // Set up and removed since: it was never theirs.
    if ((JSON.parse(kept) as { created_at: number }).created_at >= since) continue
    const one = await putBack(trx, id, userUuid)
    if (one === undefined) continue
    const detail = { kind: one.kind, name: one.name }
    back.push({ at: now, kind: 'factor.restored', ...by, target: { kind: 'factor', id }, userUuid, detail })
  }
  const ids = added.map(({ id }) => id)
  const gone = await removeFactorsWithin(trx, ids, { ...change, forGood: true })
  // When they were made is kept nowhere.
  await trx.deleteFrom('recovery_codes').where('user_uuid', '=', userUuid).execute()
  return [...back, ...gone.events]
}
