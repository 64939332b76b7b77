/** Guests: an upstream that does not speak for an address signs in who has its mailbox (decisions 18). */
import { expect, it } from 'vitest'
import { ownerOf } from '../administration/support.ts'
import { answerOf, authorizeRequest, claimsOf, signIn } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo, shownTo } from '../harness/development-mail.ts'
import { beyondOf } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'
import { arriveWithCode, guestPath, pathOf, type } from './guest-support.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

// The look for what is due.
shortenTimers({ 500: 50 })

onEachDatabase('a guest', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, {
    upstream: { provision: 'create', guests: true, mapping: [{ group: 'g', role: 'importer' }] },
  })
  const guest = () => ({ ...place.somebody('guests.example'), groups: ['g'] })
  const userOf = async (email: string) =>
    (await place.admin.all(`/users?q=${encodeURIComponent(email)}`))[0] as Record<string, unknown> | undefined

  it('gets an account by the code that is mailed, and signs in without one from then on', async () => {
    const ada = guest()
    const arrived = await arriveWithCode(place, ada)
    expect(await userOf(ada.email)).toBeUndefined()
    for (const shown of [ada.email, 'Acme ID']) expect(textOf(arrived.page)).toContain(shown)
    const { text } = await mailTo(place.tessera, ada.email, 'Your code')
    expect(text).toContain('through Acme ID')
    const { json } = await place.redeem(await type(arrived, arrived.code), arrived.request)
    const claims = claimsOf(json.id_token)
    expect(claims).toMatchObject({ email: ada.email, email_verified: true, organisation_uuid: acme })
    const kinds = await place.kindsOf(String(claims.sub))
    expect(kinds).toEqual(
      expect.arrayContaining(['person.provisioned', 'link.created', 'profile.mapped', 'sign_in.succeeded']),
    )
    const [browser, again] = [place.browser(), authorizeRequest({ upstream: 'acme/entra' })]
    const back = await place.back(browser, await browser.open(again.path), ada)
    expect(claimsOf((await place.redeem(back, again)).json.id_token).sub).toBe(claims.sub)
    // Whoever runs the provider owns nobody outside its domains.
    await place.change(`/upstreams/${place.upstream}`, { name: 'Acme ID' })
    expect((await userOf(ada.email))?.email).toBe(ada.email)
  })

  it('sees the same whether there is an account or not, and proves the one that is there', async () => {
    const [known, unknown] = [guest(), guest()]
    const { uuid } = await place.account(known, [{ role_code: 'bookkeeper', organisation_uuid: globex }])
    const shown = async (person: typeof known) => {
      const arrived = await arriveWithCode(place, person)
      const { subject, text } = await mailTo(place.tessera, person.email, 'Your code')
      const same = (one: string) => one.replaceAll(person.email, '@').replaceAll(/\d{8}/g, '#')
      return { arrived, seen: [same(textOf(arrived.page)), subject, same(text)] }
    }
    const [there, new_] = [await shown(known), await shown(unknown)]
    expect(there.seen).toEqual(new_.seen)
    const asked = await type(there.arrived, there.arrived.code)
    expect([pathOf(asked), textOf(asked)]).toEqual(['/sign-in', expect.stringContaining('is there already')])
    expect(there.arrived.browser.cookies.has('tessera-session')).toBe(false)
    expect(await place.admin.all(`/users/${uuid}/links`)).toEqual([])
    const connect = await there.arrived.browser.submit(asked, { email: known.email, password })
    expect(pathOf(connect)).toBe('/sign-in/connect')
    await there.arrived.browser.submit(connect, { choice: 'link' })
    expect(await place.admin.all(`/users/${uuid}/links`)).toMatchObject([
      { subject: known.sub, by_hand: true },
    ])
  })

  it('ends all of an account that nobody had proved, by which it was planted', async () => {
    const ada = guest()
    const owner = await ownerOf(place.url, place.admin)
    const profiles = [{ role_code: 'importer', organisation_uuid: acme }]
    const made = await owner.post('/users', { email: ada.email, name: 'Ada', password, profiles })
    expect(made.status, made.text).toBe(201)
    const uuid = String(made.json.uuid)
    const planted = place.browser()
    expect((await signIn(planted, authorizeRequest().path, { email: ada.email, password })).location).toMatch(
      'code=',
    )
    const arrived = await arriveWithCode(place, ada)
    const asked = await type(arrived, arrived.code)
    const connect = await arrived.browser.submit(asked, { email: ada.email, password })
    expect(pathOf(connect)).toBe('/sign-in/connect')
    const done = await arrived.browser.submit(connect, { choice: 'link' })
    // In by the upstream: the session of the password has ended with all else.
    expect(claimsOf((await place.redeem(done, arrived.request)).json.id_token).sub).toBe(uuid)
    const silent = await planted.open(authorizeRequest({ prompt: 'none' }).path)
    expect(answerOf(silent).error).toBe('login_required')
    const before = await signIn(place.browser(), authorizeRequest().path, { email: ada.email, password })
    expect(before.status).toBe(400)
    expect(await beyondOf(place.tessera, uuid)).not.toContain('waits')
  })

  it('proves an account without a known password by the link of a reset, and is then connected', async () => {
    const ada = guest()
    const { uuid } = await place.account(ada, [{ role_code: 'bookkeeper', organisation_uuid: globex }], {})
    const { browser, ...arrived } = await arriveWithCode(place, ada)
    const asked = await type({ browser, ...arrived }, arrived.code)
    const forgotten = await browser.open(/href="([^"]*forgotten[^"]*)"/.exec(asked.body)?.[1] ?? '')
    await browser.submit(forgotten, { email: ada.email })
    const reset = await browser.open(linkIn(await mailTo(place.tessera, ada.email, 'password')))
    const next = 'a fresh password of their own'
    const connect = await browser.submit(reset, { password: next, password_again: next })
    expect(pathOf(connect)).toBe('/sign-in/connect')
    await browser.submit(connect, { choice: 'link' })
    expect(await place.admin.all(`/users/${uuid}/links`)).toMatchObject([{ subject: ada.sub }])
  })

  onOne.it('is refused after the code where people have to be invited, and learns it no sooner', async () => {
    await place.change(`/upstreams/${place.upstream}`, { provision: 'known' })
    const ada = guest()
    const arrived = await arriveWithCode(place, ada)
    const done = await type(arrived, arrived.code)
    expect([done.status, textOf(done)]).toEqual([403, expect.stringContaining('to invite you')])
    expect(await userOf(ada.email)).toBeUndefined()
    await place.change(`/upstreams/${place.upstream}`, { provision: 'create' })
  })

  onOne.it('goes back to the sign-in, or gives up', async () => {
    const ada = guest()
    const arrived = await arriveWithCode(place, ada)
    const back = await arrived.browser.submit(arrived.page, { choice: 'back' })
    expect([back.status, pathOf(back)]).toEqual([200, '/sign-in'])
    expect(pathOf(await arrived.browser.open(arrived.page.url))).toBe('/sign-in')
    const another = await arriveWithCode(place, guest())
    const left = await another.browser.submit(another.page, { choice: 'cancel' })
    expect(answerOf(left).error).toBe('access_denied')
  })

  onOne.it('is nobody where the upstream takes no guests', async () => {
    await place.change(`/upstreams/${place.upstream}`, { guests: false })
    const ada = guest()
    const [browser, request] = [place.browser(), authorizeRequest({ upstream: 'acme/entra' })]
    const visit = await place.back(browser, await browser.open(request.path), ada)
    expect([visit.status, pathOf(visit)]).not.toContain(guestPath)
    expect(textOf(visit)).toContain('does not speak for')
    expect(await shownTo(place.tessera, ada.email)).toEqual([])
    await place.change(`/upstreams/${place.upstream}`, { guests: true })
  })
})
