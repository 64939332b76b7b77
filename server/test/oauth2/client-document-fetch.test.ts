import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Administrator, administeredOn } from '../administration/support.ts'
import { answerOf, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { DocumentServer } from '../harness/document-server.ts'
import { introspect, refreshAs, refusalOf, tokensOf } from '../harness/program.ts'
import { shortenTimers } from '../harness/timers.ts'
import {
  asked,
  codeFor,
  consentTo,
  exchanged,
  newAddress,
  registered,
  registration,
} from './client-document-support.ts'

// A host that says nothing.
shortenTimers({ 3000: 1500 })

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** What a host may answer that is no document of this client. */
const bad: [string, (host: DocumentServer) => void][] = [
  ['a redirect', (host) => void ((host.status = 302), (host.headers['location'] = `${host.origin}/other`))],
  [
    'a redirect to the metadata of a cloud',
    (host) => void ((host.status = 307), (host.headers['location'] = 'http://169.254.169.254/latest')),
  ],
  ['another client_id', (host) => void (host.says['client_id'] = 'https://localhost/other.json')],
  ['too much', (host) => void (host.says['more'] = 'a'.repeat(5121))],
  [
    'no end',
    (host) =>
      void (host.instead = (response) => {
        response.writeHead(200, host.headers)
        const more = setInterval(() => response.write(' '.repeat(10)), 20)
        response.on('close', () => clearInterval(more))
      }),
  ],
  ['nothing', (host) => void (host.instead = () => undefined)],
  ['a closed connection', (host) => void (host.instead = (response) => response.destroy())],
  ['HTML', (host) => void ((host.headers['content-type'] = 'text/html'), (host.text = '<html></html>'))],
  ['HTML that is called JSON', (host) => void (host.text = '<html></html>')],
  ['an error', (host) => void (host.status = 500)],
  ['a foreign redirect URI', (host) => void (host.says['redirect_uris'] = ['https://evil.example/callback'])],
  [
    'a foreign redirect URI beside its own',
    (host) =>
      void (host.says['redirect_uris'] = ['http://localhost/callback', 'https://evil.example/callback']),
  ],
  ['a secret', (host) => void (host.says['token_endpoint_auth_method'] = 'client_secret_post')],
  [
    'keys of another host',
    (host) =>
      void Object.assign(host.says, {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks_uri: 'https://evil.example/jwks',
      }),
  ],
]

onEachDatabase('the document of a client', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, {
    TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true',
    TESSERA_LIMIT_CLIENT_AUTH: '0',
  })
  let host: DocumentServer
  let admin: Administrator
  beforeAll(async () => {
    host = await DocumentServer.start()
  })
  afterAll(async () => await host.close())
  beforeEach(async () => {
    host.reset()
    admin = await Administrator.machine(tessera.url)
  })

  const path = (client_id: string) => `/clients/${encodeURIComponent(client_id)}`
  const opened = async (client_id: string, changes: Record<string, string> = {}) =>
    await new TestBrowser(tessera.url).open(asked(client_id, changes).path)
  const records = async (client_id: string) => {
    const found = await admin.get(`/audit?target=${encodeURIComponent(client_id)}&limit=200`)
    return (found.json['items'] as { kind: string; detail?: { reason: string } }[]).filter(({ kind }) =>
      kind.startsWith('client_document.'),
    )
  }
  const tokensFor = async (client_id: string) => {
    const request = asked(client_id)
    return tokensOf(await exchanged(tessera.url, request, await codeFor(tessera.url, request)))
  }

  // What a host answers is read before any database is asked: one of them on PostgreSQL stands for all.
  describe.each(dialect === 'sqlite' ? bad : bad.slice(0, 1))('that is %s', (_, turn) => {
    it('registers nothing', async () => {
      turn(host)
      const client_id = newAddress(host)
      const answer = await admin.post('/clients', registration(client_id))
      expect(answer.status, answer.text).toBe(400)
      expect(answer.text).toContain('The document ')
      expect((await admin.get(path(client_id))).status).toBe(404)
    })

    it('leaves a client as it was, and its last good copy serves for 7 days', async () => {
      const client_id = await registered(admin, host)
      turn(host)
      tessera.clock.advance(5 * minute + 1000)
      expect(new URL((await opened(client_id)).url).pathname).toBe('/sign-in')
      expect(await records(client_id)).toMatchObject([{ kind: 'client_document.refused' }])
      const evil = await opened(client_id, { redirect_uri: 'https://evil.example/callback' })
      expect([evil.status, evil.location]).toEqual([400, undefined])
      tessera.clock.advance(7 * day)
      const page = await opened(client_id)
      expect([page.status, page.location]).toEqual([400, undefined])
      expect(page.body).toContain('can not be used')
      host.reset()
      tessera.clock.advance(30_000)
      expect(new URL((await opened(client_id)).url).pathname).toBe('/sign-in')
    })
  })

  onOne.it('is asked for again when it is no longer fresh, and 30 seconds after a failure', async () => {
    host.headers['cache-control'] = 'max-age=3600'
    const client_id = await registered(admin, host)
    expect(host.asked).toBe(1)
    tessera.clock.advance(59 * minute)
    await opened(client_id)
    expect(host.asked).toBe(1)
    host.status = 500
    tessera.clock.advance(2 * minute)
    for (let times = 0; times < 3; times++) await opened(client_id)
    expect(host.asked).toBe(2)
    tessera.clock.advance(30_000)
    await opened(client_id)
    expect(host.asked).toBe(3)
  })

  it('is asked for once, however many want it', async () => {
    const client_id = await registered(admin, host)
    tessera.clock.advance(10 * minute)
    const before = host.asked
    await Promise.all(Array.from({ length: 12 }, () => opened(client_id)))
    expect(host.asked).toBe(before + 1)
  })

  it('that is down ends no access that was given, however long', async () => {
    const client_id = await registered(admin, host)
    const tokens = await tokensFor(client_id)
    host.instead = (response) => response.destroy()
    tessera.clock.advance(8 * day)
    const form = { client_id, refresh_token: tokens['refresh_token'] ?? '' }
    expect(tokensOf(await refreshAs(tessera.url, form))).toHaveProperty('access_token')
  })

  it.each([404, 410])('that is gone (%i) ends after an hour, with what it gave', async (status) => {
    const client_id = await registered(admin, host)
    const { refresh_token: refresh = '' } = await tokensFor(client_id)
    host.status = status
    tessera.clock.advance(6 * minute)
    expect(new URL((await opened(client_id)).url).pathname).toBe('/sign-in')
    const renewed = tokensOf(await refreshAs(tessera.url, { client_id, refresh_token: refresh }))
    tessera.clock.advance(hour)
    expect((await opened(client_id)).status).toBe(400)
    admin = await Administrator.machine(tessera.url)
    expect((await records(client_id)).map(({ kind }) => kind)).toEqual([
      'client_document.ended',
      'client_document.refused',
    ])
    const form = { client_id, refresh_token: renewed['refresh_token'] ?? '' }
    expect(refusalOf(await refreshAs(tessera.url, form))).toBe('401 invalid_client')
    expect(await introspect(tessera.url, renewed['access_token'])).toEqual({ active: false })
    host.status = 200
    tessera.clock.advance(minute)
    expect(new URL((await opened(client_id)).url).pathname).toBe('/sign-in')
    expect(refusalOf(await refreshAs(tessera.url, form))).toBe('400 invalid_grant')
  })

  onOne.it('that comes back within the hour goes on', async () => {
    const client_id = await registered(admin, host)
    host.status = 404
    tessera.clock.advance(6 * minute)
    await opened(client_id)
    host.status = 200
    tessera.clock.advance(50 * minute)
    await opened(client_id)
    tessera.clock.advance(20 * minute)
    expect(new URL((await opened(client_id)).url).pathname).toBe('/sign-in')
  })

  it('that drops a redirect URI takes the codes under way with it', async () => {
    const client_id = await registered(admin, host)
    const request = asked(client_id)
    const code = await codeFor(tessera.url, request)
    const browser = new TestBrowser(tessera.url)
    const page = await consentTo(tessera.url, asked(client_id), browser)
    host.says['redirect_uris'] = ['http://127.0.0.1/callback']
    tessera.clock.advance(5 * minute + 1000)
    await opened(client_id, { redirect_uri: 'http://127.0.0.1:9/callback' })
    expect(await records(client_id)).toMatchObject([{ kind: 'client_document.changed' }])
    expect(refusalOf(await exchanged(tessera.url, request, code))).toBe('400 invalid_grant')
    const left = await browser.submit(page, { choice: 'allow' })
    expect([left.status, left.location]).toEqual([400, undefined])
  })

  onOne.it('that changes its name while somebody reads the page is asked about anew', async () => {
    const client_id = await registered(admin, host)
    const browser = new TestBrowser(tessera.url)
    const page = await consentTo(tessera.url, asked(client_id), browser)
    expect(page.body).toContain('Agent')
    host.says['client_name'] = 'Payroll'
    tessera.clock.advance(5 * minute + 1000)
    await opened(client_id)
    const next = await browser.submit(page, { choice: 'allow' })
    expect(new URL(next.url).pathname).toBe('/consent')
    expect(next.body).toContain('Payroll')
    expect(answerOf(await browser.submit(next, { choice: 'allow' }))).toHaveProperty('code')
  })

  it('that turns to keys lets nobody on without them, and turns back', async () => {
    const client_id = await registered(admin, host)
    const tokens = await tokensFor(client_id)
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] }
    Object.assign(host.says, { token_endpoint_auth_method: 'private_key_jwt', jwks })
    tessera.clock.advance(5 * minute + 1000)
    const request = asked(client_id)
    const code = await codeFor(tessera.url, request)
    const form = { client_id, refresh_token: tokens['refresh_token'] ?? '' }
    expect(refusalOf(await refreshAs(tessera.url, form))).toBe('401 invalid_client')
    expect(refusalOf(await exchanged(tessera.url, request, code))).toBe('401 invalid_client')
    const proof = async (key = privateKey) => {
      const at = Math.floor(tessera.clock.now() / 1000)
      const claims = {
        iss: client_id,
        sub: client_id,
        aud: tessera.url,
        iat: at,
        exp: at + 60,
        jti: crypto.randomUUID(),
      }
      return {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', kid: 'one' })
          .sign(key),
      }
    }
    const { privateKey: stranger } = await generateKeyPair('ES256')
    expect(refusalOf(await exchanged(tessera.url, request, code, await proof(stranger)))).toBe(
      '401 invalid_client',
    )
    tokensOf(await exchanged(tessera.url, request, code, await proof()))
    const renewed = tokensOf(await refreshAs(tessera.url, { ...form, ...(await proof()) }))
    expect((await admin.get(path(client_id))).json).toMatchObject({
      token_endpoint_auth_method: 'private_key_jwt',
    })

    host.says = { ...host.says, token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] }
    tessera.clock.advance(5 * minute + 1000)
    await opened(client_id)
    tokensOf(await refreshAs(tessera.url, { client_id, refresh_token: renewed['refresh_token'] ?? '' }))
  })

  onOne.it('may lead to hosts that were named, as long as they are', async () => {
    host.says['redirect_uris'] = ['http://localhost/callback', 'https://app.acme.example/callback']
    const client_id = await registered(admin, host, { redirect_hosts: ['app.acme.example'] })
    const redirect_uri = 'https://app.acme.example/callback'
    expect(new URL((await opened(client_id, { redirect_uri })).url).pathname).toBe('/sign-in')
    expect((await admin.patch(path(client_id), { redirect_hosts: [] })).status).toBe(400)
    host.says['redirect_uris'] = ['http://localhost/callback']
    expect((await admin.patch(path(client_id), { redirect_hosts: [] })).status).toBe(200)
    expect((await opened(client_id, { redirect_uri })).status).toBe(400)
  })

  it('may come along with the registration, and nobody asks for it then', async () => {
    const client_id = newAddress(host)
    const document = { client_id, client_name: 'Inside', redirect_uris: ['http://localhost/callback'] }
    const made = await admin.post('/clients', registration(client_id, { document }))
    expect(made.json).toMatchObject({ client_name: 'Inside', document, document_read: null })
    await tokensFor(client_id)
    tessera.clock.advance(30 * day)
    admin = await Administrator.machine(tessera.url)
    expect(new URL((await opened(client_id)).url).pathname).toBe('/sign-in')
    expect(host.asked).toBe(0)
    expect((await admin.patch(path(client_id), { document: null })).json).toMatchObject({
      client_name: 'Agent',
    })
    expect(host.asked).toBe(1)
  })
})
