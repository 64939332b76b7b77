import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../harness/process.ts'

const repository = fileURLToPath(new URL('../../..', import.meta.url))

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
 * A later version of the service: what is built, copied elsewhere, with one migration more in its list. Yields its
 * launcher; `cleanUp` removes it.
 */
export function laterVersion(kind: keyof typeof migrations): string {
  const folder = temporaryFolder()
  for (const part of ['bin', 'dist', 'assets', 'package.json'])
    cpSync(join(repository, 'server', part), join(folder, 'server', part), { recursive: true })
  // It would be of this version.
  rmSync(join(folder, 'server/dist/bundle'), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const migration = migrations[kind]
  const { name } = migration
  const store = join(folder, 'server/dist/database')
  const text =
    'up' in migration
      ? `import { randomBytes } from 'node:crypto'\nexport async function up(db) {${migration.up}\n}\n`
      : `export const indexes = ${JSON.stringify(migration.indexes)}\n`
  writeFileSync(join(store, `migrations/${name}.js`), text)
  const list = readFileSync(join(store, 'migrate.js'), 'utf8')
  const beginning = /function migrationsFor\(store\) \{\s*return \{/
  if (!beginning.test(list)) throw new Error('The list of migrations looks different now: correct this test.')
  const longer = list.replace(beginning, (found) => `${found}\n'${name}': later,`)
  writeFileSync(join(store, 'migrate.js'), `import * as later from './migrations/${name}.js'\n${longer}`)
  return join(folder, 'server/bin/tessera.cjs')
}
