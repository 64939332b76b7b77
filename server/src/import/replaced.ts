/** Unproved accounts that a row takes the place of: whoever made one of them may know all that is in it (people.md 13). */
import type { Kysely } from 'kysely'
import { type AuditEvent, type Origin } from '../audit/record.ts'
import { shownOf } from '../catalogue/columns.ts'
import { profile } from '../catalogue/profile.ts'
import { user } from '../catalogue/user.ts'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import { waitsAs } from '../store/waited.ts'
import type { Row } from '../store/write/rows.ts'
import { write } from '../store/write/write.ts'

/**
 * The accounts with these addresses that nobody has proved since they were made, by their keys. One that a declared file manages is changed there.
 * Concurrency: within a transaction they are held, so none is proved meanwhile.
 */
export async function unprovedWith(
  db: Kysely<Schema>,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Row<'users'>>> {
  const found = new Map<string, Row<'users'>>()
  for (const some of chunksOf(keys)) {
    const rows = await db
      .selectFrom('users')
      .selectAll()
      .where('email_key', 'in', some)
      // One that was proved, and had its password set by somebody since, is a person's own.
      .whereRef('unproved_since', '=', 'created_at')
      .where('managed_by', 'is', null)
      .forUpdate()
      .execute()
    for (const row of rows) found.set(row.email_key, row)
  }
  return found
}

/** Removes them with all that is theirs. Yields what is to be recorded. */
export async function removeReplaced(
  trx: Kysely<Schema>,
  replaced: readonly Row<'users'>[],
  { now, by }: { now: number; by: Origin },
): Promise<AuditEvent[]> {
  if (replaced.length === 0) return []
  const uuids = replaced.map(({ uuid }) => uuid)
  const profiles = await trx.selectFrom('profiles').selectAll().where('user_uuid', 'in', uuids).execute()
  const how = { now, versions: 'overwritten', by: 'others', ends: 'each' } as const
  await write(trx, { users: { remove: [...replaced] }, profiles: { remove: profiles } }, how)
  const people = replaced.map(
    (row): AuditEvent => ({
      at: now,
      kind: 'user.removed',
      ...by,
      target: { kind: 'user', id: row.uuid },
      before: { ...shownOf(user, row) },
      detail: { removed_with: { profiles: profiles.filter((one) => one.user_uuid === row.uuid).length } },
    }),
  )
  const held = profiles.map(
    (row): AuditEvent => ({
      at: now,
      kind: 'profile.removed',
      ...by,
      target: { kind: 'profile', id: row.uuid },
      user_uuid: row.user_uuid,
      organisation_uuid: row.organisation_uuid ?? undefined,
      before: { ...shownOf(profile, row), ...waitsAs(row) },
    }),
  )
  return [...people, ...held]
}
