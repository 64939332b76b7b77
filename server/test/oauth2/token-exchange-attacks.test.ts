/** Attacks on the exchange of tokens (decisions 10 and 31). */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  administeredOn,
  globex,
  problemOf,
  profiles,
  users,
} from '../administration/support.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  signIn,
  TestBrowser,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { introspect, refresh, tokensOf, Visitor } from '../harness/program.ts'
import {
  addExchanger,
  addServices,
  audienceOf,
  type Caller,
  exchange,
  exchangeGrant,
  exchangerBody,
  must,
} from './exchange-support.ts'

const read = 'ledger.entry.read'

onEachDatabase('attacks on the exchange of a token', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_GRANTS: '40' })
  let admin: Administrator
  let first: Caller
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    await addServices(admin)
    first = await addExchanger(admin, exchangerBody('submissions-tool', ['ledger'], [read]))
  })
  // The clock is moved.
  beforeEach(async () => {
    tessera.clock.advance(120_000)
    admin = await Administrator.machine(tessera.url)
  })
  const remove = async (path: string) => must(await admin.delete(path, (await admin.get(path)).etag), 204)
  const signedIn = async (changes = {}) =>
    await new Visitor(tessera.url, people.both).tokens({ profile_uuid: profiles.bothReader, ...changes })
  const called = async (changes = {}) => (await signedIn(changes)).access_token
  const exchanged = async (caller: Caller, subject: string | undefined, target = 'ledger') =>
    String(
      must(await exchange(tessera.url, caller, subject, { resource: audienceOf[target] }), 200).json
        .access_token,
    )

  it('a client of the middle that was removed and made anew gives a chain back to nobody', async () => {
    const middle = { ...exchangerBody('ledger', ['archive'], ['archive.files.read']), client_id: 'middle' }
    const ledger = await addExchanger(admin, middle)
    const last = await addExchanger(admin, exchangerBody('archive', ['vault'], ['vault.files.read']))
    const two = await exchanged(ledger, await exchanged(first, await called()), 'archive')
    const three = await exchanged(last, two, 'vault')
    expect(await introspect(tessera.url, three, last)).toMatchObject({ active: true })
    await remove(`/clients/${ledger.client_id}`)
    expect(await introspect(tessera.url, three, last)).toEqual({ active: false })
    tessera.clock.advance(1)
    await addExchanger(admin, middle)
    expect(await introspect(tessera.url, three, last)).toEqual({ active: false })
    await remove(`/clients/${ledger.client_id}`)
    await remove(`/clients/${last.client_id}`)
  })

  it('what a web client got ends when it is disabled with all that it exchanges', async () => {
    const acting = exchangerBody('submissions-tool', ['ledger'], [read])
    const web = {
      ...acting,
      client_id: 'web-service',
      type: 'web',
      redirect_uris: ['https://web.example/cb'],
      scope: 'openid service.api',
      grant_types: ['authorization_code', exchangeGrant],
    }
    const caller = await addExchanger(admin, web)
    const made = await exchanged(caller, await called())
    const off = { active: false, acts_as: null, exchange: null, grant_types: ['authorization_code'] }
    must(await admin.patch('/clients/web-service', off), 200)
    expect(await introspect(tessera.url, made)).toEqual({ active: false })
    const { acts_as, exchange: rule, grant_types } = web
    must(
      await admin.patch('/clients/web-service', { active: true, acts_as, exchange: rule, grant_types }),
      200,
    )
    expect(await introspect(tessera.url, made, caller)).toEqual({ active: false })
    await remove('/clients/web-service')
  })

  onOne.it('nobody learns whether a token that is for somebody else still counts', async () => {
    const stranger = await addExchanger(admin, exchangerBody('vault', ['depot'], []))
    const { access_token: subject, refresh_token: token } = await signedIn()
    const asked = async () =>
      (await exchange(tessera.url, stranger, subject, { resource: audienceOf['depot'] })).json
    const living = await asked()
    const form = new URLSearchParams({ client_id: 'submissions-web', token: token ?? '' })
    await fetch(`${tessera.url}/oauth2/revoke`, { method: 'POST', body: form })
    expect(await asked()).toEqual(living)
    await remove(`/clients/${stranger.client_id}`)
  })

  it('nobody keeps a service from acting for others by calls that it cannot go on with', async () => {
    const [{ access_token: dead, refresh_token: token }, living] = [await signedIn(), await called()]
    const form = new URLSearchParams({ client_id: 'submissions-web', token: token ?? '' })
    await fetch(`${tessera.url}/oauth2/revoke`, { method: 'POST', body: form })
    for (let time = 0; time < 45; time += 1) await exchange(tessera.url, first, dead)
    expect((await exchange(tessera.url, first, living)).status).toBe(200)
  })

  it('a narrower token opens no more at a service than the whole one', async () => {
    const path = '/clients/submissions-web'
    const allowed = ['submissions-tool.vista-import.read']
    must(await admin.patch(path, { services: ['submissions-tool', 'ledger'], permissions: allowed }), 200)
    try {
      const whole = await signedIn()
      expect(claimsOf(await exchanged(first, whole.access_token))).toMatchObject({ permissions: [] })
      const resource = audienceOf['submissions-tool'] ?? ''
      const narrow = tokensOf(await refresh(tessera.url, whole.refresh_token, { resource }))
      expect(claimsOf(await exchanged(first, narrow.access_token))).toMatchObject({ permissions: [] })
    } finally {
      must(await admin.patch(path, { services: ['submissions-tool'], permissions: null }), 200)
    }
  })

  it('two hops back to the service of the first token give no more there', async () => {
    const importing = 'submissions-tool.vista-import.read'
    const back = await addExchanger(admin, exchangerBody('ledger', ['submissions-tool'], [importing]))
    must(await admin.patch('/clients/submissions-web', { permissions: [] }), 200)
    try {
      const subject = await called()
      expect(claimsOf(subject)).toMatchObject({ permissions: [] })
      const round = await exchanged(back, await exchanged(first, subject), 'submissions-tool')
      expect(claimsOf(round)).toMatchObject({ permissions: [] })
    } finally {
      must(await admin.patch('/clients/submissions-web', { permissions: null }), 200)
      await remove(`/clients/${back.client_id}`)
    }
  })

  it('the policy of a client in the middle counts for those after it', async () => {
    const body = { ...exchangerBody('ledger', ['archive'], []), client_id: 'after-it' }
    const after = await addExchanger(admin, body)
    const one = await exchanged(first, await called())
    const set = async (policy: object | null) =>
      must(await admin.patch(`/clients/${first.client_id}`, { policy }), 200)
    await set({ second_factor: 'required', grace_days: 0 })
    const answer = await exchange(tessera.url, after, one, { resource: audienceOf['archive'] })
    await set(null)
    await remove('/clients/after-it')
    expect(answer.json.error_description).toContain('acr_values=2')
  })

  onOne.it('a dry run tells what a client comes to do for people', async () => {
    const answer = await admin.ask('PATCH', '/clients/submissions-tool-service?dry_run=true', {
      body: { exchange: { services: ['ledger'], permissions: ['ledger.entry.create', read] } },
      match: '*',
    })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json.access).toMatchObject({
      clients: [{ client_id: 'submissions-tool-service', gains: ['ledger.entry.create'], loses: [] }],
    })
  })

  it('nobody who signed in long ago lets a client act for people of more organisations', async () => {
    const body = { ...exchangerBody('submissions-tool', ['archive'], []), client_id: 'acme-service' }
    await addExchanger(admin, { ...body, organisation_uuid: acme })
    const person = await Administrator.person(tessera.url, people.admin)
    tessera.clock.advance(700_000)
    const moved = await person.patch('/clients/acme-service', { organisation_uuid: null })
    expect(problemOf(moved)).toBe('401 insufficient_user_authentication')
    must(await person.patch('/clients/acme-service', { client_name: 'Named anew' }), 200)
  })

  onOne.describe('with an application that asks for consent', () => {
    const callback = 'https://lunch.example/callback'
    beforeAll(async () => {
      const lunch = {
        client_id: 'lunch',
        client_name: 'Lunch menu',
        type: 'public',
        redirect_uris: [callback],
        scope: 'openid service.api',
        services: ['submissions-tool'],
      }
      must(await admin.post('/clients', lunch), 201)
    })
    beforeEach(async () => {
      await admin.delete(`/users/${users.both}/consents/lunch`)
    })
    const ask = (changes: Record<string, string> = {}) =>
      authorizeRequest({
        client_id: 'lunch',
        redirect_uri: callback,
        scope: 'openid service.api',
        profile_uuid: profiles.bothReader,
        ...changes,
      })
    const allow = async (browser: TestBrowser) => {
      const request = ask()
      const page = await signIn(browser, request.path, people.both)
      const visit = await browser.submit(page, { choice: 'allow' })
      const form = {
        grant_type: 'authorization_code',
        client_id: 'lunch',
        redirect_uri: callback,
        code: answerOf(visit).code ?? '',
        code_verifier: request.verifier,
      }
      return tokensOf(await post(`${tessera.url}/oauth2/token`, form)).access_token
    }

    it('what a client of another organisation may do is neither shown nor asked', async () => {
      must(await admin.patch(`/profiles/${profiles.bothBookkeeper}`, { active: false }), 200)
      const browser = new TestBrowser(tessera.url)
      await allow(browser)
      const other = { ...exchangerBody('submissions-tool', ['vault'], []), client_id: 'globex-service' }
      await addExchanger(admin, { ...other, organisation_uuid: globex })
      try {
        // The client acts for people of Globex alone.
        expect(answerOf(await browser.open(ask({ prompt: 'none' }).path))).toHaveProperty('code')
      } finally {
        await remove('/clients/globex-service')
        must(await admin.patch(`/profiles/${profiles.bothBookkeeper}`, { active: true }), 200)
      }
    })
  })
})
