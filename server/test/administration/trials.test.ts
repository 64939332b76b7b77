/** Trials of a client: an administrator goes through its sign-in as themself, and nobody gets a token. */
import { beforeAll, expect, it } from 'vitest'
import { runHere } from '../cli/command-support.ts'
import { people, redirectUri, TestBrowser, tokensFor, type Visit } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { allConsents, changeClient, countOf } from '../harness/states.ts'
import { acme, Administrator, administeredOn, globex, heads, problemOf, profiles, users } from './support.ts'

const wiki = {
  client_id: 'wiki',
  client_name: 'Wiki',
  type: 'public',
  redirect_uris: [redirectUri],
  scope: 'openid email profile service.api',
  services: ['submissions-tool'],
  claims: [{ name: 'org', source: 'organisation_code' }],
}
const minute = 60_000

onEachDatabase('the trial of a client', (dialect) => {
  const tessera = administeredOn(dialect)
  let browser: TestBrowser
  let admin: Administrator

  let token = ''
  async function signedIn(who: { email: string; password: string }) {
    const own = new TestBrowser(tessera.url)
    const changes = { client_id: 'admin-web', scope: 'openid service.api' }
    const tokens = await tokensFor(tessera.url, who, { browser: own, changes })
    token = tokens.access_token ?? ''
    return { browser: own, admin: new Administrator(tessera.url, token) }
  }
  beforeAll(async () => {
    const signed = await signedIn(people.admin)
    browser = signed.browser
    admin = signed.admin
    expect((await admin.post('/clients', wiki)).status).toBe(201)
    expect(
      (await admin.post('/clients', { ...wiki, client_id: 'mine', organisation_uuid: acme })).status,
    ).toBe(201)
  })

  async function begun(body: object = {}, who = admin, client = 'wiki') {
    const { status, json, text } = await who.post(`/clients/${client}/trials`, body)
    expect(status, text).toBe(201)
    return json as { trial: string; url: string; scope: string; expires_at: string }
  }
  async function cameOf({ trial }: { trial: string }, who = admin, client = 'wiki') {
    const { status, json, text } = await who.get(`/clients/${client}/trials/${trial}`)
    expect(status, text).toBe(200)
    return json as {
      state: string
      signed_in: Record<string, unknown> | null
      tokens: Record<string, { claims: { claim: string; value: unknown }[] }> | null
      refusal: { error: string; cure: string } | null
    }
  }
  const allow = (page: Visit, by = browser) => by.submit(page, { choice: 'allow' })

  it('goes through the real consent, tells what the client would get, and gives nothing', async () => {
    const codes = await countOf(tessera, 'codes')
    const made = await begun()
    expect(made.scope).toBe('openid email profile service.api')
    expect(await cameOf(made)).toMatchObject({
      state: 'waiting',
      signed_in: null,
      tokens: null,
      refusal: null,
    })
    const consent = await browser.open(made.url)
    expect(new URL(consent.url).pathname).toBe('/consent')
    expect(consent.body).toContain('Wiki')
    expect(await cameOf(made)).toMatchObject({ state: 'running', signed_in: null, tokens: null })
    const end = await allow(consent)
    const { pathname, searchParams } = new URL(end.url)
    expect([end.status, pathname, Object.fromEntries(searchParams)]).toEqual([
      200,
      '/console/try',
      { state: made.trial, iss: tessera.url },
    ])
    const came = await cameOf(made)
    const signed_in = { user_uuid: users.admin, profile_uuid: profiles.admin, acr: '1', amr: ['pwd'] }
    expect(came).toMatchObject({ state: 'done', signed_in, refusal: null })
    const claims = came.tokens?.id_token?.claims.map(({ claim, value }) => [claim, value]) ?? []
    expect(Object.fromEntries(claims)).toMatchObject({
      sub: users.admin,
      aud: 'wiki',
      acr: '1',
      amr: ['pwd'],
    })
    // No code, and the next sign-in asks for consent as if this had not been.
    expect(await countOf(tessera, 'codes')).toBe(codes)
    expect((await allConsents(tessera)).filter((one) => one.client_id === 'wiki')).toEqual([])
  })

  it('tells of a client of plain OAuth 2.0 that it gets an access token alone', async () => {
    const plain = {
      ...wiki,
      client_id: 'plain',
      type: 'web',
      first_party: true,
      scope: 'service.api',
      claims: [],
    }
    expect((await admin.post('/clients', plain)).status).toBe(201)
    const made = await begun({}, admin, 'plain')
    expect((await browser.open(made.url)).status).toBe(200)
    const tokens = { scope: 'service.api', id_token: null, userinfo: null }
    expect(await cameOf(made, admin, 'plain')).toMatchObject({ state: 'done', tokens })
  })

  it('tells the error, with its cure, that the client would have been told', async () => {
    const made = await begun()
    const end = await browser.submit(await browser.open(made.url), { choice: 'deny' })
    expect(new URL(end.url).searchParams.get('error')).toBe('access_denied')
    const refusal = { error: 'access_denied', cure: expect.stringContaining('Consent was not given') }
    expect(await cameOf(made)).toMatchObject({ state: 'refused', signed_in: null, tokens: null, refusal })
  })

  it('counts once, for ten minutes, and not after a newer one', async () => {
    const made = await begun()
    await browser.open(made.url)
    expect((await browser.open(made.url)).status).toBe(400)
    const late = await begun()
    tessera.clock.advance(10 * minute + 1000)
    expect((await browser.open(late.url)).status).toBe(400)
    expect(problemOf(await admin.get(`/clients/wiki/trials/${late.trial}`))).toBe('404 not_found')
    const [older, newer] = [await begun(), await begun()]
    expect((await browser.open(older.url)).status).toBe(400)
    expect(new URL((await browser.open(newer.url)).url).pathname).toBe('/consent')
  })

  it('is opened by nobody but who asked, in that session, which others do not use up', async () => {
    const made = await begun()
    const other = await signedIn(heads.head)
    expect((await other.browser.open(made.url)).status).toBe(400)
    expect((await new TestBrowser(tessera.url).open(made.url)).status).toBe(400)
    // The same person elsewhere.
    const again = await signedIn(people.admin)
    expect((await again.browser.open(made.url)).status).toBe(400)
    expect(new URL((await browser.open(made.url)).url).pathname).toBe('/consent')
    expect(problemOf(await other.admin.get(`/clients/mine/trials/${made.trial}`))).toBe('404 not_found')
    expect(problemOf(await admin.get(`/clients/mine/trials/${made.trial}`))).toBe('404 not_found')
    expect((await browser.open(`${tessera.url}/oauth2/authorize/trial`)).status).toBe(400)
  })

  it('tells nothing of another person who signs in on the way', async () => {
    const own = await signedIn(people.admin)
    const made = await begun({ prompt: 'login' }, own.admin)
    const page = await own.browser.open(made.url)
    expect(new URL(page.url).pathname).toBe('/sign-in')
    const end = await own.browser.submit(page, people.importer)
    expect(new URL(end.url).searchParams.get('error')).toBe('login_required')
    const refusal = { error: 'login_required' }
    expect(await cameOf(made)).toMatchObject({ state: 'refused', signed_in: null, tokens: null, refusal })
  })

  it('is begun by people alone, with a client that they reach and that people sign in with', async () => {
    const machine = await Administrator.machine(tessera.url)
    expect(problemOf(await machine.post('/clients/wiki/trials', {}))).toBe('403 forbidden')
    const { admin: head, browser: own } = await signedIn(heads.head)
    const { admin: unit } = await signedIn(heads.unitHead)
    for (const [who, id] of [
      [head, 'wiki'],
      [unit, 'mine'],
      [admin, 'tessera:console'],
      [admin, 'nothing'],
    ] as const)
      expect([id, problemOf(await who.post(`/clients/${id}/trials`, {}))]).toEqual([id, '404 not_found'])
    expect(problemOf(await admin.post('/clients/nightly-import/trials', {}))).toBe('409 conflict')
    expect(problemOf(await admin.post('/clients/wiki/trials', { scope: 'email' }))).toBe(
      '400 invalid_request scope',
    )
    expect(problemOf(await admin.post('/clients/wiki/trials?dry_run=true', {}))).toBe(
      '400 invalid_request dry_run',
    )
    const on = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url }
    const without = await runHere(['client', 'try', 'wiki'], {
      environment: { ...on, TESSERA_CONSOLE: 'false' },
    })
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('TESSERA_CONSOLE') })
    const made = await begun({}, head, 'mine')
    await allow(await own.open(made.url), own)
    expect(await cameOf(made, head, 'mine')).toMatchObject({ state: 'done', tokens: { complete: true } })
    // What it needs is asked again when it is read.
    await changeClient(tessera, 'mine', { organisation_uuid: globex })
    expect(problemOf(await head.get(`/clients/mine/trials/${made.trial}`))).toBe('404 not_found')
  })

  it('is begun and read by the command, with the token of a person', async () => {
    const { browser: own } = await signedIn(people.admin)
    const by = async (line: string) => {
      const environment = { TESSERA_URL: tessera.url, TESSERA_TOKEN: token }
      return await runHere(line.split(' '), { environment })
    }
    const made = await by('client try wiki --scope openid')
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('tessera client tried wiki ') })
    await allow(await own.open(made.stdout.trim()), own)
    const { stdout, stderr } = await by(`client tried wiki ${new URL(made.stdout).searchParams.get('trial')}`)
    expect(stdout, stderr).toMatch(/state\tdone\nuser uuid\t/)
    expect(stdout).toContain(`sub\t"${users.admin}"`)
  })

  it('ends with the client: disabled before it is opened, or on the way', async () => {
    const [first, second] = [await begun(), await signedIn(people.admin)]
    const consent = await browser.open(first.url)
    const made = await begun({}, second.admin)
    await changeClient(tessera, 'wiki', { active: 0 })
    expect((await allow(consent)).status).toBe(400)
    expect((await second.browser.open(made.url)).status).toBe(400)
    expect(problemOf(await admin.post('/clients/wiki/trials', {}))).toBe('409 conflict')
    await changeClient(tessera, 'wiki', { active: 1 })
  })
})
