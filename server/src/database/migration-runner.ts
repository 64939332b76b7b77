/** Makes migrations beside requests: none of them may wait for a migration for longer than a moment. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { type DialectName, dialectOf } from './dialect.ts'
import { isHeld } from './failure.ts'
import type { Schema } from './schema.ts'

/**
 * `up` is one transaction. `indexes` are names with what each is on; PostgreSQL makes them beside what is written, which
 * no transaction can.
 */
export type Migration =
  | { up(db: Kysely<unknown>, dialect: DialectName): Promise<void> }
  | { indexes: Readonly<Record<string, string>> }

type Tell = (text: string) => void

/**
 * A change of a table waits for those who read it, and whoever asks for the table then waits behind it: for this, ms.
 */
const lockTimeout = 500
/** The pause between two tries, so that others that waited go on, ms. */
const pause = 2000
/** The most time for all tries, ms. */
const patience = 3_600_000
/** The pause between two looks whether another process has finished, ms. */
const look = 100

/** Makes those that have not been `made`; yields their names. One process does so at a time. */
export async function makeEach(
  db: Kysely<Schema>,
  migrations: Readonly<Record<string, Migration>>,
  made: (db: Kysely<Schema>) => Promise<string[]>,
  tell: Tell,
): Promise<string[]> {
  return await alone(db, tell, async (one) => {
    const before = await made(one)
    // Kysely's own migrator names and makes the table so.
    if (before.length === 0)
      await sql`create table if not exists kysely_migration (
        name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(one)
    const names: string[] = []
    for (const [name, migration] of Object.entries(migrations).sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (before.includes(name)) continue
      tell(`makes ${name}`)
      if (await make(one, name, migration, tell)) names.push(name)
    }
    return names
  })
}

/** Migrates while no other process does. On SQLite each migration's transaction is alone. */
async function alone<T>(
  db: Kysely<Schema>,
  tell: Tell,
  work: (one: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  if (dialectOf(db) === 'sqlite') return await work(db)
  return await db.connection().execute(async (one) => {
    const until = performance.now() + patience
    // Asked again and again: a statement that waited for it would be waited for by an index that is made beside it.
    for (let tries = 0; !(await isLocked(one)); tries++) {
      if (tries === 10) tell('waits for another process that migrates')
      if (performance.now() > until) throw new Error('Another process has been migrating for an hour.')
      await wait(look)
    }
    try {
      return await work(one)
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(one).catch(() => undefined)
    }
  })
}

const lock = sql.lit(7_465_737_368)

async function isLocked(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${lock}) as locked`.execute(db)
  return rows[0]?.locked === true
}

/** False: another process has made it meanwhile. */
async function make(db: Kysely<Schema>, name: string, migration: Migration, tell: Tell): Promise<boolean> {
  if ('up' in migration) return await inOne(db, { name, tell, up: (trx) => migration.up(trx, dialectOf(db)) })
  if (dialectOf(db) === 'sqlite')
    return await inOne(db, { name, tell, up: (trx) => makeIndexes(trx, migration.indexes) })
  await makeIndexesBeside(db, migration.indexes, tell)
  return await inOne(db, { name, tell, up: async () => undefined })
}

/** Tries again while others hold a lock on what is to be changed. */
async function patiently<T>(name: string, tell: Tell, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + patience
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > until) throw error
      tell(`${name} waits for its lock: somebody reads the table in a long transaction (${tries} tries)`)
      await wait(pause)
    }
  }
}

/** Whether PostgreSQL gave up waiting for a lock. On SQLite the driver has waited already. */
const isLockTimeout = (error: unknown) =>
  isHeld(error) && error instanceof Error && 'code' in error && error.code === '55P03'

/** A transaction that gives up a lock that it can't have at once, and is tried again. */
export async function briefly<T>(
  db: Kysely<Schema>,
  name: string,
  tell: Tell,
  work: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  return await patiently(name, tell, () =>
    db.transaction().execute(async (trx) => {
      if (dialectOf(trx) === 'postgres')
        await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(trx)
      return await work(trx)
    }),
  )
}

interface Step {
  name: string
  tell: Tell
  up: (trx: Kysely<unknown>) => Promise<void>
}

async function inOne(db: Kysely<Schema>, { name, tell, up }: Step): Promise<boolean> {
  return await briefly(db, name, tell, async (trx) => {
    const row = await sql`insert into kysely_migration (name, timestamp)
      values (${name}, cast(current_timestamp as varchar(255))) on conflict (name) do nothing returning name`.execute(
      trx,
    )
    if (row.rows.length === 0) return false
    await up(trx as unknown as Kysely<unknown>)
    return true
  })
}

async function makeIndexes(trx: Kysely<unknown>, indexes: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, on] of Object.entries(indexes))
    await sql.raw(`create index ${name} on ${on}`).execute(trx)
}

async function makeIndexesBeside(
  db: Kysely<Schema>,
  indexes: Readonly<Record<string, string>>,
  tell: Tell,
): Promise<void> {
  for (const [name, on] of Object.entries(indexes)) {
    const [table = '', ...columns] = on.split(' ')
    const make = (await isPartitioned(db, table)) ? makeOnEach : makeBeside
    await make(db, { name, table, columns: columns.join(' ') }, tell)
  }
}

interface Index {
  name: string
  table: string
  /** The columns, and the rows. */
  columns: string
}

/** What was interrupted left an index that is written and never read: it is made anew. */
async function makeBeside(db: Kysely<Schema>, { name, table, columns }: Index, tell: Tell): Promise<void> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db)
  if (rows[0]?.valid === true) return
  tell(`makes the index ${name}, beside what is read and written`)
  if (rows[0] !== undefined) await sql`drop index concurrently ${sql.id(name)}`.execute(db)
  await sql.raw(`create index concurrently ${name} on ${table} ${columns}`).execute(db)
}

async function isPartitioned(db: Kysely<Schema>, table: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_class where oid = to_regclass(${table}) and relkind = 'p'`.execute(db)
  return rows.length > 0
}

/** An index of each partition, made beside; a partition that is added meanwhile comes with its own. */
async function makeOnEach(db: Kysely<Schema>, { name, table, columns }: Index, tell: Tell): Promise<void> {
  await briefly(db, name, tell, async (trx) => {
    await sql.raw(`create index if not exists ${name} on only ${table} ${columns}`).execute(trx)
  })
  const { rows } = await sql<{ part: string }>`
    select relname as part from pg_inherits as parts join pg_class on pg_class.oid = parts.inhrelid
    where parts.inhparent = to_regclass(${table}) and not exists (
      select from pg_inherits as made join pg_index on indexrelid = made.inhrelid
      where made.inhparent = to_regclass(${name}) and indrelid = parts.inhrelid
    )`.execute(db)
  for (const { part } of rows) {
    const own = name.replace(table, part)
    await makeBeside(db, { name: own, table: part, columns }, tell)
    await briefly(db, own, tell, async (trx) => {
      await sql.raw(`alter index ${name} attach partition ${own}`).execute(trx)
    })
  }
}
