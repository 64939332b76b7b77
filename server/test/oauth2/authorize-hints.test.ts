import { beforeAll, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  people,
  signIn,
  TestBrowser,
  tokensFor,
  type Visit,
} from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

onOneDatabase('login_hint and id_token_hint', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  let tokens: Record<string, string>
  let othersTokens: Record<string, string>
  beforeAll(async () => {
    browser = new TestBrowser(tessera.url)
    tokens = await tokensFor(tessera.url, people.importer, { browser })
    othersTokens = await tokensFor(tessera.url, people.admin)
  })

  const open = (changes: Record<string, string>, by = browser) => by.open(authorizeRequest(changes).path)
  const pathOf = (visit: Visit) => new URL(visit.url).pathname

  it('takes an id_token_hint of the person who is signed in', async () => {
    const visit = await open({ id_token_hint: tokens.id_token ?? '', prompt: 'none' })
    expect(answerOf(visit)).toHaveProperty('code')
  })

  it('takes an id_token_hint that has expired', async () => {
    tessera.clock.advance(2 * 3600_000)
    const visit = await open({ id_token_hint: tokens.id_token ?? '', prompt: 'none' })
    expect(answerOf(visit)).toHaveProperty('code')
  })

  it('asks for a sign-in when the id_token_hint names somebody else, and refuses the wrong person', async () => {
    const hint = { id_token_hint: othersTokens.id_token ?? '' }
    expect(answerOf(await open({ ...hint, prompt: 'none' })).error).toBe('login_required')
    const own = new TestBrowser(tessera.url)
    await signIn(own, authorizeRequest().path, people.importer)
    const page = await open(hint, own)
    expect(pathOf(page)).toBe('/sign-in')
    const wrong = await own.submit(page, people.both)
    expect(answerOf(wrong)).toMatchObject({ error: 'login_required', iss: tessera.url })
    expect(answerOf(wrong)).not.toHaveProperty('code')
    const right = await own.submit(await open(hint, own), people.admin)
    expect(answerOf(right)).toHaveProperty('code')
  })

  it.each([
    ['garbage', () => 'garbage'],
    ['without signature', () => `${(tokens.id_token ?? '').split('.').slice(0, 2).join('.')}.`],
    ['of alg none', () => `${header({ alg: 'none', typ: 'JWT' })}.${payload()}.`],
    ['changed in its claims', () => tampered({ sub: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0004' })],
    ['changed in its audience', () => tampered({ aud: 'submissions-web', x: 1 })],
    ['an access token', () => tokens.access_token ?? ''],
    ['a refresh token', () => tokens.refresh_token ?? ''],
    ['followed by a further part', () => `${tokens.id_token}.x`],
    ['with its signature spelled otherwise', () => `${tokens.id_token}=`],
    ['too long', () => 'x'.repeat(9000)],
  ])('answers invalid_request when the id_token_hint is %s', async (_what, hint) => {
    const visit = await open({ id_token_hint: hint() })
    expect(answerOf(visit)).toMatchObject({ error: 'invalid_request', iss: tessera.url })
  })

  it('refuses an id_token_hint that was issued to another client', async () => {
    const uri = 'https://partner.example/callback?tenant=1'
    const visit = await open({
      client_id: 'partner-portal',
      redirect_uri: uri,
      scope: 'openid',
      id_token_hint: tokens.id_token ?? '',
    })
    expect(answerOf(visit)).toMatchObject({ error: 'invalid_request', tenant: '1' })
  })

  const header = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const payload = () => (tokens.id_token ?? '').split('.')[1] ?? ''
  function tampered(changes: object): string {
    const [head, body = '', signature] = (tokens.id_token ?? '').split('.')
    const claims = { ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as object), ...changes }
    return `${head}.${header(claims)}.${signature}`
  }

  it('fills the e-mail field with the login_hint, escaped', async () => {
    const own = () => new TestBrowser(tessera.url)
    const plain = await open({ login_hint: 'importer@acme.example' }, own())
    expect(plain.body).toContain('value="importer@acme.example"')
    const hostile = await open({ login_hint: `"><script>alert(1)</script>'&` }, own())
    expect(hostile.body).not.toContain('<script>')
    expect(hostile.body).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;"')
    const long = await open({ login_hint: 'x'.repeat(321) }, own())
    expect(answerOf(long).error).toBe('invalid_request')
  })

  it('signs in whoever knows a password, not whom the login_hint says', async () => {
    const own = new TestBrowser(tessera.url)
    const visit = await own.submit(await open({ login_hint: 'admin@acme.example' }, own), people.importer)
    expect(answerOf(visit)).toHaveProperty('code')
  })

  it('does not ask somebody who is signed in because of a login_hint', async () => {
    expect(answerOf(await open({ login_hint: 'admin@acme.example' }))).toHaveProperty('code')
  })
})
