import { beforeAll, expect, it } from 'vitest'
import { acme, administeredOn, Administrator, users } from '../administration/support.ts'
import { runHere } from '../cli/command-support.ts'
import { applyChanged } from '../declared/change.ts'
import {
  answerOf,
  authorizeRequest,
  formOn,
  people,
  post,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo } from '../harness/development-mail.ts'
import { auditOf, changeUser, setPolicy } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'
import { atSecondFactor, codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'

// The looks for what is due.
shortenTimers({ 500: 50, 60_000: 500 })

const minute = 60_000
const day = 24 * 60 * minute
const path = '/account/deletion'

onEachDatabase('who has their own account removed', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' })
  const names = ['owner', 'kept', 'disabled', 'told', 'robbed', 'invited', 'named', 'gone']
  beforeAll(async () => {
    tessera.clock.stop()
    await importEnrolled(tessera, names)
  })

  const allow = () => setPolicy(tessera, {}, { self_deletion: true, trusted_device_days: 30 })
  const fresh = () => new TestBrowser(tessera.url)
  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  // Tokens of machines end while the clock goes on.
  const admin = () => Administrator.machine(tessera.url)
  const refusing = (visit: Visit) => [visit.status, pathOf(visit)]

  async function enrolled(name: string, request = '/account'): Promise<{ one: TestBrowser; done: Visit }> {
    tessera.clock.advance(30_000)
    const one = fresh()
    const asked = await one.submit(await one.open(request), personOf(name))
    return { one, done: await one.submit(asked, { code: codeOf(tessera) }) }
  }

  async function act(one: TestBrowser, page: Visit, fields: Record<string, string>): Promise<Visit> {
    const { csrf = '' } = formOn(page).hidden
    return await one.follow(await one.request(page.url, { form: { csrf, ...fields } }))
  }

  /** Asks for it, and yields who they are. */
  async function leave(name: string): Promise<string> {
    const { one } = await enrolled(name)
    const done = await act(one, await one.open(path), { do: 'request' })
    expect([done.status, done.body.includes('Your account is to be deleted')]).toEqual([200, true])
    return String((await person(name)).uuid)
  }

  async function person(name: string): Promise<Record<string, unknown>> {
    const q = encodeURIComponent(personOf(name).email)
    return (await (await admin()).all(`/users?q=${q}`))[0] ?? {}
  }
  const stateOf = async (name: string) => {
    const { active, deletion_at: at } = await person(name)
    return { active, at }
  }
  let invited = ''
  const stays = { active: true, at: null }

  once.it('is refused where it is not allowed, of managed people and of the last administrator', async () => {
    const { one } = await enrolled('owner')
    expect((await one.open('/account')).body).not.toContain(`href="${path}"`)
    const shown = await one.open(path)
    expect(shown.body).toContain('The people who run this service remove accounts.')
    expect(shown.body).not.toContain('value="request"')
    const request = async (by: TestBrowser) => {
      const { csrf = '' } = formOn(await by.open('/account/data')).hidden
      return await by.request(path, { form: { csrf, do: 'request' } })
    }
    expect(await request(one)).toMatchObject({ status: 400 })

    await allow()
    expect((await one.open('/account')).body).toContain(`href="${path}"`)
    const managed = fresh()
    await managed.submit(await managed.open('/account'), people.importer)
    expect((await managed.open('/account')).body).not.toContain(`href="${path}"`)
    expect(await request(managed)).toMatchObject({ status: 400 })

    await changeUser(tessera, people.admin.email, { managed_by: null })
    const last = fresh()
    await last.submit(await last.open('/account'), people.admin)
    const refused = await act(last, await last.open(path), { do: 'request' })
    expect([refused.status, refused.body.includes('Nobody else administers this service.')]).toEqual([
      400,
      true,
    ])
    expect((await last.open('/account')).status).toBe(200)
    for (const uuid of [users.importer, users.admin])
      expect((await (await admin()).get(`/users/${uuid}`)).json).toMatchObject({
        active: true,
        deletion_at: null,
      })
    expect(await auditOf(tessera, { kind: 'deletion.requested' })).toEqual([])
    expect((await fresh().request(path, { form: { do: 'request' } })).status).toBe(403)
    for (const csrf of ['', 'x', formOn(await last.open(path)).hidden.csrf ?? ''])
      expect((await one.request(path, { form: { csrf, do: 'request' } })).status).toBe(403)
  })

  it('wants a fresh proof, ends everything, and leaves the undo alone to who signs in', async () => {
    await allow()
    const { path: asking, verifier, parameters } = authorizeRequest()
    const { one, done } = await enrolled('owner', asking)
    const exchange = (code = '') =>
      post(`${tessera.url}/oauth2/token`, {
        grant_type: 'authorization_code',
        client_id: 'submissions-web',
        redirect_uri: parameters.redirect_uri ?? '',
        code,
        code_verifier: verifier,
      })
    const { json: tokens } = await exchange(answerOf(done).code)
    const asked = answerOf(await one.open(authorizeRequest({ prompt: 'none' }).path)).code
    const { stdout } = await runHere(['user', 'recover', personOf('owner').email], {
      environment: { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url },
    })
    const reset = new URL(/https?:\S+/.exec(stdout)?.[0] ?? '')
    tessera.clock.advance(11 * minute)
    const proving = await act(one, await one.open(path), { do: 'request' })
    expect(proving.body).toContain('name="proof_code"')
    expect(await stateOf('owner')).toEqual(stays)
    const { password } = personOf('owner')
    const left = await one.submit(proving, { password, proof_code: codeOf(tessera) })
    expect(left.body).toContain('Your account is to be deleted')
    const at = new Date(tessera.clock.now() + 14 * day).toISOString()
    expect(await stateOf('owner')).toEqual({ active: false, at })

    const authorization = `Bearer ${String(tokens.access_token)}`
    expect((await fetch(`${tessera.url}/oauth2/userinfo`, { headers: { authorization } })).status).toBe(401)
    const refresh = { grant_type: 'refresh_token', client_id: 'submissions-web' }
    const refreshed = { ...refresh, refresh_token: String(tokens.refresh_token) }
    expect((await post(`${tessera.url}/oauth2/token`, refreshed)).status).toBe(400)
    expect((await exchange(asked)).status).toBe(400)
    expect((await fresh().open(`${reset.pathname}${reset.search}`)).status).not.toBe(200)
    expect(pathOf(await one.open('/account'))).toBe('/sign-in')

    const wrong = fresh()
    const form = await wrong.open(authorizeRequest().path)
    expect(refusing(await wrong.submit(form, { ...personOf('owner'), password: 'wrong' }))).toEqual([
      400,
      '/sign-in',
    ])
    const back = fresh()
    tessera.clock.advance(30_000)
    const factor = await atSecondFactor(back, personOf('owner'))
    expect(pathOf(factor)).toBe('/sign-in/second-factor')
    // The password alone undoes nothing.
    const here = factor.url.replace('/second-factor', '/leaving')
    const { csrf = '' } = formOn(factor).hidden
    expect(pathOf(await back.follow(await back.request(here, { form: { csrf, choice: 'keep' } })))).toBe(
      '/sign-in/second-factor',
    )
    const offered = await back.submit(factor, { code: codeOf(tessera) })
    expect([offered.status, pathOf(offered)]).toEqual([200, '/sign-in/leaving'])
    const silent = await back.open(authorizeRequest({ prompt: 'none' }).path)
    expect(answerOf(silent).error).toBe('interaction_required')
    for (const account of ['/account', '/account/person', '/home'])
      expect(pathOf(await back.open(account))).toBe('/sign-in/leaving')
    expect((await back.open('/')).body).not.toContain(personOf('owner').email)
    expect((await back.request('/account/person', { form: { csrf, do: 'save', name: 'X' } })).status).toBe(
      403,
    )
    for (const fields of [{}, { choice: 'x' }])
      expect(pathOf(await back.submit(offered, fields))).toBe('/sign-in/leaving')
    expect((await back.request(offered.url, { form: { choice: 'keep' } })).status).not.toBe(303)
    expect(await stateOf('owner')).toEqual({ active: false, at })

    const both = await Promise.all([1, 2].map(() => back.submitOnce(offered, { choice: 'keep' })))
    expect(both.map(({ status }) => status)).toEqual([303, 303])
    expect(answerOf(await back.open(both[0]?.location ?? '')).code).toBeDefined()
    expect(await stateOf('owner')).toEqual(stays)
    const about = { user: String((await person('owner')).uuid) }
    for (const kind of ['deletion.requested', 'deletion.undone'] as const)
      expect(await auditOf(tessera, { kind, ...about })).toMatchObject([
        { actor: { kind: 'user', id: about.user } },
      ])
    await mailTo(tessera, personOf('owner').email, 'Your account stays')
  })

  it('is undone by an administrator, who may also disable them instead', async () => {
    for (const [name, active] of [
      ['kept', true],
      ['disabled', false],
    ] as const) {
      const uuid = await leave(name)
      const changed = await (await admin()).patch(`/users/${uuid}`, { active })
      expect([changed.status, changed.json.active, changed.json.deletion_at]).toEqual([200, active, null])
      const [undone] = await auditOf(tessera, { kind: 'deletion.undone', user: uuid })
      expect(undone?.actor).toMatchObject({ kind: 'client', id: 'admin-cli' })
    }
    const { done } = await enrolled('kept')
    expect(pathOf(done)).toBe('/account')
    // Who is disabled undoes nothing.
    const one = fresh()
    expect((await one.submit(await one.open('/account'), personOf('disabled'))).status).toBe(400)
  })

  once.it('is told by mail, and every “This was not me” undoes it', async () => {
    const { one } = await enrolled('robbed')
    await act(one, await one.open('/account/sign-in'), { do: 'codes' })
    const earlier = linkIn(await mailTo(tessera, personOf('robbed').email, 'You have new recovery codes'))
    await leave('told')
    await leave('robbed')
    const own = linkIn(await mailTo(tessera, personOf('told').email, 'Your account will be deleted'))
    for (const [name, link] of [
      ['told', own],
      ['robbed', earlier],
    ] as const) {
      const anybody = fresh()
      const page = await anybody.open(link)
      expect((await anybody.request(link, { method: 'HEAD' })).status).toBe(200)
      expect((await stateOf(name)).active).toBe(false)
      expect((await anybody.submit(page)).status).toBe(200)
      expect(await stateOf(name)).toEqual(stays)
      const again = fresh()
      expect((await again.submit(await again.open('/account'), personOf(name))).status).toBe(400)
    }
  })

  it('accepts no invitation meanwhile, and is undone by a declared file that names them', async () => {
    invited = await leave('invited')
    await leave('named')
    const { email } = personOf('invited')
    const invitation = {
      email,
      profiles: [{ role_code: 'importer', organisation_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01' }],
    }
    expect((await (await admin()).post('/invitations', invitation)).status).toBe(201)
    const one = fresh()
    const known = await one.open(linkIn(await mailTo(tessera, email, 'invit')))
    tessera.clock.advance(30_000)
    const asked = await one.submit(await one.submit(known), personOf('invited'))
    expect(pathOf(await one.submit(asked, { code: codeOf(tessera) }))).toBe('/sign-in/leaving')
    expect(await (await admin()).all(`/profiles?user_uuid=${invited}`)).toHaveLength(1)

    await applyChanged(tessera, [
      '\nusers:\n',
      `\nusers:\n  - email: ${personOf('named').email}\n    name: Named\n`,
    ])
    expect(await stateOf('named')).toEqual(stays)
  })

  it('is removed after 14 days, as by an administrator, and nobody else', async () => {
    const uuid = await leave('gone')
    tessera.clock.advance(14 * day - 30_000)
    const late = fresh()
    expect(pathOf(await atSecondFactor(late, personOf('gone')))).toBe('/sign-in/second-factor')
    expect((await person('gone')).uuid).toBe(uuid)
    tessera.clock.advance(30_000)
    const over = fresh()
    expect((await over.submit(await over.open('/account'), personOf('gone'))).status).toBe(400)
    tessera.clock.advance(minute)
    await expect.poll(async () => await person('gone'), { timeout: 60_000 }).toEqual({})
    const removed = await auditOf(tessera, { kind: 'user.removed' })
    expect(removed.map(({ actor }) => actor.kind)).toEqual(['service', 'service'])
    // The invitation was not accepted, so nobody kept that account either.
    expect(removed.map(({ target }) => target?.id)).toEqual([invited, uuid])
    expect(await auditOf(tessera, { kind: 'deletion.requested', user: uuid })).toHaveLength(1)
    for (const name of ['owner', 'kept', 'told', 'robbed', 'named'])
      expect(await stateOf(name)).toEqual(stays)
    expect(await stateOf('disabled')).toEqual({ active: false, at: null })
  })

  it('is over where the account of whoever asked for it becomes somebody else’s', async () => {
    await allow()
    const profiles = [{ role_code: 'importer', organisation_uuid: acme }]
    for (const [name, heir] of [
      ['planted', 'admin-cli'],
      ['planted-again', 'acme-cli'],
    ] as const) {
      const email = `${name}@acme.example`
      const planter = await Administrator.machine(tessera.url, 'acme-cli')
      const planted = { email, name, profiles, password: 'a password of its maker' }
      const { json } = await planter.post('/users', planted)
      const one = fresh()
      await one.submit(await one.open(path), { email, password: planted.password })
      await act(one, await one.open(path), { do: 'request' })
      const about = `/users/${String(json.uuid)}`
      expect((await (await admin()).get(about)).json).toMatchObject({ active: false })
      const taker = await Administrator.machine(tessera.url, heir)
      const taken = await taker.patch(about, { password: 'a password of its heir' })
      expect(taken.json, taken.text).toMatchObject({ active: true, deletion_at: null })
      const [undone] = await auditOf(tessera, { kind: 'deletion.undone', user: String(json.uuid) })
      expect(undone?.actor).toMatchObject({ id: heir })
    }
  })
})
