import { type Kysely, sql } from 'kysely'

/**
 * additive: pictures and logos that are served from here, and how the installation looks, whose row is always there. A
 * process of the version before shows its own name and no picture.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table pictures (
    id text primary key, address text, user_uuid text, type text, bytes text, problem text,
    attempts bigint not null default 0, next_at bigint not null)`.execute(db)
  await sql`create index pictures_next on pictures (next_at)`.execute(db)
  await sql`create index pictures_user on pictures (user_uuid) where user_uuid is not null`.execute(db)
  await sql`insert into installation (name, kept) values ('branding', '{}') on conflict do nothing`.execute(
    db,
  )
}
