/** Links that people make and remove on the page of their account (decisions 16 and 18). */
import { expect, it } from 'vitest'
import { ownerOf } from '../administration/support.ts'
import {
  authorizeRequest,
  claimsOf,
  formOn,
  signIn,
  type TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo } from '../harness/development-mail.ts'
import { linkTo, setOrganisation, setPolicy } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'
import { startProvider } from '../harness/upstream-provider.ts'
import { pathOf } from './guest-support.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

// The look for what is due.
shortenTimers({ 500: 50 })
const path = '/account/sign-in'
const importer = { role_code: 'importer', organisation_uuid: acme }
const bookkeeper = { role_code: 'bookkeeper', organisation_uuid: globex }

onEachDatabase('links on the page of the account', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect)
  const now = () => place.provider.now()
  const linksOf = async (user: string) => await place.admin.all(`/users/${user}/links`)

  async function act(browser: TestBrowser, fields: Record<string, string>): Promise<Visit> {
    const { csrf = '' } = formOn(await browser.open(path)).hidden
    return await browser.follow(await browser.request(path, { form: { csrf, ...fields } }))
  }
  const leave = async (browser: TestBrowser, upstream = place.upstream) =>
    await act(browser, { do: 'connect', upstream })
  const remove = async (browser: TestBrowser, upstream = place.upstream) =>
    await act(browser, { do: 'unlink', upstream })

  /** Somebody with a password, signed in by it this minute; the domain is not Acme's, so nobody links them at once. */
  async function somebody(profiles: readonly object[] = [importer, bookkeeper]) {
    const ada = { ...place.somebody('elsewhere.example'), there: `there-${Math.random()}` }
    place.admin = await place.administrator()
    const { uuid } = await place.account(ada, profiles)
    const browser = place.browser()
    await signIn(browser, authorizeRequest().path, { email: ada.email, password })
    return { ...ada, uuid, browser }
  }
  const personThere = (who: { there: string; email: string }) => ({
    sub: who.there,
    email: `${who.there}@acme.example`,
    name: 'Ada of Acme',
  })

  /** The way as far as the page that shows both. */
  async function shownBoth(who: Awaited<ReturnType<typeof somebody>>): Promise<Visit> {
    const visit = await place.back(who.browser, await leave(who.browser), personThere(who))
    expect(pathOf(visit), textOf(visit)).toBe('/account/connect')
    return visit
  }

  it('are made after both were shown, told by mail, and sign in from then on', async () => {
    const ada = await somebody()
    expect(textOf(await ada.browser.open(path))).toContain('Connect with Acme ID')
    const both = await shownBoth(ada)
    for (const shown of [ada.email, ada.there, 'Ada of Acme', 'Acme ID'])
      expect(textOf(both)).toContain(shown)
    expect(await linksOf(ada.uuid)).toEqual([])
    const done = await ada.browser.submit(both)
    expect(textOf(done)).toContain('The sign-in is connected')
    expect(textOf(done)).toContain('Connected on')
    expect(await linksOf(ada.uuid)).toMatchObject([{ subject: ada.there, by_hand: true }])
    expect((await mailTo(place.tessera, ada.email, 'Another way to sign in')).text).toContain('Acme ID')
    const tokens = await place.tokens({ ...personThere(ada), auth_time: now() })
    expect(claimsOf(tokens.id_token)).toMatchObject({ sub: ada.uuid, organisation_uuid: acme })
  })

  it('are removed after another way in was proved, and told by mail', async () => {
    const ada = await somebody()
    await ada.browser.submit(await shownBoth(ada))
    const there = await place.signIn({ ...personThere(ada), auth_time: now() })
    expect(textOf(await remove(ada.browser))).toContain('The sign-in was removed')
    expect(await linksOf(ada.uuid)).toEqual([])
    expect(await place.kindsOf(ada.uuid)).toContain('link.removed')
    const { text } = await mailTo(place.tessera, ada.email, 'A way to sign in was removed')
    expect(text).toContain('Acme ID')
    // What was proved by it has ended, and this session goes on by the password.
    expect(pathOf(await there.browser.open('/account'))).toBe('/sign-in')
    expect(pathOf(await ada.browser.open(path))).toBe(path)
    expect(textOf(await remove(ada.browser))).toContain('your only way in')
    // Who did not do it takes all back that can be.
    const notMe = await place.browser().open(linkIn(await mailTo(place.tessera, ada.email, 'was removed')))
    expect([notMe.status, textOf(notMe)]).toEqual([200, expect.stringContaining('Was this not you?')])
  })

  onOne.it('are kept where they are the only way in, or another was not proved', async () => {
    const ada = await somebody([importer])
    await ada.browser.submit(await shownBoth(ada))
    // By the upstream alone: the password has to be shown first, which a thief of the session lacks.
    const { browser } = await place.signIn({ ...personThere(ada), auth_time: now() })
    const asked = await remove(browser)
    expect(textOf(asked)).toContain('Confirm that it is you')
    expect(textOf(asked)).not.toContain('Continue with Acme ID')
    expect((await browser.submit(asked, { password: 'not it' })).status).toBe(400)
    expect(await linksOf(ada.uuid)).toHaveLength(1)

    const owned = place.somebody()
    const { uuid } = await place.account(owned, [importer], {})
    const first = await place.signIn({ ...owned, auth_time: now() })
    expect(textOf(await first.browser.open(path))).toContain('your only way in')
    const forged = await remove(first.browser)
    expect(textOf(forged)).toContain('Confirm that it is you')
    for (const fields of [
      {},
      { password: '' },
      { password: 'guessed' },
      { choice: `upstream:${place.upstream}` },
    ])
      expect((await first.browser.submit(forged, fields)).location).toBeUndefined()
    expect(await linksOf(uuid)).toHaveLength(1)
  })

  onOne.it('are kept where the password that is left reaches less, or was never known', async () => {
    const installation = await startProvider()
    installation.now = now
    const at = await place.addUpstream(installation, { code: 'all', name: 'All ID', organisation_uuid: null })
    // A password of Acme's reach alone, set under Acme's upstream; the installation's opens Globex too.
    const ada = place.somebody()
    const { uuid } = await place.account(ada, [importer], {})
    const { browser } = await place.signIn({ ...ada, auth_time: now() })
    const own = 'seven quiet ferries at dawn'
    const set = await act(browser, { do: 'set_password', new_password: own, new_password_again: own })
    expect(set.url).toContain('done=password')
    await linkTo(place.tessera, { upstream_uuid: at, user_uuid: uuid, groups: [], at: Date.now() })
    await place.make('/profiles', { user_uuid: uuid, ...bookkeeper })
    const asked = await browser.open(path)
    const left = await browser.submit(asked, { choice: `upstream:${at}` })
    const whole = await place.back(browser, left, { sub: uuid, auth_time: now() }, installation)
    expect(textOf(whole)).toContain('All ID')
    const kept = await remove(browser, at)
    expect(textOf(kept)).toContain('Confirm that it is you')
    expect(textOf(await browser.submit(kept, { password: own }))).toContain('Confirm that it is you')
    expect(await linksOf(uuid)).toHaveLength(2)
    // The other one may go: the installation's opens all.
    expect(textOf(await remove(browser))).toContain('The sign-in was removed')
    expect(await linksOf(uuid)).toMatchObject([{ upstream_uuid: at }])
    await place.admin.delete(`/upstreams/${at}`)
    await installation.close()
  })

  it('reach no further than the proofs that they are made by', async () => {
    const [installation, other] = [await startProvider(), await startProvider()]
    const at = await place.addUpstream(installation, {
      code: 'whole',
      name: 'Whole ID',
      organisation_uuid: null,
    })
    const atGlobex = await place.addUpstream(other, {
      code: 'gx',
      name: 'Globex ID',
      organisation_uuid: globex,
    })
    // Globex takes what Acme proves, but who takes what Globex proves takes nothing of Acme.
    await setOrganisation(place.tessera, globex, { accepts: [acme] })
    const ada = place.somebody()
    const { uuid } = await place.account(ada, [importer], {})
    const { browser } = await place.signIn({ ...ada, auth_time: now() })
    await place.make('/profiles', { user_uuid: uuid, ...bookkeeper })
    const page = await browser.open(path)
    expect(pathOf(page)).toBe(path)
    for (const name of ['Whole ID', 'Globex ID']) expect(textOf(page)).not.toContain(name)
    for (const one of [at, atGlobex]) {
      const refused = await leave(browser, one)
      expect([refused.status, refused.location]).toEqual([400, undefined])
    }
    // By the password of their own they may.
    const eve = await somebody()
    const mine = textOf(await eve.browser.open(path))
    for (const name of ['Whole ID', 'Globex ID', 'Acme ID']) expect(mine).toContain(`Connect with ${name}`)
    await setOrganisation(place.tessera, globex, { accepts: [] })
    for (const one of [at, atGlobex]) await place.admin.delete(`/upstreams/${one}`)
    await Promise.all([installation.close(), other.close()])
  })

  onOne.it(
    'are made to no upstream of an organisation where the person has no profile, nor to one that is off',
    async () => {
      const ada = await somebody([bookkeeper])
      expect(textOf(await ada.browser.open(path))).not.toContain('Acme ID')
      expect((await leave(ada.browser)).status).toBe(400)
      for (const wrong of ['', 'x', '00000000-0000-4000-8000-000000000000'])
        expect((await leave(ada.browser, wrong)).status).toBe(400)
      const eve = await somebody()
      const url = place.brought(await leave(eve.browser), personThere(eve))
      await place.change(`/upstreams/${place.upstream}`, { active: false })
      const off = await eve.browser.open(url)
      expect([off.status, textOf(off)]).toEqual([403, expect.stringContaining('disabled here')])
      await place.change(`/upstreams/${place.upstream}`, { active: true })
      const both = await shownBoth(eve)
      await place.change(`/upstreams/${place.upstream}`, { active: false })
      expect((await eve.browser.submit(both)).status).toBe(403)
      await place.change(`/upstreams/${place.upstream}`, { active: true })
      expect(await linksOf(eve.uuid)).toEqual([])
      expect((await place.audit({ kind: 'link.refused', user: eve.uuid })).length).toBeGreaterThanOrEqual(2)
    },
  )

  it('are made once, in the browser and session that asked, and by no GET', async () => {
    const [ada, eve] = [await somebody(), await somebody()]
    const url = place.brought(await leave(ada.browser), personThere(ada))
    expect((await eve.browser.open(url)).status).toBe(400)
    const both = await ada.browser.open(url)
    expect((await ada.browser.open(url)).status).toBe(400)
    await ada.browser.open(both.url)
    expect(pathOf(await eve.browser.open(both.url))).toBe(path)
    // The form of ada's page in eve's session, with eve's token.
    const { csrf = '' } = formOn(await eve.browser.open(path)).hidden
    const { waiting = '' } = formOn(both).hidden
    const stolen = await eve.browser.request('/account/connect', { form: { csrf, do: 'link', waiting } })
    expect((await eve.browser.follow(stolen)).body).toContain('Nothing was connected')
    expect([await linksOf(ada.uuid), await linksOf(eve.uuid)]).toEqual([[], []])
    const twice = await Promise.all([ada.browser.submit(both), ada.browser.submit(both)])
    expect(twice.filter((one) => one.body.includes('is connected'))).toHaveLength(1)
    expect(await linksOf(ada.uuid)).toHaveLength(1)
    // Somebody else signs in to the same browser before it comes back.
    const bea = await somebody()
    const late = place.brought(await leave(bea.browser), personThere(bea))
    await signIn(bea.browser, authorizeRequest({ prompt: 'select_account' }).path, {
      email: eve.email,
      password,
    })
    expect((await bea.browser.open(late)).status).toBe(400)
    expect(await linksOf(eve.uuid)).toEqual([])
  })

  onOne.it('want a fresh proof, before and after', async () => {
    const ada = await somebody()
    place.tessera.clock.advance(11 * 60_000)
    const asked = await leave(ada.browser)
    expect(textOf(asked)).toContain('Confirm that it is you')
    const left = await ada.browser.submit(asked, { password })
    const both = await place.back(ada.browser, left, personThere(ada))
    place.tessera.clock.advance(11 * 60_000)
    place.admin = await place.administrator()
    const again = await ada.browser.submit(both)
    expect(textOf(again)).toContain('Confirm that it is you')
    expect((await ada.browser.submit(again, { password: 'wrong' })).status).toBe(400)
    expect(await linksOf(ada.uuid)).toEqual([])
    expect(textOf(await ada.browser.submit(again, { password }))).toContain('is connected')
  })

  it('are none to the subject of somebody else, or to a second one', async () => {
    const [ada, eve] = [await somebody(), await somebody()]
    const pending = await shownBoth({ ...eve, there: ada.there })
    await ada.browser.submit(await shownBoth(ada))
    // It was free when both were shown, and is ada's now.
    const late = await eve.browser.submit(pending)
    expect([late.status, textOf(late)]).toEqual([403, expect.stringContaining('another account')])
    const taken = await place.back(eve.browser, await leave(eve.browser), personThere(ada))
    expect([taken.status, textOf(taken)]).toEqual([403, expect.stringContaining('another account')])
    expect(await linksOf(eve.uuid)).toEqual([])
    expect((await leave(ada.browser)).status).toBe(400)
    const refused = await place.audit({ kind: 'link.refused', user: eve.uuid })
    expect(refused.map(({ detail }) => detail?.reason)).toContain('upstream_taken')
  })

  onOne.it(
    'are none of an account that nobody has proved, where its maker would wait for its person',
    async () => {
      const planted = place.somebody('elsewhere.example')
      const owner = await ownerOf(place.url, place.admin)
      const made = await owner.post('/users', {
        ...{ email: planted.email, name: 'Planted', password, profiles: [importer] },
      })
      expect(made.status, made.text).toBe(201)
      const browser = place.browser()
      await signIn(browser, authorizeRequest().path, { email: planted.email, password })
      const refused = await leave(browser)
      expect([refused.status, textOf(refused)]).toEqual([
        400,
        expect.stringContaining('Nobody has confirmed'),
      ])
      expect(await linksOf(String(made.json.uuid))).toEqual([])
    },
  )

  it('end break-glass, which the page says, but not of the last one whom the policy needs', async () => {
    const ada = await somebody()
    await setOrganisation(place.tessera, acme, { breakGlass: [ada.uuid] })
    await place.change(`/organisations/${acme}`, { name: 'Acme Ltd' })
    const both = await shownBoth(ada)
    expect(textOf(both)).toContain('you no longer are')
    expect(textOf(await ada.browser.submit(both))).toContain('is connected')
    expect((await place.admin.get(`/organisations/${acme}`)).json.break_glass).toEqual([])

    const eve = await somebody()
    await setOrganisation(place.tessera, acme, { breakGlass: [eve.uuid] })
    const last = await shownBoth(eve)
    await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in: 'upstream' })
    const refused = await eve.browser.submit(last)
    expect([refused.status, textOf(refused)]).toEqual([403, expect.stringContaining('You are the only one')])
    expect(await linksOf(eve.uuid)).toEqual([])
    await setPolicy(place.tessera, { organisation: 'acme' }, null)
  })
})
