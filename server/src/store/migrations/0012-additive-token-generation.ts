import type { Kysely } from 'kysely'

/**
 * additive: of which generation the tokens of a machine have to be. A process of the version before makes those of the
 * first, and ends none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('clients')
    .addColumn('token_generation', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
}
