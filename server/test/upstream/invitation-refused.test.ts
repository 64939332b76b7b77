/** Who holds a set-up link is nobody here, and chooses addresses, domains and what is handed in. */
import { expect, it } from 'vitest'
import { Administrator, heads } from '../administration/support.ts'
import { authorizeRequest } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, onOneDatabase } from '../harness/databases.ts'
import { mailTo } from '../harness/development-mail.ts'
import { draftRowsOf, sweepAt } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'
import { invitingOn, type MadeLink, path } from './invitation-support.ts'
import { acme, globex, textOf } from './sign-in-support.ts'

// The look for what is due.
shortenTimers({ 500: 50 })
const day = 24 * 3_600_000

onEachDatabase('a set-up link', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = invitingOn(dialect)
  const over = async (link: MadeLink) => (await place.browser().open(link.address)).status
  const stateOf = async (link: MadeLink) => (await place.read(link)).state

  /** One with an upstream that was handed in. */
  async function handedIn(organisation = globex, domain?: string): Promise<MadeLink> {
    const link = await place.invite(organisation)
    const browser = await place.begin(link)
    await place.enterOidc(browser)
    if (domain !== undefined) await place.enterDomain(browser, domain)
    await place.step(browser, 'finish')
    return link
  }
  const withdraw = async ({ uuid }: MadeLink) =>
    expect((await place.admin.delete(`${path}/${uuid}`)).status).toBe(204)

  onOne.it('counts in the browser that began by it, and in no other', async () => {
    const link = await place.invite()
    const [one, other] = [place.browser(), place.browser()]
    const [first, second] = [await one.open(link.address), await other.open(link.address)]
    expect(await place.read(link)).toMatchObject({ opened_at: null })
    expect((await one.submit(first)).url).toBe(`${place.url}/connect`)
    expect(textOf(await other.submit(second))).toContain('This set-up link cannot be used')
    expect(await over(link)).toBe(400)
    // Its own browser goes on, also by the link.
    expect(textOf(await one.open(link.address))).toContain('Choose your provider')
    // Who has no token of the form sends nothing.
    expect((await one.request('/connect/provider', { form: { provider: 'okta' } })).status).toBe(403)
    expect((await other.request('/connect/values')).status).toBe(400)
    await withdraw(link)
    expect((await one.open('/connect')).status).toBe(400)
    expect(await stateOf(link)).toBe('withdrawn')
    expect((await place.confirm(link)).status).toBe(409)
    expect(await over({ uuid: '', address: `${place.url}/connect?link=${'x'.repeat(43)}` })).toBe(400)
  })

  it('is made by who may administer upstreams there, and ends with that', async () => {
    const head = await Administrator.person(place.url, heads.head)
    expect((await head.post(path, { organisation_uuid: globex })).status).toBe(400)
    const link = await place.invite(acme, head)
    const browser = await place.begin(link)
    const { text } = await mailTo(place.tessera, heads.head.email, 'opened your set-up link')
    expect(text).toContain('Acme')
    await place.enterOidc(browser)
    const [profile] = await place.admin.all(
      `/profiles?role_code=acme-administrator&organisation_uuid=${acme}`,
    )
    await place.change(`/profiles/${String(profile?.uuid)}`, { active: false })
    expect((await browser.open('/connect/values')).status).toBe(400)
    await place.change(`/profiles/${String(profile?.uuid)}`, { active: true })
    expect((await browser.open('/connect/values')).status).toBe(200)
    await place.step(browser, 'finish')
    await mailTo(place.tessera, heads.head.email, 'set-up link was handed in')
    await withdraw(link)
  })

  it('is confirmed as it was shown, by who could make all of it, once', async () => {
    const link = await place.invite(globex)
    const browser = await place.begin(link)
    expect((await place.confirm(link)).status).toBe(409)
    await place.enterOidc(browser)
    const { entry_hash: early } = await place.read(link)
    await place.enterOidc(browser, { client_secret: 'another secret' })
    await place.step(browser, 'finish')
    const { entry_hash } = await place.read(link)
    expect(entry_hash).not.toBe(early)
    const stale = await place.confirm(link, { entry_hash: early })
    expect([stale.status, stale.json.error]).toEqual([409, 'conflict'])
    const [head, machine] = await Promise.all([
      Administrator.person(place.url, heads.head),
      Administrator.machine(place.url, 'roles-cli'),
    ])
    expect((await place.confirm(link, {}, head)).status).toBe(404)
    expect((await place.confirm(link, {}, machine)).status).toBe(403)
    const both = await Promise.all([place.confirm(link), place.confirm(link)])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(await place.admin.all(`/upstreams?organisation_uuid=${globex}`)).toHaveLength(1)
  })

  it('is confirmed by nobody who could not give what it opens', async () => {
    const link = await handedIn(acme)
    await place.make('/roles', { code: 'ledger-keeper', name: 'Keeper', permissions: ['ledger.entry.read'] })
    const person = await place.account(place.somebody(), [
      { role_code: 'ledger-keeper', organisation_uuid: acme },
    ])
    const machine = await Administrator.machine(place.url, 'acme-cli')
    expect((await place.confirm(link, {}, machine)).status).toBe(403)
    expect(await stateOf(link)).toBe('handed_in')
    expect((await place.admin.delete(`/users/${person.uuid}`)).status).toBe(204)
    await withdraw(link)
  })

  it('waits where its code is taken meanwhile, or its organisation is disabled', async () => {
    const link = await handedIn()
    const { entry } = await place.read(link)
    const { code } = (entry as { upstream: { code: string } }).upstream
    await place.addUpstream(place.provider, { code, organisation_uuid: globex })
    const taken = await place.confirm(link)
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('has this code')])
    await place.change(`/organisations/${globex}`, { active: false })
    expect((await place.confirm(link, { code: 'other' })).status).toBe(409)
    const open = await place.admin.post(path, { organisation_uuid: globex })
    expect(open.status).toBe(409)
    await place.change(`/organisations/${globex}`, { active: true })
    const made = await place.confirm(link, { code: 'other' })
    expect(made.status, made.text).toBe(200)
  })

  onOne.it('draws nobody, proves nothing and holds no domain before it is confirmed', async () => {
    const link = await handedIn(acme, 'draft.example')
    const { upstream } = (await place.read(link)).entry as { upstream: { uuid: string } }
    const at = `/upstreams/${upstream.uuid}`
    expect((await place.browser().open(`${at}/callback?code=1&state=1`)).status).toBe(400)
    const keys = (await (await fetch(`${place.url}${at}/jwks`)).json()) as { keys: { d?: string }[] }
    expect(keys.keys).toHaveLength(1)
    expect(keys.keys[0]?.d).toBeUndefined()
    expect((await fetch(`${place.url}${at}/metadata`)).status).not.toBe(200)
    const logout_token = await place.provider.logoutToken({ sub: 'ada' })
    const body = new URLSearchParams({ logout_token })
    expect((await fetch(`${place.url}${at}/logout`, { method: 'POST', body })).status).not.toBe(200)
    const browser = place.browser()
    const page = await browser.open(authorizeRequest({ upstream: 'acme/keycloak' }).path)
    expect(page.location).toBeUndefined()
    const left = await browser.submit(page, { email: 'ada@draft.example', choice: 'organisation' })
    expect(left.location).toBeUndefined()
    await withdraw(link)
    expect((await fetch(`${place.url}${at}/jwks`)).status).not.toBe(200)
  })

  it('is bounded: in tries, and in links of an organisation', async () => {
    const link = await place.invite()
    const browser = await place.begin(link)
    const page = await browser.open('/connect/provider')
    const send = async () => (await browser.submitOnce(page, { provider: 'okta' })).status
    for (let count = 0; count < 60; count++) expect(await send()).toBe(303)
    expect(await send()).toBe(429)
    for (let count = 1; count < 10; count++) await place.invite()
    expect((await place.admin.post(path, { organisation_uuid: acme })).status).toBe(409)
    for (const one of await place.admin.all(`${path}?state=open`))
      await withdraw({ uuid: String(one.uuid), address: '' })
    expect(await place.admin.all(`${path}?state=open`)).toEqual([])
  })

  onOne.it('says of each mistake what to change', async () => {
    const link = await place.invite()
    const browser = await place.begin(link)
    const said = async (fields: Record<string, string>) => {
      const page = await place.enterOidc(browser, fields)
      return `${page.status} ${textOf(page)}`
    }
    expect(await said({ issuer: '' })).toMatch(/^400 +Error: Connect Keycloak/)
    expect(await said({ issuer: 'https://login.microsoftonline.com/common/v2.0' })).toContain(
      'of your own tenant',
    )
    expect(await said({ issuer: `${place.provider.issuer}/` })).toContain('to the last slash')
    const away = await said({ issuer: 'http://127.0.0.1:9' })
    expect(away).toContain('At your provider: let it be reached')
    expect(away).not.toContain('ECONNREFUSED')
    expect(await said({ client_id: '' })).toContain('Fill this in.')
    const look = await place.step(browser, 'domain', { domain: 'no domain' })
    expect(textOf(look)).toContain('This is no domain')
    await place.step(browser, 'domain', { domain: 'other.example' })
    const missing = await place.step(browser, 'domain', { domain: 'other.example', choice: 'look' })
    expect(textOf(missing)).toContain('The record is not there yet')
    expect((await place.read(link)).entry).toMatchObject({ upstream: null, domain: { found_at: null } })
    await withdraw(link)
  })

  onOne.it('sends no secret to another issuer than it was entered for', async () => {
    const link = await place.invite()
    const browser = await place.begin(link)
    await place.enterOidc(browser)
    const kept = async () => (await place.read(link)).entry as { upstream: { client_secret: boolean } | null }
    await place.enterOidc(browser, { client_secret: '' })
    expect(await kept()).toMatchObject({ upstream: { client_secret: true } })
    await place.step(browser, 'provider', { provider: 'okta' })
    expect(await kept()).toMatchObject({ upstream: null })
    const { issuer, clientId: client_id } = place.provider
    await place.step(browser, 'values', { issuer, client_id })
    expect(await kept()).toMatchObject({ upstream: { client_secret: false } })
    await withdraw(link)
  })

  it('ends after three days, and what was handed in after two weeks', async () => {
    const [open, waiting] = [await place.invite(), await handedIn(acme)]
    const browser = await place.begin(open)
    await place.enterOidc(browser)
    const secretsOf = async ({ uuid }: MadeLink) => {
      await sweepAt(place.tessera, place.tessera.clock.now())
      const row = (await draftRowsOf(place.tessera)).find((one) => one.uuid === uuid)
      return [row?.secret, row?.private_key].map((one) => one !== null)
    }
    expect(await secretsOf(open)).toEqual([true, true])
    place.tessera.clock.advance(3 * day + 1)
    expect([await secretsOf(open), await secretsOf(waiting)]).toEqual([
      [false, false],
      [true, true],
    ])
    place.admin = await place.administrator()
    expect((await browser.open('/connect')).status).toBe(400)
    expect([await stateOf(open), await stateOf(waiting)]).toEqual(['expired', 'handed_in'])
    place.tessera.clock.advance(11 * day)
    place.admin = await place.administrator()
    expect(await stateOf(waiting)).toBe('expired')
    expect(await secretsOf(waiting)).toEqual([false, false])
    expect((await place.confirm(waiting)).status).toBe(409)
  })
})

onOneDatabase('a set-up link of a service that reaches no private address', (dialect) => {
  const place = invitingOn(dialect, { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'false' })

  it('reads nothing there either', async () => {
    const browser = await place.begin(await place.invite())
    const page = await place.enterOidc(browser)
    expect([page.status, textOf(page)]).toEqual([400, expect.stringContaining('can not be reached')])
    await place.step(browser, 'provider', { provider: 'saml' })
    const metadata = await place.upload(browser, { metadata_url: `${place.provider.issuer}/metadata` })
    expect([metadata.status, textOf(metadata)]).toEqual([400, expect.stringContaining('can not be reached')])
    expect(place.provider.asked).toEqual([])
  })
})
