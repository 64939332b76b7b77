/** Who may enter an application: each list of `allowed` must be met by the profile, at every door (decisions 35). */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  administeredOn,
  finance,
  globex,
  heads,
  problemOf,
  profiles,
  users,
} from '../administration/support.ts'
import { applyChanged } from '../declared/change.ts'
import { answerOf, authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { claimsOf } from '../harness/browser.ts'
import { introspect, refresh, refusalOf, token, userinfo, Visitor } from '../harness/program.ts'

const { bothReader: atAcme, bothBookkeeper: atGlobex } = profiles
const web = '/clients/submissions-web'

onEachDatabase('who may enter an application', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const allow = async (allowed: object | null) => {
    const changed = await admin.patch(web, { allowed })
    expect(changed.status, changed.text).toBe(200)
    return changed.json
  }
  beforeEach(async () => {
    await allow(null)
  })

  /** By which profile somebody gets in without choosing; else the error or page that they meet. */
  async function entered(who: { email: string; password: string }): Promise<string> {
    const visit = await signIn(new TestBrowser(tessera.url), authorizeRequest().path, who)
    if (visit.status === 403 || visit.status === 200) return new URL(visit.url).pathname
    return answerOf(visit).error ?? 'in'
  }

  describe('is asked by', () => {
    it.each<[string, object, string]>([
      ['a role', { roles: ['reader'] }, atAcme],
      ['another role', { roles: ['bookkeeper', 'importer'] }, atGlobex],
      ['an organisation', { organisations: ['globex'] }, atGlobex],
      ['a unit', { organisations: ['acme/finance'] }, atAcme],
      ['the organisation of a unit', { organisations: ['acme'] }, atAcme],
      ['a permission', { permissions: ['ledger.entry.create'] }, atGlobex],
      ['one of several permissions', { permissions: ['submissions-tool.vista-import.read'] }, atAcme],
      ['a role and a place', { roles: ['reader', 'bookkeeper'], organisations: ['globex'] }, atGlobex],
    ])('%s', async (_, allowed, profile) => {
      await allow(allowed)
      const visitor = new Visitor(tessera.url, people.both)
      const tokens = await visitor.tokens()
      expect(claimsOf(tokens.access_token)).toMatchObject({ profile_uuid: profile })
    })

    it.each<[string, object]>([
      ['a role that nobody has', { roles: ['acme-administrator'] }],
      ['another unit', { organisations: ['acme/intake'] }],
      ['a role at a place where another is', { roles: ['bookkeeper'], organisations: ['acme'] }],
      [
        'a permission that only the other role gives',
        { roles: ['reader'], permissions: ['ledger.entry.create'] },
      ],
    ])('%s: none of the profiles opens it', async (_, allowed) => {
      await allow(allowed)
      expect(await entered(people.both)).toBe('/no-profile')
    })

    it('a permission of iam that is given as iam.*', async () => {
      await allow({ permissions: ['iam.keys.read'] })
      expect(await entered(people.admin)).toBe('in')
      expect(await entered(people.importer)).toBe('/no-profile')
    })

    it('units below the one that is named, as they are now', async () => {
      await allow({ organisations: ['acme/finance'] })
      const below = { organisation_uuid: acme, parent_uuid: finance, code: 'payroll', name: 'Payroll' }
      const { json: unit } = await admin.post('/units', below)
      const place = { organisation_uuid: acme, organisation_unit_uuid: unit.uuid }
      const given = await admin.post('/profiles', { user_uuid: users.nobody, role_code: 'reader', ...place })
      expect(await entered(people.nobody)).toBe('in')
      await admin.patch(`/units/${String(unit.uuid)}`, { parent_uuid: null })
      expect(await entered(people.nobody)).toBe('/no-profile')
      await admin.delete(`/profiles/${String(given.json.uuid)}`, '*')
      await admin.delete(`/units/${String(unit.uuid)}`, '*')
    })
  })

  describe('is asked at every door', () => {
    it('the choice of a profile offers those alone, and takes no other', async () => {
      await admin.post('/profiles', {
        user_uuid: users.both,
        role_code: 'importer',
        organisation_uuid: globex,
      })
      await allow({ organisations: ['globex'] })
      const browser = new TestBrowser(tessera.url)
      const page = await signIn(browser, authorizeRequest().path, people.both)
      expect(page.url).toContain('/choose-profile')
      expect(page.body).toContain(atGlobex)
      expect(page.body).not.toContain(atAcme)
      const other = await browser.submit(page, { profile_uuid: atAcme })
      expect(other.status).toBe(400)
      const list = await admin.all(`/profiles?user_uuid=${users.both}`)
      const more = list.find((one) => one.role_code === 'importer')
      await admin.delete(`/profiles/${String(more?.uuid)}`, '*')
    })

    it('the home page, and what is allowed to it', async () => {
      await admin.patch(web, { client_uri: 'https://submissions.example', first_party: false })
      const browser = new TestBrowser(tessera.url)
      const page = await signIn(browser, authorizeRequest().path, people.importer)
      await browser.submit(page, { choice: 'allow' })
      const seen = async () => [
        (await browser.open('/')).body.includes('https://submissions.example'),
        (await browser.open('/account/applications')).body.includes('None of your profiles opens it now.'),
      ]
      expect(await seen()).toEqual([true, false])
      await allow({ roles: ['reader'] })
      expect(await seen()).toEqual([false, true])
      await admin.patch(web, { client_uri: null, first_party: true })
    })

    onOne.it('prompt=none, with the session of somebody who was let in before', async () => {
      const visitor = new Visitor(tessera.url, people.importer)
      await visitor.tokens()
      await allow({ roles: ['reader'] })
      const silent = answerOf(await visitor.browser.open(authorizeRequest({ prompt: 'none' }).path))
      expect(silent).toMatchObject({ error: 'access_denied' })
      expect(silent).not.toHaveProperty('code')
    })

    onOne.it('the page says so, and the client gets access_denied', async () => {
      await allow({ roles: ['reader'] })
      const browser = new TestBrowser(tessera.url)
      const page = await signIn(browser, authorizeRequest().path, people.importer)
      expect([page.status, new URL(page.url).pathname]).toEqual([403, '/no-profile'])
      expect(page.body).toContain('none of your profiles opens')
      expect(answerOf(await browser.submit(page, { choice: 'continue' })).error).toBe('access_denied')
    })

    it('the exchange of a code', async () => {
      const form = await new Visitor(tessera.url, people.importer).code()
      await allow({ roles: ['reader'] })
      expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
      await allow(null)
      expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
    })

    it('refresh, introspection and userinfo: what has ended stays so when it is widened again', async () => {
      const tokens = await new Visitor(tessera.url, people.importer).tokens()
      for (const allowed of [{ roles: ['reader'] }, null]) {
        await allow(allowed)
        expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
        expect((await introspect(tessera.url, tokens.access_token)).active).toBe(false)
        expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
      }
    })

    it('the switch to another profile', async () => {
      await allow({ roles: ['reader'] })
      const tokens = await new Visitor(tessera.url, people.both).tokens()
      const asked = { profile_uuid: atGlobex }
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token, asked))).toBe('400 invalid_request')
    })

    it('a role that no longer gives the permission lets nobody in', async () => {
      await allow({ permissions: ['ledger.entry.create'] })
      const tokens = await new Visitor(tessera.url, people.both).tokens()
      const { json: role } = await admin.get('/roles/bookkeeper')
      await admin.patch('/roles/bookkeeper', { permissions: ['ledger.entry.read'] })
      expect((await introspect(tessera.url, tokens.access_token)).active).toBe(false)
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
      await admin.patch('/roles/bookkeeper', { permissions: role.permissions })
    })
  })

  describe('that is narrowed', () => {
    it('ends what no longer passes, and nothing else of the client or of the person', async () => {
      const importer = await new Visitor(tessera.url, people.importer).tokens()
      const both = await new Visitor(tessera.url, people.both).tokens({ profile_uuid: atAcme })
      await allow({ roles: ['reader'] })
      expect((await userinfo(tessera.url, importer.access_token)).status).toBe(401)
      expect((await userinfo(tessera.url, both.access_token)).status).toBe(200)
      expect((await refresh(tessera.url, both.refresh_token)).status).toBe(200)
    })

    it('by the declared file ends the same', async () => {
      const tokens = await new Visitor(tessera.url, people.importer).tokens()
      const at = '    client_name: Submissions\n'
      await applyChanged(tessera, [at, `${at}    allowed: {roles: [reader]}\n`])
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
      expect((await admin.get(web)).json.allowed).toEqual({ roles: ['reader'] })
      await applyChanged(tessera)
      expect((await admin.get(web)).json.allowed).toBeNull()
    })
  })

  it('is told by a dry run, with what would end', async () => {
    await new Visitor(tessera.url, people.importer).tokens()
    const { etag } = await admin.get(web)
    const tried = async (allowed: object | null) =>
      await admin.ask('PATCH', `${web}?dry_run=true`, { body: { allowed }, match: etag })
    const { json } = await tried({ organisations: ['globex'] })
    const shut = expect.objectContaining({
      client_id: 'submissions-web',
      let_in: { people: 0, organisations: 0 },
    })
    expect(json.enters).toEqual([shut])
    const [{ shut_out }] = json.enters as [{ shut_out: { people: number; organisations: number } }]
    // Those of acme, and who holds everywhere.
    expect(shut_out.organisations).toBe(1)
    expect(shut_out.people).toBeGreaterThan(2)
    expect(json.ends).toMatchObject({ sessions: 0, token_families: expect.any(Number) })
    expect((json.ends as { token_families: number }).token_families).toBeGreaterThan(0)
    expect((await tried(null)).json.enters).toEqual([])
    expect((await admin.get(web)).json.allowed).toBeNull()
  })

  describe('is refused', () => {
    it.each<[string, object, string]>([
      ['without a list', {}, 'allowed'],
      ['with an empty one', { roles: [] }, 'allowed.roles'],
      ['with another list', { users: ['x'] }, 'allowed.users allowed'],
      ['with the same twice', { roles: ['reader', 'reader'] }, 'allowed.roles'],
      ['with a role that is not there', { roles: ['reader', 'ghost'] }, 'allowed.roles.0'],
      ['with an organisation that is not there', { organisations: ['ghost'] }, 'allowed.organisations.0'],
      ['with a unit that is not there', { organisations: ['globex/intake'] }, 'allowed.organisations.0'],
      ['with what is no place', { organisations: ['acme/intake/x'] }, 'allowed.organisations.0'],
      [
        'with a permission that is not there',
        { permissions: ['ledger.entry.burn'] },
        'allowed.permissions.0',
      ],
      ['with the wildcard', { permissions: ['iam.*'] }, 'allowed.permissions.0'],
    ])('%s', async (_, allowed, field) => {
      expect(problemOf(await admin.patch(web, { allowed }))).toBe(`400 invalid_request ${field}`)
      expect((await admin.get(web)).json.allowed).toBeNull()
    })

    it('of a machine, into which nobody signs in', async () => {
      const refused = await admin.patch('/clients/ledger-report', { allowed: { roles: ['reader'] } })
      expect(problemOf(refused)).toBe('400 invalid_request allowed')
    })

    it('with what the administrator of an organisation does not see, as if it were not there', async () => {
      const own = await Administrator.person(tessera.url, heads.head)
      const portal = {
        ...{ client_id: 'own-portal', client_name: 'Own', type: 'public', scope: 'openid' },
        ...{ redirect_uris: ['https://own.example/cb'], organisation_uuid: acme },
      }
      const made = await own.post('/clients', { ...portal, allowed: { organisations: ['acme/intake'] } })
      expect(made.status, made.text).toBe(201)
      for (const [list, hidden, missing] of [
        ['roles', 'administrator', 'ghost'],
        ['organisations', 'globex', 'ghost'],
        ['permissions', 'ledger.entry.create', 'ledger.entry.burn'],
      ] as const) {
        const [one, other] = [hidden, missing].map(
          async (code) => await own.patch('/clients/own-portal', { allowed: { [list]: [code] } }),
        )
        const [seen, absent] = [await one, await other]
        expect(problemOf(seen as never)).toBe(`400 invalid_request allowed.${list}.0`)
        expect(seen?.text.replaceAll(hidden, '')).toHaveLength(
          absent?.text.replaceAll(missing, '').length ?? 0,
        )
      }
    })
  })

  describe('a list that names what is removed', () => {
    it('gets no shorter, and nobody meets it, also where another of its code is made', async () => {
      const role = { code: 'guest', name: 'Guest', permissions: ['ledger.entry.read'] }
      const guest = async () => {
        expect((await admin.post('/roles', role)).status).toBe(201)
        const profile = { user_uuid: users.nobody, role_code: 'guest', organisation_uuid: globex }
        expect((await admin.post('/profiles', profile)).status).toBe(201)
      }
      await guest()
      await allow({ roles: ['guest'] })
      expect(await entered(people.nobody)).toBe('in')
      expect((await admin.delete('/roles/guest', '*')).status).toBe(204)
      const left = { allowed: { roles: ['guest'] }, allowed_removed: { roles: ['guest'] } }
      expect((await admin.get(web)).json).toMatchObject(left)
      expect(await entered(people.both)).toBe('/no-profile')
      await guest()
      expect(await entered(people.nobody)).toBe('/no-profile')
      // Whoever sends the list again, with another entry, has not looked at that one.
      await allow({ roles: ['guest', 'reader'] })
      expect((await admin.get(web)).json.allowed_removed).toEqual({ roles: ['guest'] })
      expect(await entered(people.nobody)).toBe('/no-profile')
      await allow({ roles: ['reader'] })
      expect((await allow({ roles: ['guest'] })).allowed_removed).toBeNull()
      expect(await entered(people.nobody)).toBe('in')
      await admin.delete('/roles/guest', '*')
    })

    it('nor a place, with its units, or a permission', async () => {
      const { json: made } = await admin.post('/organisations', { code: 'initech', name: 'Initech' })
      await admin.post('/units', { organisation_uuid: made.uuid, code: 'tps', name: 'TPS' })
      await admin.post('/permissions', { code: 'ledger.entry.audit', description: 'Audit' })
      await allow({
        organisations: ['initech', 'initech/tps', 'globex'],
        permissions: ['ledger.entry.audit'],
      })
      await admin.delete(`/organisations/${String(made.uuid)}`, '*')
      await admin.delete('/permissions/ledger.entry.audit', '*')
      expect((await admin.get(web)).json.allowed_removed).toEqual({
        organisations: ['initech', 'initech/tps'],
        permissions: ['ledger.entry.audit'],
      })
      expect(await entered(people.both)).toBe('/no-profile')
    })
  })

  it('is a link of the explanation, with what would let them in', async () => {
    await allow({ roles: ['bookkeeper'], organisations: ['globex'] })
    const asked = (profile: string) =>
      `/access/explain?permission=ledger.entry.read&user_uuid=${users.both}&profile_uuid=${profile}&client_id=submissions-web&include=remedies`
    const { json } = await admin.get(asked(atAcme))
    expect(json.allowed).toBe(false)
    expect(json.chain).toContainEqual({
      check: 'profile_allowed',
      holds: false,
      detail:
        'The client submissions-web lets in a profile with one of the roles bookkeeper, and at one of the places globex, which this one is not.',
    })
    const body = { user_uuid: users.both, role_code: 'bookkeeper', organisation_uuid: globex }
    expect(json.remedies).toContainEqual(
      expect.objectContaining({
        mends: 'profile_allowed',
        path: '/profiles',
        body: { ...body, organisation_unit_uuid: null },
      }),
    )
    const held = (await admin.get(asked(atGlobex))).json.chain
    expect(held).toContainEqual(expect.objectContaining({ check: 'profile_allowed', holds: true }))
  })
})
