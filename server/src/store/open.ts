/**
 * `store/` owns the tables, the migrations and the verbs that change them. It is the only room that knows SQL,
 * kysely and drivers. It never hashes a password, calls the network, decides a rule of the protocol, or lets a
 * transaction out of a verb.
 *
 * `sqlite*.ts` and `postgres*.ts` are the only files that know a driver.
 */
import { statSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { chainEarlier } from './audit-earlier.ts'
import { lacksRoom } from './failure.ts'
import { hasTables, isMigrated, migrate, OtherVersion } from './migrate.ts'
import type { Steps } from './prepared.ts'
import { Remembered } from './remembered.ts'
import { readRevision, shared } from './revision.ts'
import type { Schema } from './schema.ts'
import { openSqlite } from './sqlite.ts'

export type Database = Kysely<Schema>

export interface Store {
  /** PostgreSQL may end a transaction in favour of another; it is then done anew, so its function does nothing but ask. */
  readonly db: Database
  readonly dialect: 'sqlite' | 'postgres'
  /** What changes seldom, kept in memory as long as nothing of it changed. */
  readonly remembered: Remembered
  /** The names of the migrations that opening it made. */
  readonly migrated: readonly string[]
  /** Of this process, for the metrics. */
  connections(): { open: number; idle: number; waiting: number }
  /** Runs a verb that only reads, of what is committed. */
  read<Result>(steps: Steps<Result>): Promise<Result>
  /**
   * Runs a verb in one transaction and yields when it is durable; it may share a commit with others. `steps` may be
   * called again, so it does nothing but ask.
   */
  write<Result>(steps: () => Steps<Result>): Promise<Result>
  /** The same for a verb of one statement, which is a transaction by itself. */
  writeOne<Result>(steps: () => Steps<Result>): Promise<Result>
  close(): Promise<void>
}

/** Before its tables are known to be up to date. */
export type Opened = Omit<Store, 'migrated' | 'remembered'> & {
  /** The revision without asking the database, where that is possible. */
  knownRevision(): number | undefined
}

/** What one process asks of the database at the most; times in ms. */
export interface DatabaseLimits {
  /** PostgreSQL alone. */
  pool: number
  /** For a connection to PostgreSQL, or for another process's write to SQLite. */
  connectTimeout: number
  /** PostgreSQL alone. */
  statementTimeout: number
}

const usualLimits: DatabaseLimits = { pool: 10, connectTimeout: 5000, statementTimeout: 10_000 }

/**
 * Opens `sqlite:PATH` or `postgres://…` and brings its tables up to date. `underWay` says how many requests this
 * process has taken in and not answered yet: a commit of SQLite waits a little for what they may write.
 * Throws when the database can't be opened, in words for whoever set its address.
 */
export async function openStore(
  url: string,
  limits = usualLimits,
  underWay: () => number = () => 0,
): Promise<Store> {
  const prepare = async (store: Opened) => {
    const quick = store.dialect === 'sqlite' || (await isMigrated(store))
    const migrated = quick ? await migrate(store) : await migratePatiently(url, limits)
    await chainEarlier(store)
    return migrated
  }
  return await opened(url, limits, prepare, underWay)
}

/**
 * Opens a database to read from it, and changes nothing: where there is none, or one without tables, it reads as an
 * empty one. Throws as `openStore` does, and when the tables are those of another version.
 */
export async function openToRead(url: string, limits = usualLimits): Promise<Store> {
  return (await openExisting(url, limits)) ?? (await openStore('sqlite::memory:', limits))
}

/** The same, but undefined where there is no database, or one without tables. */
export async function openExisting(url: string, limits = usualLimits): Promise<Store | undefined> {
  if (isMissingFile(url)) return undefined
  let tables = false
  const store = await opened(url, limits, async (one) => {
    tables = await hasTables(one)
    return []
  })
  if (tables) return store
  await store.close()
  return undefined
}

/** A file without a byte would get its first ones by being opened. */
function isMissingFile(url: string): boolean {
  if (!url.startsWith('sqlite:')) return false
  return (statSync(url.slice('sqlite:'.length), { throwIfNoEntry: false })?.size ?? 0) === 0
}

async function opened(
  url: string,
  limits: DatabaseLimits,
  prepare: (store: Opened) => Promise<readonly string[]>,
  underWay: () => number = () => 0,
): Promise<Store> {
  let store: Opened | undefined
  try {
    store = url.startsWith('sqlite:')
      ? openSqlite(url.slice('sqlite:'.length), { patience: limits.connectTimeout, underWay })
      : (await postgres()).openPostgres(url, limits)
    const ready = store
    const asked = shared(() => readRevision(ready))
    const remembered = new Remembered(() => ready.knownRevision() ?? asked())
    return { ...ready, remembered, migrated: await prepare(ready) }
  } catch (error) {
    await store?.close()
    const reason = reasonOf(error)
    throw new Error(`${adviceOn(error, reason)} (${reason}).`, { cause: error })
  }
}

function adviceOn(error: unknown, reason: string): string {
  // Migrations are one transaction, so what was begun is undone.
  if (lacksRoom(error))
    return "The database's disk has no room, or fails: make room, then start this again. Its tables are as they were"
  if (error instanceof OtherVersion) return 'The database is that of another version'
  // As PgBouncer says it.
  if (reason.startsWith('unsupported startup parameter'))
    return 'The pooler before PostgreSQL refuses the time limits: set ignore_startup_parameters there as docs/operations.md says'
  // insufficient_privilege: who serves has fewer rights than the owner, whom a new version waits for.
  if (error instanceof Error && 'code' in error && error.code === '42501')
    return 'The role in TESSERA_DATABASE_URL lacks a right: run tessera migrate as the owner of the tables, and grant the role what docs/operations.md says'
  return "The database can't be opened: check TESSERA_DATABASE_URL"
}

/** Its driver is loaded only where it is used: an embedded database does without its memory. */
const postgres = () => import('./postgres.ts')

/** An index over a large table, or another process's migration, takes longer than a request may. */
async function migratePatiently(url: string, limits: DatabaseLimits): Promise<string[]> {
  const { openPostgres } = await postgres()
  const patient = openPostgres(url, { ...limits, pool: 1, statementTimeout: hour })
  try {
    return await migrate(patient)
  } finally {
    await patient.close()
  }
}

const hour = 3_600_000

/** A host with several addresses fails with several reasons and, on top of them, an empty message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
