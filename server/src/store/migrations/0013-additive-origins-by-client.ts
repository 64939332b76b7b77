import type { Kysely } from 'kysely'

/** additive: the origins of a client by an index: of each client that goes all origins of all clients were looked at. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('client_origins_client').on('client_origins').column('client_id').execute()
}
