import type { Kysely } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { end } from '../../dist/store/ending.js'
import { exchanges } from '../../dist/store/exchange-lock.js'
import { hashSecret } from '../../dist/protocol/identifier.js'
import { lockAdministration } from '../../dist/database/revision.js'
import type { Schema } from '../../dist/database/schema.js'
import {
  acme,
  Administrator,
  administrators,
  finance,
  globex,
  heads,
  intake,
  problemOf,
  administeredOn,
} from '../administration/support.ts'
import { answerOf, authorizeRequest, people, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { onBothDatabases } from '../harness/databases.ts'
import { applyChanged } from '../declared/change.ts'
import { type Tessera, tesseraOn } from '../harness/harness.ts'
import { refresh, refusalOf, token, tokensOf, Visitor, withStore } from '../harness/program.ts'

type Transaction = Kysely<Schema>
type Table =
  | 'users'
  | 'profiles'
  | 'roles'
  | 'organisations'
  | 'units'
  | 'clients'
  | 'sessions'
  | 'token_families'
  | 'role_permissions'

const importer = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001'
const profile = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101'

/** A sign-in that comes too late is refused by it, as one in time is. */
const anotherHash =
  '$argon2id$v=19$m=19456,t=2,p=1$cYvUs2YMkyAb01S6jL9cSQ$CKjPZfOq2s435QCujhnVT/aG5rcsAPRd+2h2p+ts4YU'

type Row = [Table, string, string, Record<string, unknown>]

const set = async (db: Transaction, [table, key, id, values]: Row) =>
  await (db as unknown as Kysely<Record<string, Record<string, unknown>>>)
    .updateTable(table)
    .set(values)
    .where(key, '=', id)
    .execute()

type Asked<A> = [
  ask: () => Promise<() => Promise<A>>,
  hold: (trx: Transaction) => Promise<unknown>,
  change: (trx: Transaction) => Promise<unknown>,
  looked: (answer: A) => boolean,
  restore: () => Promise<unknown>,
]

/**
 * Asks while a transaction holds what the request will write, lets it look, and commits `change` then. A machine that
 * was too busy for it to look in time is given more time: `looked` tells by the answer.
 */
async function committedBetween<A>(
  tessera: Tessera,
  ...[ask, hold, change, looked, restore]: Asked<A>
): Promise<A> {
  for (let pause = 100; ; pause *= 4) {
    const request = await ask()
    const answer = await withStore(tessera, async ({ db }) => {
      const { asked } = await db.transaction().execute(async (trx) => {
        await hold(trx)
        const pending = request()
        await new Promise((resolve) => setTimeout(resolve, pause))
        await change(trx)
        return { asked: pending }
      })
      return await asked
    })
    await restore()
    if (looked(answer) || pause > 4000) return answer
  }
}

/** What another transaction commits after a request looked, and before it writes: who writes looks again. */
onBothDatabases('what is committed between the look and the write', (dialect) => {
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  beforeAll(async () => {
    visitor = new Visitor(tessera.url)
  })

  const between = <A>(...asked: Asked<A>) => committedBetween(tessera, ...asked)

  it.each<[string, Table, string, string, Record<string, unknown>, Record<string, unknown>]>([
    ['session ended', 'sessions', 'user_uuid', importer, { ended_at: 1 }, { ended_at: null }],
    ['user was disabled', 'users', 'uuid', importer, { active: 0 }, { active: 1 }],
    ['client was disabled', 'clients', 'client_id', 'submissions-web', { active: 0 }, { active: 1 }],
    [
      'client became a machine',
      'clients',
      'client_id',
      'submissions-web',
      { type: 'machine' },
      { type: 'public' },
    ],
    ['profile was disabled', 'profiles', 'uuid', profile, { active: 0 }, { active: 1 }],
    ['profile expired', 'profiles', 'uuid', profile, { expires_at: 1 }, { expires_at: null }],
    ['role was disabled', 'roles', 'code', 'importer', { active: 0 }, { active: 1 }],
    ['organisation was disabled', 'organisations', 'uuid', acme, { active: 0 }, { active: 1 }],
    ['unit was disabled', 'units', 'uuid', intake, { active: 0 }, { active: 1 }],
    [
      'client was given to another organisation',
      'clients',
      'client_id',
      'submissions-web',
      { organisation_uuid: globex },
      { organisation_uuid: null },
    ],
    [
      'client needs a consent that is not there',
      'clients',
      'client_id',
      'submissions-web',
      { first_party: 0 },
      { first_party: 1 },
    ],
  ])('an exchange whose %s gives nothing', async (_, table, key, id, values, before) => {
    const refused = await between(
      async () => {
        const form = await visitor.code()
        return () => token(tessera.url, form)
      },
      (trx) => exchanges.alone(trx),
      (trx) => set(trx, [table, key, id, values]),
      ({ status, json }) => status === 200 || String(json.error_description).includes('meanwhile'),
      () => withStore(tessera, ({ db }) => set(db, [table, key, id, before])),
    )
    expect(refusalOf(refused)).toBe('400 invalid_grant')
    expect(refused.json.error_description).toContain('meanwhile')
  })

  it('an exchange whose client was disabled and enabled again gives nothing', async () => {
    const disabled = { now: tessera.clock.now(), reason: 'client_disabled' }
    const refused = await between(
      async () => {
        const form = await visitor.code()
        return () => token(tessera.url, form)
      },
      (trx) => exchanges.alone(trx),
      // The client counts when the transaction is over, as it does once more when somebody enabled it at once.
      (trx) => end(trx, { clients: ['submissions-web'] }, disabled),
      () => true,
      async () => undefined,
    )
    expect(refusalOf(refused)).toBe('400 invalid_grant')
  })

  const failures = async () =>
    await withStore(tessera, async ({ db }) => {
      const told = db.selectFrom('audit_records').select('sequence').where('kind', '=', 'sign_in.failed')
      return (await told.where('user_uuid', '=', importer).execute()).length
    })

  const holdImporter = (trx: Transaction) =>
    trx
      .selectFrom('users')
      .select('uuid')
      .where('uuid', '=', importer)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .execute()

  it.each<[string, string, Record<string, unknown>]>([
    ['password was changed', 'a stranger', { password_hash: anotherHash }],
    ['person was disabled', 'a stranger', { active: 0 }],
    ['password was changed', 'somebody else', { password_hash: anotherHash }],
  ])('a sign-in whose %s while it was checked, after %s, begins no session', async (_, after, values) => {
    const before = await withStore(tessera, ({ db }) =>
      db
        .selectFrom('users')
        .select(['password_hash', 'active'])
        .where('uuid', '=', importer)
        .executeTakeFirst(),
    )
    const told = await failures()
    const browser = new TestBrowser(tessera.url)
    if (after === 'somebody else') await signIn(browser, authorizeRequest().path, people.admin)
    const refused = await between<Visit>(
      async () => {
        const page = await browser.open(authorizeRequest({ prompt: 'login' }).path)
        return () => browser.submitOnce(page, people.importer)
      },
      holdImporter,
      (trx) => set(trx, ['users', 'uuid', importer, values]),
      () => true,
      () => withStore(tessera, ({ db }) => set(db, ['users', 'uuid', importer, before ?? {}])),
    )
    expect(refused.status).toBe(400)
    expect(refused.headers.getSetCookie()).toEqual([])
    expect(await failures()).toBe(told + 1)
  })

  it('a sign-in again, whose session was ended while it was checked, begins another', async () => {
    const browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
    const signedIn = await between<Visit>(
      async () => {
        const page = await browser.open(authorizeRequest({ prompt: 'login' }).path)
        return () => browser.submitOnce(page, people.importer)
      },
      holdImporter,
      (trx) => set(trx, ['sessions', 'user_uuid', importer, { ended_at: 1 }]),
      () => true,
      async () => undefined,
    )
    expect(answerOf(await browser.follow(signedIn))).toHaveProperty('code')
    const silent = await browser.request(authorizeRequest({ prompt: 'none' }).path)
    expect(answerOf(silent)).toHaveProperty('code')
    visitor = new Visitor(tessera.url)
  })

  /** The family of a token, until its transaction ends. */
  const holdFamily = (id: string) => (trx: Transaction) =>
    trx
      .selectFrom('token_families')
      .select('id')
      .where('id', '=', id)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .execute()

  it.each<[string, boolean, boolean, Record<string, unknown>]>([
    ['a refresh whose family was revoked', false, false, { revoked_at: 1, revoked_reason: 'a test' }],
    ['a refresh whose family ran out', false, false, { idle_expires_at: 1 }],
    ['a refresh beside another, whose family was revoked', false, true, { revoked_at: 1 }],
    ['a refresh beside another, whose family ran out', false, true, { idle_expires_at: 1 }],
    ['a retry under another profile, whose family was revoked', true, false, { revoked_at: 1 }],
  ])('%s gives nothing', async (_, isRetry, isBesideAnother, values) => {
    const { refresh_token: presented = '' } = await visitor.tokens()
    const [id = '', , secret = ''] = presented.split('.')
    if (isRetry) tokensOf(await refresh(tessera.url, presented))
    const predecessor = { hash: hashSecret(secret), salt: 'salt', at: tessera.clock.now() }
    const replaced = { current_hash: 'another', predecessors: JSON.stringify([predecessor]) }
    const refused = await between(
      async () => () => refresh(tessera.url, presented, isRetry ? { profile_uuid: profile } : {}),
      holdFamily(id),
      (trx) => set(trx, ['token_families', 'id', id, { ...values, ...(isBesideAnother && replaced) }]),
      () => true,
      async () => undefined,
    )
    expect(refusalOf(refused)).toBe('400 invalid_grant')
  })
})

const ofUnit = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0601'
const unitHead = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0006'
const role = 'acme-administrator'

onBothDatabases('an administrator of whom something is committed while they wait', (dialect) => {
  const tessera = administeredOn(dialect)
  let administrator: Administrator
  beforeAll(async () => {
    administrator = await Administrator.person(tessera.url, heads.unitHead)
  })

  it.each<[string, string, Row, Record<string, unknown>]>([
    ['who is disabled', '401 invalid_token', ['users', 'uuid', unitHead, { active: 0 }], { active: 1 }],
    [
      'with a disabled profile',
      '401 invalid_token',
      ['profiles', 'uuid', ofUnit, { active: 0 }],
      { active: 1 },
    ],
    [
      'with an expired profile',
      '401 invalid_token',
      ['profiles', 'uuid', ofUnit, { expires_at: 1 }],
      { expires_at: null },
    ],
    ['with a disabled role', '401 invalid_token', ['roles', 'code', role, { active: 0 }], { active: 1 }],
    [
      'of a disabled organisation',
      '401 invalid_token',
      ['organisations', 'uuid', acme, { active: 0 }],
      { active: 1 },
    ],
    ['of a disabled unit', '401 invalid_token', ['units', 'uuid', intake, { active: 0 }], { active: 1 }],
    [
      'through a disabled client',
      '401 invalid_token',
      ['clients', 'client_id', 'admin-web', { active: 0 }],
      { active: 1 },
    ],
    [
      'through a client that is given to another organisation',
      '401 invalid_token',
      ['clients', 'client_id', 'admin-web', { organisation_uuid: globex }],
      { organisation_uuid: null },
    ],
    [
      'through a client that allows less',
      '403 forbidden',
      ['clients', 'client_id', 'admin-web', { permissions: '["iam.sessions.delete"]' }],
      { permissions: null },
    ],
    [
      'of another organisation',
      '403 forbidden',
      // Without a unit: one of acme would let a request that came too late through.
      ['profiles', 'uuid', ofUnit, { organisation_uuid: globex, unit_uuid: null }],
      { organisation_uuid: acme, unit_uuid: intake },
    ],
    [
      'of another unit',
      '403 forbidden',
      ['profiles', 'uuid', ofUnit, { unit_uuid: finance }],
      { unit_uuid: intake },
    ],
  ])('%s changes nothing', async (_, refusal, [table, key, id, values], before) => {
    const refused = await committedBetween(
      tessera,
      async () => () => administrator.delete(`/users/${importer}/sessions`),
      (trx) => lockAdministration(trx),
      (trx) => set(trx, [table, key, id, values]),
      ({ status, text }) => status === 204 || text.includes('meanwhile'),
      () => withStore(tessera, ({ db }) => set(db, [table, key, id, before])),
    )
    expect(problemOf(refused)).toBe(refusal)
    expect(refused.json.detail).toContain('meanwhile')
  })

  /** Opens another token family, as an exchange that is not over, and yields its id. */
  const openBeside = async (trx: Transaction, family: string) => {
    await exchanges.together(trx)
    const row = await trx.selectFrom('token_families').selectAll().where('id', '=', family).executeTakeFirst()
    if (row === undefined) throw new Error('There is no such token family.')
    const id = `${family}-beside`
    await trx
      .insertInto('token_families')
      .values({ ...row, id })
      .execute()
    return id
  }

  it.each<[string, (by: Administrator) => Promise<unknown>]>([
    ['disables a client', (by) => by.patch('/clients/submissions-web', { active: false })],
    ['disables the organisation of a client', (by) => by.patch(`/organisations/${acme}`, { active: false })],
    ['withdraws a consent', (by) => by.delete(`/users/${importer}/consents/submissions-web`)],
  ])('who %s waits for the exchanges under way, and ends what they open', async (_, end) => {
    await applyChanged(tessera, ...administrators)
    const place = { organisation_uuid: acme }
    await withStore(tessera, async ({ db }) => {
      await set(db, ['clients', 'client_id', 'submissions-web', place])
      const consent = { user_uuid: importer, client_id: 'submissions-web', scope: 'openid', granted_at: 1 }
      await db
        .insertInto('consents')
        .values(consent)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    })
    const machine = await Administrator.machine(tessera.url)
    const { refresh_token: presented = '' } = await new Visitor(tessera.url).tokens()
    const revoked = await withStore(tessera, async ({ db }) => {
      const { id, asked } = await db.transaction().execute(async (trx) => {
        const opened = await openBeside(trx, presented.split('.')[0] ?? '')
        const pending = end(machine)
        await new Promise((resolve) => setTimeout(resolve, 300))
        return { id: opened, asked: pending }
      })
      await asked
      return await db.selectFrom('token_families').select('revoked_at').where('id', '=', id).execute()
    })
    expect(revoked).toEqual([{ revoked_at: expect.any(Number) }])
  })
})
