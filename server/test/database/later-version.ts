import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../harness/process.ts'

const repository = fileURLToPath(new URL('../../..', import.meta.url))

/** How the list of migrations begins in the bundle. */
const beginning = 'function migrationsFor(store){return{'

/** The tables that change while processes of the version before work on them. */
const migrations = {
  additive: {
    name: '9001-additive-later',
    // Rows that are written all the time get wider, and something is there that nobody knew.
    up: `
      await db.schema.alterTable('token_families').addColumn('later_note', 'text').execute()
      await db.schema.createTable('later_things').addColumn('note', 'text').execute()
      // Three megabytes, for the tests of a full disk.
      for (let row = 0; row < 15; row++)
        await db.insertInto('later_things').values({ note: randomBytes(100_000).toString('hex') }).execute()`,
  },
  breaking: {
    name: '9002-breaking-later',
    up: `
      await db.schema.createTable('latest_things').addColumn('id', 'text', (c) => c.primaryKey()).execute()`,
  },
  rows: {
    name: '9000-additive-rows',
    up: `
      await db.updateTable('users').set({ name: 'Somebody' }).execute()`,
  },
  removed: {
    name: '9004-additive-removed',
    up: `
      await db.schema.dropTable('throttles').execute()`,
  },
  index: {
    name: '9003-additive-later-index',
    indexes: { later_index: 'token_families (scope, created_at)' },
  },
} as const

/**
 * A later version of the service: the bundled command, elsewhere, with one migration more in its list. Yields its
 * launcher; `cleanUp` removes it.
 */
export function laterVersion(kind: keyof typeof migrations): string {
  const folder = temporaryFolder()
  const from = join(repository, 'server')
  const to = join(folder, 'server')
  mkdirSync(join(to, 'dist/bundle'), { recursive: true })
  cpSync(join(from, 'bin'), join(to, 'bin'), { recursive: true })
  for (const part of ['assets', 'package.json', 'dist/console', 'dist/bundle/password-worker.js'])
    symlinkSync(join(from, part), join(to, part))
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const migration = migrations[kind]
  const later =
    'up' in migration
      ? `{up: async (db) => { const { randomBytes } = require('node:crypto')\n${migration.up}\n}}`
      : `{indexes: ${JSON.stringify(migration.indexes)}}`
  for (const program of ['tessera.cjs', 'declaring.cjs'].map((name) => `dist/bundle/${name}`)) {
    const text = readFileSync(join(from, program), 'latin1')
    if (!text.includes(beginning))
      throw new Error('The list of migrations looks different now: correct this test.')
    const longer = text.replace(beginning, (found) => `${found}'${migration.name}':${later},`)
    writeFileSync(join(to, program), longer, 'latin1')
  }
  return join(to, 'bin/tessera.cjs')
}
