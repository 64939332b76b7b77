import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  people,
  post,
  profilesOfBoth,
  signIn,
  TestBrowser,
} from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { cleanUp } from '../harness/process.ts'
import {
  introspect,
  machineToken,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  Visitor,
} from '../harness/program.ts'
import { startTwoProcesses, type TwoProcesses } from './two-processes.ts'

afterAll(cleanUp)

onEachDatabase('two processes without sticky sessions', (dialect) => {
  let both: TwoProcesses
  beforeAll(async () => {
    both = await startTwoProcesses(dialect, {
      TESSERA_LIMIT_CLIENT_AUTH: '5',
      TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
    })
  })
  afterAll(() => both.close())

  it('lead one person through a sign-in that each of them serves a part of', async () => {
    const browser = new TestBrowser(both.url)
    const request = authorizeRequest()
    both.proxy.passed.length = 0
    const visit = await signIn(browser, request.path, people.both, profilesOfBoth.bookkeeper)
    const answer = answerOf(visit)
    expect(answer).toMatchObject({ state: request.parameters.state, iss: both.url })
    const submitted = both.proxy.passed.filter(({ method }) => method === 'POST')
    expect(submitted.map(({ path }) => path)).toEqual(['/sign-in', '/choose-profile'])
    expect(new Set(submitted.map(({ backend }) => backend))).toEqual(new Set([0, 1]))
    const exchange = {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: request.parameters.redirect_uri ?? '',
      code: answer.code ?? '',
      code_verifier: request.verifier,
    }
    const tokens = tokensOf(await token(both.url, exchange))
    // Whoever is asked, they are the same tokens.
    for (const process of [both.first, both.second]) {
      const { status, json } = await userinfo(process, tokens.access_token)
      expect([status, json.profile_uuid]).toEqual([200, profilesOfBoth.bookkeeper])
    }
  })

  it('sign with one key set, which both publish', async () => {
    const sets = await Promise.all(
      [both.first, both.second].map(async (url) => await (await fetch(`${url}/oauth2/jwks`)).json()),
    )
    expect(sets[0]).toEqual(sets[1])
    for (const [signer, verifier] of [
      [both.first, sets[1]],
      [both.second, sets[0]],
    ] as const) {
      const keys = createLocalJWKSet(verifier as JSONWebKeySet)
      const { payload } = await jwtVerify(await machineToken(signer), keys, { issuer: both.url })
      expect(payload.sub).toBe('nightly-import')
    }
  })

  it('refuse at one the code that was exchanged at the other, and end what it gave', async () => {
    const visitor = new Visitor(both.url)
    const exchange = await visitor.code()
    const tokens = tokensOf(await token(both.first, exchange))
    expect(refusalOf(await token(both.second, exchange))).toBe('400 invalid_grant')
    expect((await userinfo(both.first, tokens.access_token)).status).toBe(401)
    expect(refusalOf(await refresh(both.first, tokens.refresh_token))).toBe('400 invalid_grant')
  })

  it('give a retry at the other the successor that the first one made', async () => {
    const tokens = await new Visitor(both.url).tokens()
    const first = tokensOf(await refresh(both.first, tokens.refresh_token))
    const retried = tokensOf(await refresh(both.second, tokens.refresh_token))
    expect(retried.refresh_token).toBe(first.refresh_token)
    expect(retried.refresh_token).not.toBe(tokens.refresh_token)
    expect((await refresh(both.second, first.refresh_token)).status).toBe(200)
  })

  it('both know at once what was revoked at one', async () => {
    const tokens = await new Visitor(both.url).tokens()
    const form = { client_id: 'submissions-web', token: tokens.refresh_token ?? '' }
    expect((await post(`${both.first}/oauth2/revoke`, form)).status).toBe(200)
    expect(refusalOf(await refresh(both.second, tokens.refresh_token))).toBe('400 invalid_grant')
    expect(await introspect(both.second, tokens.access_token)).toEqual({ active: false })
    expect((await userinfo(both.second, tokens.access_token)).status).toBe(401)
  })

  it('both know at once that somebody signed out at one', async () => {
    const visitor = new Visitor(both.url)
    const tokens = await visitor.tokens()
    const goodbye = 'post_logout_redirect_uri=http://127.0.0.1:4001/'
    await visitor.browser.open(`/oauth2/logout?client_id=submissions-web&${goodbye}`)
    for (const process of [both.first, both.second]) {
      expect((await userinfo(process, tokens.access_token)).status).toBe(401)
      expect(refusalOf(await refresh(process, tokens.refresh_token))).toBe('400 invalid_grant')
    }
    const again = await visitor.browser.open(authorizeRequest().path)
    expect(new URL(again.url).pathname).toBe('/sign-in')
  })

  it('count wrong passwords together', async () => {
    const page = async () => {
      const browser = new TestBrowser(both.url)
      return { browser, page: await browser.open(authorizeRequest().path) }
    }
    const pages = await Promise.all(Array.from({ length: 24 }, page))
    const answers = await Promise.all(
      pages.map(({ browser, page }) =>
        browser.submitOnce(page, { email: people.importer.email, password: 'not the password' }),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 400)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(14)
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  })

  it('count failed client authentications together', async () => {
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) {
      const wrong = { grant_type: 'client_credentials', client_id: 'ledger-report', client_secret: 'wrong' }
      statuses.push((await token(both.url, wrong)).status)
    }
    // The one that did not count last may let one more through before it learns of it.
    expect(statuses.lastIndexOf(401)).toBeLessThanOrEqual(5)
    expect(statuses.slice(6)).toEqual(Array(6).fill(429))
    expect(statuses.slice(0, 5)).toEqual(Array(5).fill(401))
  })
})
