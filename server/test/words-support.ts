import { sql } from 'kysely'
import type { Store } from '../dist/store/open.js'

/** What has a name that is searched, and where its later words are kept. */
export const namedTables = [
  ['users', 'user_words'],
  ['members', 'member_words'],
  ['organisations', 'organisation_words'],
] as const

/** Makes the tables as they were before the later words of names. */
export async function dropLaterWords({ db, dialect }: Pick<Store, 'db' | 'dialect'>): Promise<void> {
  for (const [table, later] of namedTables) {
    if (dialect === 'sqlite') {
      for (const change of ['insert', 'update', 'delete'])
        await sql`drop trigger ${sql.id(`${table}_words_${change}`)}`.execute(db)
    } else {
      for (const name of ['add', 'keep']) {
        const id = sql.id(`${table}_words_${name}`)
        await sql`drop trigger ${id} on ${sql.table(table)}`.execute(db)
        await sql`drop function ${id}`.execute(db)
      }
    }
    await db.schema.dropTable(later).execute()
  }
}

/** Makes the tables as they were before clients were searched. */
export async function dropClientWords({ db, dialect }: Pick<Store, 'db' | 'dialect'>): Promise<void> {
  if (dialect === 'sqlite') {
    for (const change of ['insert', 'update'])
      await sql`drop trigger ${sql.id(`clients_words_${change}`)}`.execute(db)
  } else {
    await sql`drop trigger clients_words_keep on clients`.execute(db)
    await sql`drop function clients_words_keep`.execute(db)
  }
  await db.schema.dropTable('client_words').execute()
  for (const index of ['clients_of_organisation', 'clients_of_type', 'clients_active'])
    await db.schema.dropIndex(index).execute()
  for (const column of ['name_key', 'keyed_name'])
    await db.schema.alterTable('clients').dropColumn(column).execute()
}
