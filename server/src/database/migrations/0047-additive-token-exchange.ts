import { type Kysely, sql } from 'kysely'

/**
 * additive: who may act for the people who call a service, where, and what people allowed of it. A process of the version
 * before exchanges nothing, and takes an exchanged token for one of the client that made it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['acts_as', 'exchange'])
    await sql`alter table clients add column ${sql.ref(column)} text`.execute(db)
  await sql`alter table consents add column onward text not null default '[]'`.execute(db)
}
