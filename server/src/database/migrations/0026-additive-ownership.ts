import { type Kysely, sql } from 'kysely'

/**
 * additive: whose an account is, and which profiles wait for its proof. A process of the version before makes accounts of
 * which nobody knows what their makers could give. The profiles of such accounts count on, and are marked; those at
 * several organisations, or everywhere, apart.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table makers (
    id text primary key not null, kind text not null, actor_id text, organisation_uuid text, unit_uuid text,
    permissions text not null)`.execute(db)
  await sql`alter table users add column unproved_since bigint`.execute(db)
  await sql`alter table users add column makers text`.execute(db)
  await sql`alter table users add column ranked_at bigint`.execute(db)
  await sql`alter table profiles add column beyond text`.execute(db)
  await sql`alter table recovery_codes add column created_at bigint not null default 0`.execute(db)
  await sql`update profiles set beyond = 'before' where user_uuid in (
    select uuid from users where limited_reach = 1)`.execute(db)
  await sql`update profiles set beyond = 'counts' where user_uuid in (
    select users.uuid from users join profiles as held on held.user_uuid = users.uuid
    where users.limited_reach = 1 group by users.uuid
    having count(held.organisation_uuid) < count(*) or count(distinct held.organisation_uuid) > 1)`.execute(
    db,
  )
  await sql`create index profiles_beyond on profiles (uuid) where beyond in ('waits', 'counts')`.execute(db)
}
