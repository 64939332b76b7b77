import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { recordsOf } from '../audit/support.ts'
import { everythingOf as everything } from '../harness/states.ts'
import { watched } from '../harness/stores.ts'
import { acme, apply, edited, forEachDatabase, parse, passwords, refusal } from './support.ts'
import { secret } from '../harness/process.ts'
import { oneDatabase } from '../harness/databases.ts'

const importerUuid = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001'
const otherUuid = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6fffff'

const user = (store: Store, email: string) =>
  store.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

const plan = (store: Store, text: string, now: number) =>
  planDeclared(store, parse(text), { now, ...passwords })

const client = (store: Store, id: string) =>
  store.db.selectFrom('clients').selectAll().where('client_id', '=', id).executeTakeFirst()

forEachDatabase((openEmptyStore, dialect) => {
  const once = oneDatabase(dialect)
  const openAcme = async () => {
    const store = await openEmptyStore()
    await apply(store, acme)
    return store
  }

  describe('applying', () => {
    it('stores the reference example', async () => {
      const store = await openAcme()
      expect(await user(store, 'importer@acme.example')).toMatchObject({
        uuid: importerUuid,
        email_verified: 1,
        password_hash: 'hash of correct horse battery one',
        active: 1,
        created_at: 1_000,
      })
      expect(await client(store, 'nightly-import')).toMatchObject({
        type: 'machine',
        scope: 'service.api',
        permissions: '["submissions-tool.vista-import.create"]',
        organisation_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01',
      })
      expect(await client(store, 'retired-app')).toMatchObject({ active: 0, permissions: null })
      const counts = await everything(store)
      expect(counts['client_secrets']).toHaveLength(2)
      expect(counts['profiles']).toHaveLength(4)
      // One for the file, one for each thing.
      expect(counts['audit_records']).toHaveLength(29)
    })

    it('changes nothing the second time', async () => {
      const store = await openAcme()
      const before = await everything(store)
      const plan = await apply(store, acme, 2_000)
      expect(plan).toEqual({ changes: [], access: { users: [], clients: [] } })
      expect(await everything(store)).toEqual(before)
    })

    once.it('looks at no other clients to find that nothing changed, however many there are', async () => {
      const store = await openAcme()
      const { managed_by: _, ...own } = (await client(store, 'nightly-import')) ?? expect.unreachable()
      await store.db
        .insertInto('clients')
        .values({ ...own, client_id: 'of-somebody-else' })
        .execute()
      const seen: unknown[] = []
      const seeing = watched(
        store,
        () => undefined,
        (rows) => void seen.push(...rows.flatMap((row) => ('client_id' in row ? [row.client_id] : []))),
      )
      await applyDeclared(seeing, parse(acme), { now: 2_000, ...passwords })
      expect(seen).toContain('nightly-import')
      expect(seen).not.toContain('of-somebody-else')
    })

    once.it('does what was agreed to, or nothing', async () => {
      const store = await openAcme()
      const declared = parse(edited(acme, ['name: Globex', 'name: Globex Ltd']))
      const settings = { now: 2_000, ...passwords }
      const expected = await planDeclared(store, declared, settings)
      await apply(store, edited(acme, ['name: Globex', 'name: Globex Inc']))
      const before = await everything(store)
      await expect(applyDeclared(store, declared, { ...settings, expected })).rejects.toThrow(
        /changed since the plan was shown/,
      )
      expect(await everything(store)).toEqual(before)
      const again = await planDeclared(store, declared, settings)
      expect(await applyDeclared(store, declared, { ...settings, expected: again })).toEqual(again)
    })

    it('does what was agreed to, also when a row was written meanwhile and is as it was', async () => {
      const store = await openAcme()
      const audience = 'https://ledger.acme.example/api'
      const declared = parse(
        `services:\n  - { code: ledger, name: Ledger, audience: ${audience}, permissions: [] }\n`,
      )
      const settings = { now: 2_000, ...passwords }
      const expected = await planDeclared(store, declared, settings)
      const ids = expected.changes.filter(({ kind }) => kind === 'role').map(({ id }) => id)
      expect(ids.length).toBeGreaterThan(1)
      // PostgreSQL puts what is written behind all others.
      await store.db
        .updateTable('roles')
        .set({ active: 1 })
        .where('code', '=', ids[0] ?? '')
        .execute()
      expect(await applyDeclared(store, declared, { ...settings, expected })).toEqual(expected)
    })

    once.it('generates a uuid that is left out once', async () => {
      const store = await openEmptyStore()
      const text = acme.replaceAll(/^ *(- )?uuid: .*\n/gm, (_, dash) => (dash ? '      -\n' : ''))
      const withoutUuids = text.replaceAll(/-\n\s*role:/g, '- role:')
      await apply(store, withoutUuids)
      const before = await everything(store)
      expect((await user(store, 'importer@acme.example'))?.uuid).toMatch(/^[0-9a-f-]{36}$/)
      await apply(store, withoutUuids, 2_000)
      expect(await everything(store)).toEqual(before)
    })

    once.it('leaves alone what the file does not name', async () => {
      const store = await openAcme()
      const before = await everything(store)
      await apply(store, 'roles: []\nusers: []\n', 2_000)
      expect(await everything(store)).toEqual(before)
    })

    once.it('writes an audit record with counts, one for each thing, and no secret', async () => {
      const store = await openAcme()
      await apply(store, edited(acme, ['battery one', 'battery five']), 2_000)
      const rows = await recordsOf(store)
      expect(rows.slice(29).map((row) => [row.kind, row.at])).toEqual([
        ['declared.applied', 2_000],
        ['user.changed', 2_000],
      ])
      expect(new Set(rows.slice(0, 29).map((row) => row.at))).toEqual(new Set([1_000]))
      expect(JSON.parse(rows[29]?.detail ?? '')).toMatchObject({ user_change: 1, users_affected: 0 })
      expect(JSON.stringify(rows)).not.toContain('battery')
    })

    it('moves updated_at of what changed, and of nothing else', async () => {
      const store = await openAcme()
      await apply(
        store,
        edited(
          acme,
          ['name: Acme Both', 'name: Acme Two'],
          ['client_name: Partner portal', 'client_name: Partners'],
        ),
        2_000,
      )
      expect(await user(store, 'both@acme.example')).toMatchObject({
        name: 'Acme Two',
        updated_at: 2_000,
        created_at: 1_000,
      })
      expect(await user(store, 'importer@acme.example')).toMatchObject({ updated_at: 1_000 })
      expect(await client(store, 'partner-portal')).toMatchObject({
        client_name: 'Partners',
        updated_at: 2_000,
      })
      expect(await client(store, 'submissions-web')).toMatchObject({ updated_at: 1_000 })
    })

    it('lets users exchange their addresses and services their audiences', async () => {
      const store = await openAcme()
      const exchanged = acme
        .replace('importer@acme.example ', 'both@acme.example# ')
        .replace('email: both@acme.example  ', 'email: importer@acme.example  ')
        .replace('both@acme.example# ', 'both@acme.example ')
        .replace('https://submissions.acme.example/api', 'https://was-ledger.example')
        .replace('https://ledger.acme.example/api', 'https://submissions.acme.example/api')
        .replace('https://was-ledger.example', 'https://ledger.acme.example/api')
      await apply(store, exchanged, 2_000)
      expect(await user(store, 'both@acme.example')).toMatchObject({ uuid: importerUuid })
      const ledger = store.db.selectFrom('services').selectAll().where('code', '=', 'ledger')
      expect(await ledger.executeTakeFirst()).toMatchObject({
        audience: 'https://submissions.acme.example/api',
      })
    })
  })

  describe('lists inside a declared thing', () => {
    it('removes a permission that vanished, from roles and clients of no file too', async () => {
      const store = await openAcme()
      await store.db.insertInto('roles').values({ code: 'extra', name: 'Extra', active: 1 }).execute()
      await store.db
        .insertInto('role_permissions')
        .values({ role_code: 'extra', permission: 'ledger.entry.create' })
        .execute()
      const portal = { permissions: '["ledger.entry.create","ledger.entry.read"]' }
      await store.db.updateTable('clients').set(portal).where('client_id', '=', 'partner-portal').execute()
      const text = edited(
        acme,
        ['      - code: ledger.entry.create\n        description: Book an entry\n', ''],
        ['[ledger.entry.read, ledger.entry.create]', '[ledger.entry.read]'],
      )
      const others = text.slice(0, text.indexOf('clients:'))
      const plan = await apply(store, others, 2_000)
      expect(plan.changes.map((one) => `${one.kind} ${one.action} ${one.id}`)).toEqual([
        'permission remove ledger.entry.create',
        'role change bookkeeper',
        'role change extra',
        'client change partner-portal',
      ])
      const left = store.db
        .selectFrom('role_permissions')
        .selectAll()
        .where('permission', '=', 'ledger.entry.create')
      expect(await left.execute()).toEqual([])
      expect(await client(store, 'partner-portal')).toMatchObject({ permissions: '["ledger.entry.read"]' })
    })

    once.it('deactivates a unit that vanished, and takes it back', async () => {
      const store = await openAcme()
      const finance =
        '      - code: finance\n        uuid: 5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a03\n        name: Finance\n'
      const without = edited(acme, [finance, ''], ['\n        unit: finance', ''])
      const unit = () =>
        store.db.selectFrom('units').selectAll().where('code', '=', 'finance').executeTakeFirst()
      await apply(store, without, 2_000)
      expect(await unit()).toMatchObject({ active: 0 })
      expect((await apply(store, without, 3_000)).changes).toEqual([])
      await apply(store, acme, 4_000)
      expect(await unit()).toMatchObject({ active: 1, uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a03' })
    })

    it('removes a profile that vanished, and changes one in place by its uuid', async () => {
      const store = await openAcme()
      const profile =
        '      - uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0202\n        role: bookkeeper\n        organisation: globex\n'
      await apply(store, edited(acme, [profile, ''], ['role: reader', 'role: bookkeeper']), 2_000)
      const rows = await store.db
        .selectFrom('profiles')
        .select(['uuid', 'role_code'])
        .orderBy('uuid')
        .execute()
      expect(rows.map((row) => `${row.uuid.slice(-4)} ${row.role_code}`)).toEqual([
        '0101 importer',
        '0201 bookkeeper',
        '0401 administrator',
      ])
    })

    it('sees those who administer and whom no file names', async () => {
      const store = await openAcme()
      const by = { role_code: 'administrator', active: 1, organisation_uuid: null, unit_uuid: null } as const
      const found = await user(store, 'nobody@acme.example')
      const profile = { uuid: otherUuid, user_uuid: found?.uuid ?? '', ...by, expires_at: 5_000 }
      await store.db.insertInto('profiles').values(profile).execute()
      const nobody = acme.slice(acme.indexOf('  - email: nobody@'), acme.indexOf('  - email: admin@'))
      const without = (...edits: [string, string][]) => edited(acme, [nobody, ''], ...edits)
      const disabled = without(['name: Acme Admin', 'name: Acme Admin\n    active: false'])
      const outcome = async (text: string) => {
        const planned = await plan(store, text, 4_000).catch((error: unknown) => String(error))
        const applied = await apply(store, text, 4_000).catch((error: unknown) => String(error))
        expect(applied).toEqual(planned)
        return typeof applied === 'string' ? 'refused' : 'applied'
      }
      // Another one, but only until a date.
      expect(await outcome(disabled)).toBe('refused')
      await store.db.updateTable('profiles').set({ expires_at: null }).where('uuid', '=', otherUuid).execute()
      expect(await outcome(without(['permissions: ["iam.*"]', 'permissions: [iam.users.read]']))).toBe(
        'refused',
      )
      expect(await outcome(disabled)).toBe('applied')
      // Nobody is left but them now.
      expect(
        await outcome(without(['    name: Administrator', '    name: Administrator\n    active: false'])),
      ).toBe('refused')
    })

    once.it.each<[string, [string, string]]>([
      ['is disabled', ['name: Acme Admin', 'name: Acme Admin\n    active: false']],
      ['has another role', ['        role: administrator', '        role: reader']],
      [
        'has an end',
        ['        role: administrator', '        role: administrator\n        expires_at: 2031-01-31'],
      ],
      ['gets less by the role', ['permissions: ["iam.*"]', 'permissions: [iam.users.read]']],
      [
        'is in an organisation',
        ['        role: administrator', '        role: administrator\n        organisation: acme'],
      ],
    ])(
      'is refused when the last administrator %s, and when another one comes is not',
      async (_name, edit) => {
        const store = await openAcme()
        const before = await everything(store)
        await expect(apply(store, edited(acme, edit), 2_000)).rejects.toThrow(/Nobody would be left/)
        await expect(plan(store, edited(acme, edit), 2_000)).rejects.toThrow(/Nobody would be left/)
        expect(await everything(store)).toEqual(before)
        const other = [
          'roles:\n  - code: root\n    name: Root\n    permissions: ["iam.*"]\n',
          'users:\n  - email: root@acme.example\n    name: Root\n    profiles: [{ role: root }]\n',
        ] as const
        const text = edited(acme, edit, ['roles:\n', other[0]], ['users:\n', other[1]])
        expect((await plan(store, text, 3_000)).changes).not.toEqual([])
        expect((await apply(store, text, 3_000)).changes).not.toEqual([])
      },
    )

    it('makes the secrets those of the file, and keeps them where it is silent', async () => {
      const store = await openAcme()
      const old = `sha256:${'A'.repeat(43)}`
      const secret = 'client_secret: nightly-import-development-secret'
      const rotating = edited(acme, [secret, `client_secret_hashes: [${old}, sha256:${'B'.repeat(43)}]`])
      const hashes = async () =>
        (
          await store.db
            .selectFrom('client_secrets')
            .selectAll()
            .where('client_id', '=', 'nightly-import')
            .execute()
        )
          .map((row) => row.secret_hash[0])
          .sort()
      const plan = await apply(store, rotating, 2_000)
      expect(plan.changes).toEqual([
        {
          kind: 'client',
          action: 'change',
          id: 'nightly-import',
          fields: [{ field: 'client_secret', hidden: true }],
        },
      ])
      expect(await client(store, 'nightly-import')).toMatchObject({ updated_at: 2_000 })
      expect(await hashes()).toEqual(['A', 'B'])
      await apply(store, edited(acme, [secret, 'active: true']), 3_000)
      expect(await hashes()).toEqual(['A', 'B'])
      await apply(store, edited(acme, [secret, `client_secret_hash: ${old}`]), 4_000)
      expect(await hashes()).toEqual(['A'])
    })

    it('keeps the origins beside their client', async () => {
      const store = await openAcme()
      const origins = async () =>
        (
          await store.db
            .selectFrom('client_origins')
            .select('origin')
            .where('client_id', '=', 'submissions-web')
            .execute()
        )
          .map((row) => row.origin)
          .sort()
      expect(await origins()).toEqual(['http://127.0.0.1:4001', 'http://localhost:4001'])
      await apply(
        store,
        edited(acme, ['    first_party: true\n', '    allowed_origins: [https://web.example]\n']),
        2_000,
      )
      expect(await origins()).toEqual(['https://web.example'])
    })

    once.it('keeps a password and a verified address where the file is silent', async () => {
      const store = await openAcme()
      const silent = edited(
        acme,
        ['    password: correct horse battery one', '    given_name: Al'],
        ['    email_verified: true\n', ''],
      )
      await apply(store, silent, 2_000)
      const kept = { given_name: 'Al', email_verified: 1, password_hash: 'hash of correct horse battery one' }
      expect(await user(store, 'importer@acme.example')).toMatchObject(kept)
      await apply(store, edited(silent, ['importer@acme.example', 'imports@acme.example']), 3_000)
      expect(await user(store, 'imports@acme.example')).toMatchObject({
        uuid: importerUuid,
        email_verified: 0,
      })
    })
  })

  describe('refused against what is stored, and nothing changes', () => {
    const refused: [what: string, edits: [string, string][], reason: RegExp][] = [
      [
        'another uuid of a user',
        [[importerUuid, otherUuid]],
        /^\d+: the user "importer@acme.example" is stored with the uuid .*0001, not .*ffff/,
      ],
      [
        'another uuid of an organisation',
        [['5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01', otherUuid]],
        /^\d+: the organisation "acme" is stored with the uuid/,
      ],
      [
        'another uuid of a unit',
        [['5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a02', otherUuid]],
        /^\d+: the unit "intake" is stored with the uuid/,
      ],
      [
        'another uuid of a profile',
        [['0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101', otherUuid]],
        /^\d+: this profile of importer@acme.example is stored with the uuid/,
      ],
      [
        'another code for an organisation',
        [
          ['code: globex', 'code: glebox'],
          ['organisation: globex', 'organisation: glebox'],
        ],
        /^\d+: the uuid .* is that of the organisation "globex"/,
      ],
      [
        'the profile of another',
        [
          ['uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101', 'uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0401'],
          ['uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0401\n        role: administrator', 'role: administrator'],
        ],
        /that of another user's profile|is stored with the uuid/,
      ],
      [
        'an address in use',
        [['email: importer@acme.example', 'email: stranger@acme.example']],
        /^\d+: the address "stranger@acme.example" is that of the user/,
      ],
      [
        'an audience in use',
        [['https://ledger.acme.example/api', 'https://stranger.example/api']],
        /^\d+: the audience .* is that of the service "stranger"/,
      ],
    ]

    once.it.each(refused)('%s', async (_, edits, reason) => {
      const store = await openAcme()
      await apply(store, strangers, 1_500)
      const before = await everything(store)
      // With the refused thing, one that would be fine: it must not be applied either.
      const text = edited(acme, ...edits, ['name: Ledger', 'name: General ledger'])
      const problems = await refusal(() => apply(store, text, 2_000))
      expect(problems[0]).toMatch(reason)
      expect(await everything(store)).toEqual(before)
    })

    once.it('a new user who would take over an account', async () => {
      const store = await openAcme()
      const text = edited(
        acme,
        ['email: importer@acme.example', 'email: moved@acme.example'],
        ['clients:', '  - { email: importer@acme.example, name: New }\n\nclients:'],
      )
      expect((await refusal(() => apply(store, text)))[0]).toMatch(/are both the stored user/)
    })

    it('rolls everything back when the database refuses in the middle', async () => {
      const store = await openAcme()
      const before = await everything(store)
      await store.db.schema.alterTable('client_secrets').renameTo('gone').execute()
      await store.db.schema
        .createTable('client_secrets')
        .addColumn('client_id', 'text')
        .addColumn('secret_hash', 'text')
        .execute()
      const text = edited(
        acme,
        ['nightly-import-development-secret', 'another-secret'],
        ['name: Ledger', 'name: Books'],
      )
      await expect(apply(store, text, 2_000)).rejects.toThrow()
      await store.db.schema.dropTable('client_secrets').execute()
      await store.db.schema.alterTable('gone').renameTo('client_secrets').execute()
      expect(await everything(store)).toEqual(before)
    })
  })

  describe('at the same time', () => {
    it('of equal files one changes and the others find nothing to do', async () => {
      const store = await openEmptyStore()
      const plans = await Promise.all([1, 2, 3, 4].map(() => apply(store, acme)))
      expect(plans.map((plan) => plan.changes.length).sort((a, b) => a - b)).toEqual([0, 0, 0, 28])
      expect((await everything(store))['audit_records']).toHaveLength(29)
    })

    it('of different files each is applied whole, one after the other', async () => {
      const store = await openAcme()
      const variant = (name: string) =>
        edited(
          acme,
          ['name: Ledger', `name: Ledger ${name}`],
          ['name: Acme Both', `name: Both ${name}`],
          ['battery two', `battery ${name}`],
        )
      await Promise.all(['one', 'two', 'three'].map((name) => apply(store, variant(name), 2_000)))
      const service = await store.db
        .selectFrom('services')
        .select('name')
        .where('code', '=', 'ledger')
        .executeTakeFirst()
      const last = service?.name.replace('Ledger ', '')
      expect(await user(store, 'both@acme.example')).toMatchObject({
        name: `Both ${last}`,
        password_hash: `hash of correct horse battery ${last}`,
      })
    })

    it('hashes again when another apply set a password in between', async () => {
      const store = await openAcme()
      let interrupted = false
      const verifyPassword = async (password: string, hash: string) => {
        if (!interrupted) {
          interrupted = true
          await store.db
            .updateTable('users')
            .set({ password_hash: 'another', declared_password_hash: 'another' })
            .where('uuid', '=', importerUuid)
            .execute()
        }
        return await passwords.verifyPassword(password, hash)
      }
      const declared = parse(edited(acme, ['name: Ledger', 'name: Books']))
      const plan = await applyDeclared(store, declared, { now: 2_000, ...passwords, verifyPassword })
      expect(plan.changes.map((one) => one.id)).toEqual(['ledger', 'importer@acme.example'])
      expect(await user(store, 'importer@acme.example')).toMatchObject({
        password_hash: 'hash of correct horse battery one',
      })
    })
  })

  once.it('leaves a password alone that changed since, as long as the file says the same', async () => {
    const store = await openAcme()
    await store.db
      .updateTable('users')
      .set({ password_hash: 'chosen by the person' })
      .where('uuid', '=', importerUuid)
      .execute()
    expect((await apply(store, acme, 2_000)).changes).toEqual([])
    const other = edited(acme, ['battery one', 'battery reset'])
    expect((await apply(store, other, 3_000)).changes.map((one) => one.id)).toEqual(['importer@acme.example'])
    expect(await user(store, 'importer@acme.example')).toMatchObject({
      password_hash: 'hash of correct horse battery reset',
    })
  })
})

const strangers = `
services:
  - { code: stranger, name: Stranger, audience: https://stranger.example/api }
users:
  - { email: stranger@acme.example, name: Stranger }
`

/** Applies the reference example and prints how much that changed. */
const program = `
  const [, url, built, secret] = process.argv
  const { auditKeeper } = await import(built + 'keys/audit-key.js')
  const { openStore } = await import(built + 'database/open.js')
  const { readDeclaredFile } = await import(built + 'declared/format.js')
  const { applyDeclared } = await import(built + 'declared/apply.js')
  const store = await openStore(url, auditKeeper(() => ({ secret })))
  const declared = await readDeclaredFile(built + '../test/fixtures/acme.yaml', { mode: 'development' })
  const hashPassword = async (password) => password
  const verifyPassword = async (password, hash) => password === hash
  const plan = await applyDeclared(store, declared, { now: 1000, hashPassword, verifyPassword })
  console.log(plan.changes.length)
  await store.close()
`

describe('processes that start at the same time on one SQLite file', () => {
  it('apply one after the other', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tessera-declared-'))
    const built = fileURLToPath(new URL('../../dist/', import.meta.url))
    const url = `sqlite:${join(folder, 'tessera.db')}`
    const flags = ['--input-type=module', '--eval', program, url, built, secret]
    try {
      const runs = await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, flags)))
      const counts = runs.map((run) => Number(run.stdout))
      expect(counts.sort((a, b) => a - b)).toEqual([0, 0, 28])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
