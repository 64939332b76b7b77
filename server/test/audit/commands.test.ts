import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { AuditRecord } from '../../dist/audit/read.js'
import type { Store } from '../../dist/database/store.js'
import { openStore } from '../harness/stores.ts'
import { runHere } from '../cli/command-support.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { acme, edited } from '../declared/support.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'
import { followAudit } from './support.ts'

/** What is recorded of operators: of the declared file, of keys, consents and copies of the database. */

afterAll(cleanUp)

onEachDatabase('the audit of a command', (dialect) => {
  let database: TestDatabase
  let store: Store
  let before = 0
  beforeAll(async () => {
    database = await createDatabase(dialect)
    store = await openStore(database.url)
  })
  beforeEach(async () => {
    before = 0
    before = (await recorded()).length
  })
  afterAll(async () => {
    await store.close()
    await database.remove()
  })
  const recorded = async (): Promise<AuditRecord[]> =>
    (await followAudit(store, {}, { after: before, limit: 10_000 })).records
  const tessera = async (...commandLine: string[]) => {
    const ended = await runHere(commandLine, {
      environment: {
        TESSERA_DATABASE_URL: database.url,
        TESSERA_MODE: 'development',
        // That of the template's keys.
        TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      },
    })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    return ended.stdout
  }
  const apply = async (...edits: [string, string][]) => {
    const file = join(temporaryFolder(), 'access.yaml')
    writeFileSync(file, edited(acme, ...edits))
    await tessera('apply', file, '--yes')
    return file
  }

  it('has nothing of what only looks', async () => {
    const file = join(temporaryFolder(), 'access.yaml')
    writeFileSync(file, acme)
    const looking = [['keys', 'list'], ['migrate'], ['plan', file], ['audit', 'list'], ['audit', 'verify']]
    await Promise.all(looking.map((commandLine) => tessera(...commandLine)))
    expect(await recorded()).toEqual([])
  })

  it('has a declared file in numbers, then each thing that it changed, under one request', async () => {
    const file = await apply(
      ['name: Importer\n', 'name: Importers\n'],
      ['[submissions-tool.vista-import.read, ledger.entry.read]', '[ledger.entry.read]'],
      ['password: correct horse battery two', 'password: correct horse battery nine'],
      ['client_secret: ledger-report-development-secret', 'client_secret: another-development-secret'],
      ['client_name: Nightly import', 'client_name: Nightly imports'],
      [
        `      - uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0202
        role: bookkeeper
        organisation: globex
`,
        '',
      ],
      ['  - code: globex\n', '  - code: initech\n    name: Initech\n  - code: globex\n'],
      ['        name: Finance\n', '        name: Finances\n'],
      [
        `      - code: submissions-tool.submission.approve
        description: Approve a submission
`,
        '',
      ],
    )
    const records = await recorded()
    const [applied, ...things] = records
    expect(applied).toMatchObject({
      kind: 'declared.applied',
      actor: { kind: 'command', id: expect.stringMatching(/.@./) },
      target: { kind: 'declared_file', id: file },
      detail: { role_change: 2, organisation_create: 1, profile_remove: 1, sessions_ended: 0 },
    })
    expect(new Set(records.map((one) => one.request_id)).size).toBe(1)
    expect(new Set(records.map((one) => one.actor.id)).size).toBe(1)
    const thing = (kind: string, index = 0) => things.filter((one) => one.kind === kind)[index]
    expect(things.map(({ kind }) => kind).sort()).toEqual([
      'client.changed',
      'client.changed',
      'organisation.created',
      'permission.removed',
      'profile.removed',
      'role.changed',
      'role.changed',
      'unit.changed',
      'user.changed',
    ])
    expect(thing('role.changed')).toMatchObject({
      target: { kind: 'role', id: 'importer' },
      before: { name: 'Importer' },
      after: { name: 'Importers' },
    })
    expect(thing('role.changed', 1)).toMatchObject({
      target: { kind: 'role', id: 'reader' },
      before: { permissions: ['ledger.entry.read', 'submissions-tool.vista-import.read'] },
      after: { permissions: ['ledger.entry.read'] },
    })
    const both = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0002'
    expect(thing('user.changed')).toMatchObject({
      target: { kind: 'user', id: both },
      user_uuid: both,
      after: { password: '(changed)' },
      detail: { id: 'both@acme.example', declared_file: basename(file) },
    })
    expect(thing('client.changed')).toMatchObject({
      target: { kind: 'client', id: 'nightly-import' },
      organisation_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01',
      after: { client_name: 'Nightly imports' },
    })
    expect(thing('client.changed', 1)).toMatchObject({
      target: { kind: 'client', id: 'ledger-report' },
      after: { client_secret: '(changed)' },
    })
    expect(thing('client.changed', 1)).not.toHaveProperty('organisation_uuid')
    expect(thing('profile.removed')).toMatchObject({
      target: { kind: 'profile', id: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0202' },
      user_uuid: both,
      organisation_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1b01',
      before: { role: 'bookkeeper', organisation: 'globex' },
    })
    expect(thing('profile.removed')).not.toHaveProperty('after')
    expect(thing('organisation.created')).toMatchObject({
      organisation_uuid: thing('organisation.created')?.target?.id,
      after: { name: 'Initech', active: true },
      detail: { id: 'initech', declared_file: basename(file) },
    })
    expect(thing('organisation.created')).not.toHaveProperty('before')
    expect(thing('unit.changed')).toMatchObject({
      target: { kind: 'unit', id: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a03' },
      organisation_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01',
      before: { name: 'Finance' },
      after: { name: 'Finances' },
    })
    expect(thing('permission.removed')).toMatchObject({
      target: { kind: 'permission', id: 'submissions-tool.submission.approve' },
      before: { description: 'Approve a submission' },
    })
    expect(JSON.stringify(records)).not.toMatch(/correct horse|development-secret|argon2/)
    // Applied again it changes nothing, and there is nothing to tell of.
    await tessera('apply', file, '--yes')
    expect(await recorded()).toHaveLength(records.length)
  })

  it('has each key that is added and each that is encrypted anew, but never the key', async () => {
    const rotated = await tessera('keys', 'rotate')
    const added = (alg: string) => new RegExp(`^(\\S+) \\(${alg}\\) is published`, 'm').exec(rotated)?.[1]
    await tessera('keys', 'reencrypt')
    const records = await recorded()
    expect(records.map(({ kind }) => kind)).toEqual([
      ...Array(2).fill('signing_key.created'),
      ...Array(4).fill('signing_key.reencrypted'),
      'audit_key.reencrypted',
    ])
    const reencrypted = records.slice(2, -1)
    for (const [index, alg] of ['RS256', 'ES256'].entries()) {
      expect(records[index]).toMatchObject({
        actor: { kind: 'command' },
        target: { kind: 'signing_key', id: added(alg) },
        after: { alg, signs_from: expect.stringMatching(/^20.*Z$/) },
      })
      const follows = records[index]?.detail?.follows
      for (const kid of [follows, added(alg)])
        expect(reencrypted.filter(({ target }) => target?.id === kid)).toHaveLength(1)
    }
    expect(new Set(reencrypted.map((one) => one.target?.id)).size).toBe(4)
    expect(new Set(reencrypted.map((one) => one.request_id)).size).toBe(1)
    expect(JSON.stringify(records)).not.toMatch(/PRIVATE|v1\./)
  })

  it('has a consent that is withdrawn, with what it allowed', async () => {
    const user_uuid = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001'
    const scope = 'openid profile'
    await store.db
      .insertInto('consents')
      .values({ user_uuid, client_id: 'partner-portal', scope, granted_at: 1 })
      .execute()
    await tessera('consents', 'withdraw', 'importer@acme.example', 'partner-portal')
    expect(await recorded()).toMatchObject([
      {
        kind: 'consent.withdrawn',
        actor: { kind: 'command' },
        target: { kind: 'client', id: 'partner-portal' },
        user_uuid,
        before: { scopes: ['openid', 'profile'] },
      },
    ])
    const again = await runHere(['consents', 'withdraw', 'importer@acme.example', 'partner-portal'], {
      environment: { TESSERA_DATABASE_URL: database.url },
    })
    expect(again.code).toBe(4)
    expect(await recorded()).toHaveLength(1)
  })
})

it('the audit of a command has a copy of the embedded database, and what took its place', async () => {
  const database = await createDatabase('sqlite')
  const environment = { TESSERA_DATABASE_URL: database.url }
  const file = join(temporaryFolder(), 'monday.sqlite')
  expect(await runHere(['backup', file], { environment })).toMatchObject({ code: 0 })
  expect((await runHere(['backup', file], { environment })).code).toBe(1)
  expect(await runHere(['restore', file, '--yes'], { environment })).toMatchObject({ code: 0 })
  const { stdout } = await runHere(['audit', 'list', '--json', '--limit', '2'], { environment })
  const { items } = JSON.parse(stdout) as { items: AuditRecord[] }
  const about = { actor: { kind: 'command' }, detail: { file: 'monday.sqlite' } }
  expect(items).toMatchObject([
    { kind: 'database.restored', ...about },
    { kind: 'database.backed_up', ...about },
  ])
  expect(await runHere(['audit', 'verify'], { environment })).toMatchObject({ code: 0 })
  await database.remove()
})
