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
