/** What people changed of how they sign in is taken back, from an event on. */
import type { Kysely } from 'kysely'
import type { AuditEvent, Origin } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import { heldAddress, returnTo } from './addresses.ts'
import { removeFactorsWithin } from './factors.ts'
import type { NoticeData } from './links.ts'
import { putBack } from './removed-factors.ts'
import { holdPerson, writeOwn } from './write/own.ts'

/** A link to an upstream that a notice told of, and when it was made. */
export interface ToldLink {
  upstream: string
  at: number
}

/** Removes recent links to upstreams: see `upstream/`. Yields what is to be recorded. */
export type Unlink = (
  trx: Kysely<Schema>,
  user_uuid: string,
  what: { told: readonly ToldLink[]; now: number; by: Origin },
) => Promise<AuditEvent[]>

interface UndoneChange {
  user_uuid: string
  now: number
  by: Origin
}

/**
 * Takes back what a notice told of, and every later change of address, factor or recovery codes that the account made;
 * part of `repudiate`, which lets no other change in. Yields what is to be recorded.
 */
export async function undoSince(
  trx: Kysely<Schema>,
  { event, factor, address, at }: NoticeData & { at: number },
  change: UndoneChange,
): Promise<AuditEvent[]> {
  const held = address === undefined ? undefined : await heldAddress(trx, { ...change, email: address })
  const addressed = held === undefined ? [] : await undoAddress(trx, held.email, change)
  const since = held?.changedAt ?? at
  // The event itself, and what came after it. All that came with another address is of whoever has that.
  const isOf = (id: string, when: number) =>
    id === factor || (held === undefined ? when > since : when >= since)
  const factors = await undoFactors(trx, isOf, change)
  const from = held === undefined && event !== 'recovery_codes_created' ? since + 1 : since
  await trx
    .deleteFrom('recovery_codes')
    .where('user_uuid', '=', change.user_uuid)
    // When a version before made them nobody knows.
    .where((code) => code.or([code('created_at', '>=', from), code('created_at', '=', 0)]))
    .execute()
  return [...addressed, ...factors]
}

/** Gives a person back an address that they hold. */
async function undoAddress(trx: Kysely<Schema>, email: string, change: UndoneChange): Promise<AuditEvent[]> {
  const { user_uuid, now, by } = change
  await returnTo(trx, { user_uuid, email, now })
  const row = await holdPerson(trx, user_uuid)
  // A declared file that manages them by now says their address.
  if (row === undefined || row.managed_by !== null) return []
  await writeOwn(trx, row, { email, email_verified: 1 }, now)
  const target = { kind: 'user', id: user_uuid }
  const values = { before: { email: row.email }, after: { email } }
  return [{ at: now, kind: 'address.undone', ...by, target, ...values }]
}

/** What was set up goes for good, what was removed returns; what was both was never theirs. */
async function undoFactors(
  trx: Kysely<Schema>,
  isOf: (id: string, when: number) => boolean,
  change: UndoneChange,
): Promise<AuditEvent[]> {
  const { user_uuid, now, by } = change
  const removed = await trx
    .selectFrom('removed_factors')
    .select(['id', 'kept', 'removed_at'])
    .where('user_uuid', '=', user_uuid)
    .execute()
  const there = await trx
    .selectFrom('factors')
    .select(['id', 'confirmed_at'])
    .where('user_uuid', '=', user_uuid)
    .where('confirmed_at', 'is not', null)
    .execute()
  const added = there.filter(({ id, confirmed_at }) => isOf(id, confirmed_at ?? 0)).map(({ id }) => id)
  const back: AuditEvent[] = []
  for (const { id, kept, removed_at } of removed) {
    const { confirmed_at: setUp } = JSON.parse(kept) as { confirmed_at: number }
    if (!isOf(id, removed_at)) continue
    if (isOf('', setUp)) {
      await trx.deleteFrom('removed_factors').where('id', '=', id).execute()
      continue
    }
    const one = await putBack(trx, id, user_uuid)
    if (one === undefined) continue
    const detail = { kind: one.kind, name: one.name }
    back.push({ at: now, kind: 'factor.restored', ...by, target: { kind: 'factor', id }, user_uuid, detail })
  }
  const gone = await removeFactorsWithin(trx, added, { ...change, forGood: true })
  return [...back, ...gone.events]
}
