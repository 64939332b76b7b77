import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { administrators } from '../../server/test/fixtures/administrators.ts'
import { startOwnPostgres } from '../../server/test/harness/postgres.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { processesOf, readCpu } from '../cpu.ts'
import { Client } from '../load.ts'
import { newFolder, remove, type Service, startService } from '../service.ts'
import { machineToken } from './machine-token.ts'
import { atMost, type Outcome } from './outcome.ts'

const root = new URL('../..', import.meta.url).pathname
/** A directory asks by so many connections. */
const lanes = 4
const groups = 200
const largest = 10_000

/** How many people: `--people N` is for a look in between. */
const peopleIn = (args: readonly string[]): number => Number(args[args.indexOf('--people') + 1]) || 20_000

interface Step {
  what: string
  seconds: number
  /** CPU seconds of the service, and of PostgreSQL. */
  cpu: number
  databaseCpu: number
  /** The p99 of tokens that a machine asked for meanwhile, ms. */
  p99: number
  longest: number
}

/** A directory makes 20,000 people and 200 groups, and then a group of 10,000, while a machine asks for tokens. */
export async function provision(): Promise<Outcome> {
  const people = peopleIn(process.argv)
  const sqlite = await onSqlite(people)
  const postgres = await onPostgres(people)
  const all = [
    ...sqlite.map((one) => ['SQLite', one] as const),
    ...postgres.map((one) => ['PostgreSQL', one] as const),
  ]
  return {
    tables: [
      {
        title: `${people} people, ${groups} groups and one of ${Math.min(largest, people)} by SCIM`,
        head: [
          'database',
          'step',
          's',
          'CPU of the service, s',
          'CPU of PostgreSQL, s',
          'tokens meanwhile: p99, ms',
          'the longest, ms',
        ],
        rows: all.map(([database, { what, seconds, cpu, databaseCpu, p99, longest }]) => [
          ...[database, what, seconds.toFixed(2), cpu.toFixed(2), databaseCpu.toFixed(2)],
          ...[p99.toFixed(1), longest.toFixed(0)],
        ]),
      },
    ],
    bars: [['SQLite', sqlite] as const, ['PostgreSQL', postgres] as const].flatMap(([database, steps]) => {
      const of = (name: string) => steps.find(({ what }) => what.startsWith(name))?.seconds ?? Number.NaN
      return [
        atMost(`people and groups on ${database}`, (of('people') + of('groups')) / 60, 20, 'min'),
        atMost(`a group of ${Math.min(largest, people)} on ${database}`, of('a group'), 2, 's'),
      ]
    }),
    notes: [
      `The directory asks by ${lanes} connections, each after the answer before, and for each person by their userName first, as providers do. Every group is mapped, so each membership gives a profile and a record of the audit.`,
      'A machine asks for a token 20 ms after the answer before, alone for the first row. What else runs on the machine shows in seconds, and not in CPU seconds.',
    ],
    figures: { people, sqlite, postgres },
  }
}

async function onSqlite(people: number): Promise<Step[]> {
  const folder = newFolder()
  const service = await startService(await freePort(), folder, { TESSERA_DECLARED: declared(folder) })
  try {
    return await steps(service, people, () => 0)
  } finally {
    await service.stop()
    remove(folder)
  }
}

async function onPostgres(people: number): Promise<Step[]> {
  const server = await startOwnPostgres(() => ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'])
  const folder = newFolder()
  try {
    const client = new pg.Client({ connectionString: `${server.url}/postgres` })
    await client.connect()
    await client.query('create database provisioned')
    await client.end()
    const settings = { TESSERA_DATABASE_URL: `${server.url}/provisioned`, TESSERA_DECLARED: declared(folder) }
    const service = await startService(await freePort(), folder, settings)
    const [pid = ''] = readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n')
    try {
      return await steps(service, people, () => secondsOf(processesOf(Number(pid))))
    } finally {
      await service.stop()
    }
  } finally {
    await server.stop()
    remove(folder)
  }
}

/** CPU seconds of processes so far: those of connections that ended are lost, of which there are few. */
const secondsOf = (pids: readonly number[]): number =>
  [...readCpu(pids).values()].reduce((sum, one) => sum + one, 0) / 1e6

/** The reference file with a directory of Acme whose groups give profiles. */
function declared(folder: string): string {
  const named = [...Array.from({ length: groups }, (_, n) => `g${n}`), 'all']
  const mapping = named.map((group) => `{group: ${group}, role: ${group === 'all' ? 'reader' : 'importer'}}`)
  const text = administrators.reduce(
    (all, [part, by]) => all.replace(part, () => by),
    readFileSync(join(root, 'server/test/fixtures/acme.yaml'), 'utf8'),
  )
  const opening = `    domains: [many.example]
    directories:
      - {code: scim, name: Acme, mapping: [${mapping.join(', ')}]}
    units:\n`
  const file = join(mkdtempSync(join(folder, 'declared-')), 'acme.yaml')
  writeFileSync(
    file,
    text.replace('    units:\n', () => opening),
  )
  return file
}

async function steps(service: Service, people: number, databaseCpu: () => number): Promise<Step[]> {
  const directory = await directoryOf(service)
  const tokens = await Client.takenIn(service.port)
  const ids: string[] = []
  const step = async (what: string, work: () => Promise<unknown>): Promise<Step> => {
    const before = { cpu: secondsOf(processesOf(service.pid)), database: databaseCpu() }
    const began = performance.now()
    const times = await tokensDuring(tokens, work)
    const seconds = (performance.now() - began) / 1000
    const at = (part: number) => times[Math.floor((times.length - 1) * part)] ?? Number.NaN
    return {
      ...{ what, seconds, p99: at(0.99), longest: at(1) },
      cpu: secondsOf(processesOf(service.pid)) - before.cpu,
      databaseCpu: databaseCpu() - before.database,
    }
  }
  const alone = await step('tokens alone', () => wait(5000))
  const made = await step('people are made', async () => {
    await inLanes(people, async (n) => {
      await directory('GET', `/Users?filter=${encodeURIComponent(`userName eq "p${n}@many.example"`)}`)
      ids[n] = await directory('POST', '/Users', personOf(n), 201)
    })
  })
  const each = Math.ceil(people / groups)
  const grouped = await step('groups are made, and their members added', async () => {
    await inLanes(groups, async (n) => {
      const id = await directory('POST', '/Groups', { displayName: `Group ${n}`, externalId: `g${n}` }, 201)
      await addMembers(directory, id, ids.slice(n * each, (n + 1) * each))
    })
  })
  const all = await directory('POST', '/Groups', { displayName: 'All', externalId: 'all' }, 201)
  const large = await step('a group gets all its members', () =>
    addMembers(directory, all, ids.slice(0, largest)),
  )
  const path = `members[value eq "${ids[0]}"]`
  const one = await step('one of them leaves', () =>
    directory('PATCH', `/Groups/${all}`, { Operations: [{ op: 'Remove', path }] }, 204),
  )
  const empty = await step('all of them leave', () =>
    directory('PATCH', `/Groups/${all}`, { Operations: [{ op: 'Remove', path: 'members' }] }, 204),
  )
  tokens.close()
  return [alone, made, grouped, large, one, empty]
}

type Asking = (method: string, path: string, body?: object, status?: number) => Promise<string>

const addMembers = async (directory: Asking, id: string, members: readonly string[]): Promise<string> => {
  const value = members.map((member) => ({ value: member }))
  return await directory(
    'PATCH',
    `/Groups/${id}`,
    { Operations: [{ op: 'Add', path: 'members', value }] },
    204,
  )
}

/** A person as Entra sends one. */
const personOf = (n: number) => ({
  schemas: [
    'urn:ietf:params:scim:schemas:core:2.0:User',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  ],
  ...{
    userName: `p${n}@many.example`,
    externalId: randomUUID(),
    active: true,
    displayName: `Person ${n} Doe`,
  },
  name: { givenName: `Person ${n}`, familyName: 'Doe', formatted: `Person ${n} Doe` },
  emails: [{ primary: true, type: 'work', value: `p${n}@many.example` }],
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
    department: 'Sales',
    employeeNumber: `${n}`,
  },
})

async function inLanes(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Requests of the directory, which yield the id in the answer. */
async function directoryOf({ url }: Service): Promise<Asking> {
  const secret = { client_id: 'admin-cli', client_secret: 'admin-cli-development-secret' }
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...secret })
  const granted = await (await fetch(`${url}/oauth2/token`, { method: 'POST', body })).json()
  const { access_token } = granted as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
  const api = `${url}/admin/v1/directories`
  const { items } = (await (await fetch(api, { headers })).json()) as { items: { uuid: string }[] }
  const expires_at = new Date(Date.now() + 86_400_000).toISOString()
  const asked = { method: 'POST', headers, body: JSON.stringify({ expires_at }) }
  const { token } = (await (await fetch(`${api}/${items[0]?.uuid}/tokens`, asked)).json()) as {
    token: string
  }
  return async (method, path, sent, status = 200) => {
    const answer = await fetch(`${url}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    })
    const text = await answer.text()
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`)
    return text === '' ? '' : (JSON.parse(text) as { id: string }).id
  }
}

/** A machine asks for a token, and rests for 20 ms, until the work ends; yields how long each answer took, ms, the least first. */
async function tokensDuring(client: Client, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let over = false
  const asking = async () => {
    while (!over) {
      const began = performance.now()
      const answer = await client.send(machineToken)
      times.push(performance.now() - began)
      if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`A wrong answer: ${answer.slice(0, 300)}`)
      await wait(20)
    }
  }
  const asked = asking()
  await work().finally(() => (over = true))
  await asked
  return times.toSorted((a, b) => a - b)
}
