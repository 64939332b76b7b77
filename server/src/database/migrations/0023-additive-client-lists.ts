import { type Kysely, sql } from 'kysely'
import type { DialectName } from '../dialect.ts'

/**
 * additive: what clients are filtered by beside their columns. SQLite reads these lists without the wide rows; PostgreSQL
 * needs no index for that, and could hold no long list in one. A process of the version before keeps it as any index.
 */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  if (dialect === 'postgres') return
  await sql`create index clients_lists on clients (client_id, services, redirect_uris)`.execute(db)
}
