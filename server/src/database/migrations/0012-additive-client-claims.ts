import { type Kysely, sql } from 'kysely'

/**
 * additive: how the groups and further claims of a client are made, and which of them people allowed it. A process of
 * the version before issues none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table clients add column ${sql.ref('groups')} text`.execute(db)
  for (const table of ['clients', 'consents'])
    await sql`alter table ${sql.table(table)} add column claims text not null default '[]'`.execute(db)
}
