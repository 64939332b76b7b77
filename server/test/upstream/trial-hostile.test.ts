/** What a trial refuses: another browser, another time, somebody who may not ask, a provider that is set up wrong. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Administrator, ownerOf, problemOf } from '../administration/support.ts'
import { authorizeRequest } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { UpstreamProvider } from '../harness/upstream-provider.ts'
import { acme, globex, placeOn, textOf } from './sign-in-support.ts'
import { begin, leaveTo, outcomeOf, tryAs } from './trial-support.ts'

onEachDatabase('a trial', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const other = new UpstreamProvider()
  let globexId = ''
  beforeAll(async () => {
    await other.listen()
    other.now = place.provider.now
    globexId = await place.addUpstream(other, { code: 'globex-id', organisation_uuid: globex })
  })
  afterAll(() => other.close())
  const over = 'This address no longer counts'

  it('is of the browser that opened it first', async () => {
    const begun = await begin(place)
    const [first, second] = [place.browser(), place.browser()]
    // Looking binds nobody.
    const [page, later] = [await first.open(begun.address), await second.open(begun.address)]
    const left = await first.submit(page)
    expect(left.location).toMatch(place.provider.issuer)
    const refused = await second.submit(later)
    expect([refused.status, textOf(refused)]).toEqual([400, expect.stringContaining(over)])
    expect((await second.open(begun.address)).status).toBe(400)
    const brought = place.brought(left, place.somebody())
    expect((await second.open(brought)).status).toBe(400)
    expect((await place.browser().open(brought)).status).toBe(400)
    expect((await outcomeOf(place, begun)).state).toBe('waiting')
    const visit = await first.open(brought)
    expect(visit.status).toBe(200)
    expect((await second.open(visit.url)).status).toBe(400)
    // The answer counts once, and so does the address.
    expect((await first.open(brought)).status).toBe(400)
    expect((await first.open(begun.address)).status).toBe(400)
    expect(await outcomeOf(place, begun)).toMatchObject({ state: 'done' })
  })

  it('counts for a quarter of an hour, at its upstream, by a form of ours', async () => {
    const begun = await begin(place)
    const browser = place.browser()
    const elsewhere = begun.address.replace(place.upstream, globexId)
    const wrong = [elsewhere, begun.address.replace(/trial=.*/, 'trial=x'), begun.address.split('?')[0] ?? '']
    for (const address of wrong) expect((await browser.open(address)).status, address).toBe(400)
    const page = await browser.open(begun.address)
    const planted = await browser.request(begun.address, { form: { csrf: 'x' } })
    expect([planted.status, planted.location]).toEqual([400, undefined])
    place.tessera.clock.advance(16 * 60_000)
    place.admin = await place.administrator()
    expect((await browser.submit(page)).status).toBe(400)
    expect((await place.admin.get(`/upstreams/${place.upstream}/test/${begun.id}`)).status).toBe(404)
  })

  onOne.it('takes no answer to a sign-in, nor a sign-in an answer to it', async () => {
    const ada = place.somebody()
    const begun = await begin(place)
    const browser = place.browser()
    const left = await leaveTo(browser, begun)
    const brought = new URL(place.brought(left, ada))
    // At the address of another upstream.
    const moved = brought.href.replace(place.upstream, globexId)
    const mixed = await browser.open(moved)
    expect(textOf(mixed)).toContain('did not work')
    expect((await outcomeOf(place, begun)).problem).toMatchObject({ code: 'issuer' })
    const signing = await place.leave(browser, authorizeRequest().path, ada.email)
    const state = new URL(signing.location ?? '').searchParams.get('state') ?? ''
    const again = await begin(place)
    const trying = new URL(place.brought(await leaveTo(browser, again), ada))
    trying.searchParams.set('state', state)
    const taken = await browser.open(trying.href)
    expect([taken.status, taken.location]).toEqual([403, undefined])
    expect((await outcomeOf(place, again)).state).toBe('waiting')
  })

  onOne.it('is begun and read by who could make the upstream alone', async () => {
    const begun = await begin(place)
    const path = `/upstreams/${place.upstream}/test`
    const onlooker = await Administrator.machine(place.url, 'onlooker-cli')
    expect((await onlooker.post(path, {})).status).toBe(403)
    expect((await onlooker.get(`${path}/${begun.id}`)).status).toBe(403)
    // Administers Acme, and not all that is held there.
    const some = await Administrator.machine(place.url, 'acme-cli')
    expect(problemOf(await some.post(path, {}))).toMatch(/^403/)
    expect(problemOf(await some.get(`${path}/${begun.id}`))).toMatch(/^403/)
    const owner = await ownerOf(place.url, place.admin)
    const made = await owner.post(path, {})
    expect(made.status, made.text).toBe(201)
    expect(made.headers.get('location')).toMatch(`${path}/${String(made.json.id)}`)
    expect((await owner.get(`${path}/${begun.id}`)).status).toBe(200)
    for (const asked of [
      owner.post(`/upstreams/${globexId}/test`, {}),
      owner.get(`/upstreams/${globexId}/test/${begun.id}`),
    ])
      expect(problemOf(await asked)).toMatch(/^404/)
    const unknown = [
      `/upstreams/${globexId}/test/${begun.id}`,
      `${path}/${acme}`,
      `${path}/x`,
      `/upstreams/${acme}/test/${begun.id}`,
    ]
    for (const one of unknown) expect(problemOf(await place.admin.get(one)), one).toMatch(/^404/)
    expect((await new Administrator(place.url, 'x').post(path, {})).status).toBe(401)
    expect(problemOf(await place.admin.post(path, { by: 'x' }))).toMatch(/^400/)
    expect(problemOf(await place.admin.post(`${path}?dry_run=true`, {}))).toMatch(/^400/)
  })

  onOne.it('says what is wrong at which side', async () => {
    const ada = place.somebody()
    const broken = async (changes: object, twists: UpstreamProvider['twists'] = {}) => {
      const upstream = await place.addUpstream(place.provider, { code: 'broken', ...changes })
      place.provider.twists = twists
      const begun = await begin(place, upstream)
      const browser = place.browser()
      const left = await leaveTo(browser, begun)
      const isAway = left.location?.startsWith(place.provider.issuer) === true
      const visit = isAway ? await place.back(browser, left, ada) : left
      place.provider.twists = {}
      const outcome = await outcomeOf(place, begun)
      await place.admin.delete(`/upstreams/${upstream}`)
      const { problem, came, would, state } = outcome
      expect([state, came, would, visit.status]).toEqual(['failed', null, null, 200])
      expect(textOf(visit)).toContain(problem?.cure)
      expect(textOf(visit)).toContain(`/upstreams/${upstream}/callback`)
      return `${problem?.code}: ${problem?.cure}`
    }
    const refuses = { status: 401, body: { error: 'invalid_client' } }
    expect(await broken({}, { at: { '/token': refuses } })).toMatch(
      /^client_refused: At the provider.*secret/,
    )
    expect(await broken({ issuer: 'http://127.0.0.1:9' })).toMatch(/^unreachable: Here: check the address/)
    expect(await broken({ issuer: `${place.provider.issuer}/x` })).toMatch(
      /^documents: Here: compare the issuer/,
    )
    const claims = (changes: object) => ({ claims: (all: object) => ({ ...all, ...changes }) })
    expect(await broken({}, claims({ aud: 'another' }))).toMatch(/^audience: At the provider/)
    expect(await broken({}, claims({ nonce: 'another' }))).toMatch(/^nonce: /)
    expect(await broken({}, claims({ iss: 'https://another.example' }))).toMatch(/^issuer: Here/)
    expect(await broken({}, { signature: 'a foreign key' })).toMatch(/^signature: /)
    expect(await broken({}, { signature: 'none' })).toMatch(/^(signature|response): /)
    const denied = (parameters: URLSearchParams) => {
      parameters.delete('code')
      parameters.set('error', 'access_denied')
    }
    expect(await broken({}, { brought: denied })).toMatch(/^denied: At the provider: assign/)
    expect(await broken({ subject: 'employee' })).toMatch(/^no_subject: At the provider/)
  })

  it('ends with its upstream, and says so of a disabled organisation', async () => {
    const upstream = await place.addUpstream(place.provider, { code: 'short' })
    const begun = await begin(place, upstream)
    const browser = place.browser()
    const left = await leaveTo(browser, begun)
    await place.admin.delete(`/upstreams/${upstream}`)
    expect((await place.back(browser, left, place.somebody())).status).toBe(400)
    expect((await browser.open(begun.address)).status).toBe(400)
    expect((await place.admin.get(`/upstreams/${upstream}/test/${begun.id}`)).status).toBe(404)
    await place.change(`/organisations/${acme}`, { active: false })
    const tried = await tryAs(place, place.somebody())
    await place.change(`/organisations/${acme}`, { active: true })
    expect([tried.state, tried.problem?.code, tried.would]).toEqual(['failed', 'inactive', null])
    expect(tried.came).not.toBeNull()
  })
})
