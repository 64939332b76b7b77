import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, inject, it } from 'vitest'
import { folderOfDatabases } from './folders.ts'

export type Dialect = 'sqlite' | 'postgres'
/** `npm test -- --fast` does without PostgreSQL. */
const dialects: readonly Dialect[] =
  process.env.TESSERA_TESTS === 'fast' ? ['sqlite'] : ['sqlite', 'postgres']

export interface TestDatabase {
  /** What TESSERA_DATABASE_URL is set to. */
  url: string
  remove(): Promise<void>
}

/** Runs the tests once on each database. */
export function onEachDatabase(name: string, tests: (dialect: Dialect) => void): void {
  describe.each(dialects)(`${name} on %s`, tests)
}

/** Runs the tests on SQLite alone: for the shape of HTTP, a page or a command, which no database changes. */
export function onOneDatabase(name: string, tests: (dialect: Dialect) => void): void {
  describe(`${name} on sqlite`, () => tests('sqlite'))
}

/**
 * Within `onEachDatabase`: tests and blocks of what no database changes, which run on SQLite alone. Those that ask the
 * database something stand beside them, as before.
 */
export const oneDatabase = (dialect: Dialect) => (dialect === 'sqlite' ? { it, describe } : leftOut)

/** Within `onEachDatabase`: all of these cases on SQLite. On PostgreSQL the first few stand for those that differ in words. */
export const sampleOn = <Case>(dialect: Dialect, few: number, cases: readonly Case[]): readonly Case[] =>
  dialect === 'sqlite' ? cases : cases.slice(0, few)

const nothing = Object.assign(() => undefined, { each: () => () => undefined })
const leftOut = { it: nothing as unknown as typeof it, describe: nothing as unknown as typeof describe }

/** Runs the tests on both databases at the same time: for those that wait for most of their time. */
export function onBothDatabases(name: string, tests: (dialect: Dialect) => void): void {
  for (const dialect of dialects)
    describe.concurrent(name, () => {
      describe.sequential(`on ${dialect}`, () => tests(dialect))
    })
}

/**
 * `empty`: without tables; `tables`: with those, and nothing in them; `acme`: with the keys and `fixtures/acme.yaml`;
 * `administered`: that, and who administers (`fixtures/administrators.ts`).
 */
export type Content = 'empty' | 'tables' | 'acme' | 'administered'

/** A database of its own. One that is copied is quicker than one whose tables are made. */
export async function createDatabase(dialect: Dialect, content: Content = 'acme'): Promise<TestDatabase> {
  return dialect === 'sqlite' ? sqliteDatabase(content) : await postgresDatabase(content)
}

function sqliteDatabase(content: Content): TestDatabase {
  const folder = mkdtempSync(join(folderOfDatabases(), 'tessera-test-'))
  const path = join(folder, 'tessera.sqlite')
  if (content !== 'empty') copyFileSync(join(inject('templates'), `tessera_${content}`), path)
  return { url: `sqlite:${path}`, remove: async () => rmSync(folder, { recursive: true, force: true }) }
}

async function postgresDatabase(content: Content): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `t_${randomBytes(8).toString('hex')}`
  // Its files as they are: by the write-ahead log, which is usual, it takes three times as long.
  const template = content === 'empty' ? 'template1' : `tessera_${content}`
  await query(server, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: `${server}/${name}`,
    remove: () => query(server, `drop database if exists ${name} with (force)`),
  }
}

async function query(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
