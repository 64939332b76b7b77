import { beforeAll, describe, expect, it } from 'vitest'
import { Administrator, administeredOn, profiles } from '../administration/support.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  formOn,
  people,
  redirectUri,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, sampleOn } from '../harness/databases.ts'
import { audiences, type Changes, refusalOf, tokensOf } from '../harness/program.ts'
import { intranet, opening, push, pushed, refusedPage } from './par-support.ts'

const minute = 60_000
/**
 * Pushed authorization requests (RFC 9126). What is used once: par-once.test.ts; who pushes: par-proof.test.ts;
 * libraries: par-clients.test.ts.
 */
onEachDatabase('a pushed request', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_CLIENT_AUTH: '0', TESSERA_LIMIT_AUTHORIZE: '0' })
  let secret: string
  let visitor: TestBrowser
  beforeAll(async () => {
    const admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/clients', intranet)
    secret = String(made.json.client_secret)
    const retired = { ...intranet, client_id: 'retired', type: 'public', active: false }
    expect((await admin.post('/clients', retired)).status).toBe(201)
    visitor = new TestBrowser(tessera.url)
    await signIn(visitor, authorizeRequest().path, people.importer)
  })
  const ofIntranet = async (changes: Changes = {}) =>
    await pushed(tessera.url, { client_id: 'intranet', ...changes }, { client_secret: secret })
  const at = async (path: string) => await new TestBrowser(tessera.url).open(path)
  const isAsked = (page: Visit) => new URL(page.url).pathname === '/sign-in'

  it('is answered with its name, and leads through a sign-in to tokens', async () => {
    const { query } = authorizeRequest()
    const answer = await push(tessera.url, query)
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[A-Za-z0-9_-]{43}$/),
      expires_in: 60,
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    const one = await pushed(tessera.url)
    const visit = await signIn(new TestBrowser(tessera.url), one.path, people.importer)
    const { code, ...more } = answerOf(visit)
    expect(more).toEqual({ state: one.parameters.state, iss: tessera.url })
    const tokens = tokensOf(await one.exchange(code))
    expect(claimsOf(tokens.id_token)).toMatchObject({ nonce: one.parameters.nonce, aud: 'submissions-web' })
  })

  it.each<[string, Changes]>(
    sampleOn(dialect, 1, [
      ['invalid_request', { redirect_uri: 'https://evil.example/callback' }],
      ['invalid_request', { redirect_uri: undefined }],
      ['invalid_request', { state: undefined }],
      ['invalid_request', { nonce: undefined }],
      ['invalid_request', { code_challenge: undefined }],
      ['invalid_request', { code_challenge_method: 'plain' }],
      ['invalid_request', { response_mode: 'fragment' }],
      ['invalid_request', { prompt: 'create' }],
      ['invalid_request', { max_age: 'soon' }],
      ['invalid_request', { id_token_hint: 'garbage' }],
      ['invalid_request', { profile_uuid: 'mine' }],
      ['invalid_request', { response_type: undefined }],
      ['unsupported_response_type', { response_type: 'code id_token' }],
      ['invalid_scope', { scope: 'email' }],
      ['invalid_target', { resource: 'https://elsewhere.example/api' }],
      ['invalid_request', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
      ['invalid_request', { request_uri: 'https://client.example/request.jwt' }],
      ['invalid_request', { request_uri: `urn:ietf:params:oauth:request_uri:${'a'.repeat(43)}` }],
      ['registration_not_supported', { registration: '{}' }],
    ]),
  )('is refused at once, as JSON: %s for %j', async (error, changes) => {
    expect(refusalOf(await push(tessera.url, authorizeRequest(changes).query))).toBe(`400 ${error}`)
  })

  onOne.it('is refused when a parameter comes twice, or comes as JSON, or is larger than 64 KB', async () => {
    const { query } = authorizeRequest()
    const twice = new URLSearchParams([...query, ['state', 'other']])
    expect(refusalOf(await push(tessera.url, twice))).toBe('400 invalid_request')
    const large = new URLSearchParams([...query, ['more', 'x'.repeat(65_536)]])
    expect(refusalOf(await push(tessera.url, large))).toBe('413 request_too_large')
    const json = await fetch(`${tessera.url}/oauth2/par`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(query)),
    })
    expect([json.status, await json.json()]).toMatchObject([400, { error: 'invalid_request' }])
  })

  describe('carries', () => {
    const opened = async (changes: Changes, by = visitor) =>
      await by.open((await pushed(tessera.url, changes)).path)

    it('prompt, max_age and login_hint', async () => {
      expect(isAsked(await opened({ prompt: 'login' }))).toBe(true)
      expect(answerOf(await opened({ max_age: '3600' }))).toHaveProperty('code')
      expect(isAsked(await opened({ max_age: '0' }))).toBe(true)
      const page = await opened({ login_hint: 'ada@acme.example' }, new TestBrowser(tessera.url))
      expect(page.body).toContain('value="ada@acme.example"')
      const stranger = await opened({ prompt: 'none' }, new TestBrowser(tessera.url))
      expect(answerOf(stranger)).toMatchObject({ error: 'login_required', iss: tessera.url })
      expect(answerOf(await opened({ prompt: 'none' }))).toHaveProperty('code')
    })

    it('profile_uuid and resource', async () => {
      const both = new TestBrowser(tessera.url)
      const one = await pushed(tessera.url, {
        profile_uuid: profiles.bothReader,
        resource: audiences.submissions,
      })
      const { code } = answerOf(await signIn(both, one.path, people.both))
      const { access_token } = tokensOf(await one.exchange(code))
      expect(claimsOf(access_token)).toMatchObject({
        profile_uuid: profiles.bothReader,
        aud: audiences.submissions,
      })
    })

    it('ui_locales, response_mode and acr_values', async () => {
      const page = await opened({ ui_locales: 'de' }, new TestBrowser(tessera.url))
      expect(page.body).toContain('<html lang="de"')
      const posted = await opened({ response_mode: 'form_post' })
      expect([posted.status, formOn(posted).action]).toEqual([200, redirectUri])
      expect(Object.keys(formOn(posted).hidden).sort()).toEqual(['code', 'iss', 'state'])
      const level = await opened({ acr_values: '2', prompt: 'none' })
      expect(answerOf(level)).toHaveProperty('error')
      expect(answerOf(level)).not.toHaveProperty('code')
    })

    it('what was pushed and nothing of the address', async () => {
      const one = await pushed(tessera.url)
      const more = new URLSearchParams({
        redirect_uri: 'https://evil.example/callback',
        ...{
          state: 'evil',
          nonce: 'evil',
          scope: 'openid offline_access',
          response_type: 'token',
          prompt: 'none',
        },
        ...{ code_challenge: 'e'.repeat(43), request: 'evil', response_mode: 'form_post' },
        ...{ 'x-client-SKU': 'ID_NET9_0', 'x-client-ver': '8.0.1.0' },
      })
      const browser = new TestBrowser(tessera.url)
      const page = await browser.open(`${one.path}&${more}&state=twice`)
      const { code, state } = answerOf(await browser.submit(page, people.importer))
      expect(state).toBe(one.parameters.state)
      expect(claimsOf(tokensOf(await one.exchange(code)).id_token).nonce).toBe(one.parameters.nonce)
    })
  })

  describe('that is none is answered with a page, never with a redirect:', () => {
    it('of another client, which it is not used up by', async () => {
      const one = await ofIntranet()
      const stolen = opening('submissions-web', one.requestUri)
      expect(refusedPage(await visitor.open(stolen))).toBe('400')
      expect(answerOf(await visitor.open(one.path))).toHaveProperty('code')
    })

    it.each([
      ['guessed', `urn:ietf:params:oauth:request_uri:${'A'.repeat(43)}`],
      ['too short', 'urn:ietf:params:oauth:request_uri:abc'],
      ['empty', 'urn:ietf:params:oauth:request_uri:'],
      ['very long', `urn:ietf:params:oauth:request_uri:${'A'.repeat(9000)}`],
      ['with a NUL', 'urn:ietf:params:oauth:request_uri:\0'],
    ])('%s', async (_, requestUri) => {
      expect(refusedPage(await visitor.open(opening('submissions-web', requestUri)))).toBe('400')
    })

    it('which leads back to the application, in the language of its reader', async () => {
      const path = opening('intranet', `urn:ietf:params:oauth:request_uri:${'A'.repeat(43)}`)
      const page = await visitor.request(path, { headers: { 'accept-language': 'de' } })
      expect([page.status, page.location]).toEqual([400, undefined])
      for (const words of ['href="https://intranet.example/"', 'Intranet', 'gehört einem anderen Client'])
        expect(page.body).toContain(words)
    })

    it('also to a program, as JSON', async () => {
      const path = opening('submissions-web', `urn:ietf:params:oauth:request_uri:${'A'.repeat(43)}`)
      const answer = await fetch(`${tessera.url}${path}`, { redirect: 'manual' })
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'request_expired' }])
    })

    it('without the client, or with one that is unknown', async () => {
      const { requestUri } = await pushed(tessera.url)
      for (const client of ['', 'nobody', 'retired']) {
        const { status, location } = await visitor.open(opening(client, requestUri))
        expect([client, status, location]).toEqual([client, 400, undefined])
      }
    })

    it('60 s after it was pushed', async () => {
      const [early, late] = [await pushed(tessera.url), await pushed(tessera.url)]
      tessera.clock.advance(59_000)
      expect(isAsked(await at(early.path))).toBe(true)
      tessera.clock.advance(1000)
      expect(refusedPage(await at(late.path))).toBe('400')
    })
  })

  it('that was opened in time is a sign-in like any other', async () => {
    const [one, two] = [await pushed(tessera.url), await pushed(tessera.url)]
    const browser = new TestBrowser(tessera.url)
    tessera.clock.advance(59_000)
    await browser.open(two.path)
    const page = await browser.open(one.path)
    tessera.clock.advance(30 * minute)
    const { code } = answerOf(await browser.submit(page, people.importer))
    tokensOf(await one.exchange(code))
    // Loaded again, within the time of a sign-in from its first minute on.
    expect(answerOf(await browser.open(two.path))).toHaveProperty('code')
  })

  it('is loaded again as often as somebody likes, for no longer than a sign-in lasts', async () => {
    const one = await pushed(tessera.url)
    const browser = new TestBrowser(tessera.url)
    for (const wait of [50_000, 10 * minute, 25 * minute, 24 * minute]) {
      tessera.clock.advance(wait)
      expect(isAsked(await browser.open(one.path))).toBe(true)
    }
    tessera.clock.advance(2 * minute)
    expect(refusedPage(await browser.open(one.path))).toBe('400')
  })

  it('is taken by form as by address, from a browser that brings no cookie too', async () => {
    const one = await pushed(tessera.url)
    const form = { client_id: 'submissions-web', request_uri: one.requestUri }
    const fresh = new TestBrowser(tessera.url)
    const page = await fresh.follow(await fresh.request('/oauth2/authorize', { form }))
    expect(answerOf(await fresh.submit(page, people.importer))).toHaveProperty('code')
    const again = await ofIntranet()
    const sent = { client_id: 'intranet', request_uri: again.requestUri }
    expect(
      answerOf(await visitor.follow(await visitor.request('/oauth2/authorize', { form: sent }))),
    ).toHaveProperty('code')
  })

  it('is the only request_uri that is taken: others are told as before', async () => {
    for (const request_uri of ['https://client.example/request.jwt', 'urn:example:1', 'x']) {
      const visit = await visitor.request(authorizeRequest({ request_uri }).path)
      expect(answerOf(visit)).toMatchObject({ error: 'request_uri_not_supported' })
      const bare = await fetch(`${tessera.url}${opening('submissions-web', request_uri)}`, {
        redirect: 'manual',
      })
      expect([bare.status, await bare.json()]).toMatchObject([400, { error: 'request_uri_not_supported' }])
    }
  })
})
