import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startService } from '../service.ts'
import { type Installation, rowsOf } from './administration-rows.ts'
import { fillSqlite, insert } from './growth-seed.ts'
import type { Row } from './growth-rows.ts'
import { freePort } from '../../server/test/harness/process.ts'

const root = new URL('../../', import.meta.url).pathname

/** Who asks: over the whole installation, and over one organisation of it. */
export const administrators = {
  everything: { id: 'bench-administrator', secret: 'bench-administrator-development-secret' },
  organisation: { id: 'bench-delegate', secret: 'bench-delegate-development-secret' },
} as const

const reads = ['users', 'profiles', 'organisations', 'access', 'sessions'].map((one) => `iam.${one}.read`)

/** The reference file with both of them. */
export function declareAdministrators(folder: string): string {
  const reference = readFileSync(join(root, 'server/test/fixtures/acme.yaml'), 'utf8')
  const { everything, organisation } = administrators
  const added = `clients:
  - client_id: ${everything.id}
    client_name: Administration
    type: machine
    client_secret: ${everything.secret}
    services: [iam]
    permissions: ["iam.*"]
  - client_id: ${organisation.id}
    client_name: Administration of one organisation
    type: machine
    client_secret: ${organisation.secret}
    services: [iam, submissions-tool]
    permissions: [${[...reads, 'submissions-tool.vista-import.create'].join(', ')}]
    organisation: acme
`
  const path = join(folder, 'administration.yaml')
  writeFileSync(path, reference.replace(/^clients:\n/m, added))
  return path
}

/** Fills an embedded database. */
export async function seedSqlite(
  folder: string,
  settings: Record<string, string>,
  { seed, size }: { seed: number; size: Installation },
): Promise<void> {
  await fillSqlite(folder, settings, (connection) => {
    for (const [table, count, rowOf] of rowsOf(seed, size, Date.now()))
      insert(connection, table, count, rowOf)
  })
}

const chunk = 5000

/** Fills a database of PostgreSQL. */
export async function seedPostgres(
  url: string,
  settings: Record<string, string>,
  { seed, size }: { seed: number; size: Installation },
): Promise<void> {
  const first = await startService(await freePort(), undefined, settings)
  await first.stop()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // What is written refers to what is there.
    await client.query("set session_replication_role = replica; set maintenance_work_mem = '256MB'")
    const all = rowsOf(seed, size, Date.now())
    const indexes = await withoutIndexes(client, new Set(all.map(([table]) => table)))
    for (const [table, count, rowOf] of all) await fillTable(client, table, count, rowOf)
    for (const index of indexes) await client.query(index)
    // As a database that grew would have them.
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

/** Indexes that are made afterwards take a fraction of the time. Yields what makes them. */
async function withoutIndexes(client: pg.Client, tables: ReadonlySet<string>): Promise<string[]> {
  const { rows } = await client.query<{ name: string; made: string }>(
    `select indexname as name, indexdef as made from pg_indexes where tablename = any($1)
     and not exists (select from pg_constraint where conindid = to_regclass(indexname))`,
    [[...tables]],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ made }) => made)
}

async function fillTable(
  client: pg.Client,
  table: string,
  count: number,
  rowOf: (number: number) => Row,
): Promise<void> {
  const columns = Object.keys(rowOf(0)).join(', ')
  const statement = `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`
  const began = performance.now()
  for (let start = 0; start < count; start += chunk) {
    const rows: Row[] = []
    for (let number = start; number < Math.min(count, start + chunk); number++) rows.push(rowOf(number))
    await client.query(statement, [JSON.stringify(rows)])
  }
  if (count >= 100_000)
    process.stderr.write(`${count} ${table} in ${((performance.now() - began) / 1000).toFixed(0)} s … `)
}
