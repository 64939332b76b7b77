import { afterAll, beforeAll, expect, it } from 'vitest'
import { listHolders } from '../../dist/access/holders.js'
import { listClients, searchClients } from '../../dist/administration/clients/list.js'
import { administratorsWithoutFactor, endingProfiles } from '../../dist/administration/attention/people.js'
import { operator } from '../../dist/administration/authority.js'
import type { AdministrationService } from '../../dist/administration/route.js'
import { listOrganisations } from '../../dist/administration/organisations/verbs.js'
import { listProfiles } from '../../dist/administration/profiles/verbs.js'
import { listUsers } from '../../dist/administration/users/list.js'
import { listDeliveries } from '../../dist/administration/webhooks/deliveries.js'
import type { Store } from '../../dist/database/store.js'
import { nameKey, wordsFrom } from '../../dist/protocol/values.js'
import { renewStatistics } from '../../dist/database/statistics.js'
import { insertRows } from '../../dist/database/many-rows.js'
import type { After, Page } from '../../dist/database/page.js'
import { openStore } from '../harness/stores.ts'
import { end } from '../../dist/store/ending.js'
import { claimDelivery, dueWebhooks, waitingDeliveries } from '../../dist/webhooks/deliveries.js'
import { acme, intake, profiles, users } from '../administration/support.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { plansOf } from './plans-support.ts'

const anywhere = { organisation_uuid: undefined, unit_uuid: undefined }
const inAcme = { organisation_uuid: acme, unit_uuid: undefined }
const inIntake = { organisation_uuid: acme, unit_uuid: intake }

/** However many people there are, a page of them is read from an index, in its order: nothing is scanned or sorted. */
onEachDatabase('reading people and places', (dialect) => {
  let database: TestDatabase
  let store: Store
  beforeAll(async () => {
    database = await createDatabase(dialect)
    store = await openStore(database.url)
  })
  afterAll(async () => {
    await store.close()
    await database.remove()
  })

  /** The table is read whole, or put in order after it was read. */
  const isScanned = (table: string) =>
    new RegExp(`SCAN ${table}(?! USING)|TEMP B-TREE FOR ORDER|Seq Scan on ${table}\\b|\\bSort\\b`)
  const email = ['first', 'b', '']
  const name = ['name', 'b', 'b']

  it.each([
    ['everywhere', anywhere, {}, 'users_email_key_key|sqlite_autoindex_users_2'],
    ['everywhere, active', anywhere, { active: 1 as const }, 'users_active'],
    ['in an organisation', inAcme, {}, 'members_email'],
    ['in an organisation, disabled', inAcme, { active: 0 as const }, 'members_active'],
    ['at a unit', inIntake, {}, 'members_email'],
    ['of an organisation', anywhere, { organisation_uuid: acme }, 'members_email'],
  ])('users %s', async (_name, reach, filter, index) => {
    const table = index.startsWith('members') ? 'members' : 'users'
    for (const after of [undefined, email]) {
      const [plan = '', ...more] = await plansOf(store, (spied) => listUsers(spied, reach, filter, after, 50))
      expect(plan).toMatch(new RegExp(`(${index})\\b`))
      for (const one of [plan, ...more]) expect(one).not.toMatch(isScanned(table))
    }
  })

  it.each([
    ['everywhere', anywhere, {}, 'users_last_sign_in'],
    ['everywhere, active', anywhere, { active: 1 as const }, 'users_last_sign_in'],
    ['everywhere, before a day', anywhere, { signed_in_before: '2026-01-01' }, 'users_last_sign_in'],
    ['in an organisation', inAcme, {}, 'members_last_sign_in'],
    [
      'at a unit, before a day',
      inIntake,
      { active: 1 as const, signed_in_before: '2026-01-01' },
      'members_last_sign_in',
    ],
  ])('users by their last sign-in %s', async (_name, reach, filter, index) => {
    for (const sort of ['last_sign_in_on', '-last_sign_in_on'] as const)
      for (const after of [undefined, ['2025-12-31', 'b']]) {
        const asked = { ...filter, sort }
        const plans = await plansOf(store, (spied) => listUsers(spied, reach, asked, after, 50))
        const plan = plans.find((one) => one.includes(index)) ?? ''
        expect(plan).toMatch(new RegExp(`${index}\\b`))
        // The page begins in the index, after both keys of the last.
        if (after !== undefined) expect(plan).toMatch(/\((\w+\.)?last_sign_in_on, ?/)
        for (const one of plans) expect(one).not.toMatch(isScanned(index.split('_')[0] ?? ''))
      }
  })

  it.each([
    ['everywhere', anywhere, {}],
    ['everywhere, active', anywhere, { active: 1 as const }],
    ['in an organisation', inAcme, {}],
    ['in an organisation, active', inAcme, { active: 1 as const }],
  ])('users %s by the beginning of an address or a word of a name', async (_name, reach, filter) => {
    for (const after of [undefined, name, ['word', 'b', 'b']]) {
      const plans = await plansOf(store, (spied) => listUsers(spied, reach, { q: 'a', ...filter }, after, 50))
      expect(plans.join('\n')).toMatch(/words_found\b/)
      for (const plan of plans)
        for (const one of ['users', 'members', 'words', 'own']) expect(plan).not.toMatch(isScanned(one))
    }
  })

  it('organisations by code, and by the beginning of a word of a name', async () => {
    for (const filter of [{}, { q: 'a' }]) {
      const plans = await plansOf(store, (spied) => listOrganisations(spied, anywhere, filter, undefined, 50))
      for (const plan of plans)
        for (const one of ['organisations', 'words', 'own']) expect(plan).not.toMatch(isScanned(one))
    }
  })

  it.each([
    ['everywhere', anywhere, {}, 'clients_pkey|sqlite_autoindex_clients_1'],
    ['active', anywhere, { active: 1 as const }, 'clients_active'],
    ['disabled', anywhere, { active: 0 as const }, 'clients_active'],
    ['of a type', anywhere, { type: 'machine' as const }, 'clients_of_type'],
    ['of an organisation', anywhere, { organisation_uuid: acme }, 'clients_of_organisation'],
    ['of a file', anywhere, { managed_by: 'a' }, 'clients_managed'],
    ['in the own organisation', inAcme, {}, 'clients_of_organisation'],
  ])('clients %s, and by a beginning', async (_name, reach, filter, index) => {
    for (const after of [undefined, ['b']]) {
      const [plan = ''] = await plansOf(store, (spied) => listClients(spied, reach, filter, after, 50))
      expect(plan).toMatch(new RegExp(`(${index})\\b`))
      expect(plan).not.toMatch(isScanned('clients'))
    }
    for (const after of [undefined, ['ab', 'b']]) {
      const [plan = ''] = await plansOf(store, (spied) => searchClients(spied, reach, 'a', filter, after, 50))
      expect(plan).toMatch(/words_found\b/)
      for (const table of ['clients', 'words', 'own']) expect(plan).not.toMatch(isScanned(table))
      // Whose the words are is looked up one by one: all clients are not gone through for each. (The few of a type here
      // are, which is no dearer.)
      if (!('type' in filter || 'managed_by' in filter))
        expect(plan).not.toMatch(/Join Filter|Materialize|Hash/)
    }
  })

  it.each([{ service: 'a' }, { redirect_uri: 'https://a.example/callback' }])(
    'clients of %j: their wide rows are not read',
    async (filter) => {
      const [plan = ''] = await plansOf(store, (spied) => listClients(spied, anywhere, filter, undefined, 50))
      if (dialect === 'sqlite') expect(plan).toContain('COVERING INDEX clients_lists')
      expect(plan).not.toMatch(/TEMP B-TREE|\bSort\b/)
    },
  )

  it.each([
    ['everywhere', anywhere, {}],
    ['of a user', anywhere, { user_uuid: [users.both] }],
    [
      'of users in an organisation',
      inAcme,
      { user_uuid: [users.both, users.importer] },
      'profiles_user',
      true,
    ],
    [
      'of users of a role at a unit',
      inIntake,
      { user_uuid: [users.both], role_code: 'reader', organisation_unit_uuid: intake },
      'profiles_user',
      true,
    ],
    ['of a role', anywhere, { role_code: 'reader' }],
    ['in an organisation', inAcme, {}],
    ['of a role in an organisation', inAcme, { role_code: 'reader' }],
    ['at a unit', anywhere, { organisation_unit_uuid: intake }],
    ['disabled', anywhere, { active: 0 as const }, 'profiles_disabled'],
    ['disabled in an organisation', inAcme, { active: 0 as const }, 'profiles_organisation_disabled'],
    ['by their end', anywhere, { expires_before: 1 }, 'profiles_ending'],
    ['of an organisation by their end', inAcme, { expires_before: 1 }, 'profiles_organisation_ending'],
  ])('profiles %s', async (_name, reach, filter, index = '', isSorted = false) => {
    const ends = 'expires_before' in filter ? ['1'] : []
    for (const after of [undefined, [...ends, profiles.importer]]) {
      const plans = await plansOf(store, (spied) => listProfiles(spied, reach, filter, after, 50))
      const plan = plans.at(-1) ?? ''
      expect(plan).not.toMatch(/SCAN profiles(?! USING)|Seq Scan on profiles/)
      // Among as few as here, PostgreSQL that must not sort reads them by their ids.
      if (index !== '' && !(isSorted && dialect === 'postgres'))
        expect(plan).toMatch(new RegExp(`${index}\\b`))
      if (index !== '' && !isSorted) expect(plan).not.toMatch(isScanned('profiles'))
    }
  })

  it('profiles that end, and administrators without a second factor: the few are looked up', async () => {
    const authority = operator({ kind: 'command', id: 'planner' })
    const asked = { authority, now: 1, client_id: undefined, sid: undefined }
    for (const find of [endingProfiles, administratorsWithoutFactor]) {
      const plans = await plansOf(store, (spied) => find({ store: spied } as AdministrationService, asked))
      expect(plans.at(-1)).not.toMatch(/(SCAN|Seq Scan on) (users|profiles)\b|users_active/)
    }
  })

  it.each([
    ['everywhere', anywhere, {}, 'client_permissions_permission', 1],
    [
      'in an organisation',
      anywhere,
      { organisation: acme },
      'client_permissions_(organisation|permission)',
      2,
    ],
    ['at a unit', anywhere, { unit_uuid: intake }, 'client_permissions_(organisation|permission)', 2],
    ['in the own organisation', inAcme, {}, 'client_permissions_organisation', 1],
  ])('who holds a permission %s', async (_name, reach, place, index, spots) => {
    for (const permission of ['submissions-tool.vista-import.create', 'iam.users.read']) {
      const nowhere = { organisation: undefined, unit_uuid: undefined }
      const question = { permission, reach, ...nowhere, ...place, now: 1 }
      for (const after of [undefined, ['client', '', '', 'b']]) {
        const plans = await plansOf(store, (spied) => listHolders(spied, question, after, 50))
        const ofMachines = plans.filter((plan) => plan.includes('client_permissions'))
        // One for each name that it is listed under, of the organisation and of those that belong to none.
        expect(ofMachines).toHaveLength((permission.startsWith('iam.') ? 2 : 1) * spots)
        for (const plan of ofMachines) expect(plan).toMatch(new RegExp(`${index}\\b`))
        for (const plan of plans) {
          for (const table of ['client_permissions', 'clients', 'profiles', 'users', 'organisations'])
            expect(plan).not.toMatch(isScanned(table))
        }
      }
    }
  })

  it('what is due to webhooks, and what was sent to one', async () => {
    const listing = (state?: 'dead') => (spied: Store) =>
      listDeliveries(spied, { uuid: 'w', state }, undefined, 50)
    for (const [verb, index] of [
      [(spied: Store) => dueWebhooks(spied, 1), 'webhook_deliveries_due'],
      [(spied: Store) => claimDelivery(spied, 'w', { now: 1, until: 2 }), 'webhook_deliveries_due'],
      [waitingDeliveries, 'webhook_deliveries_due'],
      [listing('dead'), 'webhook_deliveries_state'],
      [listing(), 'webhook_deliveries_record|sqlite_autoindex_webhook_deliveries_2'],
    ] as const) {
      const plans = (await plansOf(store, verb)).filter((plan) => plan.includes('webhook_deliveries'))
      // How many wait, and since when.
      expect(plans).toHaveLength(verb === waitingDeliveries ? 2 : 1)
      for (const plan of plans) {
        expect(plan).toMatch(new RegExp(`(${index})\\b`))
        expect(plan).not.toMatch(isScanned('webhook_deliveries'))
      }
    }
  })

  it.each([{ profiles: [profiles.importer] }, { role: 'reader' }, { unit: intake }, { organisation: acme }])(
    'what ends when %j does',
    async (subject) => {
      const plans = await plansOf(store, ({ db }) => end(db, subject, { now: 1, reason: 'test' }))
      for (const plan of plans.filter((one) => one.includes('token_families')))
        expect(plan).not.toMatch(/SCAN (token_families|profiles)(?! USING)|Seq Scan on token_families/)
      // The rows of all its profiles are not read.
      if ('unit' in subject || 'organisation' in subject) expect(plans.join('\n')).toMatch(/\bmembers\b/)
    },
  )

  // The last one: PostgreSQL plans otherwise once it has looked at tables that were so large.
  it('users of a role, a file or disabled are the same however many there are', async () => {
    const asked = [
      { role_code: 'importer' },
      { role_code: 'importer', q: 'acme' },
      { role_code: 'importer', q: 'importer' },
      { role_code: 'importer', managed_by: 'acme.yaml', active: 1 as const },
      { role_code: 'reader', q: users.both },
      { q: 'acme', active: 0 as const },
      { q: 'zed', active: 0 as const },
    ]
    const found = async () =>
      await Promise.all(
        [anywhere, inAcme, inIntake].flatMap((reach) =>
          asked.map(async (filter) => {
            const all = []
            for (let after: After | null = undefined; after !== null; ) {
              const page: Page<{ email: string }> = await listUsers(store, reach, filter, after, 1)
              all.push(...page.rows.map((row) => row.email))
              after = page.next ?? null
            }
            return all
          }),
        ),
      )
    // Each way of the four: all are read; very few are looked up after 500 who are not among them, more of them after
    // 5,000; and reading goes on.
    await addPeople([{ number: 0, first: 'Acme', active: 0 }])
    const before = await found()
    expect(before.slice(0, 3)).toEqual(Array(3).fill(['importer@acme.example']))
    expect(before.slice(4, 7)).toEqual([['both@acme.example'], ['0@a.example'], ['0@a.example']])
    const many = Array.from({ length: 5100 }, (_, number) => number + 1)
    await addPeople(many.map((number) => ({ number, first: number % 2 === 0 ? 'Acme' : 'A', active: 1 })))
    // An import does so too. Otherwise a statement takes seconds, and on a busy machine longer than it may.
    await renewStatistics(store, many.length)
    expect(await found()).toEqual(before)
    const plans = async () =>
      (
        await Promise.all(
          [anywhere, inAcme, inIntake].map((reach) =>
            plansOf(store, (spied) =>
              listUsers(spied, reach, { role_code: 'importer', active: 1 }, undefined, 50),
            ),
          ),
        )
      ).flatMap((all) => all.slice(-2, -1))
    const expectLookedUp = async () => {
      for (const plan of await plans()) {
        expect(plan).not.toMatch(/(SCAN|Seq Scan on) (users|members|profiles)\b(?! USING)/)
        expect(plan).not.toMatch(/(users|members)_(active|email)|autoindex_users_2/)
      }
    }
    await expectLookedUp()
    const profile = { user_uuid: users.importer, role_code: 'importer', organisation_uuid: acme }
    const giveCopies = async (from: number) => {
      const copies = many.map((number) => ({
        ...{ uuid: `${added}${String(from + number).padStart(12, '0')}`, ...profile },
        ...{ unit_uuid: intake, active: 1 },
      }))
      await insertRows(store.db, 'profiles', Object.keys(copies[0] ?? {}), copies)
      expect(await found()).toEqual(before)
    }
    await giveCopies(0)
    await expectLookedUp()
    await giveCopies(many.length)
    const byPerson = await plans()
    await store.db.deleteFrom('profiles').where('uuid', 'like', `${added}%`).execute()
    await store.db.deleteFrom('words').where('id', 'like', `${added}%`).execute()
    await store.db.deleteFrom('members').where('user_uuid', 'like', `${added}%`).execute()
    await store.db.deleteFrom('users').where('uuid', 'like', `${added}%`).execute()
    // Nor is all of the role or the place gone through for each person.
    expect(byPerson).toHaveLength(3)
    for (const plan of byPerson) expect(plan).not.toMatch(/profiles_(role|organisation|unit)/)
  })

  const added = '0d9f1c52-0000-4000-8000-'

  /** Before all others by address, and before those of the same first name by name; at Intake. */
  async function addPeople(people: { number: number; first: string; active: number }[]) {
    const rows = people.map(({ number, first, active }) => {
      const email_key = `${number}@a.example`
      const name = `${first} A Importer A ${number} Zed`
      const uuid = `${added}${String(number).padStart(12, '0')}`
      const others = { email_verified: 1, created_at: 1, updated_at: 1 }
      return { uuid, email: email_key, email_key, name, active, ...others }
    })
    await insertRows(store.db, 'users', Object.keys(rows[0] ?? {}), rows)
    const members = rows.flatMap(({ uuid: user_uuid, email_key, active }) =>
      [acme, intake].map((place_uuid) => ({ place_uuid, user_uuid, email_key, active })),
    )
    await insertRows(store.db, 'members', Object.keys(members[0] ?? {}), members)
    const words = rows.flatMap(({ uuid: id, email_key: key, name }) =>
      ['', acme, intake].flatMap((place) =>
        wordsFrom(nameKey(name)).map((one, index) => ({
          ...{ kind: 'user', id, key, place, words: one, later: index === 0 ? 0 : 1 },
        })),
      ),
    )
    await insertRows(store.db, 'words', Object.keys(words[0] ?? {}), words)
  }
})
