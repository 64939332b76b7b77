/** What people allow an application is passed on no further than its page showed (decisions 10 and 31). */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { Administrator, administeredOn, profiles, recordsWith, users } from '../administration/support.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { introspect, refusalOf, tokensOf } from '../harness/program.ts'
import {
  addExchanger,
  addServices,
  audienceOf,
  type Caller,
  exchange,
  exchangerBody,
  must,
} from './exchange-support.ts'

const callback = 'https://lunch.example/callback'
const read = 'ledger.entry.read'
const both = { services: ['archive', 'ledger'], permissions: ['archive.files.read', read] }

onEachDatabase('what an application was allowed', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let caller: Caller
  let browser: TestBrowser
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    await addServices(admin)
    const lunch = {
      client_id: 'lunch',
      client_name: 'Lunch menu',
      type: 'public',
      redirect_uris: [callback],
      scope: 'openid service.api',
      services: ['submissions-tool'],
    }
    must(await admin.post('/clients', lunch), 201)
    caller = await addExchanger(admin, exchangerBody('submissions-tool', ['ledger'], [read]))
  })
  beforeEach(async () => {
    browser = new TestBrowser(tessera.url)
    await admin.delete(`/users/${users.both}/consents/lunch`)
    must(
      await admin.patch('/clients/submissions-tool-service', {
        exchange: { services: ['ledger'], permissions: [read] },
      }),
      200,
    )
  })

  const ask = (changes: Record<string, string> = {}) =>
    authorizeRequest({
      client_id: 'lunch',
      redirect_uri: callback,
      scope: 'openid service.api',
      profile_uuid: profiles.bothReader,
      ...changes,
    })
  const tokensBy = async (request: ReturnType<typeof ask>, visit: Visit) =>
    tokensOf(
      await post(`${tessera.url}/oauth2/token`, {
        grant_type: 'authorization_code',
        client_id: 'lunch',
        redirect_uri: callback,
        code: answerOf(visit).code ?? '',
        code_verifier: request.verifier,
      }),
    )
  const grow = async (changes: object = both) =>
    must(await admin.patch('/clients/submissions-tool-service', { exchange: changes }), 200)

  it('says where services may act in turn, and goes no further than that', async () => {
    const first = ask()
    const page = await signIn(browser, first.path, people.both)
    expect(new URL(page.url).pathname).toBe('/consent')
    expect(page.body).toContain('What these services may do for you elsewhere')
    expect(page.body).toContain('Read entries')
    const tokens = await tokensBy(first, await browser.submit(page, { choice: 'allow' }))
    const made = must(await exchange(tessera.url, caller, tokens.access_token), 200).json
    expect(claimsOf(String(made.access_token))).toMatchObject({ permissions: [read] })

    await grow()
    const refused = await exchange(tessera.url, caller, tokens.access_token, {
      resource: audienceOf['archive'],
    })
    expect(refusalOf(refused)).toBe('400 invalid_request')
    must(await exchange(tessera.url, caller, tokens.access_token), 200)
    expect(answerOf(await browser.open(ask({ prompt: 'none' }).path)).error).toBe('consent_required')
    const again = ask()
    const grown = await browser.open(again.path)
    expect(grown.body).toMatch(/data-new[^>]*>[\s\S]{0,80}archive/)
    const more = await tokensBy(again, await browser.submit(grown, { choice: 'allow' }))
    must(await exchange(tessera.url, caller, more.access_token, { resource: audienceOf['archive'] }), 200)
    expect(answerOf(await browser.open(ask({ prompt: 'none' }).path))).toHaveProperty('code')
    const given = (await recordsWith(admin, 'lunch')).filter((one) => one.kind === 'consent.given')
    expect(given.at(-1)?.after).toMatchObject({ onward: ['archive', 'archive.files.read', 'ledger', read] })
  })

  it('names what a chain leads to, and what another permission opens', async () => {
    const further = await addExchanger(admin, exchangerBody('ledger', ['vault'], ['vault.files.read']))
    const page = await signIn(browser, ask().path, people.both)
    expect(page.body).toContain('>vault<')
    must(await admin.patch(`/clients/${further.client_id}`, { active: false }), 200)
    // The page that was shown counts no more.
    const shown = await browser.submit(page, { choice: 'allow' })
    expect(new URL(shown.url).pathname).toBe('/consent')
    expect(shown.body).not.toContain('>vault<')
  })

  it('ends, with what was exchanged, when it is withdrawn', async () => {
    const request = ask()
    const page = await signIn(browser, request.path, people.both)
    const tokens = await tokensBy(request, await browser.submit(page, { choice: 'allow' }))
    const made = String(must(await exchange(tessera.url, caller, tokens.access_token), 200).json.access_token)
    expect(await introspect(tessera.url, made, caller)).toMatchObject({ active: true })
    must(await admin.delete(`/users/${users.both}/consents/lunch`), 204)
    expect(await introspect(tessera.url, made, caller)).toEqual({ active: false })
    expect(refusalOf(await exchange(tessera.url, caller, tokens.access_token))).toBe('400 invalid_request')
  })

  it('is passed on only at the level that the policy of either client wants', async () => {
    const request = ask()
    const page = await signIn(browser, request.path, people.both)
    const tokens = await tokensBy(request, await browser.submit(page, { choice: 'allow' }))
    for (const client of ['lunch', caller.client_id]) {
      const policy = { second_factor: 'required', grace_days: 0 }
      must(await admin.patch(`/clients/${client}`, { policy }), 200)
      const { json } = await exchange(tessera.url, caller, tokens.access_token)
      expect(json).toMatchObject({
        error: 'invalid_request',
        error_description: expect.stringContaining('acr_values=2') as string,
      })
      must(await admin.patch(`/clients/${client}`, { policy: null }), 200)
    }
    must(await exchange(tessera.url, caller, tokens.access_token), 200)
  })
})
