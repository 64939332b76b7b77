import { type Kysely, sql } from 'kysely'

/**
 * additive: what people see of their sessions, when an account is to be removed, and passwords that have to be changed.
 * A process of the version before writes none of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, columns] of Object.entries(added))
    for (const column of columns) await sql.raw(`alter table ${table} add column ${column}`).execute(db)
}

const added = {
  users: ['password_temporary bigint not null default 0', 'deletion_at bigint'],
  sessions: ['browser text', 'network text'],
}
