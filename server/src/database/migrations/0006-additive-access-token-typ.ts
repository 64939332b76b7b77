import { type Kysely, sql } from 'kysely'

/** additive: what services ask the `typ` of their access tokens to be. A process of the version before issues `at+jwt`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table services add column access_token_typ text not null default 'at+jwt'`.execute(db)
}
