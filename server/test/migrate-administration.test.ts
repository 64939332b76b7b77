/** What the migration derives from rows that were there is what every later change keeps. */
import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { up } from '../dist/store/migrations/0003-additive-administration.js'
import { up as laterWords } from '../dist/store/migrations/0010-additive-later-words.js'
import { openStore, type Store } from '../dist/store/open.js'
import { Administrator, startAdministered } from './admin-support.ts'
import { onEachDatabase } from './databases.ts'
import { dropLaterWords } from './words-support.ts'

const versioned = [
  'services',
  'permissions',
  'roles',
  'organisations',
  'units',
  'users',
  'profiles',
  'clients',
]
const indexes = [
  'units_parent',
  'clients_organisation',
  'devices_user',
  'users_name',
  'users_active',
  'organisations_name',
  'profiles_role',
  'profiles_organisation',
  'profiles_organisation_role',
  'profiles_unit',
]

/** The tables as the version before had them. */
async function undo(store: Store): Promise<void> {
  await dropLaterWords(store)
  const { db } = store
  for (const index of indexes) await db.schema.dropIndex(index).execute()
  for (const table of ['members', 'repeatable_answers']) await db.schema.dropTable(table).execute()
  for (const table of versioned) await db.schema.alterTable(table).dropColumn('version').execute()
  for (const table of ['users', 'organisations']) {
    await db.schema.alterTable(table).dropColumn('name_key').execute()
  }
  await db.schema.createIndex('profiles_role').on('profiles').column('role_code').execute()
  await db.schema.createIndex('profiles_organisation').on('profiles').column('organisation_uuid').execute()
}

const derived = async ({ db }: Store) => ({
  members: await db.selectFrom('members').selectAll().orderBy('place_uuid').orderBy('user_uuid').execute(),
  users: await db.selectFrom('users').select(['uuid', 'name_key']).orderBy('uuid').execute(),
  organisations: await db.selectFrom('organisations').select(['uuid', 'name_key']).orderBy('uuid').execute(),
})

onEachDatabase('the tables of the version before', (dialect) => {
  it('become what they would be by now', async () => {
    const tessera = await startAdministered(dialect)
    const store = await openStore(tessera.databaseUrl)
    try {
      const admin = await Administrator.machine(tessera.url)
      const made = await admin.post('/organisations', { code: 'zuerich', name: 'ZÜRICH Works' })
      const at = { organisation_uuid: made.json.uuid }
      const top = await admin.post('/units', { ...at, code: 'top', name: 'Top' })
      const below = await admin.post('/units', {
        ...at,
        code: 'below',
        name: 'Below',
        parent_uuid: top.json.uuid,
      })
      const profile = { role_code: 'reader', ...at, organisation_unit_uuid: below.json.uuid }
      for (let n = 0; n < 3; n++) {
        await admin.post('/users', {
          email: `Person${n}@new.example`,
          name: `Émile ${n}`,
          profiles: [profile],
        })
      }
      const before = await derived(store)
      expect(before.members.length).toBeGreaterThan(12)
      expect(before.users.map((row) => row.name_key)).toContain('émile 1')
      await undo(store)
      await up(store.db as unknown as Kysely<unknown>, dialect)
      await laterWords(store.db as unknown as Kysely<unknown>, dialect)
      expect(await derived(store)).toEqual(before)
      const { rows } = await sql<{ version: number }>`select distinct version from users`.execute(store.db)
      expect(rows).toEqual([{ version: 1 }])
      expect((await admin.all('/users?q=ÉMILE')).map((row) => row.email)).toHaveLength(3)
    } finally {
      await store.close()
      await tessera.close()
    }
  })
})
