/** What the rows of a request cost when one statement writes them. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { readCpu } from '../cpu.ts'
import { median } from './outcome.ts'

export type Floor = Readonly<Record<string, { wal: number; cpu: number }>>

const count = 700
/** Of a round. */
const each = 100

type Row = Record<string, unknown>

/** On the tables and rows that the requests left. */
export async function floorOf(url: string): Promise<Floor> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const [code, family] = [await anyOf(client, 'authorization_codes'), await anyOf(client, 'token_families')]
    const codes = Array.from({ length: 2 * count }, () => ({ ...code, id: randomUUID(), consumed_at: null }))
    const families = codes.map(() => ({ ...family, id: randomUUID() }))
    const inserting = insertOf('authorization_codes', code)
    const exchanging = `with used as (update authorization_codes set consumed_at = created_at, family_id = $1 where id = $1)
      ${insertOf('token_families', family)}`
    const refreshing = `update token_families set current_hash = family_hash, predecessors = $2, last_used_at = created_at,
      idle_expires_at = expires_at where id = $1`
    const salted = JSON.stringify([{ hash: randomUUID().repeat(2), salt: randomUUID(), at: Date.now() }])
    const authorize = await cost(client, inserting, codes.map(Object.values))
    const exchange = await cost(client, exchanging, families.map(Object.values))
    return {
      'authorize with a session': authorize,
      'code exchange': exchange,
      'whole sign-in': { wal: authorize.wal + exchange.wal, cpu: authorize.cpu + exchange.cpu },
      refresh: await cost(
        client,
        refreshing,
        families.map(({ id }) => [id, salted]),
      ),
    }
  } finally {
    await client.end()
  }
}

async function anyOf(client: pg.Client, table: string): Promise<Row & { id: string }> {
  const { rows } = await client.query<Row & { id: string }>(`select * from ${table} limit 1`)
  return rows[0] ?? Promise.reject(new Error(`${table} is empty.`))
}

const insertOf = (table: string, row: Row) =>
  `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row).map((_, at) => `$${at + 1}`)})`

/** The first half warms up; of the others the median of some rounds counts. */
async function cost(client: pg.Client, text: string, all: readonly unknown[][]) {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const pid = rows[0]?.pid ?? 0
  const read = async () => {
    const { rows: at } = await client.query<{ wal: string }>(
      `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal`,
    )
    return { wal: Number(at[0]?.wal), cpu: readCpu([pid]).get(pid) ?? 0 }
  }
  const write = async (values: readonly (readonly unknown[])[]) => {
    for (const one of values) await client.query({ text, name: text.slice(0, 60), values: [...one] })
  }
  await write(all.slice(0, count))
  const measured: { wal: number; cpu: number }[] = []
  for (let from = count; from < all.length; from += each) {
    const before = await read()
    await write(all.slice(from, from + each))
    const after = await read()
    measured.push({ wal: (after.wal - before.wal) / each, cpu: (after.cpu - before.cpu) / each })
  }
  return { wal: median(measured.map(({ wal }) => wal)), cpu: median(measured.map(({ cpu }) => cpu)) }
}
