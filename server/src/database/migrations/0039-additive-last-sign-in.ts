import { type Kysely, sql } from 'kysely'
import type { DialectName } from '../dialect.ts'

/**
 * additive: the day of each person's last sign-in, from now on. A process of the version before notes none, and forgets at
 * the places of people whose profiles it changes when they signed in, until they do on another day.
 */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  // Compared by its bytes, like the addresses beside it. Empty: before all days, which null is not on both databases.
  const day = sql.raw(dialect === 'postgres' ? 'text collate "C"' : 'text')
  for (const table of ['users', 'members'])
    await sql`alter table ${sql.table(table)} add column last_sign_in_on ${day} not null default ''`.execute(
      db,
    )
}
