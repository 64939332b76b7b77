/** Many people changed by one request hold to every rule that a request about one of them does. */
import { beforeAll, expect, it } from 'vitest'
import { authorizeRequest, formOn, people, signIn, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { machineToken, refresh, tokensOf } from '../harness/program.ts'
import { setPolicy } from '../harness/states.ts'
import { bulkBy, refusalBy, toldBy, triedBy } from './bulk-support.ts'
import {
  acme,
  Administrator,
  administeredOn,
  finance,
  globex,
  heads,
  intake,
  problemOf,
  users,
} from './support.ts'

onEachDatabase('a bulk change beyond what somebody may', (dialect) => {
  const tessera = administeredOn(dialect, {
    TESSERA_MAIL_URL: 'smtp://127.0.0.1:1',
    TESSERA_MAIL_FROM: 'Acme <no-reply@acme.example>',
  })
  let admin: Administrator
  let head: Administrator
  let unitHead: Administrator
  let abroad = ''
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    head = await Administrator.person(tessera.url, heads.head)
    unitHead = await Administrator.person(tessera.url, heads.unitHead)
    const made = await admin.post('/users', {
      email: 'abroad@globex.example',
      name: 'Somebody Abroad',
      profiles: [{ role_code: 'importer', organisation_uuid: globex }],
    })
    abroad = String(made.json.uuid)
  })
  const headUser = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0005'
  const role = { role_code: 'importer', organisation_uuid: acme }

  it('reaches nobody of another organisation, and of who belongs to both what one request does', async () => {
    const nowhere = '99999999-9999-4999-8999-999999999999'
    const uuid = [users.importer, users.both, abroad, nowhere, users.admin, users.nobody, headUser]
    const body = { action: 'disable', people: { uuid } }
    const refused = [
      'both@acme.example forbidden',
      `${abroad} not_found`,
      `${nowhere} not_found`,
      `${users.admin} not_found`,
      `${users.nobody} not_found`,
      'head@acme.example forbidden',
    ]
    expect((await triedBy(head, body)).refused).toEqual(refused)
    const done = await bulkBy(head, body)
    expect(done.refused).toEqual(refused)
    expect(done.end).toMatchObject({ people: 7, changed: 1, refused: 6 })
    expect((await admin.get(`/users/${abroad}`)).json.active).toBe(true)
    expect((await admin.get(`/users/${users.both}`)).json.active).toBe(true)
    // The head acts on, and reads the trail, in which nobody else is.
    const trail = await head.all(`/audit?request_id=${done.requestId}`)
    expect(trail.map((one) => one.user_uuid)).toEqual([users.importer])
    await bulkBy(head, { action: 'enable', people: { uuid: [users.importer] } })
  })

  it('finds by a filter whom the list finds', async () => {
    for (const who of [head, unitHead]) {
      const listed = (await who.all('/users')).length
      const all = await triedBy(who, { action: 'disable', people: { all: true } })
      expect(all.end).toMatchObject({ people: listed })
      expect(JSON.stringify(all.lines)).not.toContain('globex')
      for (const filter of [{ organisation_uuid: globex }, { q: abroad }, { q: 'abroad@globex.example' }])
        expect((await triedBy(who, { action: 'disable', people: filter })).end).toMatchObject({ people: 0 })
    }
    const elsewhere = { organisation_unit_uuid: finance }
    expect((await triedBy(unitHead, { action: 'disable', people: elsewhere })).end).toMatchObject({
      people: 0,
    })
    expect((await triedBy(head, { action: 'disable', people: elsewhere })).refused).toEqual([
      'both@acme.example forbidden',
    ])
  })

  it.each<[string, 'head' | 'unit', object]>([
    ['403 forbidden profile.role_code', 'head', { role_code: 'administrator', organisation_uuid: acme }],
    ['403 forbidden profile.role_code', 'head', { role_code: 'reader', organisation_uuid: acme }],
    ['403 forbidden profile.organisation_uuid', 'head', { role_code: 'importer' }],
    ['400 invalid_request profile.organisation_uuid', 'head', { ...role, organisation_uuid: globex }],
    [
      '400 invalid_request profile.organisation_unit_uuid',
      'unit',
      { ...role, organisation_unit_uuid: finance },
    ],
    ['400 invalid_request profile.organisation_unit_uuid', 'unit', role],
  ])('answers %s, whoever it is given to', async (said, who, profile) => {
    const by = who === 'head' ? head : unitHead
    for (const query of ['', '?dry_run=true']) {
      const body = { action: 'give_role', people: { uuid: [users.importer] }, profile }
      expect(await refusalBy(by, body, query)).toBe(said)
    }
  })

  it('ends no role that gives more than they hold, nor one of their own', async () => {
    const reader = { role_code: 'reader', organisation_uuid: acme, organisation_unit_uuid: finance }
    const ended = await bulkBy(head, { action: 'end_role', people: { all: true }, profile: reader })
    expect(ended.refused).toEqual(['both@acme.example forbidden'])
    const own = { role_code: 'acme-administrator', organisation_uuid: acme }
    const body = { action: 'end_role', people: { uuid: [headUser] }, profile: own }
    expect((await triedBy(head, body)).refused).toEqual(['head@acme.example forbidden'])
    expect((await bulkBy(head, body)).refused).toEqual(['head@acme.example forbidden'])
    expect(
      await refusalBy(head, {
        action: 'end_role',
        people: { all: true },
        profile: { ...own, organisation_uuid: globex },
      }),
    ).toBe('400 invalid_request profile.organisation_uuid')
  })

  /** A machine of everything that holds these alone. */
  async function holderOf(client_id: string, permissions: string[]): Promise<Administrator> {
    const { json } = await admin.post('/clients', {
      ...{ client_id, client_name: 'Holds Few', type: 'machine', services: ['iam'], permissions },
    })
    const client_secret = String(json.client_secret)
    return new Administrator(tessera.url, await machineToken(tessera.url, { client_id, client_secret }))
  }

  it('tells of nobody who holds more whether they have a link or a password', async () => {
    const { json } = await admin.post('/users', {
      ...{ email: 'more@acme.example', name: 'Holds More' },
      profiles: [role, { ...role, organisation_uuid: globex }],
    })
    const body = { action: 'invite', people: { uuid: [json.uuid, users.both] } }
    const refused = ['more@acme.example forbidden', 'both@acme.example forbidden']
    expect((await triedBy(head, body)).refused).toEqual(refused)
    expect((await admin.post(`/users/${String(json.uuid)}/recovery`, {})).status).toBe(201)
    expect((await triedBy(head, body)).refused).toEqual(refused)
    expect((await bulkBy(head, body)).refused).toEqual(refused)
  })

  it('tells who holds a role to nobody who may not read that', async () => {
    const ender = await holderOf('ender-cli', ['iam.users.read', 'iam.profiles.delete'])
    const body = { action: 'end_role', people: { uuid: [users.importer] }, profile: role }
    for (const query of ['', '?dry_run=true'])
      expect(await refusalBy(ender, body, query)).toBe('403 insufficient_scope')
  })

  it('keeps no account whose person asked to have it removed', async () => {
    await setPolicy(tessera, {}, { self_deletion: true })
    const leaving = { email: 'leaving@acme.example', password: 'a passphrase of who leaves' }
    const made = await admin.post('/users', { ...leaving, name: 'Leaving', profiles: [role] })
    const browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, leaving)
    const page = await browser.open('/account/deletion')
    const { csrf = '' } = formOn(page).hidden
    await browser.request(page.url, { form: { csrf, do: 'request' } })
    const state = async () => (await admin.get(`/users/${String(made.json.uuid)}`)).json
    const before = await state()
    expect(before).toMatchObject({ active: false, deletion_at: expect.any(String) })
    const whom = { organisation_uuid: acme, active: false }
    const disabled = await bulkBy(head, { action: 'disable', people: whom })
    expect(disabled.end).toMatchObject({ people: 1, already: 1 })
    const enabled = await bulkBy(head, { action: 'enable', people: whom })
    expect(enabled.refused).toEqual(['leaving@acme.example conflict'])
    expect(await state()).toEqual(before)
  })

  it('needs for each action what one such request needs', async () => {
    const reader = await holderOf('reader-cli', ['iam.users.read'])
    const all = { all: true }
    for (const body of [
      { action: 'disable', people: all },
      { action: 'enable', people: all },
      { action: 'invite', people: all },
      { action: 'give_role', people: all, profile: role },
      { action: 'end_role', people: all, profile: role },
    ]) {
      expect(await refusalBy(reader, body)).toBe('403 insufficient_scope')
      expect(await refusalBy(reader, body, '?dry_run=true')).toBe('403 insufficient_scope')
    }
    const roles = await Administrator.machine(tessera.url, 'roles-cli')
    expect(await refusalBy(roles, { action: 'invite', people: all })).toBe('403 insufficient_scope')
    const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
    expect((await onlooker.post('/users/bulk', { action: 'disable', people: all })).status).toBe(403)
  })

  it('leaves the last administrator, and what a file manages', async () => {
    const body = { action: 'disable', people: { uuid: [users.admin] } }
    expect((await triedBy(admin, body)).refused).toEqual(['admin@acme.example last_administrator'])
    expect((await bulkBy(admin, body)).refused).toEqual(['admin@acme.example last_administrator'])
    const end = { action: 'end_role', people: { all: true }, profile: { role_code: 'administrator' } }
    expect((await bulkBy(admin, end)).refused).toEqual(['admin@acme.example last_administrator'])
    const second = await admin.post('/users', {
      ...{ email: 'second@acme.example', name: 'Second', password: 'a passphrase of the second' },
      profiles: [{ role_code: 'administrator' }],
    })
    // Each is tried as if nobody else were changed.
    const two = { action: 'disable', people: { uuid: [second.json.uuid, users.admin] } }
    expect((await triedBy(admin, two)).end).toMatchObject({ changed: 2, refused: 0 })
    expect((await bulkBy(admin, two)).refused).toEqual(['admin@acme.example last_administrator'])

    const careful = await Administrator.machine(tessera.url)
    careful.overridesFile = false
    const managed = { action: 'disable', people: { uuid: [users.importer] } }
    expect((await triedBy(careful, managed)).refused).toEqual(['importer@acme.example managed_by_file'])
    expect((await bulkBy(careful, managed)).refused).toEqual(['importer@acme.example managed_by_file'])
  })

  it('wants a recent sign-in, which a dry run tells', async () => {
    const as = { changes: { client_id: 'admin-web', scope: 'openid service.api' } }
    const tokens = await tokensFor(tessera.url, people.admin, as)
    tessera.clock.advance(11 * 60_000)
    const renewed = await refresh(tessera.url, tokens.refresh_token, { client_id: 'admin-web' })
    const old = new Administrator(tessera.url, tokensOf(renewed).access_token ?? '')
    const body = { action: 'enable', people: { uuid: [users.importer] } }
    const answer = await old.post('/users/bulk', body)
    expect(problemOf(answer)).toBe('401 insufficient_user_authentication')
    const tried = await old.post('/users/bulk?dry_run=true', body)
    expect(toldBy(tried.text).end).toMatchObject({ kind: 'done', sign_in_again: true })
  })

  it('ends where who asks loses a permission meanwhile', async () => {
    const made = await admin.post('/users', {
      ...{ email: 'losing@acme.example', name: 'Losing', password: 'a passphrase of who loses' },
      profiles: [{ role_code: 'acme-administrator', organisation_uuid: acme }],
    })
    const profile = (made.json.profiles as { uuid: string }[])[0]?.uuid
    const losing = await Administrator.person(tessera.url, {
      ...{ email: 'losing@acme.example', password: 'a passphrase of who loses' },
    })
    const uuid: string[] = []
    for (let each = 0; each < 60; each++) {
      const one = await admin.post('/users', {
        ...{ email: `losing-${each}@acme.example`, name: 'Of Who Loses' },
        profiles: [{ ...role, organisation_unit_uuid: intake }],
      })
      uuid.push(String(one.json.uuid))
    }
    const asked = losing.post('/users/bulk', { action: 'disable', people: { uuid } })
    const moved = await admin.patch(`/profiles/${profile}`, { organisation_unit_uuid: intake })
    expect(moved.status, moved.text).toBe(200)
    const { end, refused } = toldBy((await asked).text)
    expect(end.kind).toBe('failed')
    expect(refused).toEqual([])
    expect((await admin.all('/users?q=losing-&active=true')).length).toBeGreaterThan(0)
  })
})
