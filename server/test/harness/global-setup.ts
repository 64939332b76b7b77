import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildConsole } from '../../../console/build.mjs'
import { bundle } from '../../../scripts/bundle.mjs'
import { administered } from '../fixtures/administrators.ts'
import { folderOfDatabases } from './folders.ts'
import { acme, fill } from './fill.ts'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Empty where it is left out. */
    postgresUrl: string
    /** SQLite files to copy, one for each `Content` but `empty`. The templates of PostgreSQL have the same names. */
    templates: string
  }
}

/** One PostgreSQL for the run, unless that is fast, and on each database the templates. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Commands are run as they are installed, so of what was built last.
  await bundle()
  await buildConsole()
  const postgres = process.env.TESSERA_TESTS === 'fast' ? undefined : await startPostgres(folderOfDatabases())
  if (postgres?.socket !== undefined) {
    process.env.TEST_POSTGRES_PORT = new URL(postgres.url).port
    process.env.TEST_POSTGRES_SOCKET = postgres.socket
  }
  const templates = mkdtempSync(join(folderOfDatabases(), 'tessera-test-templates-'))
  const withAdministrators = join(templates, 'acme.yaml')
  writeFileSync(withAdministrators, administered)
  const files = { tessera_tables: [], tessera_acme: [acme], tessera_administered: [acme, withAdministrators] }
  for (const [name, declared] of Object.entries(files)) {
    await fill(`sqlite:${join(templates, name)}`, declared)
    if (postgres === undefined) continue
    await make(postgres.url, name)
    await fill(`${postgres.url}/${name}`, declared)
  }
  project.provide('postgresUrl', postgres?.url ?? '')
  project.provide('templates', templates)
  return async () => {
    await postgres?.stop()
    rmSync(templates, { recursive: true, force: true })
  }
}

async function make(server: string, name: string): Promise<void> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: `${server}/postgres` })
  await client.connect()
  await client.query(`drop database if exists ${name}`)
  await client.query(`create database ${name}`)
  await client.end()
}
