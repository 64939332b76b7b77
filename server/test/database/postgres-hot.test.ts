import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { refresh, token, tokensOf, Visitor } from '../harness/program.ts'

/**
 * PostgreSQL writes no index for an update that changes no indexed column and finds room on its page. How often there is
 * room depends on when PostgreSQL clears pages, so the room that is left is looked at, not the updates.
 */

let tessera: Tessera
let database: pg.Client
beforeAll(async () => {
  tessera = await startTessera('postgres')
  database = new pg.Client({ connectionString: tessera.databaseUrl })
  await database.connect()
})
afterAll(async () => {
  await database.end()
  await tessera.close()
})

async function rowOf(table: string): Promise<Record<string, unknown>> {
  const { rows } = await database.query<{ row: Record<string, unknown> }>(
    `select to_jsonb(${table}) as row from ${table}`,
  )
  expect(rows).toHaveLength(1)
  return rows[0]?.row ?? {}
}

async function indexedColumns(table: string): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select distinct attname::text as name from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
     where indrelid = $1::regclass`,
    [table],
  )
  return rows.map(({ name }) => name)
}

async function expectWritesNoIndex(table: string, change: () => Promise<unknown>): Promise<void> {
  const before = await rowOf(table)
  await change()
  const after = await rowOf(table)
  const changed = Object.keys(after).filter(
    (column) => JSON.stringify(after[column]) !== JSON.stringify(before[column]),
  )
  expect(changed.length).toBeGreaterThan(0)
  const indexed = await indexedColumns(table)
  expect(indexed.length).toBeGreaterThan(0)
  expect(changed.filter((column) => indexed.includes(column))).toEqual([])
}

it('an exchange and a refresh change no column that an index holds', async () => {
  const visitor = new Visitor(tessera.url)
  const exchange = await visitor.code()
  let first: string | undefined
  await expectWritesNoIndex('authorization_codes', async () => {
    first = tokensOf(await token(tessera.url, exchange)).refresh_token
  })
  await expectWritesNoIndex('token_families', async () => {
    expect((await refresh(tessera.url, first)).status).toBe(200)
  })
})

it('pages of what is updated leave room for it', async () => {
  const { rows } = await database.query<{ relname: string }>(
    `select relname from pg_class where reloptions::text ~ 'fillfactor=[1-8]' order by relname`,
  )
  expect(rows.map(({ relname }) => relname)).toEqual(['authorization_codes', 'sessions', 'token_families'])
})
