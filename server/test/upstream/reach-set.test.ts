/** What is set up under the proof of an organisation's upstream reaches no further than that (decisions 16). */
import { expect, it } from 'vitest'
import {
  authorizeRequest,
  claimsOf,
  formOn,
  signIn,
  type TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { passCode } from '../harness/development-mail.ts'
import { setOrganisation, setPolicy } from '../harness/states.ts'
import { codeOf } from '../sign-in/factor-support.ts'
import { acme, globex, password, placeOn } from './sign-in-support.ts'

const own = 'seven quiet ferries at dawn'

onEachDatabase('what is set up under an upstream', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect)
  const path = '/account/sign-in'
  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  const secretOn = (page: Visit) =>
    /<p class="key">([A-Z2-7 ]+)<\/p>/.exec(page.body)?.[1]?.replaceAll(' ', '') ?? ''

  async function act(browser: TestBrowser, fields: Record<string, string>): Promise<Visit> {
    const { csrf = '' } = formOn(await browser.open(path)).hidden
    return await browser.follow(await browser.request(path, { form: { csrf, ...fields } }))
  }

  /** Somebody of Acme alone who has nothing of their own, signed in through its upstream this minute. */
  async function newcomer() {
    const ada = place.somebody()
    const { uuid, profiles } = await place.account(
      ada,
      [{ role_code: 'importer', organisation_uuid: acme }],
      {},
    )
    const { browser } = await place.signIn({ ...ada, auth_time: place.provider.now() })
    const toGlobex = async () =>
      await place.make('/profiles', { user_uuid: uuid, role_code: 'reader', organisation_uuid: globex })
    return { ...ada, uuid, browser, atAcme: profiles[0] ?? '', toGlobex }
  }

  /** Adds an authenticator app; yields its secret. */
  async function addApp(browser: TestBrowser, email: string): Promise<string> {
    const asked = await act(browser, { do: 'add' })
    const form = await passCode(place.tessera, { browser, page: asked, address: email })
    const secret = secretOn(form)
    const done = await browser.submit(form, {
      do: 'confirm',
      name: 'Phone',
      code: codeOf(place.tessera, 0, secret),
    })
    expect(done.status, `${pathOf(done)} ${done.body.slice(0, 300)}`).toBe(200)
    place.tessera.clock.advance(60_000)
    return secret
  }

  /** By the password and a code, for a profile; yields the page or redirect, and the claims where there are any. */
  async function through(
    email: string,
    secret: string,
    profile_uuid: string,
    more: Record<string, string> = {},
  ) {
    const [browser, request] = [place.browser(), authorizeRequest({ profile_uuid })]
    const factor = await signIn(browser, request.path, { email, password })
    expect(pathOf(factor)).toBe('/sign-in/second-factor')
    const visit = await browser.submit(factor, { code: codeOf(place.tessera, 0, secret), ...more })
    const isDone = visit.location?.includes('code=') === true
    const claims = isDone ? claimsOf((await place.redeem(visit, request)).json.id_token) : undefined
    place.tessera.clock.advance(60_000)
    return { browser, visit, claims }
  }

  it('is a password that opens what the upstream opens', async () => {
    const ada = await newcomer()
    const set = await act(ada.browser, { do: 'set_password', new_password: own, new_password_again: own })
    expect(set.url).toContain('done=password')
    const atGlobex = await ada.toGlobex()
    const enter = async (changes: Record<string, string> = {}) =>
      await signIn(place.browser(), authorizeRequest(changes).path, { email: ada.email, password: own })
    const request = authorizeRequest()
    const visit = await signIn(place.browser(), request.path, { email: ada.email, password: own })
    expect(claimsOf((await place.redeem(visit, request)).json.id_token).organisation_uuid).toBe(acme)
    const beyond = await enter({ profile_uuid: atGlobex })
    expect([beyond.status, pathOf(beyond)]).toEqual([200, '/sign-in'])
    await setOrganisation(place.tessera, globex, { accepts: [acme] })
    expect((await enter({ profile_uuid: atGlobex })).location).toMatch('code=')
    await setOrganisation(place.tessera, globex, { accepts: [] })
    // One that somebody else sets, who may, is their own again.
    await place.change(`/users/${ada.uuid}`, { password })
    const whole = await signIn(place.browser(), authorizeRequest({ profile_uuid: atGlobex }).path, {
      email: ada.email,
      password,
    })
    expect(whole.location).toMatch('code=')
  })

  onOne.it('is a factor that raises nothing elsewhere, whatever the password', async () => {
    const ada = await newcomer()
    const secret = await addApp(ada.browser, ada.email)
    await place.change(`/users/${ada.uuid}`, { password })
    const policy = { second_factor: 'required', trusted_device_days: 30 } as const
    for (const organisation of ['acme', 'globex']) await setPolicy(place.tessera, { organisation }, policy)
    const { browser, claims } = await through(ada.email, secret, ada.atAcme, { trust: '1' })
    expect(claims).toMatchObject({ acr: '2' })
    const atGlobex = await ada.toGlobex()
    // Neither the factor in the session, nor a browser that is trusted for it, is one there.
    const held = await browser.open(authorizeRequest({ profile_uuid: atGlobex }).path)
    expect([held.location, pathOf(held)]).toEqual([undefined, '/sign-in/enrol'])
    browser.cookies.delete('tessera-session')
    const request = authorizeRequest({ profile_uuid: atGlobex })
    const elsewhere = await signIn(browser, request.path, { email: ada.email, password })
    expect([elsewhere.location, pathOf(elsewhere)]).toEqual([undefined, '/sign-in/enrol'])
    await setPolicy(place.tessera, { organisation: 'globex' }, null)
    const done = await browser.open(elsewhere.url)
    expect(claimsOf((await place.redeem(done, request)).json.id_token)).toMatchObject({
      acr: '1',
      amr: ['pwd'],
    })
    await setPolicy(place.tessera, { organisation: 'acme' }, null)
  })

  it('can be changed by who has a password that reaches further, with the only factor that they have', async () => {
    const ada = await newcomer()
    const secret = await addApp(ada.browser, ada.email)
    await place.change(`/users/${ada.uuid}`, { password })
    const { browser } = await through(ada.email, secret, ada.atAcme)
    place.tessera.clock.advance(11 * 60_000)
    const asked = await act(browser, { do: 'codes' })
    expect(asked.body).toContain('name="proof_code"')
    const made = await browser.submit(asked, { password, proof_code: codeOf(place.tessera, 0, secret) })
    expect(made.body).toMatch(/<li>\d+(?:-[0-9A-Z]{4}){4}<\/li>/)
  })
})
