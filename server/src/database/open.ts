/**
 * `database/` owns the drivers, the dialects, transactions, prepared statements, the schema and the migrations. It
 * knows nothing of identity, and is the only room that imports a driver or asks which database it is.
 */
import { statSync } from 'node:fs'
import { sql } from 'kysely'
import { type AuditKeeper, keptAuditKey, openedOnce } from './audit-key.ts'
import { Cache } from './cache.ts'
import { dialectOf } from './dialect.ts'
import { lacksRoom, OtherSecret } from './failure.ts'
import { hasTables, isMigrated, migrate, OtherVersion } from './migrate.ts'
import { readRevision, shared } from './revision.ts'
import { openSqlite } from './sqlite.ts'
import type { DatabaseLimits, UnmigratedStore, Store } from './store.ts'

const usualLimits: DatabaseLimits = { pool: 10, connectTimeout: 5000, statementTimeout: 10_000 }

/**
 * Opens `sqlite:PATH` or `postgres://…` and brings its tables up to date. Throws when the database can't be opened, in words for whoever set its address or the secret.
 */
export async function openStore(
  url: string,
  keeper: AuditKeeper,
  limits = usualLimits,
  tell: (text: string) => void = () => undefined,
): Promise<Store> {
  const prepare = async (store: Preparing) => {
    const quick = dialectOf(store.db) === 'sqlite' || (await isMigrated(store))
    const migrated = quick ? await migrate(store, tell) : await migratePatiently(url, keeper, limits, tell)
    const auditKey = openedOnce(await keptAuditKey(store.db), keeper)
    return { migrated, auditKey }
  }
  return await opened(url, keeper, { limits, prepare })
}

/** An empty one, which is kept nowhere. */
export const openEmpty = (keeper: AuditKeeper, limits = usualLimits): Promise<Store> =>
  openStore('sqlite::memory:', keeper, limits)

/**
 * Opens a database that is there, and changes nothing: undefined where there is none, or one without tables. Throws as
 * `openStore` does, and when the tables are those of another version.
 */
export async function openExisting(
  url: string,
  keeper: AuditKeeper,
  limits = usualLimits,
): Promise<Store | undefined> {
  if (isMissingFile(url)) return undefined
  let tables = false
  const prepare = async (one: Preparing) => {
    tables = await hasTables(one)
    const kept = tables ? await keptAuditKey(one.db) : undefined
    return { migrated: [], auditKey: openedOnce(kept, keeper) }
  }
  const store = await opened(url, keeper, { limits, prepare })
  if (tables) return store
  await store.close()
  return undefined
}

/** A file without a byte would get its first ones by being opened. */
function isMissingFile(url: string): boolean {
  if (!url.startsWith('sqlite:')) return false
  return (statSync(url.slice('sqlite:'.length), { throwIfNoEntry: false })?.size ?? 0) === 0
}

type Preparing = UnmigratedStore & Pick<Store, 'keeper'>

interface OpenOptions {
  limits: DatabaseLimits
  prepare: (store: Preparing) => Promise<Pick<Store, 'migrated' | 'auditKey'>>
}

async function opened(url: string, keeper: AuditKeeper, { limits, prepare }: OpenOptions): Promise<Store> {
  let store: UnmigratedStore | undefined
  try {
    store = await connected(url, limits)
    const ready = { ...store, keeper }
    const cache = new Cache(shared(() => readRevision(ready)))
    return { ...ready, cache, ...(await prepare(ready)) }
  } catch (error) {
    await store?.close()
    throw advised(error)
  }
}

async function connected(url: string, limits: DatabaseLimits): Promise<UnmigratedStore> {
  return url.startsWith('sqlite:')
    ? openSqlite(url.slice('sqlite:'.length), limits.connectTimeout)
    : (await postgres()).openPostgres(url, limits)
}

/** Works on a database whatever its tables are, a statement for up to an hour. Throws as `openStore` does where it can't be opened. */
export async function withUnmigrated<T>(
  url: string,
  work: (store: UnmigratedStore) => Promise<T>,
): Promise<T> {
  const store = await connected(url, { ...usualLimits, pool: 1, statementTimeout: hour })
  try {
    await sql`select 1`.execute(store.db).catch((error: unknown) => {
      throw advised(error)
    })
    return await work(store)
  } finally {
    await store.close()
  }
}

/** An error that says what to do. */
function advised(error: unknown): Error {
  if (error instanceof OtherSecret) return error
  const reason = reasonOf(error)
  return new Error(`${adviceOn(error, reason)} (${reason}).`, { cause: error })
}

function adviceOn(error: unknown, reason: string): string {
  // Migrations are one transaction, so what was begun is undone.
  if (lacksRoom(error))
    return "The database's disk has no room, or fails: make room, then start this again. Its tables are as they were"
  if (error instanceof OtherVersion) return 'The database is that of another version'
  // PgBouncer says it so.
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
async function migratePatiently(
  url: string,
  keeper: AuditKeeper,
  limits: DatabaseLimits,
  tell: (text: string) => void,
): Promise<string[]> {
  const { openPostgres } = await postgres()
  const patient = openPostgres(url, { ...limits, pool: 1, statementTimeout: hour })
  try {
    return await migrate({ ...patient, keeper }, tell)
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
