import { type Kysely, sql } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import { domainOf } from '../protocol/email-address.ts'

/**
 * Users whom an organisation owns: they have profiles, all of them in it, usable or not, no declared file manages them,
 * and their address is in its domains.
 */
export async function ownedAmong(
  db: Kysely<Schema>,
  organisation_uuid: string,
  users: readonly string[],
): Promise<Set<string>> {
  const domains = await domainsOf(db, organisation_uuid)
  const owned = new Set<string>()
  if (domains.size === 0) return owned
  for (const some of chunksOf(users)) {
    const rows = await db
      .selectFrom('users')
      .select(['uuid', 'email'])
      .where('uuid', 'in', some)
      .where('managed_by', 'is', null)
      .where(sql<boolean>`exists (select 1 from profiles where profiles.user_uuid = users.uuid)`)
      .where(
        sql<boolean>`not exists (select 1 from profiles where profiles.user_uuid = users.uuid
          and (profiles.organisation_uuid is null or profiles.organisation_uuid <> ${organisation_uuid}))`,
      )
      .execute()
    for (const { uuid, email } of rows) if (domains.has(domainOf(email) ?? '')) owned.add(uuid)
  }
  return owned
}

/** The domains that an organisation has. */
export async function domainsOf(db: Kysely<Schema>, organisation_uuid: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('domains')
    .innerJoin('organisations', 'organisations.uuid', 'domains.organisation_uuid')
    .select('domains.name')
    .where('domains.organisation_uuid', '=', organisation_uuid)
    .where('holds', '=', 1)
    .where('organisations.active', '=', 1)
    .execute()
  return new Set(rows.map(({ name }) => name))
}
