/** A consent is to what was shown: what a client becomes afterwards is asked anew, and carried by nothing before (decisions 10). */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acme, Administrator, globex, profiles, users, administeredOn } from '../administration/support.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, sampleOn } from '../harness/databases.ts'
import { audiences, introspect, refresh, refusalOf, tokensOf, userinfo } from '../harness/program.ts'

const callback = 'https://lunch.example/callback'
const evil = 'https://evil.example/cb'
const read = 'submissions-tool.vista-import.read'
const create = 'submissions-tool.vista-import.create'
const lunch = {
  client_name: 'Lunch menu',
  type: 'public',
  redirect_uris: [callback],
  scope: 'openid profile service.api',
  services: ['submissions-tool'],
  permissions: [read],
}

onEachDatabase('what was consented to', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let browser: TestBrowser
  let client_id: string
  let count = 0
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  beforeEach(async () => {
    browser = new TestBrowser(tessera.url)
    client_id = `lunch-${count++}`
  })

  const register = async (changes: object = {}) =>
    expect((await admin.post('/clients', { ...lunch, client_id, ...changes })).status).toBe(201)
  const change = async (changes: object) =>
    expect((await admin.patch(`/clients/${client_id}`, changes)).status).toBe(200)
  const ask = (changes: Record<string, string> = {}) =>
    authorizeRequest({ client_id, redirect_uri: callback, scope: lunch.scope, ...changes })
  const pathOf = (visit: Visit) => new URL(visit.url).pathname

  async function exchange(request: ReturnType<typeof ask>, visit: Visit) {
    return await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id,
      redirect_uri: request.parameters.redirect_uri ?? '',
      code: answerOf(visit).code ?? '',
      code_verifier: request.verifier,
    })
  }

  /** Signs in, allows, and yields the page that was shown and the tokens. */
  async function allow(who = people.importer as { email: string; password: string }, changes = {}) {
    const request = ask(changes)
    const page = await signIn(browser, request.path, who)
    expect([page.status, pathOf(page)]).toEqual([200, '/consent'])
    const visit = await browser.submit(page, { choice: 'allow' })
    return { page, tokens: tokensOf(await exchange(request, visit)) }
  }
  const silently = async (changes: Record<string, string> = {}) =>
    answerOf(await browser.open(ask({ prompt: 'none', ...changes }).path))

  const bodyOf = async (changes: Record<string, string> = {}) => {
    const page = await browser.open(ask(changes).path)
    expect(pathOf(page)).toBe('/consent')
    return page.body
  }
  /** The items of a page that are marked as new, without their markup. */
  const newOn = (body: string) =>
    [...body.matchAll(/<(?:li|h3) data-new[^>]*>([\s\S]*?)<\/(?:li|h3)>/g)].map(([, item = '']) =>
      item
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )

  it('is asked anew for a service that is made anew under the code of one that was removed', async () => {
    const photos = { code: 'photos', name: 'Photos', audience: 'https://photos.example/api' }
    const seen = { code: 'photos.album.read', description: 'Read albums' }
    const make = async (service: object) => {
      expect((await admin.post('/services', service)).status).toBe(201)
      expect((await admin.post('/permissions', seen)).status).toBe(201)
    }
    await make(photos)
    const named = { services: ['submissions-tool', 'photos'], permissions: [read, seen.code] }
    await register(named)
    await allow()
    expect((await silently()).code).toBeDefined()
    expect((await admin.delete('/services/photos')).status).toBe(204)
    expect((await silently()).code).toBeDefined()
    await make({ ...photos, name: 'Payroll', audience: 'https://payroll.example/api' })
    await change(named)
    expect((await silently()).error).toBe('consent_required')
    expect(await bodyOf()).toContain('Payroll')
  })

  onOne.it(
    'is named by the page: services, what may be done there, and where the browser may be sent',
    async () => {
      await register({
        permissions: [read, create],
        redirect_uris: [callback, 'https://menu.example/callback'],
      })
      const { page } = await allow()
      for (const text of [
        'Submissions tool',
        'Import a VISTA file',
        'See past imports',
        'lunch.example',
        'menu.example',
      ])
        expect(page.body).toContain(text)
      expect(page.body).not.toContain('Approve a submission')
      expect(newOn(page.body)).toEqual([])
    },
  )

  onOne.it('names the administration of the service itself, and what it may do there', async () => {
    await register({
      services: ['iam'],
      permissions: ['iam.users.read', 'iam.users.update', 'iam.keys.create'],
    })
    const body = (await allow(people.admin)).page.body
    for (const text of ['Administration of this service', 'People: see, change', 'Signing keys: add'])
      expect(body).toContain(text)
    expect(body).not.toContain('Roles')
  })

  onOne.it('names all of a service where the client has no list', async () => {
    await register({ permissions: null })
    const body = (await allow()).page.body
    for (const text of ['Import a VISTA file', 'See past imports', 'Approve a submission'])
      expect(body).toContain(text)
  })

  it.each<[string, object, string[]]>(
    sampleOn(dialect, 1, [
      ['a host', { redirect_uris: [callback, evil] }, ['evil.example']],
      ['a permission', { permissions: [read, create] }, ['Import a VISTA file']],
      ['all permissions', { permissions: null }, ['Import a VISTA file', 'Approve a submission']],
      ['a service', { services: ['submissions-tool', 'ledger'] }, ['Ledger']],
    ]),
  )('is asked anew when %s comes along, naming it', async (_, changes, expected) => {
    await register()
    await allow()
    expect(await silently()).toHaveProperty('code')
    await change(changes)
    expect((await silently()).error).toBe('consent_required')
    const fresh = newOn(await bodyOf()).join('\n')
    for (const one of expected) expect(fresh).toContain(one)
    expect(fresh).not.toContain('See past imports')
    expect(
      answerOf(await browser.submit(await browser.open(ask().path), { choice: 'allow' })),
    ).toHaveProperty('code')
    expect(await silently()).toHaveProperty('code')
  })

  onOne.it(
    'is asked anew when an app may be returned to by the scheme that a website is named like',
    async () => {
      const app = { redirect_uris: ['https://com.example.lunch/callback'], application_type: 'native' }
      const website = { redirect_uri: 'https://com.example.lunch/callback' }
      await register(app)
      await allow(people.importer, website)
      await change({ redirect_uris: [...app.redirect_uris, 'com.example.lunch:/callback'] })
      expect((await silently(website)).error).toBe('consent_required')
      expect(newOn(await bodyOf(website))).toEqual([expect.stringContaining('com.example.lunch:')])
    },
  )

  it('is not asked anew when the client comes to less, or to what was allowed before', async () => {
    await register({ permissions: [read, create], redirect_uris: [callback, evil] })
    await allow()
    await change({ permissions: [read], redirect_uris: [callback] })
    expect(await silently()).toHaveProperty('code')
    await change({ permissions: [read, create], redirect_uris: [`${callback}/2`, callback] })
    expect(await silently()).toHaveProperty('code')
  })

  it('is asked anew when a service comes to more, of a client without a list', async () => {
    await register({ permissions: null })
    await allow()
    const permission = { code: `submissions-tool.menu-${count}.read`, description: 'Read menus' }
    expect((await admin.post('/permissions', permission)).status).toBe(201)
    expect((await silently()).error).toBe('consent_required')
    expect(newOn(await bodyOf())).toEqual([expect.stringContaining('Read menus')])
  })

  onOne.it('for one service says nothing of another that was left out by resource', async () => {
    await register({ services: ['submissions-tool', 'ledger'], permissions: null })
    await allow(people.importer, { resource: audiences.submissions })
    expect(await silently({ resource: audiences.submissions })).toHaveProperty('code')
    expect((await silently()).error).toBe('consent_required')
    expect((await silently({ resource: audiences.ledger })).error).toBe('consent_required')
  })

  describe('is all that tokens carry', () => {
    const iamToo = {
      services: ['iam', 'submissions-tool'],
      permissions: ['iam.*', read],
      redirect_uris: [callback, evil],
    }

    it('at a refresh, until the person allows more', async () => {
      await register()
      const { tokens } = await allow(people.admin)
      await change(iamToo)
      const after = tokensOf(await refresh(tessera.url, tokens.refresh_token, { client_id }))
      expect(claimsOf(after.access_token)).toMatchObject({ aud: audiences.submissions, permissions: [] })
      const administer = new Administrator(tessera.url, after.access_token ?? '')
      expect((await administer.get('/users')).status).toBe(401)
      await browser.submit(await browser.open(ask().path), { choice: 'allow' })
      const more = tokensOf(await refresh(tessera.url, after.refresh_token, { client_id }))
      expect(claimsOf(more.access_token).permissions).toContain('iam.users.read')
    })

    it('by a code that was given before', async () => {
      await register()
      const request = ask()
      const page = await signIn(browser, request.path, people.admin)
      const visit = await browser.submit(page, { choice: 'allow' })
      await change(iamToo)
      const tokens = tokensOf(await exchange(request, visit))
      expect(claimsOf(tokens.access_token)).toMatchObject({ aud: audiences.submissions, permissions: [] })
    })

    it('by the form that was shown: more that came meanwhile is shown first', async () => {
      await register()
      const page = await signIn(browser, ask().path, people.admin)
      await change(iamToo)
      const again = await browser.submit(page, { choice: 'allow' })
      expect([again.location, pathOf(again)]).toEqual([undefined, '/consent'])
      expect(again.body).toContain('Administration of this service')
      expect((await silently()).error).toBe('consent_required')
      expect(answerOf(await browser.submit(again, { choice: 'allow' }))).toHaveProperty('code')
    })

    it('of a client that is not first-party any more: nothing that nobody was asked for', async () => {
      await register({ first_party: true })
      const request = ask()
      const tokens = tokensOf(await exchange(request, await signIn(browser, request.path, people.importer)))
      expect((await introspect(tessera.url, tokens.access_token)).active).toBe(true)
      await change({ first_party: false })
      expect(await introspect(tessera.url, tokens.access_token)).toEqual({ active: false })
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
      const refused = await refresh(tessera.url, tokens.refresh_token, { client_id })
      expect(refusalOf(refused)).toBe('400 invalid_grant')
    })
  })

  describe('once and not since', () => {
    it('is no consent to what the client asked for while it was first-party', async () => {
      await register({ scope: 'openid email profile service.api' })
      const first = await allow(people.importer, { scope: 'openid' })
      await change({ first_party: true })
      const request = ask({ scope: 'openid email profile' })
      const tokens = tokensOf(await exchange(request, await browser.open(request.path)))
      expect(claimsOf(tokens.id_token)).toHaveProperty('email')
      const before = answerOf(await browser.open(request.path)).code ?? ''
      await change({ first_party: false })

      expect((await userinfo(tessera.url, tokens.access_token)).json).not.toHaveProperty('email')
      expect(await introspect(tessera.url, tokens.access_token)).not.toHaveProperty('email')
      for (const refreshToken of [tokens.refresh_token, first.tokens.refresh_token]) {
        const after = tokensOf(await refresh(tessera.url, refreshToken, { client_id }))
        expect(after.scope).toBe('openid')
        for (const token of [after.access_token, after.id_token]) {
          expect(claimsOf(token)).not.toHaveProperty('email')
          expect(claimsOf(token)).not.toHaveProperty('name')
        }
      }
      expect(before).not.toBe('')
      const exchanged = await post(`${tessera.url}/oauth2/token`, {
        grant_type: 'authorization_code',
        client_id,
        redirect_uri: callback,
        code: before,
        code_verifier: request.verifier,
      })
      expect(tokensOf(exchanged).scope).toBe('openid')
    })

    it.each(
      sampleOn(dialect, 1, [
        ['to an organisation', null, acme],
        ['out of one', acme, null],
        ['to another one', acme, globex],
      ]),
    )('counts no more when the client is moved %s, where it reaches others', async (_, from, to) => {
      await register({ organisation_uuid: from })
      const { tokens } = await allow(people.both, from === null ? { profile_uuid: profiles.bothReader } : {})
      await change({ organisation_uuid: to })
      const at = to === globex ? profiles.bothBookkeeper : profiles.bothReader
      expect((await silently({ profile_uuid: at })).error).toBe('consent_required')
      expect(await admin.all(`/consents?client_id=${client_id}`)).toEqual([])
      const refused = await refresh(tessera.url, tokens.refresh_token, { client_id })
      expect(refusalOf(refused)).toBe('400 invalid_grant')
    })

    it('is not given by a page that was shown before the client was moved', async () => {
      await register({ organisation_uuid: acme })
      const page = await signIn(browser, ask().path, people.importer)
      await change({ organisation_uuid: null })
      const over = await browser.submit(page, { choice: 'allow' })
      expect([over.status, over.location]).toEqual([400, undefined])
      expect(await admin.all(`/consents?client_id=${client_id}`)).toEqual([])
    })
  })

  it('stands in the list of consents and in the audit', async () => {
    await register({ redirect_uris: [callback, evil] })
    await allow()
    const [given] = await admin.all(`/consents?user_uuid=${users.importer}&client_id=${client_id}`)
    const shown = {
      services: ['submissions-tool'],
      permissions: [read],
      redirect_hosts: ['evil.example', 'lunch.example'],
      claims: [],
    }
    expect(given).toMatchObject({ scope: lunch.scope, ...shown })
    const [record] = await admin.all(`/audit?kind=consent.given&target=${client_id}`)
    expect(record?.after).toEqual({ scopes: lunch.scope.split(' '), ...shown })
  })
})
