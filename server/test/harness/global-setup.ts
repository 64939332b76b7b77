import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundle } from '../../../scripts/bundle.mjs'
import { start } from '../../dist/server.js'
import { openStore } from './stores.ts'
import { folderOfDatabases } from './folders.ts'
import { testSettings } from './settings.ts'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    /** SQLite files to copy: empty tables, and acme.yaml applied. The templates of PostgreSQL have the same names. */
    templates: string
  }
}

/** One PostgreSQL for the run, and on both databases a template with tables, and one with the reference file applied. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Commands are run as they are installed, so of what was built last.
  await bundle()
  const postgres = await startPostgres(folderOfDatabases())
  const templates = mkdtempSync(join(folderOfDatabases(), 'tessera-test-templates-'))
  for (const name of ['tessera_tables', 'tessera_acme']) await make(postgres.url, name)
  for (const url of [`sqlite:${join(templates, 'tessera_tables')}`, `${postgres.url}/tessera_tables`])
    await (await openStore(url)).close()
  for (const url of [`sqlite:${join(templates, 'tessera_acme')}`, `${postgres.url}/tessera_acme`]) {
    const running = await start(testSettings({ TESSERA_DATABASE_URL: url, TESSERA_DECLARED: acme }))
    await running.close()
  }
  project.provide('postgresUrl', postgres.url)
  project.provide('templates', templates)
  return async () => {
    await postgres.stop()
    rmSync(templates, { recursive: true, force: true })
  }
}

const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname

async function make(server: string, name: string): Promise<void> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: `${server}/postgres` })
  await client.connect()
  await client.query(`drop database if exists ${name}`)
  await client.query(`create database ${name}`)
  await client.end()
}
