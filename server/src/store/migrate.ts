import { type Migration, Migrator } from 'kysely'
import * as first from './migrations/0001-first.ts'
import type { Store } from './open.ts'

/** Brings the tables up to date. Several processes may call it at once: one migrates, the others wait. */
export async function migrate(store: Store): Promise<void> {
  const migrations: Record<string, Migration> = {
    '0001-first': { up: (db) => first.up(db, store.dialect) },
  }
  const migrator = new Migrator({ db: store.db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error instanceof Error ? error : new Error(String(error))
}
