import { type Migration, Migrator, sql } from 'kysely'
import * as baseline from './migrations/0001-baseline.ts'
import { dialectOf } from './dialect.ts'
import type { Store } from './store.ts'

/** The tables are not those that this version works on; its message says what to do. */
export class OtherVersion extends Error {}

/** As much of a store as migrating needs. */
type Migrated = Pick<Store, 'db' | 'keeper'>

/**
 * Every migration. Later ones have a name that says their kind, such as `0002-additive-factors`: an additive one leaves
 * a process of the version before it working, so that processes can be replaced one by one; a breaking one does not.
 * What is released is never changed.
 */
function migrationsFor(store: Migrated): Record<string, Migration> {
  return {
    '0001-baseline': { up: (db) => baseline.up(db, dialectOf(store.db), store.keeper) },
  }
}

/**
 * Brings the tables up to date. Several processes may call it at once: one migrates, the others wait.
 * Yields the names of the migrations that this call made. Throws when a newer version has made a breaking one.
 */
export async function migrate(store: Migrated): Promise<string[]> {
  const known = migrationsFor(store)
  const made = await executed(store)
  const newer = newerThan(known, made)
  // The usual start: the migrator would look at all tables and keep others that start from it.
  if (Object.keys(known).every((name) => made.includes(name))) return []
  // The migrator wants to know all that was executed; what a newer version added has nothing to do here.
  const added = Object.fromEntries(newer.map((name) => [name, { up: async () => undefined }]))
  const migrator = new Migrator({
    db: store.db,
    provider: { getMigrations: async () => ({ ...known, ...added }) },
    // By their numbers: to order by a language takes a start 30 ms.
    nameComparator: (a, b) => (a < b ? -1 : 1),
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) throw error instanceof Error ? error : new Error(String(error))
  return results.map(({ migrationName }) => migrationName)
}

/**
 * Whether there are tables; nothing is changed. Throws when they are those of another version.
 */
export async function hasTables(store: Migrated): Promise<boolean> {
  const known = migrationsFor(store)
  const made = await executed(store)
  newerThan(known, made)
  if (made.length === 0) return false
  const missing = Object.keys(known).find((name) => !made.includes(name))
  if (missing === undefined) return true
  throw new OtherVersion(
    `its tables are those of an older version, ${missing} is missing; run tessera migrate`,
  )
}

/** What a newer version added. Throws when one of it is breaking, or the tables are older than the baseline. */
function newerThan(known: Record<string, Migration>, made: readonly string[]): string[] {
  const newer = made.filter((name) => !(name in known))
  const breaking = newer.find(isBreaking)
  if (breaking !== undefined)
    throw new OtherVersion(
      `a newer version of Tessera has changed its tables (${breaking}); start that version`,
    )
  if (made.length > 0 && !made.includes('0001-baseline'))
    throw new OtherVersion(
      'its tables are of a version before 0.1.0; export with that version, and start anew with an empty database',
    )
  return newer
}

const isBreaking = (name: string) => !/^\d{4}-additive-/.test(name)

/** Whether every migration of this version has been made, and no breaking one of a newer version. */
export async function isMigrated(store: Migrated): Promise<boolean> {
  const made = await executed(store)
  const known = Object.keys(migrationsFor(store))
  return (
    known.every((name) => made.includes(name)) &&
    !made.some((name) => !known.includes(name) && isBreaking(name))
  )
}

async function executed(store: Migrated): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(store.db)
    return rows.map((row) => row.name)
  } catch (error) {
    if (isMissingTable(error)) return []
    throw error
  }
}

function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.message.includes('no such table') || ('code' in error && error.code === '42P01')
}
