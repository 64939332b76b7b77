import { describe, expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { machine } from '../harness/program.ts'

/** Every endpoint of the program side, and the methods that it takes. */
const endpoints: [path: string, methods: string[]][] = [
  ['/.well-known/openid-configuration', ['GET', 'HEAD', 'OPTIONS']],
  ['/.well-known/oauth-authorization-server', ['GET', 'HEAD', 'OPTIONS']],
  ['/oauth2/jwks', ['GET', 'HEAD', 'OPTIONS']],
  ['/oauth2/token', ['POST', 'OPTIONS']],
  ['/v1/iam/token/refresh', ['POST', 'OPTIONS']],
  ['/oauth2/userinfo', ['GET', 'HEAD', 'OPTIONS', 'POST']],
  ['/oauth2/introspect', ['POST']],
  ['/oauth2/revoke', ['POST', 'OPTIONS']],
  ['/oauth2/par', ['POST', 'OPTIONS']],
  ['/oauth2/authorize', ['GET', 'POST']],
  ['/oauth2/authorize/continue', ['GET']],
  ['/oauth2/authorize/trial', ['GET']],
  ['/oauth2/logout', ['GET', 'POST']],
]
const forms = [
  '/oauth2/token',
  '/v1/iam/token/refresh',
  '/oauth2/introspect',
  '/oauth2/revoke',
  '/oauth2/par',
]
const right = new URLSearchParams({ grant_type: 'client_credentials', ...machine }).toString()

onOneDatabase('HTTP errors', (dialect) => {
  const tessera = tesseraOn(dialect)

  async function ask(path: string, init: RequestInit = {}) {
    const answer = await fetch(`${tessera.url}${path}`, { redirect: 'manual', ...init })
    const text = await answer.text()
    // Whatever goes wrong: a request id, and nothing of our insides.
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(text).not.toMatch(/\n\s+at |node_modules|\.[jt]s:\d|select |FST_ERR|SQLITE|"statusCode"/)
    const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
    return { status: answer.status, headers: answer.headers, text, json }
  }

  describe.each(endpoints)('%s', (path, methods) => {
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].filter(
      (one) => !methods.includes(one),
    )

    it.each(others)('answers 405 with Allow to %s', async (method) => {
      const answer = await ask(path, { method })
      expect(answer.status).toBe(405)
      const allow = answer.headers.get('allow')?.split(', ').sort()
      expect(allow).toEqual([...methods].sort())
      if (method !== 'HEAD') {
        expect(answer.json).toEqual({ error: 'method_not_allowed', error_description: expect.any(String) })
      }
    })

    it.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])(
      'answers 405 to a PUT of %s, before it looks at the body',
      async (type) => {
        const answer = await ask(path, { method: 'PUT', body: '{"a"', headers: { 'content-type': type } })
        expect([answer.status, answer.json.error]).toEqual([405, 'method_not_allowed'])
      },
    )
  })

  it.each([
    ['GET', '/'],
    ['GET', '/nowhere'],
    ['GET', '/oauth2/token/'],
    ['GET', '/oauth2'],
    ['GET', '/OAUTH2/JWKS'],
    ['GET', '/oauth2/jwks/../../etc/passwd'],
    ['GET', '/..%2f..%2fetc%2fpasswd'],
    ['GET', '/__proto__'],
    ['GET', '/constructor'],
    ['DELETE', '/nowhere'],
    ['POST', '/v1/iam/token'],
  ])('%s %s is 404 not_found', async (method, path) => {
    const answer = await ask(path, { method, headers: { accept: 'application/json' } })
    expect(answer.status).toBe(404)
    expect(answer.json).toEqual({ error: 'not_found', error_description: expect.any(String) })
  })

  it.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain'])(
    'POST of %s to an unknown address is 404, not a word about the body',
    async (type) => {
      const answer = await ask('/nowhere', { method: 'POST', body: '{', headers: { 'content-type': type } })
      expect([answer.status, answer.json.error]).toEqual([404, 'not_found'])
    },
  )

  it('an unknown address is a page for a browser', async () => {
    const answer = await ask('/nowhere', { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
    expect(answer.text).toContain(answer.headers.get('x-request-id'))
  })

  it('a broken percent-encoding is 400 in our own shape', async () => {
    for (const path of ['/%', '/oauth2/%zz', '/oauth2/token%']) {
      const answer = await ask(path)
      expect(answer.status).toBe(400)
      expect(answer.json).toEqual({ error: 'invalid_request', error_description: expect.any(String) })
    }
  })

  describe.each(forms)('a body of %s', (path) => {
    it.each([
      ['JSON', 'application/json', JSON.stringify(Object.fromEntries(new URLSearchParams(right)))],
      ['a form that says it is JSON', 'application/json', right],
      [
        'multipart',
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--',
      ],
      ['text', 'text/plain', right],
      ['XML', 'application/xml', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
      ['a type that only begins alike', 'application/x-www-form-urlencodedx', right],
      ['no known type', 'nonsense', right],
    ])('as %s is refused', async (_, type, body) => {
      const answer = await ask(path, { method: 'POST', body, headers: { 'content-type': type } })
      expect(answer.status).toBe(400)
      expect(answer.json).toEqual({ error: 'invalid_request', error_description: expect.any(String) })
    })

    it('that is missing, empty, or without a type is refused', async () => {
      for (const init of [{}, { body: '' }, { body: new TextEncoder().encode(right) }]) {
        const answer = await ask(path, { method: 'POST', ...init })
        expect([answer.status, answer.json.error]).toEqual([400, 'invalid_request'])
      }
      const empty = await ask(path, { method: 'POST', body: new URLSearchParams() })
      // Where only a client that proves who it is may ask anything, nobody is none.
      const expected = path === '/oauth2/introspect' ? [401, 'invalid_client'] : [400, 'invalid_request']
      expect([empty.status, empty.json.error]).toEqual(expected)
    })

    it('that is too large is 413', async () => {
      for (const type of ['application/x-www-form-urlencoded']) {
        const body = `a=${'x'.repeat(70_000)}`
        const answer = await ask(path, { method: 'POST', body, headers: { 'content-type': type } })
        expect(answer.status).toBe(413)
        expect(answer.json).toEqual({ error: 'request_too_large', error_description: expect.any(String) })
      }
    })
  })

  it.each([
    'application/x-www-form-urlencoded; charset=UTF-8',
    'application/x-www-form-urlencoded;charset=utf-8',
    'Application/X-WWW-Form-URLencoded',
    'application/x-www-form-urlencoded ; charset="utf-8"',
  ])('the type %s is a form', async (type) => {
    const answer = await ask('/oauth2/token', {
      method: 'POST',
      body: right,
      headers: { 'content-type': type },
    })
    expect(answer.status).toBe(200)
  })

  it('a client can’t choose its request id, nor send a line through a header', async () => {
    const answer = await ask('/oauth2/jwks', { headers: { 'x-request-id': 'mine', 'request-id': 'mine' } })
    expect(answer.headers.get('x-request-id')).not.toBe('mine')
  })

  it('every answer forbids sniffing and framing', async () => {
    for (const path of ['/oauth2/jwks', '/nowhere', '/oauth2/token']) {
      const { headers } = await ask(path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/)
      expect(headers.has('x-powered-by')).toBe(false)
      expect(headers.has('server')).toBe(false)
    }
  })
})
