import { type Kysely, sql } from 'kysely'

/** additive: who may enter an application. A process of the version before lets everybody in who has a profile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['allowed', 'allowed_removed'])
    await sql`alter table clients add column ${sql.ref(column)} text`.execute(db)
}
