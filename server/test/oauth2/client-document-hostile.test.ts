import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, ownerOf } from '../administration/support.ts'
import { claimsOf, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { DocumentServer } from '../harness/document-server.ts'
import { refreshAs, refusalOf, tokensOf } from '../harness/program.ts'
import { asked, codeFor, exchanged, newAddress, registered, registration } from './client-document-support.ts'

const minute = 60_000
const hour = 60 * minute

onOneDatabase('the document of a client whose host is hostile', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' })
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

  const opened = async (client_id: string) => await new TestBrowser(tessera.url).open(asked(client_id).path)
  const tokensFor = async (client_id: string, changes: Record<string, string> = {}) => {
    const request = asked(client_id, changes)
    return tokensOf(await exchanged(tessera.url, request, await codeFor(tessera.url, request)))
  }

  describe.each<[string, () => void]>([
    ['is longer than a document', () => void (host.text = `<h1>Not found</h1>${' '.repeat(6000)}`)],
    [
      'never ends',
      () => void (host.instead = (response) => void response.writeHead(410, host.headers).write('{')),
    ],
  ])('is gone where the page that says so %s', (_, turn) => {
    it('and ends after an hour', async () => {
      const client_id = await registered(admin, host)
      const { refresh_token = '' } = await tokensFor(client_id)
      host.status = 404
      turn()
      tessera.clock.advance(6 * minute)
      await opened(client_id)
      tessera.clock.advance(hour)
      expect((await opened(client_id)).status).toBe(400)
      expect(refusalOf(await refreshAs(tessera.url, { client_id, refresh_token }))).toBe('401 invalid_client')
    })
  })

  it('gets the service whose audience is spelled so, before one that is alike', async () => {
    const audience = 'https://two.acme.example'
    await admin.post('/services', { code: 'a-bare', name: 'Bare', audience })
    await admin.post('/services', { code: 'b-slash', name: 'Slash', audience: `${audience}/` })
    const client_id = await registered(admin, host, { services: ['a-bare', 'b-slash'], permissions: [] })
    for (const resource of [audience, `${audience}/`])
      expect(claimsOf((await tokensFor(client_id, { resource }))['access_token'])).toMatchObject({
        aud: resource,
      })
  })

  it.each(['/jwks\0', '/jw\nks', '/jwks#keys'])('has its keys at an address as anybody: %j', async (end) => {
    const jwks_uri = `${host.origin}${end}`
    Object.assign(host.says, { token_endpoint_auth_method: 'private_key_jwt', jwks_uri })
    expect((await admin.post('/clients', registration(newAddress(host)))).status).toBe(400)
  })

  it('turns no sentence around', async () => {
    host.says['redirect_uris'] = ['https://evil.example/\u202Ecba']
    const { text } = await admin.post('/clients', registration(newAddress(host)))
    expect(text).not.toContain('\u202E')
  })

  it('keeps its redirect URIs and its keys from a change that empties them', async () => {
    const client_id = await registered(admin, host)
    const path = `/clients/${encodeURIComponent(client_id)}`
    expect((await admin.patch(path, { redirect_uris: [] })).status).toBe(400)
    expect((await admin.patch(path, { jwks: null })).status).toBe(200)
    expect((await admin.get(path)).json['redirect_uris']).toEqual(host.says['redirect_uris'])
  })

  it('that is read again by a change is not gone, also where it says the same', async () => {
    const client_id = await registered(admin, host)
    const { refresh_token = '' } = await tokensFor(client_id)
    host.status = 404
    tessera.clock.advance(6 * minute)
    await opened(client_id)
    host.status = 200
    const path = `/clients/${encodeURIComponent(client_id)}`
    expect((await admin.patch(path, { redirect_hosts: [] })).status).toBe(200)
    expect((await admin.get(path)).json['document_read']).toMatchObject({ gone_at: null, failure: null })
    tessera.clock.advance(hour)
    tokensOf(await refreshAs(tessera.url, { client_id, refresh_token }))
  })

  it('is asked for once by a registration that is repeated, and the answer stays', async () => {
    const body = registration(newAddress(host))
    const key = { 'idempotency-key': 'one-document' }
    expect((await admin.post('/clients', body, key)).status).toBe(201)
    host.status = 500
    expect((await admin.post('/clients', body, key)).status).toBe(201)
    expect(host.asked).toBe(1)
  })

  describe('of an administrator of an organisation', () => {
    let owner: Administrator
    beforeAll(async () => {
      owner = await ownerOf(tessera.url, await Administrator.machine(tessera.url))
    })
    const redirect_uris = ['https://evil.example/callback']
    const sent = (client_id: string) => ({
      redirect_hosts: ['evil.example'],
      document: { client_id, client_name: 'Agent of Vendor', redirect_uris },
    })

    it('is asked for only where they may register it', async () => {
      const answer = await owner.post('/clients', registration(newAddress(host)))
      expect([answer.status, host.asked]).toEqual([403, 0])
    })

    it('that is sent along registers nothing in the name of its host', async () => {
      const client_id = 'https://vendor.example/agent.json'
      const given = { organisation_uuid: acme, ...sent(client_id) }
      expect((await owner.post('/clients', registration(client_id, given))).status).toBe(403)
    })

    it('changes nothing either, but what the host says counts', async () => {
      const client_id = newAddress(host)
      const made = await owner.post('/clients', registration(client_id, { organisation_uuid: acme }))
      expect(made.status, made.text).toBe(201)
      const path = `/clients/${encodeURIComponent(client_id)}`
      expect((await owner.patch(path, sent(client_id))).status).toBe(403)
      await admin.patch(path, {
        document: { ...sent(client_id).document, redirect_uris: ['http://localhost/'] },
      })
      expect((await owner.patch(path, { document: null })).status).toBe(200)
    })
  })

  it('is fresh to no clock that was set back', async () => {
    host.headers['cache-control'] = 'max-age=86400'
    const client_id = await registered(admin, host)
    tessera.clock.advance(-48 * hour)
    await opened(client_id)
    expect(host.asked).toBe(2)
  })
})
