/** What people are told of sign-ins elsewhere, and what they can take back. */
import { expect, it } from 'vitest'
import { Administrator, heads } from '../administration/support.ts'
import { authorizeRequest, claimsOf, people, signIn } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo, shownTo } from '../harness/development-mail.ts'
import { recordEvent, setOrganisation } from '../harness/states.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { shortenTimers } from '../harness/timers.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

// The look for what is due.
shortenTimers({ 500: 50 })
const linked = 'Another way to sign in'
const importer = { role_code: 'importer', organisation_uuid: acme }

onEachDatabase('notices of upstreams', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, {
    upstream: { provision: 'create', mapping: [{ group: 'g', role: 'importer' }] },
  })
  const groups = ['g']
  const linksOf = async (user: string) => await place.admin.all(`/users/${user}/links`)
  /** Somebody whose account is more than the organisation's connects it by hand. */
  async function connected() {
    const person = place.somebody()
    const profiles = [importer, { role_code: 'bookkeeper', organisation_uuid: globex }]
    const { uuid } = await place.account(person, profiles)
    const { visit, browser } = await place.signIn(person)
    const connect = await browser.submit(visit, { email: person.email, password })
    await browser.submit(connect, { choice: 'link' })
    expect(await linksOf(uuid)).toMatchObject([{ by_hand: true }])
    return { ...person, uuid }
  }

  it('tell of a link, and “this was not me” removes it with what rests on it', async () => {
    const person = place.somebody()
    const { uuid } = await place.account(person, [importer])
    const { browser } = await place.signIn(person)
    const notice = await mailTo(place.tessera, person.email, linked)
    expect(notice.text).toContain('Acme ID')
    const anywhere = place.browser()
    const page = await anywhere.open(linkIn(notice))
    expect(textOf(page)).toContain('The sign-in that was connected is removed')
    expect(textOf(await anywhere.submit(page, {}))).toContain('safe for now')
    expect(await linksOf(uuid)).toEqual([])
    expect(await place.kindsOf(uuid)).toEqual(expect.arrayContaining(['link.removed', 'notice.repudiated']))
    expect(new URL((await browser.open('/account')).url).pathname).toBe('/sign-in')
  })

  onOne.it('tell nobody whose account the upstream made just now', async () => {
    const person = place.somebody()
    const { sub } = claimsOf((await place.tokens({ ...person, groups })).id_token)
    expect(await place.kindsOf(String(sub))).toContain('link.created')
    await connected().then(({ email }) => mailTo(place.tessera, email, linked))
    expect(await shownTo(place.tessera, person.email)).toEqual([])
  })

  onOne.it('tell both addresses that the upstream moved one', async () => {
    const person = place.somebody()
    const { uuid } = await place.account(person, [importer])
    await place.tokens(person)
    const moved = place.somebody().email
    const browser = place.browser()
    const left = await place.leave(browser, authorizeRequest().path, person.email)
    await place.back(browser, left, { ...person, email: moved })
    for (const address of [person.email, moved])
      expect((await mailTo(place.tessera, address, 'Your address was changed')).text).toContain(
        '@acme.example',
      )
    expect((await place.admin.get(`/users/${uuid}`)).json).toMatchObject({ email: moved })
  })

  it('tell everybody who administers that somebody used break-glass, and that it changed', async () => {
    await place.tokens({ ...place.somebody(), groups })
    await importEnrolled(place.tessera, ['glass'], 'importer')
    const person = personOf('glass')
    const [{ uuid }] = (await place.admin.all(`/users?q=${person.email}`)) as [{ uuid: string }]
    await setOrganisation(place.tessera, acme, { breakGlass: [uuid] })
    const before = place.browser()
    const enters = await signIn(before, authorizeRequest().path, person)
    await before.submit(enters, { code: codeOf(place.tessera) })
    await place.change(`/organisations/${acme}`, { policy: { sign_in: 'upstream' } })
    place.tessera.clock.advance(30_000)
    const browser = place.browser()
    const asked = await signIn(browser, authorizeRequest().path, person)
    await browser.submit(asked, { code: codeOf(place.tessera) })
    for (const { email } of [heads.head, people.admin]) {
      const { text } = await mailTo(place.tessera, email, 'break-glass')
      expect(text).toContain('glass (Acme')
    }
    expect(await shownTo(place.tessera, heads.unitHead.email)).toEqual([])
    await place.change(`/organisations/${acme}`, { policy: { sign_in: 'any' } })
    await place.change(`/organisations/${acme}`, { break_glass: [] })
    const { text } = await mailTo(place.tessera, heads.head.email, 'access was changed')
    expect(text).toContain('– (Acme')
  })

  it('tell everybody who administers that a domain moved, both sides, and that a look was stopped', async () => {
    const away = {
      at: place.tessera.clock.now(),
      kind: 'domain.changed',
      actor: { kind: 'service' },
    } as const
    const target = { kind: 'domain', id: 'd' }
    const detail = { name: 'moved.example', reason: 'moved' }
    const turned = (organisation_uuid: string, holds: boolean) =>
      recordEvent(place.tessera, {
        ...away,
        ...{ target, organisation_uuid, detail, before: { holds: !holds }, after: { holds } },
      })
    await turned(acme, false)
    await turned(globex, true)
    const lost = await mailTo(place.tessera, heads.head.email, 'no longer has a domain')
    expect(lost.text).toContain('moved.example (Acme')
    const gained = await mailTo(place.tessera, people.admin.email, 'has another domain')
    expect(gained.text).toContain('moved.example (Globex)')
    const gainedBy = await shownTo(place.tessera, heads.head.email)
    expect(gainedBy.filter(({ subject }) => subject.includes('another domain'))).toEqual([])
    await recordEvent(place.tessera, {
      ...{ ...away, kind: 'sync.stopped', target: { kind: 'upstream', id: place.upstream } },
      ...{ organisation_uuid: acme, detail: { reason: 'unreachable: it is away' } },
    })
    const { text } = await mailTo(place.tessera, heads.head.email, 'no longer looked for')
    expect(text).toContain('Acme ID (Acme')
  })

  it('a new password ends the links of the last seven days that were made by hand', async () => {
    const [young, old] = [await connected(), await connected()]
    const reset = async ({ uuid }: { uuid: string }) => {
      place.admin = await Administrator.machine(place.url)
      const { json } = await place.admin.post(`/users/${uuid}/recovery`, { delivery: 'link' })
      const browser = place.browser()
      const { pathname, search } = new URL(String(json.link))
      const next = 'another long password of theirs'
      await browser.submit(await browser.open(pathname + search), { password: next, password_again: next })
    }
    await reset(young)
    expect(await linksOf(young.uuid)).toEqual([])
    expect(await place.kindsOf(young.uuid)).toContain('link.removed')
    place.tessera.clock.advance(8 * 24 * 3_600_000)
    await reset(old)
    expect(await place.kindsOf(old.uuid)).toContain('password_reset.completed')
    expect(await linksOf(old.uuid)).toHaveLength(1)
  })
})
