import { type Kysely, sql } from 'kysely'

/** additive: finds resources by their addresses and the time of their change; two groups may have the same name. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table scim_emails (
    user_id text not null references scim_resources (id) on delete cascade, email_key text not null,
    type text not null, constraint scim_emails_pk primary key (user_id, email_key, type))`.execute(db)
  await sql`create index scim_emails_key on scim_emails (email_key)`.execute(db)
  await sql`drop index scim_resources_name`.execute(db)
  await sql`create unique index scim_resources_name on scim_resources (directory_uuid, name_key)
    where kind = 'User' and deleted_at is null`.execute(db)
  await sql`create index scim_resources_group on scim_resources (directory_uuid, name_key)
    where kind = 'Group'`.execute(db)
  await sql`create index scim_resources_changed on scim_resources (directory_uuid, kind, updated_at)`.execute(
    db,
  )
}
