import { beforeAll, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  people,
  post,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { applyChanged, disabled } from '../declared/change.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

const native = `  - client_id: field-app
    client_name: Field app
    type: public
    application_type: native
    redirect_uris: ["http://127.0.0.1/callback", "http://[::1]:7000/callback", "com.example.field:/callback", "http://localhost:7000/callback"]
    post_logout_redirect_uris: ["com.example.field:/bye"]
    scope: openid
  - client_id: globex-site
    client_name: Globex site
    type: public
    first_party: true
    organisation: globex
    redirect_uris: ["https://globex.example/callback?a=1&b="]
    scope: openid
`

/** RFC 8252: clients of application_type native, and what no other client may do (decisions 2). */
onOneDatabase('the redirect_uri of a native client', (dialect) => {
  const tessera = tesseraOn(dialect)
  beforeAll(async () => {
    await applyChanged(tessera, ['clients:\n', `clients:\n${native}`])
  })

  const ask = (redirectUri: string, changes: Record<string, string> = {}) =>
    authorizeRequest({ client_id: 'field-app', redirect_uri: redirectUri, scope: 'openid', ...changes })
  const consentOf = async (browser: TestBrowser, uri: string): Promise<Visit> =>
    signIn(browser, ask(uri, { prompt: 'consent' }).path, people.importer)

  it.each([
    'http://127.0.0.1:51004/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:65535/callback',
    'com.example.field:/callback',
    'http://localhost:7000/callback',
  ])('may be %s', async (uri) => {
    const browser = new TestBrowser(tessera.url)
    const page = await consentOf(browser, uri)
    const visit = await browser.submit(page, { choice: 'allow' })
    expect(visit.headers.get('location')?.startsWith(`${uri}?code=`)).toBe(true)
  })

  it.each([
    ['http://127.0.0.1:51004/callback', '127.0.0.1:51004'],
    ['com.example.field:/callback', 'com.example.field:'],
  ])('says before consent where %s leads', async (uri, place) => {
    const page = await consentOf(new TestBrowser(tessera.url), uri)
    expect(page.body).toMatch(new RegExp(`returns to <bdi [^>]*>${place}</bdi>`))
  })

  it.each([
    'http://localhost:7001/callback',
    'http://127.0.0.1:65536/callback',
    'http://127.0.0.1:/callback',
    'http://127.0.0.1:abc/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'http://127.0.0.1:5000/callback/x',
    'http://127.0.0.1:5000/callback?x=1',
    'http://127.0.0.1:5000/callback#x',
    'http://127.0.0.1:5000\\@evil.example/callback',
    'http://127.0.0.1.evil.example:5000/callback',
    'http://127.0.0.2:5000/callback',
    'https://127.0.0.1:5000/callback',
    'http://[::1%25eth0]:5000/callback',
    'http://[::2]:5000/callback',
    'com.example.field://callback',
    'com.example.field:/callback/',
    'com.example.field2:/callback',
    'COM.EXAMPLE.FIELD:/callback',
    'javascript:/callback',
  ])('is never %s', async (uri) => {
    const visit = await new TestBrowser(tessera.url).request(ask(uri).path)
    expect([visit.status, visit.location]).toEqual([400, undefined])
    expect(visit.body).toContain('<code>invalid_redirect_uri</code>')
  })

  it('is the one that was asked with when the code is exchanged, with its port', async () => {
    const browser = new TestBrowser(tessera.url)
    const uri = 'http://127.0.0.1:51005/callback'
    const request = ask(uri, { prompt: 'consent' })
    const page = await signIn(browser, request.path, people.importer)
    const { code } = answerOf(await browser.submit(page, { choice: 'allow' }))
    const exchange = (redirectUri: string) =>
      post(`${tessera.url}/oauth2/token`, {
        grant_type: 'authorization_code',
        client_id: 'field-app',
        redirect_uri: redirectUri,
        code: code ?? '',
        code_verifier: request.verifier,
      })
    expect((await exchange('http://127.0.0.1:51006/callback')).json.error).toBe('invalid_grant')
    expect((await exchange(uri)).status).toBe(200)
  })

  it('returns errors to a private-use scheme too', async () => {
    const uri = 'com.example.field:/callback'
    const visit = await new TestBrowser(tessera.url).request(ask(uri, { prompt: 'none' }).path)
    expect(visit.headers.get('location')?.startsWith(`${uri}?error=login_required&`)).toBe(true)
  })

  it('is kept byte for byte when it has a query of its own', async () => {
    const uri = 'https://globex.example/callback?a=1&b='
    const request = authorizeRequest({ client_id: 'globex-site', redirect_uri: uri, scope: 'openid' })
    const visit = await signIn(new TestBrowser(tessera.url), request.path, people.both)
    expect(visit.headers.get('location')?.startsWith(`${uri}&code=`)).toBe(true)
  })

  it('of a client whose organisation was disabled is not redirected to', async () => {
    await applyChanged(tessera, ['clients:\n', `clients:\n${native}`], disabled('  - code: globex'))
    const uri = 'https://globex.example/callback?a=1&b='
    const request = authorizeRequest({ client_id: 'globex-site', redirect_uri: uri, scope: 'openid' })
    const visit = await new TestBrowser(tessera.url).open(request.path)
    expect([visit.status, visit.location]).toEqual([400, undefined])
    expect(visit.body).toContain('<code>invalid_client</code>')
  })
})
