import { type Kysely, sql } from 'kysely'

/** additive: by the generation a process knows whether everything from before a loss was ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`insert into revisions (name, value) values ('generation', 0)`.execute(db)
}
