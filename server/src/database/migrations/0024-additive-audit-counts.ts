import { type Kysely, sql } from 'kysely'

/**
 * additive: how many sign-ins there were in each hour. A process of the version before counts the records themselves,
 * which stay as they are.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table audit_counts (
    client_id text not null, kind text not null, hour bigint not null, since bigint not null, month text not null,
    count bigint not null, constraint audit_counts_pk primary key (client_id, kind, hour, since, month))`.execute(
    db,
  )
  await sql`insert into audit_counts (client_id, kind, hour, since, month, count) values ('', '', 0, -1, '', 0)`.execute(
    db,
  )
}
