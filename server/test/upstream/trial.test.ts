/** A sign-in that is tried: what is said of it is what a sign-in then does, and nothing of it stays. */
import { expect, it } from 'vitest'
import { answerOf, authorizeRequest, claimsOf } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { everythingBesideTrials } from '../harness/states.ts'
import { acme, type Claims, globex, placeOn, textOf } from './sign-in-support.ts'
import { begin, leaveTo, outcomeOf, tryAs } from './trial-support.ts'

onEachDatabase('a trial of an upstream', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, {
    upstream: { provision: 'create', mapping: [{ group: 'g', role: 'importer' }] },
  })
  const importer = { organisation_uuid: acme, role_code: 'importer', unit_uuid: null }

  /** Tries, and holds that nothing was written. */
  const tried = async (person: Claims) => {
    const before = await everythingBesideTrials(place.tessera)
    const outcome = await tryAs(place, person)
    expect(outcome.browser.cookies.has('tessera-session')).toBe(false)
    expect(await everythingBesideTrials(place.tessera)).toEqual(before)
    return outcome
  }
  const links = async (uuid: string) => (await place.admin.all(`/users/${uuid}/links`)).length

  it('says of somebody new what came, and what would be made', async () => {
    const ada = {
      ...place.somebody(),
      groups: ['g', 'h'],
      acr: 'gold',
      amr: ['otp'],
      auth_time: 1_700_000_000,
    }
    const { state, problem, came, would, visit } = await tried(ada)
    expect([state, problem]).toEqual(['done', null])
    expect(came).toMatchObject({
      subject: ada.sub,
      fields: { email: ada.email, name: ada.name },
      groups: ['g', 'h'],
      contexts: ['gold', 'otp'],
      amr: ['otp'],
      auth_time: '2023-11-14T22:13:20.000Z',
    })
    expect(came?.claims).toMatchObject({ email: [ada.email], groups: ['g', 'h'] })
    const gives = [importer]
    expect(would).toEqual({
      ...{ outcome: 'new', user_uuid: null, reason: null, links: true, changes: [], gives, ends: [] },
    })
    for (const shown of [
      'make a new account',
      ada.sub,
      ada.email,
      'g , h',
      'importer',
      'nobody is signed in',
    ])
      expect(textOf(visit)).toContain(shown)
    // A sign-in makes exactly that.
    const { id_token } = await place.tokens(ada)
    expect(claimsOf(id_token)).toMatchObject({ email: ada.email, role_code: 'importer' })
    expect(await links(String(claimsOf(id_token).sub))).toBe(1)
  })

  it('says of somebody known what would change, begin and end', async () => {
    const ada = { ...place.somebody(), groups: ['g'] }
    const uuid = String(claimsOf((await place.tokens(ada)).id_token).sub)
    const none = { outcome: 'known', user_uuid: uuid, reason: null, links: false, gives: [], ends: [] }
    expect((await tried(ada)).would).toEqual({ ...none, changes: [] })
    const changed = { ...ada, name: 'Ada A.', groups: [] }
    const { would, visit } = await tried(changed)
    const changes = [{ field: 'name', before: 'Somebody', after: 'Ada A.' }]
    expect(would).toEqual({ ...none, changes, ends: [importer] })
    expect(textOf(visit)).toContain('sign you in to your account')
    expect((await place.admin.get(`/users/${uuid}`)).json.name).toBe('Somebody')
    // Overage gives and takes nothing.
    const overage = { ...ada, groups: undefined, _claim_names: { groups: 'src1' } }
    const unknown = await tried(overage)
    expect([unknown.came?.groups, unknown.would?.ends]).toEqual(['unknown', []])
    // The address of another domain does not count.
    expect((await tried({ ...ada, email: 'ada@elsewhere.example' })).would).toMatchObject({
      outcome: 'known',
      reason: 'address_domain',
    })
    await place.signIn(changed)
    const profiles = await place.admin.all(`/profiles?user_uuid=${uuid}`)
    expect(profiles).toEqual([])
    expect((await place.admin.get(`/users/${uuid}`)).json.name).toBe('Ada A.')
  })

  onOne.it('says that an account would be linked, or proved first', async () => {
    const own = place.somebody()
    const { uuid } = await place.account(own)
    expect((await tried(own)).would).toMatchObject({ outcome: 'known', user_uuid: uuid, links: true })
    expect(await links(uuid)).toBe(0)
    expect(claimsOf((await place.tokens(own)).id_token).sub).toBe(uuid)

    const foreign = place.somebody()
    await place.account(foreign, [{ role_code: 'bookkeeper', organisation_uuid: globex }])
    const prove = await tried(foreign)
    // Whose account that is says nobody.
    expect(prove.would).toMatchObject({ outcome: 'prove', user_uuid: null, links: false })
    expect(textOf(prove.visit)).toContain('first sign in to it')
    expect(textOf((await place.signIn(foreign)).visit)).toContain('is there already')
  })

  onOne.it('says why nobody would be let in', async () => {
    const ada = { ...place.somebody(), groups: ['g'] }
    const uuid = String(claimsOf((await place.tokens(ada)).id_token).sub)
    const outside = place.somebody('elsewhere.example')
    const refused: [Claims, string, RegExp][] = [
      [{ ...ada, sub: 'another' }, 'conflict', /belongs to another sign-in/],
      [outside, 'outside_domains', /does not speak for/],
      [{ ...place.somebody(), email: undefined }, 'no_address', /does not tell/],
    ]
    const holds = async (person: Claims, reason: string, words: RegExp) => {
      const { would, state, visit } = await tried(person)
      expect([state, would?.outcome, would?.reason, would?.user_uuid, visit.status]).toEqual([
        'done',
        'refused',
        reason,
        null,
        200,
      ])
      const asked = { ...place.somebody(), ...person, email: person.email ?? ada.email }
      const browser = place.browser()
      const left = await place.leave(browser, authorizeRequest().path, ada.email)
      const visited = await place.back(browser, left, { ...asked, email: person.email })
      expect(textOf(visited)).toMatch(words)
    }
    for (const one of refused) await holds(...one)
    await place.change(`/upstreams/${place.upstream}`, { provision: 'known' })
    await holds(place.somebody(), 'unknown_person', /Ask your administrators to invite/)
    await place.change(`/upstreams/${place.upstream}`, { provision: 'create' })
    await place.change(`/users/${uuid}`, { active: false })
    await holds(ada, 'disabled', /is disabled/)
    await place.change(`/upstreams/${place.upstream}`, { guests: true })
    const guest = await tried(outside)
    expect(guest.would).toMatchObject({ outcome: 'guest', reason: null, user_uuid: null, links: false })
    expect(textOf(guest.visit)).toContain('A code mailed to it')
    await place.change(`/upstreams/${place.upstream}`, { guests: false })
  })

  onOne.it('works of one that is disabled, which signs in nobody', async () => {
    await place.change(`/upstreams/${place.upstream}`, { active: false })
    const ada = { ...place.somebody(), groups: ['g'] }
    expect((await tried(ada)).would).toMatchObject({ outcome: 'new', gives: [importer] })
    await place.change(`/upstreams/${place.upstream}`, { active: true })
    expect((await place.admin.all('/users')).map((user) => user.email)).not.toContain(ada.email)
  })

  onOne.it('is no sign-in: it gives no session, and an answer to it none to anybody', async () => {
    const ada = { ...place.somebody(), groups: ['g'] }
    await place.tokens(ada)
    const { browser, visit } = await tryAs(place, ada)
    const silent = await browser.open(authorizeRequest({ prompt: 'none' }).path)
    expect(answerOf(silent).error).toBe('login_required')
    const account = await browser.open('/account')
    expect(new URL(account.url).pathname).toBe('/sign-in')
    expect(new URL(visit.url).pathname).toBe(`/upstreams/${place.upstream}/tried`)
  })

  it('is recorded, with neither who came nor what was said', async () => {
    const ada = { ...place.somebody(), groups: ['g'] }
    const before = (await place.audit({ kind: 'upstream.tried' })).length
    await tryAs(place, ada)
    const records = await place.audit({ kind: 'upstream.tried' })
    expect(records.length).toBe(before + 1)
    const newest = records.find(({ detail }) => JSON.stringify(detail) === '{"outcome":"new"}')
    expect(newest).toMatchObject({
      actor: { kind: 'client', id: 'admin-cli' },
      target: { kind: 'upstream', id: place.upstream },
      organisation_uuid: acme,
    })
    for (const said of [ada.sub, ada.email]) expect(JSON.stringify(records)).not.toContain(said)
  })

  it('is shown while it waits, and for an hour after', async () => {
    const begun = await begin(place)
    expect(await outcomeOf(place, begun)).toMatchObject({ state: 'waiting', opened: false, came: null })
    const browser = place.browser()
    const left = await leaveTo(browser, begun)
    expect(await outcomeOf(place, begun)).toMatchObject({ state: 'waiting', opened: true, would: null })
    const visit = await place.back(browser, left, place.somebody())
    place.tessera.clock.advance(59 * 60_000)
    place.admin = await place.administrator()
    expect((await outcomeOf(place, begun)).state).toBe('done')
    expect((await browser.open(visit.url)).status).toBe(200)
    place.tessera.clock.advance(2 * 60_000)
    expect((await place.admin.get(`/upstreams/${place.upstream}/test/${begun.id}`)).status).toBe(404)
    expect((await browser.open(visit.url)).status).toBe(400)
  })
})
