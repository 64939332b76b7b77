import { type Kysely, sql } from 'kysely'

/** additive: which declared file manages a thing. What is there already is marked when a file is next applied. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of managed) {
    await db.schema.alterTable(table).addColumn('managed_by', 'text').execute()
  }
  // Of a million users a file names some.
  await sql`create index users_managed on users (managed_by) where managed_by is not null`.execute(db)
}

const managed = ['services', 'roles', 'organisations', 'users', 'clients'] as const
