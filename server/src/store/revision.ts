import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** On PostgreSQL every process listens here for the new revision. */
export const revisionChannel = 'tessera_revision'

/**
 * Says that something changed which processes keep in memory: clients and their secrets, services, roles'
 * permissions, organisations. Part of every transaction that changes one of them.
 */
export async function moveRevision(trx: Kysely<Schema>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const { value } = await trx
    .updateTable('revisions')
    .set({ value: sql<number>`value + 1` })
    .where('name', '=', 'catalogue')
    .returning('value')
    .executeTakeFirstOrThrow()
  if (dialect === 'postgres') await sql`select pg_notify(${revisionChannel}, ${String(value)})`.execute(trx)
}

/** The revision as the database has it. */
export async function readRevision(db: Kysely<Schema>): Promise<number> {
  const row = await db
    .selectFrom('revisions')
    .select('value')
    .where('name', '=', 'catalogue')
    .executeTakeFirstOrThrow()
  return row.value
}
