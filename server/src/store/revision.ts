import { type Kysely, sql } from 'kysely'
import { prepared } from './prepared.ts'
import type { Schema } from './schema.ts'

/**
 * Says that something changed which processes keep in memory: clients and their secrets, services, roles'
 * permissions, organisations. Part of every transaction that changes one of them.
 */
export async function moveRevision(trx: Kysely<Schema>): Promise<void> {
  await trx
    .updateTable('revisions')
    .set({ value: sql<number>`value + 1` })
    .where('name', '=', 'catalogue')
    .execute()
}

/**
 * Waits for every other transaction that changes what is administered, and lets the next ones wait: they come one
 * after the other, and each sees what the one before it left. First in each of them, so that none waits for two.
 */
export async function lockAdministration(trx: Kysely<Schema>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  // SQLite has one writer, and this transaction is it.
  if (dialect === 'sqlite') return
  await trx
    .selectFrom('revisions')
    .select('value')
    .where('name', '=', 'catalogue')
    .forUpdate()
    .executeTakeFirst()
}

const selectRevision = prepared<object, { value: number }>((db) =>
  db.selectFrom('revisions').select('value').where('name', '=', 'catalogue'),
)

/** The revision as the database has it. */
export async function readRevision(db: Kysely<Schema>): Promise<number> {
  const [row] = await selectRevision(db, {})
  if (row === undefined) throw new Error('The table of revisions is empty.')
  return row.value
}
