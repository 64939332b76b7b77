/** While a policy demands the upstream, the last who gets in without it stays, whichever door would take them away. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { planDeclared } from '../../dist/declared/plan.js'
import { Administrator, problemOf } from '../administration/support.ts'
import { runHere } from '../cli/command-support.ts'
import { parse } from '../declared/support.ts'
import { formOn, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { setOrganisation, setPolicy, suspendFactors } from '../harness/states.ts'
import { withStore } from '../harness/program.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { acme, globex, placeOn, textOf } from './sign-in-support.ts'

onEachDatabase('the last who gets in without the provider', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const people = ['glass', 'other', 'plain', 'everywhere', 'abroad']
  const uuids: Record<string, string> = {}
  let profile = ''
  let factor = ''
  beforeAll(async () => {
    const made = await place.admin.post('/roles', { code: 'glazier', name: 'Glazier', permissions: [] })
    expect(made.status, made.text).toBe(201)
    await importEnrolled(place.tessera, people, 'glazier')
  })
  beforeAll(async () => {
    for (const name of people) {
      const [found] = (await place.admin.all(`/users?q=${personOf(name).email}`)) as [{ uuid: string }]
      uuids[name] = found.uuid
    }
    const profiles = (await place.admin.all(`/profiles?user_uuid=${uuids.glass}`)) as { uuid: string }[]
    profile = profiles[0]?.uuid ?? ''
    const factors = (await place.admin.all(`/users/${uuids.glass}/factors`)) as { id: string }[]
    factor = factors[0]?.id ?? ''
    expect((await place.admin.delete(`/users/${uuids.plain}/factors`)).status).toBe(204)
    const there = { user_uuid: uuids.abroad, role_code: 'reader', organisation_uuid: globex }
    await place.make('/profiles', there)
  })
  beforeEach(async () => {
    await setOrganisation(place.tessera, acme, { breakGlass: [uuids.glass ?? ''] })
    await setPolicy(place.tessera, {}, { self_deletion: true })
    await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in: 'upstream' })
  })

  const ways = (): [method: string, path: string, body?: object][] => [
    ['PATCH', `/users/${uuids.glass}`, { active: false }],
    ['PATCH', `/users/${uuids.glass}`, { password: null }],
    [
      'PATCH',
      `/users/${uuids.glass}`,
      { password: 'another long password of theirs', password_temporary: true },
    ],
    ['DELETE', `/users/${uuids.glass}`],
    ['DELETE', `/users/${uuids.glass}/factors`],
    ['DELETE', `/users/${uuids.glass}/factors/${factor}`],
    ['PATCH', `/profiles/${profile}`, { active: false }],
    ['PATCH', `/profiles/${profile}`, { expires_at: '2020-01-01T00:00:00Z' }],
    ['PATCH', `/profiles/${profile}`, { expires_at: '2100-01-01T00:00:00Z' }],
    ['DELETE', `/profiles/${profile}`],
    ['PATCH', '/roles/glazier', { active: false }],
    ['DELETE', '/roles/glazier'],
    ['PATCH', `/organisations/${acme}`, { break_glass: [] }],
  ]
  const go = async ([method, path, body]: ReturnType<typeof ways>[number], query = '') =>
    await place.admin.ask(method, `${path}${query}`, { match: '*', ...(body !== undefined && { body }) })
  const stateOf = async () => [
    (await place.admin.get(`/users/${uuids.glass}`)).json.active,
    (await place.admin.all(`/users/${uuids.glass}/factors`)).length,
    (await place.admin.all(`/profiles?user_uuid=${uuids.glass}`)).length,
    (await place.admin.get(`/organisations/${acme}`)).json.break_glass,
  ]
  const refusesAll = async () => {
    const before = await stateOf()
    for (const way of ways())
      for (const query of ['', '?dry_run=true']) {
        const answer = await go(way, query)
        expect([answer.json.error, answer.text], JSON.stringify([way, query])).toEqual([
          'conflict',
          expect.stringMatching(/Name somebody else .*first, or let people sign in otherwise/),
        ])
      }
    expect(await stateOf()).toEqual(before)
  }

  it('is not taken away by the API, whatever policy demands it', async () => {
    await refusesAll()
    for (const at of [{ role: 'reader' }, { client: 'submissions-web' }, {}]) {
      await setPolicy(place.tessera, { organisation: 'acme' }, null)
      await setPolicy(place.tessera, at, { sign_in: 'upstream' })
      expect(problemOf(await go(['PATCH', `/users/${uuids.glass}`, { active: false }]))).toBe('409 conflict')
      await setPolicy(place.tessera, at, null)
    }
  })

  onOne.it('is not replaced by somebody named who can not get in', async () => {
    const named = [uuids.glass ?? '', uuids.plain ?? '']
    await setOrganisation(place.tessera, acme, { breakGlass: named })
    for (const way of ways().slice(0, -1))
      if (!way[1].startsWith('/roles'))
        expect(problemOf(await go(way)), JSON.stringify(way)).toBe('409 conflict')
    expect(problemOf(await go(['PATCH', `/organisations/${acme}`, { break_glass: [uuids.plain] }]))).toBe(
      '409 conflict',
    )
  })

  onOne.it('is not taken away by the command, nor by a declared file and its plan', async () => {
    const environment = { TESSERA_DATABASE_URL: place.tessera.databaseUrl, TESSERA_ISSUER: place.url }
    const { email } = personOf('glass')
    const ran = await runHere(['user', 'disable', email], { environment })
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('Name somebody else')])
    const files = [
      `users: [{ email: ${email}, name: glass, active: false }]\n`,
      `roles: [{ code: glazier, name: Glazier, permissions: [], active: false }]\n`,
      `organisations: [{ code: acme, name: Acme, policy: { sign_in: upstream }, break_glass: [${personOf('plain').email}] }]\n`,
    ]
    const more = { verifyPassword: async () => true, hashPassword: async () => 'hash' }
    for (const text of files) {
      const now = place.tessera.clock.now()
      await withStore(place.tessera, async (store) => {
        await expect(planDeclared(store, parse(text), { now, ...more })).rejects.toThrow('Name somebody else')
        await expect(applyDeclared(store, parse(text), { now, ...more })).rejects.toThrow(
          'Name somebody else',
        )
      })
    }
    expect((await place.admin.get(`/users/${uuids.glass}`)).json.active).toBe(true)
  })

  onOne.it('does not leave by their own account page', async () => {
    const browser = new TestBrowser(place.url)
    const asked = await browser.submit(await browser.open('/account'), personOf('glass'))
    place.tessera.clock.advance(30_000)
    await browser.submit(asked, { code: codeOf(place.tessera) })
    for (const [path, fields] of [
      ['/account/deletion', { do: 'request' }],
      ['/account/sign-in', { do: 'remove', id: factor }],
    ] as const) {
      const { csrf = '' } = formOn(await browser.open(path)).hidden
      const done = await browser.follow(await browser.request(path, { form: { csrf, ...fields } }))
      expect(textOf(done)).toContain('name somebody else first')
    }
    expect((await stateOf()).slice(0, 2)).toEqual([true, 1])
  })

  onOne.it(
    'may go where another gets in, where nothing demands it, or from a list of nobody who gets in',
    async () => {
      const tried = async () => {
        const answers = []
        for (const way of ways().slice(0, -1))
          if (!way[1].startsWith('/roles')) answers.push((await go(way, '?dry_run=true')).status)
        return [...new Set(answers)]
      }
      await setOrganisation(place.tessera, acme, { breakGlass: [uuids.glass ?? '', uuids.other ?? ''] })
      expect(await tried()).toEqual([200])
      await suspendFactors(place.tessera, uuids.other ?? '')
      expect(await tried()).toEqual([409])
      await setOrganisation(place.tessera, acme, { breakGlass: [uuids.glass ?? ''] })
      await setPolicy(place.tessera, { organisation: 'globex' }, { sign_in: 'upstream' })
      await setPolicy(place.tessera, { organisation: 'acme' }, null)
      expect(await tried()).toEqual([200])
      await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in: 'upstream' })
      await setOrganisation(place.tessera, acme, { breakGlass: [uuids.plain ?? ''] })
      // Nothing shuts anybody out where there is no upstream.
      await setOrganisation(place.tessera, globex, { breakGlass: [uuids.abroad ?? ''] })
      await setPolicy(place.tessera, {}, { sign_in: 'upstream' })
      const abroad = ['PATCH', `/users/${uuids.abroad}`, { active: false }] as const
      expect((await go([...abroad], '?dry_run=true')).status).toBe(200)
      const theirs = await place.addUpstream(place.provider, { code: 'theirs', organisation_uuid: globex })
      expect((await go([...abroad], '?dry_run=true')).status).toBe(409)
      expect((await place.admin.delete(`/upstreams/${theirs}`)).status).toBe(204)
      expect((await go([...abroad])).status).toBe(200)
      expect((await go(['PATCH', `/users/${uuids.plain}`, { active: false }])).status).toBe(200)
    },
  )

  it('is of the installation too, where a profile there is needed', async () => {
    const everywhere = uuids.everywhere ?? ''
    const body = { user_uuid: everywhere, role_code: 'reader', organisation_uuid: null }
    const there = await place.make('/profiles', body)
    const set = await place.admin.ask('PUT', '/break-glass', { body: { people: [everywhere] }, match: '*' })
    expect(set.status, set.text).toBe(200)
    const upstream = { code: 'all', organisation_uuid: null }
    const all = await place.addUpstream(place.provider, upstream)
    // What an organisation demands of its own does not concern the installation.
    expect((await go(['DELETE', `/profiles/${there}`], '?dry_run=true')).status).toBe(200)
    await setPolicy(place.tessera, { role: 'reader' }, { sign_in: 'upstream' })
    for (const way of [
      ['DELETE', `/profiles/${there}`],
      ['DELETE', `/users/${everywhere}`],
      ['DELETE', `/users/${everywhere}/factors`],
    ] as [string, string][])
      expect(problemOf(await go(way)), JSON.stringify(way)).toBe('409 conflict')
    await setPolicy(place.tessera, { role: 'reader' }, null)
    expect((await place.admin.delete(`/upstreams/${all}`)).status).toBe(204)
    expect((await place.admin.ask('PUT', '/break-glass', { body: { people: [] }, match: '*' })).status).toBe(
      200,
    )
  })

  it('of two who go at once, one stays', async () => {
    const both = [uuids.glass ?? '', uuids.everywhere ?? '']
    await setOrganisation(place.tessera, acme, { breakGlass: both })
    const second = await Administrator.machine(place.url)
    const answers = await Promise.all(
      both.map((uuid, at) => [place.admin, second][at]?.patch(`/users/${uuid}`, { active: false })),
    )
    expect(new Set(answers.map((one) => one?.status))).toEqual(new Set([200, 409]))
    for (const uuid of both) await place.admin.patch(`/users/${uuid}`, { active: true })
  })

  it('goes for safety, and then the overview names the organisation', async () => {
    const missing = async () => {
      const { items } = (await place.admin.get('/attention')).json as {
        items: { kind: string; target: object }[]
      }
      return items.filter(({ kind }) => kind === 'break_glass_missing').map(({ target }) => target)
    }
    await setOrganisation(place.tessera, acme, { breakGlass: [uuids.plain ?? ''] })
    // Nobody is forced through one that never worked.
    expect(await missing()).toEqual([])
    await place.signIn(place.somebody())
    expect(await missing()).toEqual([expect.objectContaining({ kind: 'organisation', id: acme })])
    await setOrganisation(place.tessera, acme, { breakGlass: [uuids.glass ?? ''] })
    expect(await missing()).toEqual([])
    const recovery = { delivery: 'link', from_theft: true }
    const answer = await place.admin.post(`/users/${uuids.glass}/recovery`, recovery)
    expect(answer.status, answer.text).toBe(201)
    await suspendFactors(place.tessera, uuids.glass ?? '')
    expect(await missing()).toEqual([expect.objectContaining({ id: acme })])
    // Who does not get in any more holds nobody.
    expect((await go(['PATCH', `/users/${uuids.glass}`, { active: false }])).status).toBe(200)
  })
})
