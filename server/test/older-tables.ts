import { readdirSync } from 'node:fs'
import { type Kysely, type Migration, Migrator } from 'kysely'
import { expect } from 'vitest'
import { openPostgres } from '../dist/store/postgres.js'
import { openSqlite } from '../dist/store/sqlite.js'

const folder = new URL('../dist/store/migrations/', import.meta.url)

type OlderTables = ReturnType<typeof openSqlite>['db']

/** Makes the tables as the first `count` migrations left them, and fills them. */
export async function makeOlderTables(
  url: string,
  count: number,
  fill: (db: OlderTables) => Promise<unknown>,
): Promise<void> {
  const dialect = url.startsWith('sqlite:') ? 'sqlite' : 'postgres'
  const limits = { pool: 2, connectTimeout: 60_000, statementTimeout: 60_000 }
  const { db } =
    dialect === 'sqlite'
      ? openSqlite(url.slice('sqlite:'.length), { patience: 60_000, underWay: () => 0 })
      : openPostgres(url, limits)
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
    const migrations: Record<string, Migration> = {}
    for (const name of names.sort().slice(0, count)) {
      const { up } = (await import(new URL(name, folder).href)) as {
        up: (db: Kysely<unknown>, dialect: string) => Promise<void>
      }
      migrations[name.slice(0, -'.js'.length)] = { up: (one: Kysely<unknown>) => up(one, dialect) }
    }
    const { error } = await new Migrator({
      db,
      provider: { getMigrations: async () => migrations },
    }).migrateToLatest()
    expect(error).toBeUndefined()
    await fill(db)
  } finally {
    await db.destroy()
  }
}

/** So many people, for the later migrations to work on. */
export async function insertOlderPeople(db: OlderTables, people: number): Promise<void> {
  for (let first = 0; first < people; first += 500) {
    const rows = Array.from({ length: 500 }, (_, index) => personOf(first + index))
    await db.insertInto('users').values(rows).execute()
  }
}

const personOf = (number: number) => ({
  uuid: crypto.randomUUID(),
  email: `older${number}@acme.example`,
  email_key: `older${number}@acme.example`,
  name: `Somebody Older With A Name ${number}`,
  name_key: `somebody older with a name ${number}`,
  email_verified: 1 as const,
  active: 1 as const,
  created_at: 1,
  updated_at: 1,
})
