import { type Kysely, sql } from 'kysely'

/** additive: what a service is. A process of the version before neither shows nor sets it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table services add column description text`.execute(db)
}
