import { type Kysely, sql } from 'kysely'

/**
 * additive: by its marks a process knows whether PostgreSQL still has what it acknowledged, and by the generation
 * whether everything from before a loss was ended.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table process_marks (
    process text primary key not null, value bigint not null, written_at bigint not null
  )`.execute(db)
  await sql`insert into revisions (name, value) values ('generation', 0)`.execute(db)
}
