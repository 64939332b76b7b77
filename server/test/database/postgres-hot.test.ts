import pg from 'pg'
import { expect, it } from 'vitest'
import { startTessera } from '../harness/harness.ts'
import { refresh, tokensOf, Visitor } from '../harness/program.ts'

/** PostgreSQL: an update that finds room on its page, and changes no indexed column, writes no index. */
it('refreshes and exchanges write no index of PostgreSQL', async () => {
  const tessera = await startTessera('postgres', { settings: { TESSERA_LIMIT_AUTHORIZE: '0' } })
  const visitor = new Visitor(tessera.url)
  // Some pages of families.
  let latest: (string | undefined)[] = []
  for (let families = 0; families < 60; families++) latest.push((await visitor.tokens()).refresh_token)
  for (let times = 0; times < 3; times++) {
    const next: typeof latest = []
    for (const one of latest) next.push(tokensOf(await refresh(tessera.url, one)).refresh_token)
    latest = next
  }
  const database = new pg.Client({ connectionString: tessera.databaseUrl })
  await database.connect()
  // A connection that ends tells its figures.
  await database.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where application_name = 'tessera' and datname = current_database()`)
  const { rows } = await database.query<{ relname: string; updates: string; within: string }>(
    `select relname, n_tup_upd as updates, n_tup_hot_upd as within from pg_stat_user_tables
     where relname in ('token_families', 'authorization_codes') order by relname`,
  )
  await database.end()
  await tessera.close()
  expect(rows.map(({ relname }) => relname)).toEqual(['authorization_codes', 'token_families'])
  const [codes, families] = rows.map(({ updates, within }) => Number(within) / Number(updates))
  expect(rows.map(({ updates }) => Number(updates))).toEqual([60, 180])
  expect(codes).toBeGreaterThan(0.6)
  expect(families).toBeGreaterThan(0.6)
})
