import { type Kysely, sql } from 'kysely'

/** additive: how an organisation looks, as JSON. A process of the version before shows its own name and colours. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table organisations add column branding text`.execute(db)
}
