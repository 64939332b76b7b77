/** Migrations made on a copy, to learn how long they take and whom they keep waiting. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { AuditKeeper } from './audit-key.ts'
import { type DialectName, dialectOf } from './dialect.ts'
import { isBreaking, makeOne, migrationsOf } from './migrate.ts'
import type { Migration } from './migration-runner.ts'
import { withUnmigrated } from './open.ts'
import { hostsOf } from './postgres-hosts.ts'
import type { Schema } from './schema.ts'

/** The requests that wait, until the migration is over, for the table that it locks. */
type Waits = 'reads and writes' | 'writes' | 'changes of its rows' | 'nothing'

/** A lock on a table that was there before. `table` is null for SQLite, which locks its whole file. */
interface HeldLock {
  table: string | null
  /** The name of PostgreSQL's lock mode, such as `AccessExclusiveLock`. */
  lock: string
  waits: Waits
  /** Rows of the table; null where they were not counted. */
  rows: number | null
  /** Rows that the migration inserted, changed or removed there; null where that can't be told. */
  written: number | null
  /** Whether the whole table was written anew. */
  rewritten: boolean
}

export interface RehearsedMigration {
  name: string
  /** An additive one leaves processes of the version before working. */
  kind: 'additive' | 'breaking'
  /** How long it took, commit included. */
  ms: number
  locks: HeldLock[]
}

/**
 * Makes on a copy what migrations it lacks, and yields how each went. Throws when the database is no copy that can be
 * rehearsed on: it has no tables, a newer version's, or somebody else is connected to it; then nothing is changed.
 */
export const rehearse = (
  url: string,
  keeper: AuditKeeper,
  tell: (text: string) => void,
): Promise<RehearsedMigration[]> =>
  withUnmigrated(oneHost(url), async (store) => {
    const copy = { db: store.db, keeper }
    const { known, made, missing } = await migrationsOf(copy).catch((error: unknown) => {
      throw new Error(`The backup can't be rehearsed: ${messageOf(error)}.`, { cause: error })
    })
    if (made.length === 0) throw new Error('The backup has no tables of Tessera.')
    if (await isInUse(copy.db))
      throw new Error(
        'Somebody else is connected to this database: restore a backup into one of its own, which nobody uses.',
      )
    const rehearsed: RehearsedMigration[] = []
    for (const name of missing) {
      tell(`makes ${name}`)
      rehearsed.push(await timed(copy.db, name, known[name] as Migration))
    }
    return rehearsed
  })

/** The look for the host that can be written is a connection too: nobody could tell it from somebody else's. */
function oneHost(url: string): string {
  if (hostsOf(url).urls.length === 1) return url
  throw new Error('A rehearsal is on one host: name that one alone in the address of the copy.')
}

/** Whether a database has no table yet. Throws when it can't be opened, or its address names several hosts. */
export const isEmpty = (url: string): Promise<boolean> =>
  withUnmigrated(oneHost(url), async ({ db }) => {
    const { rows } = await sql`select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg\\_%' limit 1`.execute(
      db,
    )
    return rows.length === 0
  })

async function timed(db: Kysely<Schema>, name: string, migration: Migration): Promise<RehearsedMigration> {
  let locks: HeldLock[] = []
  const seen: Migration =
    'up' in migration
      ? {
          async up(trx, dialect) {
            const tables = dialect === 'postgres' ? await tablesOf(trx) : new Map<string, Table>()
            await migration.up(trx, dialect)
            locks = dialect === 'postgres' ? await locksOf(trx, tables) : [wholeFile]
          },
        }
      : migration
  const began = performance.now()
  await makeOne(db, name, seen).catch((error: unknown) => {
    throw new Error(`${name} fails on this copy: ${messageOf(error)}`, { cause: error })
  })
  const ms = Math.round((performance.now() - began) * 10) / 10
  if ('indexes' in migration) locks = indexLocks(dialectOf(db), migration.indexes)
  const kind = isBreaking(name) ? 'breaking' : 'additive'
  return { name, kind, ms, locks: await counted(db, locks) }
}

/** SQLite has one writer. Those who read go on beside it by the write-ahead log. */
const wholeFile: HeldLock = {
  ...{ table: null, lock: 'RESERVED', waits: 'writes' },
  ...{ rows: null, written: null, rewritten: false },
}

/** An index of PostgreSQL is made beside what is read and written; of SQLite within one transaction. */
function indexLocks(dialect: DialectName, indexes: Readonly<Record<string, string>>): HeldLock[] {
  if (dialect === 'sqlite') return [wholeFile]
  const tables = new Set(Object.values(indexes).map((on) => on.split(' ', 1)[0] ?? ''))
  return [...tables].map((table) => ({
    ...{ table, lock: 'ShareUpdateExclusiveLock', waits: 'nothing' },
    ...{ rows: null, written: null, rewritten: false },
  }))
}

/** `file`: another one afterwards says that the table was written anew. */
interface Table {
  name: string
  file: string
}

/** Each table by its oid, without those of PostgreSQL and the list of migrations. */
async function tablesOf(db: Kysely<unknown>): Promise<Map<string, Table>> {
  const { rows } = await sql<Table & { oid: string }>`
    select oid::text, relname as name, relfilenode::text as file from pg_class
    where relkind in ('r', 'p') and relname <> 'kysely_migration'
    and relnamespace not in (select oid from pg_namespace where nspname like 'pg\\_%')`.execute(db)
  return new Map(rows.map(({ oid, name, file }) => [oid, { name, file }]))
}

interface LockRow {
  oid: string
  /** Null: the migration removed the table, which others wait for until then. */
  table: string | null
  file: string | null
  mode: string
  written: number
}

/** The locks of a transaction at its end. PostgreSQL gives up no lock of a table before that. */
async function locksOf(db: Kysely<unknown>, before: ReadonlyMap<string, Table>): Promise<HeldLock[]> {
  const { rows } = await sql<LockRow>`
    select relation::text as oid, pg_class.relname as table, relfilenode::text as file, mode,
      coalesce(n_tup_ins + n_tup_upd + n_tup_del, 0)::int as written
    from pg_locks left join pg_class on pg_class.oid = relation
    left join pg_stat_xact_user_tables as counts on counts.relid = pg_class.oid
    where pid = pg_backend_pid() and locktype = 'relation' order by pg_class.relname`.execute(db)
  const strongest = new Map<string, LockRow>()
  for (const row of rows.filter(
    ({ oid, mode, written }) => before.has(oid) && (written > 0 || isStrong(mode)),
  )) {
    const kept = strongest.get(row.oid)
    if (kept === undefined || modes.indexOf(row.mode) > modes.indexOf(kept.mode)) strongest.set(row.oid, row)
  }
  return [...strongest.values()].map(({ oid, table, file, mode, written }) => ({
    ...{
      table: table ?? before.get(oid)?.name ?? oid,
      lock: mode,
      waits: waitsFor(mode, written),
      rows: null,
    },
    ...{ written, rewritten: file !== null && before.get(oid)?.file !== file },
  }))
}

/** Lock modes of PostgreSQL's tables from the weakest on (its manual, "Explicit Locking"). */
const modes = [
  ...['AccessShareLock', 'RowShareLock', 'RowExclusiveLock', 'ShareUpdateExclusiveLock'],
  ...['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'],
]

/** Whether it keeps others from changing the table, where weaker ones are those of every statement. */
const isStrong = (mode: string): boolean => modes.indexOf(mode) >= modes.indexOf('ShareUpdateExclusiveLock')

function waitsFor(mode: string, written: number): Waits {
  if (mode === 'AccessExclusiveLock') return 'reads and writes'
  if (modes.indexOf(mode) >= modes.indexOf('ShareLock')) return 'writes'
  return written > 0 ? 'changes of its rows' : 'nothing'
}

/** Rows are counted afterwards: a table that was restored just now has no statistics. One that was removed has none. */
async function counted(db: Kysely<Schema>, locks: readonly HeldLock[]): Promise<HeldLock[]> {
  const all: HeldLock[] = []
  for (const lock of locks) {
    if (lock.table === null || !(await isThere(db, lock.table))) {
      all.push(lock)
      continue
    }
    const { rows } = await sql<{
      rows: number
    }>`select count(*) as rows from ${sql.table(lock.table)}`.execute(db)
    all.push({ ...lock, rows: rows[0]?.rows ?? null })
  }
  return all
}

async function isThere(db: Kysely<Schema>, table: string): Promise<boolean> {
  const { rows } = await sql`select from pg_class where oid = to_regclass(quote_ident(${table}))`.execute(db)
  return rows.length > 0
}

/** Whether others are connected, and not just leaving: PostgreSQL lists a closed connection for a moment more. */
async function isInUse(db: Kysely<Schema>): Promise<boolean> {
  if (dialectOf(db) === 'sqlite') return false
  for (let tries = 0; await areOthersListed(db); tries++) {
    if (tries === 10) return true
    await wait(100)
  }
  return false
}

/** A role is told of another's connection that it is there, and not of what kind; PostgreSQL's own have no user. */
async function areOthersListed(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity where datname = current_database()
    and usesysid is not null and pid <> pg_backend_pid() limit 1`.execute(db)
  return rows.length > 0
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
