import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { startOwnPostgres } from '../../server/test/harness/postgres.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { load } from '../load.ts'
import { newFolder, remove, type Service, type StartOptions, startService } from '../service.ts'
import type { Asked } from './interleaved.ts'
import { ofBackground, Wire } from './wire.ts'

/** Kinds of requests, in an order in which each has what those before it were given. */
export type Asks = readonly (readonly [kind: string, ask: (count: number) => Asked])[]
export type AsksOf = (service: Service) => Promise<Asks>

/** Of one request. */
export interface Counts {
  sqlite: number
  postgres: number
  /** Of signatures, in all threads. */
  verifications: number
}

type Settings = Record<string, string>

/** One at a time, so that none shares a statement with another. */
const counted = 10
/** The fewest count: the background asks something of its own now and then. */
const goes = 5
const preload = new URL('count-preload.mjs', import.meta.url).pathname

/** The statements that requests ask of each database, and what they verify, by kind. */
export async function countsOf(
  asksOf: AsksOf,
  settings: Settings = {},
  options: StartOptions = {},
): Promise<ReadonlyMap<string, Counts>> {
  const sqlite = await onSqlite(asksOf, settings, options)
  const postgres = await onPostgres(asksOf, settings, options)
  return new Map([...sqlite].map(([kind, one]) => [kind, { ...one, postgres: NaN, ...postgres.get(kind) }]))
}

async function onSqlite(asksOf: AsksOf, settings: Settings, options: StartOptions) {
  const folder = newFolder()
  const file = join(folder, 'counts')
  const service = await startService(
    await freePort(),
    folder,
    { ...settings, TESSERA_TEST_COUNTS: file },
    { ...options, nodeArguments: ['--import', preload] },
  )
  const read = async () => {
    process.kill(service.pid, 'SIGUSR2')
    for (let tries = 0; tries < 500 && !existsSync(file); tries++) await wait(10)
    const { statements, verifications } = JSON.parse(readFileSync(file, 'utf8')) as {
      statements: string[]
      verifications: number
    }
    rmSync(file)
    return { sqlite: statements.filter(isOfRequest).length / counted, verifications: verifications / counted }
  }
  try {
    return await each(service, asksOf, read)
  } finally {
    await service.stop()
    remove(folder)
  }
}

async function onPostgres(asksOf: AsksOf, settings: Settings, options: StartOptions) {
  const server = await startOwnPostgres()
  const folder = newFolder()
  let asked = 0
  const wire = new Wire(Number(new URL(server.url).port), 0, (text) => {
    if (isOfRequest(text)) asked++
    return false
  })
  const observer = new pg.Client({ connectionString: `${server.url}/postgres` })
  await observer.connect()
  await observer.query('create database counted')
  await observer.end()
  const url = `postgres://postgres@127.0.0.1:${await wire.listen()}/counted`
  const service = await startService(
    await freePort(),
    folder,
    { ...settings, TESSERA_DATABASE_URL: url },
    options,
  )
  const read = async () => {
    const since = asked
    asked = 0
    return await Promise.resolve({ postgres: since / counted })
  }
  try {
    return await each(service, asksOf, read)
  } finally {
    await service.stop()
    wire.close()
    await server.stop()
    remove(folder)
  }
}

/** The fewest that `read` yields since it was asked before, by kind. The first go fills what stays in memory. */
async function each<Figure extends string>(
  service: Service,
  asksOf: AsksOf,
  read: () => Promise<Record<Figure, number>>,
): Promise<Map<string, Record<Figure, number>>> {
  const all = new Map<string, Record<Figure, number>>()
  const asks = await asksOf(service)
  for (let go = 0; go <= goes; go++)
    for (const [kind, ask] of asks) {
      const { requests, status, check } = ask(counted)
      await read()
      const { answers } = await load(service.port, requests, 1, status, true)
      const now = await read()
      check(answers)
      const known = all.get(kind)
      const names = Object.keys(now) as Figure[]
      const fewest = names.map((name) => [name, Math.min(now[name], known?.[name] ?? Infinity)])
      all.set(kind, Object.fromEntries(fewest) as Record<Figure, number>)
    }
  return all
}

/** Without what belongs to a transaction, which several requests share on SQLite, and which has its own on PostgreSQL. */
const isOfRequest = (text: string) =>
  /^(select|insert|update|delete)\b/.test(text) && !/set_config|pg_current_/.test(text) && !ofBackground(text)
