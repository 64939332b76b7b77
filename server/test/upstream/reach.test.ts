/** A proof by an organisation's upstream opens that organisation alone, whichever door is tried (decisions 16). */
import { beforeAll, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  formOn,
  signIn,
  type TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { introspect, refresh, userinfo } from '../harness/program.ts'
import { linkTo, setOrganisation } from '../harness/states.ts'
import { beginDevice, deviceGrant, enter, poll } from '../oauth2/device-support.ts'
import { proxied, Visitor, wiki, wikiClient } from '../forward/proxy.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

type Traveller = {
  uuid: string
  sub: string
  email: string
  password: string
  atAcme: string
  atGlobex: string
  everywhere: string
}

onEachDatabase('the reach of an upstream', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, { settings: proxied })
  let initech: string
  /** A machine of no organisation. */
  let asker: Record<string, string>
  beforeAll(async () => {
    initech = await place.make('/organisations', { code: 'initech', name: 'Initech' })
    const terminal = { client_id: 'terminal', client_name: 'Terminal', type: 'public', first_party: true }
    for (const client of [
      {
        ...{ ...terminal, grant_types: [deviceGrant, 'refresh_token'] },
        ...{ scope: 'openid email profile service.api', services: ['submissions-tool'] },
      },
      { ...wikiClient, routes: { '* /*': 'signed-in' } },
      { client_id: 'asker', client_name: 'Asker', type: 'machine', services: ['submissions-tool'] },
    ]) {
      const made = await place.admin.post('/clients', client)
      expect(made.status, made.text).toBe(201)
      if (made.json.client_secret !== undefined)
        asker = { client_id: 'asker', client_secret: String(made.json.client_secret) }
    }
  })

  /** Somebody with a profile at Acme, one at Globex and one over the installation, who is linked to Acme's upstream. */
  async function traveller(): Promise<Traveller> {
    const who = place.somebody()
    const { uuid, profiles } = await place.account(who, [
      { role_code: 'importer', organisation_uuid: acme },
      { role_code: 'reader', organisation_uuid: globex },
      { role_code: 'administrator' },
    ])
    const [atAcme = '', atGlobex = '', everywhere = ''] = profiles
    await linkTo(place.tessera, {
      upstream_uuid: place.upstream,
      user_uuid: uuid,
      groups: [],
      at: Date.now(),
    })
    return { uuid, sub: uuid, email: who.email, password, atAcme, atGlobex, everywhere }
  }
  const grant = async (changes: Record<string, string>, token: string | undefined) => {
    const { status, json } = await refresh(place.url, token, changes)
    return [status, json.error]
  }
  const accept = async (accepts: readonly string[], uuid = globex) =>
    await setOrganisation(place.tessera, uuid, { accepts })
  const pathOf = (visit: Visit) => new URL(visit.url).pathname

  it('is where the choice of a profile ends', async () => {
    const ada = await traveller()
    const tokens = await place.tokens(ada)
    expect(claimsOf(tokens.access_token)).toMatchObject({ profile_uuid: ada.atAcme, organisation_uuid: acme })
    const second = await place.make('/profiles', {
      user_uuid: ada.uuid,
      ...{ role_code: 'reader', organisation_uuid: acme },
    })
    const { visit, browser, request } = await place.signIn(ada)
    expect([pathOf(visit), visit.body.includes('Globex')]).toEqual(['/choose-profile', false])
    for (const profile_uuid of [ada.atGlobex, ada.everywhere])
      expect((await browser.submit(visit, { profile_uuid })).status).toBe(400)
    const { json } = await place.redeem(await browser.submit(visit, { profile_uuid: second }), request)
    expect(claimsOf(json.id_token).profile_uuid).toBe(second)
    for (const profile_uuid of [ada.atGlobex, ada.everywhere]) {
      const page = await browser.open(authorizeRequest({ profile_uuid }).path)
      expect([page.status, pathOf(page)]).toEqual([200, '/sign-in'])
      const silent = await browser.open(authorizeRequest({ profile_uuid, prompt: 'none' }).path)
      expect(answerOf(silent).error).toBe('login_required')
    }
    // Once more proved, by what is one's own, it opens.
    const page = await browser.open(authorizeRequest({ profile_uuid: ada.atGlobex }).path)
    expect((await browser.submit(page, { email: ada.email, password })).location).toMatch('code=')
    await accept([])
  })

  it('is where refreshing ends, whatever the session proves later', async () => {
    const ada = await traveller()
    const browser = place.browser()
    let tokens = await place.tokens(ada, { browser })
    for (const profile_uuid of [ada.atGlobex, ada.everywhere])
      expect(await grant({ profile_uuid }, tokens.refresh_token)).toEqual([400, 'invalid_request'])
    // A password in the same browser makes what was given before no stronger.
    await signIn(
      browser,
      authorizeRequest({ prompt: 'login' }).path,
      { email: ada.email, password },
      ada.atAcme,
    )
    expect(await grant({ profile_uuid: ada.atGlobex }, tokens.refresh_token)).toEqual([
      400,
      'invalid_request',
    ])
    tokens = (await refresh(place.url, tokens.refresh_token)).json as Record<string, string>
    expect(claimsOf(tokens.access_token).profile_uuid).toBe(ada.atAcme)
    expect((await userinfo(place.url, tokens.access_token)).status).toBe(200)
    expect(await introspect(place.url, tokens.access_token, asker)).toMatchObject({ active: true })
  })

  it('is where codes and devices end', async () => {
    const ada = await traveller()
    const begun = await beginDevice(place.url)
    const browser = place.browser()
    await place.signIn(ada, { browser })
    const question = await enter(browser, begun.user_code)
    expect(question.body).not.toContain('Globex')
    await browser.submit(question, { choice: 'allow' })
    const given = await poll(place.url, begun)
    expect(claimsOf(String(given.json.access_token)).profile_uuid).toBe(ada.atAcme)
    const other = await beginDevice(place.url)
    await browser.submit(await enter(browser, other.user_code), { choice: 'allow' })
    const { visit, request } = await place.signIn(ada)
    await place.change(`/upstreams/${place.upstream}`, { active: false })
    expect((await poll(place.url, other)).json.error).toBe('invalid_grant')
    expect((await place.redeem(visit, request)).json.error).toBe('invalid_grant')
    await place.change(`/upstreams/${place.upstream}`, { active: true })
  })

  it('grows by who accepts it, no further, and shrinks at once', async () => {
    const ada = await traveller()
    const atInitech = await place.make('/profiles', {
      user_uuid: ada.uuid,
      ...{ role_code: 'importer', organisation_uuid: initech },
    })
    await accept([acme])
    // Whom Globex accepts, Initech does not, which accepts Globex.
    await accept([globex], initech)
    const asked = async () => await place.tokens(ada, { changes: { profile_uuid: ada.atGlobex } })
    const ends: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
      ['accepts', () => accept([]), () => accept([acme])],
      ...[`/upstreams/${place.upstream}`, `/organisations/${acme}`].map(
        (path): [string, () => Promise<unknown>, () => Promise<unknown>] => [
          path,
          () => place.change(path, { active: false }),
          () => place.change(path, { active: true }),
        ],
      ),
    ]
    for (const [name, end, begin] of ends) {
      const tokens = await asked()
      expect(claimsOf(tokens.access_token).organisation_uuid).toBe(globex)
      for (const profile_uuid of [atInitech, ada.everywhere])
        expect(await grant({ profile_uuid }, tokens.refresh_token)).toEqual([400, 'invalid_request'])
      expect(await introspect(place.url, tokens.access_token, asker)).toMatchObject({ active: true })
      await end()
      expect(await introspect(place.url, tokens.access_token, asker), name).toEqual({ active: false })
      expect((await userinfo(place.url, tokens.access_token)).status, name).toBe(401)
      expect(await grant({}, tokens.refresh_token), name).toEqual([400, 'invalid_grant'])
      await begin()
    }
    await accept([])
    await accept([], initech)
  })

  const pages = [
    ...['', '/person', '/address', '/sign-in', '/sessions', '/applications'],
    ...['/activity', '/data', '/deletion'],
  ].map((path) => `/account${path}`)

  onOne.it('is what the account shows, and nothing of it changes', async () => {
    const ada = await traveller()
    const { browser } = await place.signIn(ada)
    const shown = await browser.open('/account/profiles')
    expect([shown.body.includes('Acme Institute'), shown.body.includes('Globex')]).toEqual([true, false])
    const { hidden } = formOn(await browser.open('/account'))
    const acts = [
      ...['save', 'picture', 'send', 'address', 'password', 'set_password', 'add', 'confirm', 'key', 'codes'],
      ...['rename', 'remove', 'end', 'others', 'forget', 'withdraw', 'download', 'delete', 'keep', 'undo'],
    ]
    const before = await place.admin.get(`/users/${ada.uuid}`)
    for (const path of [...pages, '/account/profiles']) {
      if (path !== '/account/profiles') {
        const page = await browser.open(path)
        expect(textOf(page), path).toContain('Password')
        expect(page.body, path).not.toContain(ada.email)
      }
      const { csrf = '' } = formOn(await browser.open(path)).hidden
      for (const act of acts) {
        const form = { ...hidden, csrf, do: act, email: 'x@evil.example', name: 'Evil', locale: 'en' }
        const done = await browser.request(path, {
          form: {
            ...form,
            zoneinfo: '',
            new_password: 'seven quiet ferries',
            new_password_again: 'seven quiet ferries',
          },
        })
        expect([303, 200, 403], `${path} ${act} ${done.status}`).toContain(done.status)
        expect(done.location ?? '', `${path} ${act}`).not.toContain('done=')
        expect(done.body, `${path} ${act}`).not.toContain(ada.email)
      }
    }
    expect((await place.admin.get(`/users/${ada.uuid}`)).json).toEqual(before.json)
    expect((await browser.open('/')).body).not.toContain('/console')
    // With the password it is the whole account.
    const whole = await browser.submit(await browser.open('/account'), { password })
    expect(textOf(await browser.follow(whole))).toContain(ada.email)
  })

  onOne.it('keeps the console and its rights shut', async () => {
    const ada = await traveller()
    const { browser } = await place.signIn(ada)
    for (const changes of [{ profile_uuid: ada.everywhere }, {}]) {
      const request = authorizeRequest({ client_id: 'admin-web', scope: 'openid service.api', ...changes })
      const visit = await browser.open(request.path)
      if (visit.location === undefined) expect(pathOf(visit)).toBe('/sign-in')
      else {
        const { json } = await place.redeem(visit, request)
        expect(claimsOf(json.access_token)).toMatchObject({ profile_uuid: ada.atAcme, permissions: [] })
      }
    }
  })

  it('is where forward authentication ends', async () => {
    const ada = await traveller()
    const browser = place.browser()
    await place.signIn(ada, { browser })
    await accept([acme])
    const visitor = new Visitor({ ...place.tessera, url: place.url }, { issuer: browser })
    const begun = await visitor.ask({ origin: wiki })
    const location = String(begun.headers.location)
    await visitor.comeBack(await visitor.through(location, { email: '', password: '' }, ada.atGlobex))
    expect((await visitor.ask()).status).toBe(200)
    await accept([])
    expect((await visitor.ask()).status).not.toBe(200)
    await accept([acme])
    expect((await visitor.ask()).status).toBe(200)
    await place.change(`/upstreams/${place.upstream}`, { active: false })
    expect((await visitor.ask()).status).not.toBe(200)
    await place.change(`/upstreams/${place.upstream}`, { active: true })
    await accept([])
  })

  it('is one person in a session: another one ends it', async () => {
    const [ada, bob] = [await traveller(), await traveller()]
    const browser = place.browser()
    const request = authorizeRequest({ profile_uuid: bob.atGlobex })
    const visit = await signIn(browser, request.path, { email: bob.email, password })
    const { json } = await place.redeem(visit, request)
    const tokens = await place.tokens(ada, { browser, changes: { prompt: 'login' } })
    expect(claimsOf(tokens.id_token)).toMatchObject({ sub: ada.uuid, organisation_uuid: acme })
    expect(await grant({}, json.refresh_token)).toEqual([400, 'invalid_grant'])
    const cookie = await sessionOf(browser)
    expect(cookie).not.toContain(bob.email)
    const page = await browser.open(authorizeRequest({ profile_uuid: ada.everywhere }).path)
    expect(pathOf(page)).toBe('/sign-in')
  })

  const sessionOf = async (browser: TestBrowser) => textOf(await browser.open('/account/profiles'))
})
