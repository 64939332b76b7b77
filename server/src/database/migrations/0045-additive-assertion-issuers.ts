import { type Kysely, sql } from 'kysely'

/** additive: the issuers whose tokens prove clients, and which subject of one is whose. A version before asks for neither. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`insert into installation (name, kept) values ('assertion_issuers', '{}') on conflict do nothing`.execute(
    db,
  )
  await sql`create table federated_subjects (
    key text primary key not null, client_id text not null references clients (client_id) on delete cascade
  )`.execute(db)
  await sql`create index federated_subjects_client_id on federated_subjects (client_id)`.execute(db)
}
