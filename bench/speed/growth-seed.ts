import { join } from 'node:path'
import { connectSqlite } from '../../server/dist/database/sqlite.js'
import { startService } from '../service.ts'
import { clientRow, familyRow, profileRow, type Size, secretRow, sessionRow, userRow } from './growth-rows.ts'
import { freePort } from '../../server/test/harness/process.ts'

type Connection = ReturnType<typeof connectSqlite>
type Row = Readonly<Record<string, string | number | null>>

/** Makes an embedded database of this size: the tables by the service itself, the rows by hand. */
export async function seedDatabase(folder: string, seed: number, size: Size): Promise<void> {
  const now = Date.now()
  await fillSqlite(folder, {}, (connection) => {
    const half = size.clients / 2
    insert(connection, 'users', size.users, (number) => userRow(seed, number, now))
    insert(connection, 'profiles', size.users, (number) => profileRow(seed, number))
    insert(connection, 'clients', half, (number) => clientRow(number, 'machine', now))
    insert(connection, 'clients', half, (number) => clientRow(number, 'public', now))
    insert(connection, 'client_secrets', half, (number) => secretRow(seed, number, now))
    insert(connection, 'sessions', size.families, (number) => sessionRow(seed, number, size, now))
    insert(connection, 'token_families', size.families, (number) => familyRow(seed, number, size, now))
  })
}

/** Fills an embedded database whose tables the service itself made, with these settings. */
export async function fillSqlite(
  folder: string,
  settings: Record<string, string>,
  work: (connection: Connection) => void,
): Promise<void> {
  const first = await startService(await freePort(), folder, settings)
  await first.stop()
  const connection = connectSqlite(join(folder, 'tessera.sqlite'))
  // Nobody else has it, and after a fault it is made anew.
  for (const pragma of [
    'journal_mode = OFF',
    'synchronous = OFF',
    'cache_size = -500000',
    'foreign_keys = OFF',
  ])
    connection.exec(`pragma ${pragma}`)
  try {
    withoutIndexes(connection, () => work(connection))
    // As a database that grew would have them.
    connection.exec('update revisions set value = value + 1')
  } finally {
    connection.exec('pragma journal_mode = WAL')
    connection.close()
  }
}

/** Indexes that are made afterwards take a fraction of the time. */
function withoutIndexes(connection: Connection, work: () => void): void {
  const indexes = connection
    .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
    .all() as { name: string; sql: string }[]
  for (const { name } of indexes) connection.exec(`drop index ${name}`)
  work()
  for (const { sql } of indexes) connection.exec(sql)
}

export function insert(
  connection: Connection,
  table: string,
  count: number,
  rowOf: (number: number) => Row,
): void {
  const columns = Object.keys(rowOf(0))
  const statement = connection.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  const began = performance.now()
  connection.exec('begin')
  for (let number = 0; number < count; number++) {
    statement.run(...Object.values(rowOf(number)))
    if (number > 0 && number % 250_000 === 0) process.stderr.write(`${number} ${table} … `)
  }
  connection.exec('commit')
  if (count >= 100_000)
    process.stderr.write(`${count} ${table} in ${((performance.now() - began) / 1000).toFixed(0)} s … `)
}
