/** Where an organisation wants its own sign-in, nothing else lets somebody act there (decisions 20). */
import { afterEach, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  signIn,
  tokensFor,
  type TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo } from '../harness/development-mail.ts'
import { refresh } from '../harness/program.ts'
import { linkTo, setOrganisation, setPolicy } from '../harness/states.ts'
import { startProvider } from '../harness/upstream-provider.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { byPasskey, credentialOf } from '../sign-in/passkey-support.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

type Person = { uuid: string; sub: string; email: string; password: string; profiles: string[] }

const day = 24 * 3_600_000

onEachDatabase('a demanded sign-in', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect)
  const demand = async (sign_in: 'upstream' | 'any' = 'upstream', more: object = {}) =>
    await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in, ...more })
  afterEach(() => demand('any'))

  /** Somebody with a password and these profiles, who is linked to Acme's upstream. */
  async function person(
    profiles: readonly object[] = [{ role_code: 'importer', organisation_uuid: acme }],
    isLinked = true,
  ): Promise<Person> {
    const { email } = place.somebody()
    const { uuid, profiles: made } = await place.account({ email }, profiles)
    const link = { upstream_uuid: place.upstream, user_uuid: uuid, groups: [], at: Date.now() }
    if (isLinked) await linkTo(place.tessera, link)
    return { uuid, sub: uuid, email, password, profiles: made }
  }
  const byPassword = async (
    { email }: { email: string },
    {
      browser = place.browser(),
      changes = {},
    }: { browser?: TestBrowser; changes?: Record<string, string> } = {},
  ): Promise<Visit> => await signIn(browser, authorizeRequest(changes).path, { email, password })
  const refused = async (token: string | undefined, changes: Record<string, string> = {}) =>
    (await refresh(place.url, token, changes)).json.error
  const leads = (visit: Visit) => visit.location?.startsWith(`${place.provider.issuer}/authorize`) === true

  it('is demanded of nobody before somebody came through the upstream', async () => {
    const ada = await person()
    await demand()
    expect((await byPassword(ada)).location).toMatch('code=')
    await place.tokens(ada)
    expect(leads(await byPassword(ada))).toBe(true)
  })

  it('follows a password, and is of the same person', async () => {
    const [ada, bob] = [await person(), await person()]
    await demand()
    const browser = place.browser()
    const request = authorizeRequest()
    const left = await signIn(browser, request.path, ada)
    expect(leads(left)).toBe(true)
    const silent = await browser.open(authorizeRequest({ prompt: 'none' }).path)
    expect(answerOf(silent).error).toBe('login_required')
    const { json } = await place.redeem(await place.back(browser, left, ada), request)
    expect(claimsOf(json.id_token)).toMatchObject({ sub: ada.uuid, organisation_uuid: acme })
    expect((await refresh(place.url, json.refresh_token)).status).toBe(200)
    // Somebody else there is somebody else here.
    const [other, again] = [place.browser(), authorizeRequest()]
    const sent = await signIn(other, again.path, ada)
    const tokens = (await place.redeem(await place.back(other, sent, bob), again)).json
    expect(claimsOf(tokens.id_token).sub).toBe(bob.uuid)
  })

  it('stands before passkeys, resets and trusted devices too', async () => {
    const ada = await person()
    await place.tokens(ada)
    await demand()
    const authenticator = await credentialOf(place.tessera, ada)
    expect(leads(await byPasskey(place.browser(), authenticator))).toBe(true)

    const bob = await person()
    const browser = place.browser()
    const page = await browser.open(authorizeRequest().path)
    const forgotten = /href="([^"]*forgotten[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    await browser.submit(await browser.open(forgotten), { email: bob.email })
    const form = await browser.open(linkIn(await mailTo(place.tessera, bob.email, 'Set a new password')))
    const typed = 'seven quiet ferries at dawn'
    expect(leads(await browser.submit(form, { password: typed, password_again: typed }))).toBe(true)

    await importEnrolled(place.tessera, ['trusting'], 'importer')
    await demand('upstream', { trusted_device_days: 30 })
    const trusting = place.browser()
    const factor = await trusting.submit(await trusting.open(authorizeRequest().path), personOf('trusting'))
    const code = codeOf(place.tessera)
    expect(leads(await trusting.submit(factor, { code, trust: '1' }))).toBe(true)
    trusting.cookies.delete('tessera-session')
    expect(leads(await signIn(trusting, authorizeRequest().path, personOf('trusting')))).toBe(true)
  })

  it('ends what was given without it', async () => {
    const ada = await person([
      { role_code: 'importer', organisation_uuid: acme },
      { role_code: 'reader', organisation_uuid: acme },
      { role_code: 'reader', organisation_uuid: globex },
    ])
    const [importer = '', reader = '', elsewhere = ''] = ada.profiles
    await place.tokens(await person())
    const acmeTokens = await tokensFor(place.url, ada, { profile: importer })
    const globexTokens = await tokensFor(place.url, ada, { profile: elsewhere })
    const request = authorizeRequest()
    const visit = await signIn(place.browser(), request.path, ada, importer)
    await demand()
    expect(await refused(acmeTokens.refresh_token)).toBe('invalid_grant')
    expect((await place.redeem(visit, request)).json.error).toBe('invalid_grant')
    for (const profile_uuid of [importer, reader])
      expect(await refused(globexTokens.refresh_token, { profile_uuid })).toBe('interaction_required')
    expect((await refresh(place.url, globexTokens.refresh_token)).status).toBe(200)
    // It lives again when nobody demands it any more.
    await demand('any')
    expect((await refresh(place.url, acmeTokens.refresh_token)).status).toBe(200)
  })

  it('is by the organisation’s own upstream, not by one that it accepts', async () => {
    const other = await startProvider()
    other.now = place.provider.now
    const code = { code: 'globex', name: 'Globex ID', organisation_uuid: globex }
    const upstream_uuid = await place.addUpstream(other, code)
    const ada = await person([
      { role_code: 'importer', organisation_uuid: acme },
      { role_code: 'reader', organisation_uuid: globex },
    ])
    await linkTo(place.tessera, { upstream_uuid, user_uuid: ada.uuid, groups: [], at: Date.now() })
    await place.tokens(await person())
    await setOrganisation(place.tessera, acme, { accepts: [globex] })
    const [atAcme = '', atGlobex = ''] = ada.profiles
    const through = async (profile_uuid: string) => {
      const browser = place.browser()
      const left = await browser.open(authorizeRequest({ profile_uuid, upstream: 'globex/globex' }).path)
      return await place.back(browser, left, ada, other)
    }
    expect((await through(atAcme)).location).toMatch('code=')
    await demand()
    expect(leads(await through(atAcme))).toBe(true)
    expect((await through(atGlobex)).location).toMatch('code=')
    await setOrganisation(place.tessera, acme, { accepts: [] })
    await other.close()
  })

  onOne.it('is of the last days, by when somebody came and not by when they signed in there', async () => {
    const ada = await person()
    await demand()
    await place.change(`/upstreams/${place.upstream}`, { recheck_days: 1 })
    const there = { ...ada, auth_time: place.provider.now() - 40 * 86_400 }
    const browser = place.browser()
    const tokens = await place.tokens(there, { browser })
    expect((await refresh(place.url, tokens.refresh_token)).status).toBe(200)
    const given = (await place.tokens(there, { browser, changes: { prompt: 'select_account' } }))
      .refresh_token
    place.tessera.clock.advance(day)
    place.admin = await place.administrator()
    expect(await refused(given)).toBe('invalid_grant')
    await place.change(`/upstreams/${place.upstream}`, { recheck_days: null })
    expect((await refresh(place.url, given)).status).toBe(200)
  })

  it('lets in who was named for when it fails, by level 2 at the least, which is told', async () => {
    await importEnrolled(place.tessera, ['glass'], 'importer')
    const imported = personOf('glass')
    const [{ uuid }] = (await place.admin.all(`/users?q=${imported.email}`)) as [{ uuid: string }]
    const glass = { ...imported, ...place.somebody() }
    await place.change(`/users/${uuid}`, { email: glass.email })
    await place.tokens(await person())
    await demand('upstream', { trusted_device_days: 30 })
    const browser = place.browser()
    const enter = async () => {
      browser.cookies.delete('tessera-session')
      // Neither the password alone nor a trusted device lets them in.
      const asked = await signIn(browser, authorizeRequest().path, glass)
      expect([asked.location, new URL(asked.url).pathname]).toEqual([undefined, '/sign-in/second-factor'])
      place.tessera.clock.advance(30_000)
      return await browser.submit(asked, { code: codeOf(place.tessera), trust: '1' })
    }
    expect(leads(await enter())).toBe(true)
    await setOrganisation(place.tessera, acme, { breakGlass: [uuid] })
    expect((await enter()).location).toMatch('code=')
    const [used] = await place.audit({ kind: 'break_glass.used' })
    expect(used).toMatchObject({ user_uuid: uuid, organisation_uuid: acme, client_id: 'submissions-web' })
    // They are of no upstream: their address links them to none.
    const { visit } = await place.signIn({ sub: 'glass-there', email: glass.email })
    expect(visit.status).toBe(403)
    expect((await enter()).location).toMatch('code=')
    await setOrganisation(place.tessera, acme, { breakGlass: [] })
  })

  onOne.it('shows a page with the way there after a failure, and no loop', async () => {
    const ada = await person()
    await place.tokens(ada)
    await demand()
    const browser = place.browser()
    const left = await byPassword(ada, { browser })
    place.provider.twists = { brought: (all) => all.set('error', 'access_denied') }
    const failed = await place.back(browser, left, ada)
    place.provider.twists = {}
    expect(failed.status).toBe(403)
    const back = /href="(\/sign-in\?request=[^"]+)"/.exec(failed.body)?.[1] ?? ''
    const page = await browser.open(back)
    expect([page.status, textOf(page)]).toEqual([200, expect.stringContaining('Acme Institute')])
    const again = await browser.submit(page, { choice: `upstream:${place.upstream}` })
    expect((await place.back(browser, again, ada)).location).toMatch('code=')
  })

  onOne.it('of an upstream that is disabled is demanded no more', async () => {
    const ada = await person()
    await place.tokens(ada)
    await demand()
    await place.change(`/upstreams/${place.upstream}`, { active: false })
    expect((await byPassword(ada)).location).toMatch('code=')
    await place.change(`/upstreams/${place.upstream}`, { active: true })
    expect(leads(await byPassword(ada))).toBe(true)
  })
})
