/** Codes of guests that are guessed, taken elsewhere, used late or asked for too often. */
import { expect, it } from 'vitest'
import { authorizeRequest, claimsOf, formOn, redirectUri } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { shownTo } from '../harness/development-mail.ts'
import { shortenTimers } from '../harness/timers.ts'
import { startProvider } from '../harness/upstream-provider.ts'
import { arrive, arriveWithCode, guestPath, otherThan, pathOf, type } from './guest-support.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

// The look for what is due.
shortenTimers({ 500: 50 })
const minute = 60_000

onEachDatabase('the code of a guest', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, {
    upstream: { provision: 'create', guests: true, mapping: [{ group: 'g', role: 'importer' }] },
  })
  const guest = () => ({ ...place.somebody('guests.example'), groups: ['g'] })
  const isThere = async (email: string) =>
    (await place.admin.all(`/users?q=${encodeURIComponent(email)}`)).length > 0

  it('ends by five wrong ones, each of which is recorded', async () => {
    const ada = guest()
    const arrived = await arriveWithCode(place, ada)
    const wrong = otherThan(arrived.code)
    for (let count = 0; count < 5; count++) {
      const page = await type(arrived, wrong)
      expect([page.status, textOf(page)]).toEqual([400, expect.stringContaining('This code is wrong')])
    }
    expect((await type(arrived, arrived.code)).status).toBe(400)
    expect(await isThere(ada.email)).toBe(false)
    const failed = (await place.audit({ kind: 'sign_in.failed' })).filter(
      ({ detail }) => detail?.reason === 'upstream_wrong_code',
    )
    expect(failed.length).toBeGreaterThanOrEqual(5)
    expect(JSON.stringify(failed)).not.toMatch(new RegExp(`${ada.email}|${arrived.code}|${wrong}`))
    // What is no code costs no try, and a new one takes the place of the old.
    const again = await arriveWithCode(place, ada)
    for (const typed of ['', 'abc', '123', ' ']) expect((await type(again, typed)).status).toBe(400)
    for (let count = 0; count < 4; count++) await type(again, wrong)
    expect((await type(again, again.code)).location).toMatch(redirectUri)
  })

  it('counts once, of any number at the same time', async () => {
    const ada = guest()
    const arrived = await arriveWithCode(place, ada)
    const visits = await Promise.all([0, 1, 2, 3].map(() => type(arrived, arrived.code)))
    expect(visits.filter(({ location }) => location?.startsWith(redirectUri) === true)).toHaveLength(1)
    expect(await place.admin.all(`/users?q=${encodeURIComponent(ada.email)}`)).toHaveLength(1)
    expect((await arrived.browser.open(arrived.page.url)).status).toBe(400)
  })

  it('is of one browser, one subject, one address and one upstream', async () => {
    const other = await startProvider()
    other.now = place.provider.now
    await place.addUpstream(other, { code: 'other', name: 'Other ID', provision: 'create', guests: true })
    const [ada, eve] = [guest(), guest()]
    const arrived = await arriveWithCode(place, ada)
    // The page in another browser, by its address and by its form.
    const elsewhere = place.browser()
    expect((await elsewhere.open(arrived.page.url)).status).toBeGreaterThanOrEqual(400)
    const { action, hidden } = formOn(arrived.page)
    const sent = await elsewhere.request(action, { form: { ...hidden, mail_code: arrived.code } })
    expect(sent.status).toBeGreaterThanOrEqual(400)
    // Who has another subject, another address, or comes by another upstream, with the code that ada was mailed.
    const subject = await arrive(place, { ...ada, sub: 'hostile' })
    const address = await arrive(place, { ...eve, sub: ada.sub })
    const upstream = await arrive(place, ada, { code: 'acme/other', provider: other })
    for (const one of [subject, address, upstream]) {
      expect(pathOf(one.page)).toBe(guestPath)
      expect((await type(one, arrived.code)).status).toBe(400)
    }
    expect([await isThere(ada.email), await isThere(eve.email)]).toEqual([false, false])
    // In the same browser a later sign-in of somebody else takes nothing of the first.
    const later = await arrive(place, { ...eve, sub: 'eve' }, { browser: arrived.browser })
    expect((await type(later, arrived.code)).status).toBe(400)
    expect((await type(arrived, arrived.code)).location).toMatch(redirectUri)
    await other.close()
  })

  it('is over after ten minutes, and once the upstream or its guests are gone', async () => {
    const late = await arriveWithCode(place, guest())
    place.tessera.clock.advance(10 * minute + 1)
    expect((await type(late, late.code)).status).toBe(400)
    place.admin = await place.administrator()
    const disabled = guest()
    const arrived = await arriveWithCode(place, disabled)
    await place.change(`/upstreams/${place.upstream}`, { active: false })
    const refused = await type(arrived, arrived.code)
    expect([refused.status, textOf(refused)]).toEqual([403, expect.stringContaining('disabled here')])
    await place.change(`/upstreams/${place.upstream}`, { active: true })
    const unwanted = guest()
    const second = await arriveWithCode(place, unwanted)
    await place.change(`/upstreams/${place.upstream}`, { guests: false })
    expect(textOf(await type(second, second.code))).toContain('does not speak for')
    await place.change(`/upstreams/${place.upstream}`, { guests: true })
    for (const { email } of [disabled, unwanted]) expect(await isThere(email)).toBe(false)
  })

  onOne.it('plants no account for an address that nobody reads', async () => {
    const nobody = guest()
    const { page, browser } = await arrive(place, nobody)
    expect(pathOf(page)).toBe(guestPath)
    expect((await browser.open(authorizeRequest({ prompt: 'none' }).path)).location).toMatch('login_required')
    expect(await isThere(nobody.email)).toBe(false)
  })

  it('links no account of another subject at the upstream', async () => {
    const ada = guest()
    const first = await arriveWithCode(place, ada)
    const { json } = await place.redeem(await type(first, first.code), first.request)
    const second = await arriveWithCode(place, { ...ada, sub: 'second' })
    const refused = await type(second, second.code)
    expect([refused.status, textOf(refused)]).toEqual([403, expect.stringContaining('another sign-in there')])
    expect(await place.kindsOf(String(claimsOf(json.id_token).sub))).toContain('link.conflict')
  })

  onOne.it('asks for the second factor of the account before it is connected', async () => {
    const ada = guest()
    const { uuid } = await place.account(ada, [{ role_code: 'bookkeeper', organisation_uuid: globex }])
    const arrived = await arriveWithCode(place, ada)
    await type(arrived, arrived.code)
    // Who knows the code alone gets no further than the page of the password.
    for (const path of ['/sign-in/connect', '/choose-profile']) {
      const { search } = new URL(arrived.page.url)
      expect(pathOf(await arrived.browser.open(`${path}${search}`))).toBe('/sign-in')
    }
    expect(await place.admin.all(`/users/${uuid}/links`)).toEqual([])
  })

  it('is mailed three times an hour to an address, thirty for a network, whoever asks', async () => {
    const victim = guest()
    await place.account(victim, [{ role_code: 'importer', organisation_uuid: acme }], { password })
    for (let count = 0; count < 6; count++) {
      const { page } = await arrive(place, { ...victim, sub: `bomb-${count}` })
      expect(pathOf(page)).toBe(guestPath)
    }
    await expect.poll(() => shownTo(place.tessera, victim.email)).toHaveLength(3)
    const last = await arrive(place, victim)
    expect(textOf(last.page)).not.toContain('on its way')
    const asked = await last.browser.submit(last.page, { choice: 'send' })
    expect([asked.status, textOf(asked)]).toEqual([429, expect.stringContaining('Try again later')])
    expect((await type(last, '00000000')).status).toBe(400)
    const others = []
    for (let count = 0; count < 32; count++) others.push(guest())
    let mailed = 0
    for (const other of others) if (textOf((await arrive(place, other)).page).includes('on its way')) mailed++
    expect(mailed).toBeLessThan(30)
    place.tessera.clock.advance(61 * minute)
    const later = await arriveWithCode(place, victim)
    expect(pathOf(await type(later, later.code))).toBe('/sign-in')
  })
})
