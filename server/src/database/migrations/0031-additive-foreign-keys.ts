import { type Kysely, sql } from 'kysely'

/** additive: keys of another service, for verifiers alone. A process of the version before does not publish them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table foreign_keys (
    kid text primary key not null, public_jwk text not null,
    created_at bigint not null, published_until bigint not null
  )`.execute(db)
  await sql`create index foreign_keys_published_until on foreign_keys (published_until)`.execute(db)
}
