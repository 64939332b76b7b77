import type { Kysely } from 'kysely'

/** additive: what access tokens for a service are signed with. Processes of the version before sign RS256 for all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('services')
    .addColumn('access_token_alg', 'text', (c) => c.notNull().defaultTo('RS256'))
    .execute()
}
