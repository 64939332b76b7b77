import { type Migration, Migrator, sql } from 'kysely'
import * as first from './migrations/0001-additive-first.ts'
import * as auditChain from './migrations/0002-additive-audit-chain.ts'
import * as administration from './migrations/0003-additive-administration.ts'
import * as accessTokenAlg from './migrations/0004-additive-access-token-alg.ts'
import * as managed from './migrations/0005-additive-managed.ts'
import * as accessAndSessions from './migrations/0006-additive-access-and-sessions.ts'
import * as webhooks from './migrations/0007-additive-webhooks.ts'
import * as clientPermissions from './migrations/0008-additive-client-permissions.ts'
import * as setupLinks from './migrations/0009-additive-setup-links.ts'
import * as laterWords from './migrations/0010-additive-later-words.ts'
import * as clientWords from './migrations/0011-additive-client-words.ts'
import * as tokenGeneration from './migrations/0012-additive-token-generation.ts'
import * as originsByClient from './migrations/0013-additive-origins-by-client.ts'
import type { Store } from './open.ts'

/** The tables are not those that this version works on; its message says what to do. */
export class OtherVersion extends Error {}

/** As much of a store as migrating needs. */
type Migrated = Pick<Store, 'db' | 'dialect'>

/**
 * Every migration, by a name that says its kind: an additive one leaves a process of the version before it
 * working, so that processes can be replaced one by one; a breaking one does not.
 */
function migrationsFor(store: Migrated): Record<string, Migration> {
  return {
    '0001-additive-first': { up: (db) => first.up(db, store.dialect) },
    '0002-additive-audit-chain': { up: (db) => auditChain.up(db, store.dialect) },
    '0003-additive-administration': { up: (db) => administration.up(db, store.dialect) },
    '0004-additive-access-token-alg': accessTokenAlg,
    '0005-additive-managed': { up: (db) => managed.up(db) },
    '0006-additive-access-and-sessions': { up: (db) => accessAndSessions.up(db) },
    '0007-additive-webhooks': { up: (db) => webhooks.up(db) },
    '0008-additive-client-permissions': { up: (db) => clientPermissions.up(db, store.dialect) },
    '0009-additive-setup-links': { up: (db) => setupLinks.up(db, store.dialect) },
    '0010-additive-later-words': { up: (db) => laterWords.up(db, store.dialect) },
    '0011-additive-client-words': { up: (db) => clientWords.up(db, store.dialect) },
    '0012-additive-token-generation': tokenGeneration,
    '0013-additive-origins-by-client': originsByClient,
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

/** What a newer version added. Throws when one of it is breaking. */
function newerThan(known: Record<string, Migration>, made: readonly string[]): string[] {
  const newer = made.filter((name) => !(name in known))
  const breaking = newer.find(isBreaking)
  if (breaking === undefined) return newer
  throw new OtherVersion(
    `a newer version of Tessera has changed its tables (${breaking}); start that version`,
  )
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
