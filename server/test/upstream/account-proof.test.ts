/** A fresh proof on the page of the account by an upstream (decisions 14 and 16). */
import { expect, it } from 'vitest'
import { authorizeRequest, formOn, signIn, type TestBrowser, type Visit } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { LdapServer, trustDirectories } from '../harness/ldap-server.ts'
import { everythingIn, linkTo, setOrganisation } from '../harness/states.ts'
import { startProvider } from '../harness/upstream-provider.ts'
import { pathOf } from './guest-support.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

const path = '/account/sign-in'
const own = 'seven quiet ferries at dawn'

onEachDatabase('a fresh proof by an upstream', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect)
  const now = () => place.provider.now()
  const chosen = (uuid = place.upstream) => ({ choice: `upstream:${uuid}` })

  async function act(browser: TestBrowser, fields: Record<string, string>, at = path): Promise<Visit> {
    const { csrf = '' } = formOn(await browser.open(at)).hidden
    return await browser.follow(await browser.request(at, { form: { csrf, ...fields } }))
  }

  /** Somebody of Acme who has nothing of their own, eleven minutes after a sign-in through its upstream. */
  async function somebody(more: object = {}) {
    const ada = place.somebody()
    place.admin = await place.administrator()
    const { uuid } = await place.account(ada, [{ role_code: 'importer', organisation_uuid: acme }], more)
    const { browser } = await place.signIn({ ...ada, auth_time: now() })
    place.tessera.clock.advance(11 * 60_000)
    return { ...ada, uuid, browser }
  }

  /** Asks for the form of the password, and leaves for the upstream to prove who it is. */
  async function leaving(browser: TestBrowser, fields = chosen()): Promise<Visit> {
    const asked = await act(browser, { do: 'password' })
    expect(textOf(asked)).toContain('Confirm that it is you')
    return await browser.submit(asked, fields)
  }

  it('goes there and back, and then on with the form that wanted it', async () => {
    const ada = await somebody()
    const asked = await act(ada.browser, { do: 'password' })
    expect(textOf(asked)).toContain('Continue with Acme ID')
    expect(asked.body).not.toContain('name="password"')
    const left = await ada.browser.submit(asked, chosen())
    const sent = Object.fromEntries(new URL(left.location ?? '').searchParams)
    expect(sent).toMatchObject({ prompt: 'login', max_age: '0' })
    const proved = await place.back(ada.browser, left, { ...ada, auth_time: now() })
    expect([proved.status, textOf(proved)]).toEqual([200, expect.stringContaining('You have proved it')])
    const form = await ada.browser.submit(proved)
    expect(form.body).toContain('name="new_password"')
    const done = await ada.browser.submit(form, { new_password: own, new_password_again: own })
    expect(done.url).toContain('done=password')
    expect(await place.kindsOf(ada.uuid)).toContain('sign_in.stepped_up')
    // And is over ten minutes later.
    place.tessera.clock.advance(11 * 60_000)
    expect(textOf(await act(ada.browser, { do: 'password' }))).toContain('Confirm that it is you')
  })

  it('is none by an older sign-in, by one of no known time, or by somebody else', async () => {
    const ada = await somebody()
    const eve = await somebody()
    const cases = [
      [{ ...ada, auth_time: now() - 600 }, 'older one'],
      [ada, 'does not say when you signed in'],
      [{ ...ada, sub: 'unknown', auth_time: now() }, 'as somebody else'],
      [{ ...eve, auth_time: now() }, 'as somebody else'],
      [{ ...ada, sub: eve.sub, auth_time: now() }, 'as somebody else'],
    ] as const
    for (const [person, words] of cases) {
      const visit = await place.back(ada.browser, await leaving(ada.browser), person)
      expect([visit.status, textOf(visit)]).toEqual([403, expect.stringContaining(words)])
      expect(textOf(await act(ada.browser, { do: 'password' }))).toContain('Confirm that it is you')
    }
    const failed = await place.audit({ kind: 'sign_in.failed', user: ada.uuid })
    expect(failed.map(({ detail }) => detail?.reason)).toEqual(
      expect.arrayContaining(['upstream_too_old', 'upstream_untimed', 'upstream_other_person']),
    )
    expect(await place.admin.all(`/users/${eve.uuid}/links`)).toHaveLength(1)
  })

  it('counts once, in the browser and the session that left, and while the upstream does', async () => {
    const ada = await somebody()
    const person = { ...ada, auth_time: now() }
    const url = place.brought(await leaving(ada.browser), person)
    const eve = await somebody()
    expect((await eve.browser.open(url)).status).toBe(400)
    // Another browser has used nothing up.
    expect(textOf(await ada.browser.open(url))).toContain('You have proved it')
    expect((await ada.browser.open(url)).status).toBe(400)

    place.tessera.clock.advance(11 * 60_000)
    const later = place.brought(await leaving(ada.browser), { ...ada, auth_time: now() })
    await signIn(ada.browser, authorizeRequest({ prompt: 'select_account' }).path, {
      email: (await somebody({ password })).email,
      password,
    })
    expect((await ada.browser.open(later)).status).toBe(400)

    const off = await somebody()
    const gone = place.brought(await leaving(off.browser), { ...off, auth_time: now() })
    await place.change(`/upstreams/${place.upstream}`, { active: false })
    expect((await off.browser.open(gone)).status).not.toBe(200)
    await place.change(`/upstreams/${place.upstream}`, { active: true })
    const twice = place.brought(await leaving(off.browser), { ...off, auth_time: now() })
    const visits = await Promise.all([off.browser.open(twice), off.browser.open(twice)])
    expect(visits.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('reaches no further than its voucher: who has more proves that', async () => {
    const ada = await somebody({ password })
    const asked = await act(ada.browser, { do: 'password' })
    expect(asked.body).toContain('name="password"')
    expect(textOf(asked)).not.toContain('Continue with')
    // Nor is it taken where nobody offered it.
    const forged = await ada.browser.submit(asked, chosen())
    expect([forged.location, textOf(forged)]).toEqual([
      undefined,
      expect.stringContaining('Confirm that it is you'),
    ])
    expect((await ada.browser.submit(asked, { password })).body).toContain('name="new_password"')

    const eve = await somebody()
    await place.make('/profiles', { user_uuid: eve.uuid, role_code: 'reader', organisation_uuid: globex })
    const beyond = await eve.browser.open(path)
    expect(textOf(beyond)).toContain('Confirm that it is you')
    const back = await place.back(eve.browser, await eve.browser.submit(beyond, chosen()), {
      ...eve,
      auth_time: now(),
    })
    expect(textOf(back)).toContain('Confirm that it is you')
  })

  onOne.it('names no organisation that the session does not open, and goes to none', async () => {
    const other = await startProvider()
    other.now = now
    const at = await place.addUpstream(other, {
      code: 'globex',
      name: 'Globex ID',
      organisation_uuid: globex,
    })
    const ada = await somebody()
    await place.make('/profiles', { user_uuid: ada.uuid, role_code: 'reader', organisation_uuid: globex })
    await linkTo(place.tessera, { upstream_uuid: at, user_uuid: ada.uuid, groups: [], at: Date.now() })
    const asked = await ada.browser.open(path)
    expect(textOf(asked)).toContain('Continue with Acme ID')
    expect(textOf(asked)).not.toContain('Globex')
    const forged = await ada.browser.submit(asked, chosen(at))
    expect([forged.location, textOf(forged)]).toEqual([
      undefined,
      expect.stringContaining('Confirm that it is you'),
    ])
    // Where Globex takes what Acme proves, its own upstream is no secret, and either proof of now opens all.
    await setOrganisation(place.tessera, globex, { accepts: [acme] })
    const whole = await act(ada.browser, { do: 'password' })
    expect(textOf(whole)).toContain('Globex ID')
    const left = await ada.browser.submit(whole, chosen(at))
    const half = await place.back(ada.browser, left, { ...ada, sub: ada.uuid, auth_time: now() }, other)
    // Globex's proof is fresh, and opens nothing of Acme; Acme's is eleven minutes old.
    const again = await ada.browser.submit(half)
    expect(textOf(again)).toContain('Confirm that it is you')
    const back = await ada.browser.submit(again, chosen())
    const done = await place.back(ada.browser, back, { ...ada, auth_time: now() })
    expect((await ada.browser.submit(done)).body).toContain('name="new_password"')
    await setOrganisation(place.tessera, globex, { accepts: [] })
    await other.close()
  })

  onOne.it('keeps what was filled in, and no database what was secret of it', async () => {
    const ada = await somebody()
    const { csrf = '' } = formOn(await ada.browser.open(path)).hidden
    const asked = await ada.browser.request(path, {
      form: { csrf, do: 'confirm', name: 'My very own phone', code: '81726354' },
    })
    const left = await ada.browser.submit(asked, chosen())
    const kept = JSON.stringify(await everythingIn(place.tessera))
    expect(kept).not.toContain('81726354')
    const proved = await place.back(ada.browser, left, { ...ada, auth_time: now() })
    expect(formOn(proved).hidden).toMatchObject({
      do: 'confirm',
      name: 'My very own phone',
      code: '81726354',
    })
  })

  onOne.it('types name and password where the upstream is a directory', async () => {
    const [eve, ada] = [await somebody(), await somebody()]
    trustDirectories()
    const server = new LdapServer()
    await server.listen('ldaps')
    const base = 'dc=acme,dc=example'
    const at = await place.make('/upstreams', {
      ...{ code: 'ad', name: 'Acme AD', kind: 'ldap', organisation_uuid: acme, url: server.url(), base },
      ...{ bind_dn: `cn=service,${base}`, bind_password: 'a password' },
    })
    await linkTo(place.tessera, { upstream_uuid: at, user_uuid: ada.uuid, groups: [], at: Date.now() })
    const entry = (name: string, entryUUID: string) => ({
      ...{ dn: `uid=${name},${base}`, uid: name, entryUUID, password: `the word of ${name}` },
      mail: `${name}@acme.example`,
    })
    server.entries = [
      { dn: base },
      { dn: `cn=service,${base}`, password: 'a password', mail: 'service@acme.example' },
      entry('ada', ada.uuid),
      entry('eve', 'somebody else'),
    ]
    const form = await leaving(ada.browser, chosen(at))
    expect([pathOf(form), textOf(form)]).toEqual(['/account/directory', expect.stringContaining('Acme AD')])
    for (const typed of [{}, { name: 'ada' }, { name: 'ada', password: 'wrong' }])
      expect((await ada.browser.submit(form, typed)).status).toBe(400)
    expect((await eve.browser.open(form.url)).status).toBe(400)
    const proved = await ada.browser.submit(form, { name: 'ada', password: 'the word of ada' })
    expect(textOf(proved)).toContain('You have proved it')
    expect((await ada.browser.submit(proved)).body).toContain('name="new_password"')
    expect((await ada.browser.submit(form, { name: 'ada', password: 'the word of ada' })).status).toBe(400)
    place.tessera.clock.advance(11 * 60_000)
    const other = await ada.browser.submit(await leaving(ada.browser, chosen(at)), {
      ...{ name: 'eve', password: 'the word of eve' },
    })
    expect([other.status, textOf(other)]).toEqual([403, expect.stringContaining('as somebody else')])
    await server.close()
  })
})
