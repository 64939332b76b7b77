import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, inject } from 'vitest'

export type Dialect = 'sqlite' | 'postgres'

export interface TestDatabase {
  /** What TESSERA_DATABASE_URL is set to. */
  url: string
  remove(): Promise<void>
}

/** Runs the tests once on each database. */
export function onEachDatabase(name: string, tests: (dialect: Dialect) => void): void {
  describe.each(['sqlite', 'postgres'] as const)(`${name} on %s`, tests)
}

/** A database of its own: without tables, or with the keys and the reference file (`fixtures/acme.yaml`) in it. */
export async function createDatabase(
  dialect: Dialect,
  content: 'empty' | 'acme' = 'acme',
): Promise<TestDatabase> {
  return dialect === 'sqlite' ? sqliteDatabase(content) : await postgresDatabase(content)
}

function sqliteDatabase(content: 'empty' | 'acme'): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'))
  const path = join(folder, 'tessera.sqlite')
  if (content === 'acme') copyFileSync(join(inject('templates'), 'tessera_acme'), path)
  return { url: `sqlite:${path}`, remove: async () => rmSync(folder, { recursive: true, force: true }) }
}

async function postgresDatabase(content: 'empty' | 'acme'): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `t_${randomBytes(8).toString('hex')}`
  await query(server, `create database ${name}${content === 'acme' ? ' template tessera_acme' : ''}`)
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
