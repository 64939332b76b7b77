import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeRequest, people, post, signIn, TestBrowser } from './browser.ts'
import { onEachDatabase } from './databases.ts'
import { startTessera, type Tessera } from './harness.ts'
import { flawOf, formRequest, getRequest, rawRequest } from './hostile-support.ts'
import { machine, Visitor } from './program.ts'

/** Texts that have broken somebody's parser before. */
const nasty = fc.constantFrom(
  ...[
    '',
    '%',
    '%zz',
    '%00',
    '%C0%AF',
    '%ED%A0%80',
    '%F0%9F%92%A9',
    '\u0000',
    '\u202E',
    '٣',
    '[]',
    '__proto__',
  ],
  ...[
    'constructor',
    "' or 1=1 --",
    '"><script>',
    '{{7*7}}',
    '${x}',
    '../../etc/passwd',
    'a'.repeat(5000),
    '-1',
    '1e309',
  ],
  ...[
    'NaN',
    '9'.repeat(20),
    ' ',
    '+',
    ';',
    '\r\nSet-Cookie: a=b',
    'https://evil.example',
    'javascript:alert(1)',
  ],
)
const hostile = fc.oneof(
  nasty,
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.base64String({ maxLength: 80 }),
)
/** Already encoded, well or badly. */
const encoded = fc.oneof(
  hostile.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ unit: fc.constantFrom(...'%0123456789ABCDEFabcdef+&=;?/.~-_'), maxLength: 40 }),
)
/** Visible ASCII and what else may stand in a header. */
const headerText = fc.oneof(
  hostile.map((text) => text.replaceAll(/[^\t\x20-\x7E\x80-\xFF]/g, '').trim()),
  fc.string({ unit: fc.constantFrom(...'abcABC019 ,;=".:-_~+/%\\\t'), maxLength: 200 }),
)

const authorizeNames = [
  ...Object.keys(authorizeRequest().parameters),
  ...['prompt', 'max_age', 'login_hint', 'id_token_hint', 'ui_locales', 'resource', 'profile_uuid'],
  ...['request', 'request_uri', 'response_mode', 'claims', '__proto__', 'scope[]'],
]
const tokenNames = [
  ...['grant_type', 'client_id', 'client_secret', 'redirect_uri', 'code', 'code_verifier', 'refresh_token'],
  ...[
    'scope',
    'resource',
    'profile_uuid',
    'token',
    'token_type_hint',
    'request',
    'csrf',
    'email',
    'password',
  ],
]
const formPaths = [
  ...['/oauth2/token', '/v1/iam/token/refresh', '/oauth2/revoke', '/oauth2/introspect', '/oauth2/authorize'],
  ...['/oauth2/logout', '/oauth2/logout/confirm', '/oauth2/userinfo'],
]
const stepPaths = ['/sign-in', '/choose-profile', '/consent', '/no-profile', '/sign-in/another-account']
const seeds = [0, 1, 2].map((n) => [machine.client_id, 'submissions-web', 'refresh_token'][n] ?? '')

onEachDatabase('whatever is sent', (dialect) => {
  let tessera: Tessera
  let browser: TestBrowser
  beforeAll(async () => {
    const limits = ['CLIENT_AUTH', 'AUTHORIZE', 'GRANTS', 'SIGN_IN_ACCOUNT', 'SIGN_IN_ADDRESS']
    const off = Object.fromEntries(limits.map((name) => [`TESSERA_LIMIT_${name}`, '0']))
    tessera = await startTessera(dialect, { settings: off })
    browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
  })
  afterAll(() => tessera.close())

  const sound = async (bytes: string | Buffer) =>
    expect(flawOf(await rawRequest(tessera.listening, bytes))).toBeUndefined()
  const runs = (numRuns: number) => ({ numRuns, endOnFailure: true })
  const cookies = () => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  it('as an authorization request, right but for some parameters, is answered, and never sent elsewhere', async () => {
    const changes = fc.uniqueArray(fc.tuple(fc.constantFrom(...authorizeNames), encoded), {
      minLength: 1,
      maxLength: 4,
      selector: ([name]) => name,
    })
    await fc.assert(
      fc.asyncProperty(changes, fc.boolean(), fc.boolean(), async (wrong, signedIn, byForm) => {
        const right = new URLSearchParams(authorizeRequest().query)
        for (const [name] of wrong) right.delete(name)
        const query = [right.toString(), ...wrong.map(([name, value]) => `${name}=${value}`)].join('&')
        const headers = signedIn ? [`Cookie: ${cookies()}`] : []
        const bytes = byForm
          ? formRequest('/oauth2/authorize', query, headers)
          : getRequest(`/oauth2/authorize?${query}`, headers)
        const answer = await rawRequest(tessera.listening, bytes)
        expect(flawOf(answer)).toBeUndefined()
        expect([200, 303, 400, 431]).toContain(answer.status)
        const { origin } = new URL(answer.headers.get('location') ?? '/', tessera.url)
        expect([tessera.url, 'http://127.0.0.1:4001']).toContain(origin)
        expect(answer.headers.get('set-cookie') ?? '').not.toMatch(/^a=b/)
      }),
      runs(240),
    )
  })

  it('as a redirect_uri is refused on a page unless it is the registered one to the byte', async () => {
    const registered = 'http://127.0.0.1:4001/callback'
    const position = fc.integer({ min: 0, max: registered.length })
    const mutated = fc.oneof(
      encoded.map((text) => `${encodeURIComponent(registered)}${text}`),
      fc
        .tuple(position, fc.constantFrom(...'/.@:#?%\\\t *A1'))
        .map(([at, character]) =>
          encodeURIComponent(registered.slice(0, at) + character + registered.slice(at)),
        ),
      position.map((at) => encodeURIComponent(registered.slice(0, at) + registered.slice(at + 1))),
      position.map((at) => encodeURIComponent(registered.slice(0, at) + registered.slice(at).toUpperCase())),
    )
    await fc.assert(
      fc.asyncProperty(mutated, async (redirectUri) => {
        const right = new URLSearchParams(authorizeRequest().query)
        right.delete('redirect_uri')
        const query = `${right}&redirect_uri=${redirectUri}`
        fc.pre(new URLSearchParams(query).get('redirect_uri') !== registered)
        const answer = await rawRequest(tessera.listening, getRequest(`/oauth2/authorize?${query}`))
        expect(flawOf(answer)).toBeUndefined()
        expect([answer.status, answer.headers.get('location')]).toEqual([400, undefined])
        expect(answer.body).toMatch(/invalid_redirect_uri|longer than 4096|NUL character/)
      }),
      runs(160),
    )
  })

  it('as a form, to every address that takes one, is answered', async () => {
    const value = fc.oneof(encoded, fc.constantFrom(...seeds, 'authorization_code', 'client_credentials'))
    const fields = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...tokenNames), encoded), value), {
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...formPaths, ...stepPaths), fields, async (path, pairs) => {
        const body = pairs.map(([name, text]) => `${name}=${text}`).join('&')
        await sound(formRequest(path, body, [`Cookie: ${cookies()}`]))
      }),
      runs(300),
    )
  })

  it('as bytes that are no form, to every address that takes one, is answered', async () => {
    const path = fc.constantFrom(...formPaths)
    await fc.assert(
      fc.asyncProperty(path, fc.uint8Array({ maxLength: 300 }), async (to, bytes) => {
        const [head = ''] = formRequest(to, 'x'.repeat(bytes.length)).split('\r\n\r\n')
        await sound(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]))
      }),
      runs(100),
    )
  })

  it('as cookies is answered, and nobody is signed in by it', async () => {
    const name = fc.constantFrom(
      'tessera-session',
      'tessera-browser',
      'tessera-device',
      '__Host-tessera-session',
      '__proto__',
    )
    const one = fc.tuple(fc.oneof(name, headerText), headerText).map(([key, value]) => `${key}=${value}`)
    const path = fc.constantFrom(
      `${authorizeRequest({ prompt: 'none' }).path}`,
      '/oauth2/logout',
      ...stepPaths.map((step) => `${step}?request=x`),
    )
    await fc.assert(
      fc.asyncProperty(path, fc.array(one, { maxLength: 5 }), async (to, sent) => {
        const answer = await rawRequest(tessera.listening, getRequest(to, [`Cookie: ${sent.join('; ')}`]))
        expect(flawOf(answer)).toBeUndefined()
        expect(answer.headers.get('location') ?? '').not.toContain('code=')
      }),
      runs(160),
    )
  })

  it('as an Authorization header is refused', async () => {
    const basic = fc.oneof(hostile, encoded).map((text) => `Basic ${Buffer.from(text).toString('base64')}`)
    const jwt = fc
      .tuple(fc.json(), fc.json(), fc.base64String())
      .map((parts) => `Bearer ${parts.map((part) => Buffer.from(part).toString('base64url')).join('.')}`)
    const scheme = fc.constantFrom('Bearer', 'bearer', 'Basic', 'DPoP', 'Digest', '')
    const anything = fc.tuple(scheme, headerText).map(([first, rest]) => `${first} ${rest}`.trim())
    await fc.assert(
      fc.asyncProperty(fc.oneof(basic, jwt, anything), async (value) => {
        const headers = value === '' ? [] : [`Authorization: ${value}`]
        for (const bytes of [
          getRequest('/oauth2/userinfo', headers),
          formRequest('/oauth2/token', 'grant_type=client_credentials', headers),
          formRequest('/oauth2/introspect', 'token=x', headers),
        ]) {
          const answer = await rawRequest(tessera.listening, bytes)
          expect(flawOf(answer)).toBeUndefined()
          expect([400, 401]).toContain(answer.status)
        }
      }),
      runs(120),
    )
  })

  it('as any other header is answered', async () => {
    const name = fc.constantFrom(
      ...[
        'Accept',
        'Accept-Language',
        'Origin',
        'Referer',
        'Content-Type',
        'X-Forwarded-For',
        'Forwarded',
        'Range',
      ],
      ...[
        'If-None-Match',
        'Traceparent',
        'Tracestate',
        'Baggage',
        'Transfer-Encoding',
        'Upgrade',
        'X-Request-Id',
        'Te',
      ],
    )
    const path = fc.constantFrom(
      '/oauth2/jwks',
      '/oauth2/userinfo',
      '/nowhere',
      '/sign-in',
      '/api/doc',
      '/health/ready',
    )
    await fc.assert(
      fc.asyncProperty(path, fc.array(fc.tuple(name, headerText), { maxLength: 6 }), async (to, headers) => {
        await sound(
          getRequest(
            to,
            headers.map(([key, value]) => `${key}: ${value}`),
          ),
        )
      }),
      runs(160),
    )
  })

  it('as an address is answered', async () => {
    const target = fc.oneof(
      encoded,
      headerText.map((text) => text.replaceAll(/\s/g, '')),
    )
    await fc.assert(
      fc.asyncProperty(
        target,
        fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'PATCH'),
        async (to, method) => {
          await sound(getRequest(`/${to}`).replace(/^GET/, method).replace('HEAD ', 'GET '))
        },
      ),
      runs(120),
    )
  })

  it('as what a person types is answered, and what is not theirs signs nobody in', async () => {
    const field = fc.constantFrom(
      'email',
      'password',
      'csrf',
      'request',
      'choice',
      'profile_uuid',
      '__proto__',
    )
    await fc.assert(
      fc.asyncProperty(
        hostile,
        hostile,
        fc.array(fc.tuple(field, encoded), { maxLength: 3 }),
        async (...typed) => {
          const [email, password, more] = typed
          const stranger = new TestBrowser(tessera.url)
          const page = await stranger.open(authorizeRequest().path)
          const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
          const form = new URLSearchParams({ csrf, email, password })
          const body = [form.toString(), ...more.map(([name, value]) => `${name}=${value}`)].join('&')
          const cookie = [...stranger.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
          const { pathname, search } = new URL(page.url)
          const bytes = formRequest(`${pathname}${search}`, body, [`Cookie: ${cookie}`])
          const answer = await rawRequest(tessera.listening, bytes)
          expect(flawOf(answer)).toBeUndefined()
          expect([303, 400]).toContain(answer.status)
          expect(answer.headers.get('set-cookie') ?? '').not.toContain('tessera-session=')
        },
      ),
      runs(40),
    )
  })

  it('the service is as well afterwards as before', async () => {
    expect((await new Visitor(tessera.url).tokens()).token_type).toBe('Bearer')
    const grant = await post(`${tessera.url}/oauth2/token`, { grant_type: 'client_credentials', ...machine })
    expect(grant.status).toBe(200)
  })
})
