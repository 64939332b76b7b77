import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { authorizeRequest, people, post, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import {
  authorizeNames,
  encoded,
  formPaths,
  hostile,
  runs,
  stepPaths,
  tokenNames,
  withoutLimits,
} from './hostile-input.ts'
import { flawOf, formRequest, getRequest, rawRequest } from './hostile-support.ts'
import { machine, Visitor } from '../harness/program.ts'

/** Values that are right somewhere. */
const known = [
  machine.client_id,
  'submissions-web',
  'refresh_token',
  'authorization_code',
  'client_credentials',
]

onOneDatabase('whatever is sent as parameters', (dialect) => {
  const tessera = tesseraOn(dialect, { settings: withoutLimits })
  let browser: TestBrowser
  beforeAll(async () => {
    browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
  })

  const sound = async (bytes: string | Buffer) =>
    expect(flawOf(await rawRequest(tessera.listening, bytes))).toBeUndefined()
  const cookies = () => browser.cookieHeader()

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
        expect(answer.body).toMatch(/invalid_redirect_uri|longer than 4096|NUL character|not valid UTF-8/)
      }),
      runs(160),
    )
  })

  it('as a form, to every address that takes one, is answered', async () => {
    const value = fc.oneof(encoded, fc.constantFrom(...known))
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

  it('twice under a name that nobody knows is refused, and once is not looked at', async () => {
    const { refresh_token = '' } = await new Visitor(tessera.url).tokens()
    const forms: Record<string, Record<string, string>> = {
      '/oauth2/token': { grant_type: 'client_credentials', ...machine },
      '/v1/iam/token/refresh': { client_id: 'submissions-web', refresh_token },
      '/oauth2/revoke': { ...machine, token: 'x' },
      '/oauth2/introspect': { ...machine, token: 'x' },
      '/oauth2/logout': {},
    }
    for (const [path, form] of Object.entries(forms)) {
      const body = new URLSearchParams({ ...form, unknown: 'x' })
      const ask = () => fetch(`${tessera.url}${path}`, { method: 'POST', body })
      expect([path, (await ask()).status]).toEqual([path, 200])
      body.append('unknown', 'x')
      expect([path, (await ask()).status]).toEqual([path, 400])
    }
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
          const cookie = stranger.cookieHeader()
          const { pathname, search } = new URL(page.url)
          const bytes = formRequest(`${pathname}${search}`, body, [`Cookie: ${cookie}`])
          const answer = await rawRequest(tessera.listening, bytes)
          expect(flawOf(answer)).toBeUndefined()
          expect([303, 400]).toContain(answer.status)
          expect(answer.headers.get('set-cookie') ?? '').not.toContain('-session=')
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
