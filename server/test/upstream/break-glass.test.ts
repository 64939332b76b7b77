/** Who gets in when upstreams do not work, and what switching a forced sign-on on needs. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { planDeclared } from '../../dist/declared/plan.js'
import { describePlan } from '../../dist/declared/describe.js'
import { Administrator, heads } from '../administration/support.ts'
import { parse } from '../declared/support.ts'
import { authorizeRequest, people, signIn } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { mailTo } from '../harness/development-mail.ts'
import { withStore } from '../harness/program.ts'
import { linkTo, setOrganisation, setPolicy } from '../harness/states.ts'
import { UpstreamProvider } from '../harness/upstream-provider.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { acme, placeOn } from './sign-in-support.ts'

onEachDatabase('break-glass of the installation', (dialect) => {
  const place = placeOn(dialect)
  const own = new UpstreamProvider()
  let upstream = ''
  let glass = ''
  beforeAll(async () => {
    await own.listen()
    own.now = () => Math.floor(place.tessera.clock.now() / 1000)
    upstream = await place.addUpstream(own, {
      code: 'all',
      name: 'Everybody',
      organisation_uuid: null,
      domains: ['factors.example'],
    })
    await importEnrolled(place.tessera, ['glass'])
    const [{ uuid }] = (await place.admin.all(`/users?q=${personOf('glass').email}`)) as [{ uuid: string }]
    glass = uuid
    await place.make('/profiles', { user_uuid: glass, role_code: 'reader', organisation_uuid: null })
  })
  afterAll(() => own.close())

  const set = async (list: string[], who = place.admin) =>
    await who.ask('PUT', '/break-glass', { body: { people: list }, match: '*' })
  const named = async () => (await place.admin.get('/break-glass')).json.people
  const demand = async (sign_in: 'upstream' | 'any', query = '') =>
    await place.admin.ask('PUT', `/policy${query}`, { body: { sign_in }, match: '*' })
  const refusedBecause = ({ text }: { text: string }) => text

  it('names those alone who can get in without it', async () => {
    const plain = await place.account(place.somebody(), [{ role_code: 'reader', organisation_uuid: null }])
    const elsewhere = await place.account(place.somebody())
    for (const [uuid, reason] of [
      [plain.uuid, 'level 2'],
      [elsewhere.uuid, 'without organisation'],
    ] as const) {
      const refused = await set([uuid])
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(reason)])
    }
    await linkTo(place.tessera, { upstream_uuid: upstream, user_uuid: glass, groups: [], at: 1 })
    expect(refusedBecause(await set([glass]))).toContain('linked')
    expect((await place.admin.delete(`/users/${glass}/links/${upstream}`)).status).toBe(204)
    const head = await Administrator.person(place.url, heads.head)
    expect((await set([glass], head)).status).toBe(403)
    expect(await named()).toEqual(null)
    expect((await set([glass])).status).toBe(200)
    expect(await named()).toEqual([glass])
    const { text } = await mailTo(place.tessera, people.admin.email, 'access was changed')
    expect(text).toContain('glass')
  })

  it('is needed where everybody is to come through upstreams that work', async () => {
    await setOrganisation(place.tessera, acme, { breakGlass: [] })
    await place.tokens({ ...place.somebody(), groups: [] }).catch(() => undefined)
    const person = await place.account(place.somebody())
    await linkTo(place.tessera, { upstream_uuid: place.upstream, user_uuid: person.uuid, groups: [], at: 1 })
    await place.tokens({ sub: person.uuid, email: place.somebody().email })
    expect(refusedBecause(await demand('upstream'))).toContain('of acme')
    await importEnrolled(place.tessera, ['acme-glass'])
    const [{ uuid }] = (await place.admin.all('/users?q=acme-glass@')) as [{ uuid: string }]
    await setOrganisation(place.tessera, acme, { breakGlass: [uuid] })
    expect(refusedBecause(await demand('upstream'))).toContain('within 30 days')
    const browser = place.browser()
    const asked = await signIn(browser, authorizeRequest().path, personOf('acme-glass'))
    await browser.submit(asked, { code: codeOf(place.tessera) })
    const tried = await demand('upstream', '?dry_run=true')
    expect(tried.json.forces).toEqual({
      people: expect.any(Number),
      never: expect.any(Number),
      last_used_at: null,
    })
    expect((await demand('upstream')).status).toBe(200)
    // The last one stays while it is demanded, by whatever policy.
    const emptied = await place.admin.patch(`/organisations/${acme}`, { break_glass: [] })
    expect([emptied.status, emptied.text]).toEqual([409, expect.stringContaining('a policy demands it')])
    expect((await demand('any')).status).toBe(200)
  })

  it('keeps an administrator of the installation, and lets who is named in by level 2', async () => {
    const admin = (await place.admin.all(`/users?q=${people.admin.email}`)) as [{ uuid: string }]
    // Who connects themself with the upstream belongs to it, and gets in without it no more.
    const browser = place.browser()
    const left = await browser.open(authorizeRequest({ upstream: 'all' }).path)
    const [sub, { email }] = ['glass-there', personOf('glass')]
    const prove = await place.back(browser, left, { sub, email }, own)
    const asked = await browser.submit(prove, personOf('glass'))
    const connect = await browser.submit(asked, { code: codeOf(place.tessera) })
    await browser.submit(connect, { choice: 'link' })
    const again = place.browser()
    await place.back(again, await again.open(authorizeRequest({ upstream: 'all' }).path), { sub, email }, own)
    expect(await named()).toEqual([])
    expect((await place.admin.delete(`/users/${glass}/links/${upstream}`)).status).toBe(204)
    expect(refusedBecause(await demand('upstream'))).toContain('of the installation')
    expect((await set([glass])).status).toBe(200)
    expect((await demand('upstream')).json.error).toBe('last_administrator')
    await linkTo(place.tessera, { upstream_uuid: upstream, user_uuid: admin[0].uuid, groups: [], at: 1 })
    expect((await demand('upstream')).status).toBe(200)
    await demand('any')
  })

  it('is of the declared file too, whose plan counts who could not act', async () => {
    const planOf = async (text: string) =>
      await withStore(place.tessera, (store) =>
        planDeclared(store, parse(text), {
          now: place.tessera.clock.now(),
          verifyPassword: async () => true,
        }),
      )
    const { strengthens, changes } = await planOf(
      `policy: { sign_in: upstream }\nbreak_glass: [${personOf('glass').email}]\n`,
    )
    // Who is named already is no change.
    expect(changes.map(({ kind }) => kind)).toEqual(['policy'])
    expect(strengthens?.sign_in).toMatchObject({ people: expect.any(Number), never: expect.any(Number) })
    expect((await set([])).status).toBe(200)
    const shown = describePlan(
      await planOf(`policy: { sign_in: upstream }\nbreak_glass: [${personOf('glass').email}]\n`),
    )
    expect(shown).toContain("can't act before they sign in through their organisation")
    expect(shown).toContain(`people: + ${personOf('glass').email}`)
    await expect(planOf('break_glass: [stranger@acme.example]\n')).rejects.toThrow('no such person')
    await setPolicy(place.tessera, {}, null)
  })
})
