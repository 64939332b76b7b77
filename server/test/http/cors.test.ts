import { describe, expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { applyChanged } from '../declared/change.ts'
import { changeClient } from '../harness/states.ts'

const open = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/oauth2/jwks',
  '/api/doc.json',
]
const registered = [
  '/oauth2/token',
  '/v1/iam/token/refresh',
  '/oauth2/userinfo',
  '/oauth2/revoke',
  '/oauth2/par',
]
const none = ['/oauth2/authorize', '/oauth2/logout', '/sign-in', '/oauth2/introspect', '/nowhere']

onOneDatabase('CORS', (dialect) => {
  const tessera = tesseraOn(dialect)

  const ask = async (path: string, origin: string, init: RequestInit = {}) =>
    await fetch(`${tessera.url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { origin, ...(init.headers as Record<string, string>) },
    })
  const preflight = async (path: string, origin: string, headers = 'authorization,content-type') =>
    await ask(path, origin, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': headers },
    })
  /** The names that a browser would let the page send. */
  const allowedHeaders = (answer: Response) =>
    (answer.headers.get('access-control-allow-headers') ?? '').split(',').map((one) => one.trim())
  const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin')
  const post = (form: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(form) })

  describe.each(open)('%s', (path) => {
    it('is open to everyone, without credentials', async () => {
      for (const origin of ['https://anyone.example', 'null']) {
        const answer = await ask(path, origin)
        expect([answer.status, allowed(answer)]).toEqual([200, '*'])
        expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
        const before = await preflight(path, origin)
        expect([before.status, allowed(before)]).toEqual([204, '*'])
      }
    })
  })

  describe.each(registered)('%s', (path) => {
    it('is open to the origins of registered redirect URIs, without credentials', async () => {
      for (const origin of ['http://127.0.0.1:4001', 'http://localhost:4001', 'https://partner.example']) {
        const before = await preflight(path, origin)
        expect([before.status, allowed(before)]).toEqual([204, origin])
        expect(before.headers.get('access-control-allow-methods')).toMatch(/\bPOST\b/)
        expect(before.headers.get('access-control-allow-headers')).toMatch(/authorization.*content-type/)
        expect(Number(before.headers.get('access-control-max-age'))).toBeGreaterThan(0)
        expect(before.headers.has('access-control-allow-credentials')).toBe(false)
        // The answer itself is a refusal, and the page may read it.
        const answer = await ask(path, origin, post({}))
        expect(answer.status).toBeGreaterThanOrEqual(400)
        expect(allowed(answer)).toBe(origin)
        expect(answer.headers.get('vary')).toMatch(/origin/i)
        expect(answer.headers.get('access-control-expose-headers')).toMatch(/retry-after.*www-authenticate/)
        expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
      }
    })

    it.each([
      'https://anyone.example',
      'null',
      'http://127.0.0.1:4002',
      'http://127.0.0.1',
      'https://127.0.0.1:4001',
      'http://127.0.0.1:4001/',
      'http://127.0.0.1:4001.evil.example',
      'https://partner.example.evil.example',
      'https://evil-partner.example',
      'HTTPS://PARTNER.EXAMPLE',
      'https://retired.example',
      `https://${'a'.repeat(400)}.example`,
      `' or '1'='1`,
    ])('is closed to %s', async (origin) => {
      for (const answer of [await preflight(path, origin), await ask(path, origin, post({}))]) {
        expect(allowed(answer)).toBeNull()
        // A cache must not give one origin the answer of another.
        expect(answer.headers.get('vary')).toMatch(/origin/i)
      }
    })

    it('tells a registered origin of errors of every kind', async () => {
      const origin = 'http://127.0.0.1:4001'
      for (const init of [
        { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
        { method: 'POST', body: 'x'.repeat(100_000), headers: { 'content-type': 'text/plain' } },
        post({ client_id: 'x'.repeat(80_000) }),
        { method: 'DELETE' },
      ]) {
        const answer = await ask(path, origin, init)
        expect(answer.status).toBeGreaterThanOrEqual(400)
        expect(allowed(answer)).toBe(origin)
      }
    })
  })

  it.each([...open, ...registered])('%s lets a page trace its requests, without cookies', async (path) => {
    const tracing = [
      'baggage',
      'sentry-trace',
      'traceparent',
      'tracestate',
      'x-datadog-trace-id',
      'x-requested-with',
    ]
    const answer = await preflight(path, 'http://127.0.0.1:4001', tracing.join(','))
    expect(allowedHeaders(answer)).toEqual(
      expect.arrayContaining([...tracing, 'authorization', 'content-type']),
    )
    expect(allowed(answer)).not.toBeNull()
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
    expect(answer.headers.get('vary')).toMatch(/access-control-request-headers/i)
  })

  it.each([
    '*',
    'a b',
    'x,\u00e9',
    'x;y',
    '<script>',
    `x-${'a'.repeat(3000)}`,
    Array(200).fill('x-a').join(','),
  ])('lets no page send the headers “%.30s”', async (names) => {
    const answer = await preflight('/oauth2/token', 'http://127.0.0.1:4001', names)
    expect(allowedHeaders(answer)).toEqual(['authorization', 'content-type'])
  })

  it.each(none)('%s is closed to everyone', async (path) => {
    for (const origin of ['http://127.0.0.1:4001', 'https://partner.example']) {
      for (const answer of [await preflight(path, origin), await ask(path, origin)]) {
        const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))
        expect(names).toEqual([])
      }
    }
  })

  it.each([
    'capacitor://localhost',
    'ionic://localhost',
    'tauri://localhost',
    'http://tauri.localhost',
    'https://localhost',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  ])('is open to %s, where the pages of an installed application come from', async (origin) => {
    const scope = '    scope: openid profile\n'
    expect(allowed(await preflight('/oauth2/token', origin))).toBeNull()
    await applyChanged(tessera, [scope, `${scope}    allowed_origins: ['${origin}']\n`])
    expect(allowed(await preflight('/oauth2/token', origin))).toBe(origin)
    await applyChanged(tessera)
    expect(allowed(await preflight('/oauth2/token', origin))).toBeNull()
  })

  it('follows allowed_origins, and forgets a client that is switched off', async () => {
    const origin = 'https://app.partner.example'
    const scope = '    scope: openid profile\n'
    await applyChanged(tessera, [scope, `${scope}    allowed_origins: [${origin}]\n`])
    expect(allowed(await preflight('/oauth2/token', origin))).toBe(origin)
    const set = (active: 0 | 1) => changeClient(tessera, 'partner-portal', { active })
    await set(0)
    expect(allowed(await preflight('/oauth2/token', origin))).toBeNull()
    await set(1)
    expect(allowed(await preflight('/oauth2/token', origin))).toBe(origin)
  })
})
