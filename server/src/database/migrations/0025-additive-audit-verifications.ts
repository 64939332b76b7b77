import { type Kysely, sql } from 'kysely'

/** additive: what the audit was last found to be. A process of the version before verifies and keeps nothing of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table audit_verifications (
    name text primary key not null, at bigint not null, "by" text not null, sequence bigint not null, hash text not null,
    records bigint not null, problems bigint not null, mac text not null
  )`.execute(db)
}
