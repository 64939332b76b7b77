import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { authorizeRequest, people, redirectUri, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { token, tokensOf } from '../harness/program.ts'
import { shortenTimers } from '../harness/timers.ts'
import { assertionType, keyOf, ofKubernetes, signed } from './workload-tokens.ts'
import { intranet, pushed } from './par-support.ts'

// The end of an attempt to read keys: longer than anybody may wait who has nothing to do with it.
shortenTimers({ 5000: 2500 })

/** What follows later from a proof, or from a request that was pushed. */
onOneDatabase('proofs and pushed requests, later', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' })
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  it('a client that is registered with private_key_jwt does not fall back to an old secret', async () => {
    const client = { client_id: 'fallen', client_name: 'Fallen', type: 'machine', permissions: [] }
    const { client_secret: secret } = (await admin.post('/clients', client)).json
    const jwks = { keys: [(await keyOf('RS256', 'one')).jwk] }
    const said = { jwks, token_endpoint_auth_method: 'private_key_jwt' }
    expect((await admin.patch('/clients/fallen', said)).status).toBe(200)
    // The change says nothing of secrets.
    expect((await admin.patch('/clients/fallen', { jwks: null })).status).toBe(400)
    const form = { grant_type: 'client_credentials', client_id: 'fallen', client_secret: String(secret) }
    expect((await token(tessera.url, form)).status).toBe(401)
  })

  it('while an issuer does not answer, workloads do not wait for it each half a minute', async () => {
    const key = await keyOf('ES256', 'one')
    const issuer = 'https://slow.cluster.example'
    let hangs = false
    const server = createServer((_request, response) => {
      if (!hangs) response.end(JSON.stringify({ keys: [key.jwk] }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const jwks_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
    const { etag } = await admin.get('/assertion-issuers')
    await admin.ask('PUT', '/assertion-issuers', { body: { issuers: [{ issuer, jwks_uri }] }, match: etag })
    const federated = { issuer, subject: 'orders' }
    const client = { client_id: 'orders', client_name: 'Orders', type: 'machine', permissions: [], federated }
    expect((await admin.post('/clients', client)).status).toBe(201)
    const ask = async () => {
      const now = Math.floor(tessera.clock.now() / 1000)
      const claims = ofKubernetes(now, { iss: issuer, aud: tessera.url, sub: 'orders' })
      const form = { grant_type: 'client_credentials', client_assertion_type: assertionType }
      const began = performance.now()
      tokensOf(await token(tessera.url, { ...form, client_assertion: await signed(claims, key) }))
      return performance.now() - began
    }
    await ask()
    hangs = true
    tessera.clock.advance(601_000)
    await ask()
    tessera.clock.advance(31_000)
    expect(await ask()).toBeLessThan(2000)
    server.close()
    server.closeAllConnections()
  }, 30_000)

  it('the audit is told of each subject once a day, and of no more than twenty', async () => {
    const key = await keyOf('ES256', 'one')
    const issuer = 'https://own.cluster.example'
    const { etag } = await admin.get('/assertion-issuers')
    const body = { issuers: [{ issuer, jwks: { keys: [key.jwk] } }] }
    await admin.ask('PUT', '/assertion-issuers', { body, match: etag })
    const federated = { issuer, claims: { project_id: '20' } }
    const client = { client_id: 'many', client_name: 'Many', type: 'machine', permissions: [], federated }
    expect((await admin.post('/clients', client)).status).toBe(201)
    const ask = async (sub: string, jti: string) => {
      const now = Math.floor(tessera.clock.now() / 1000)
      const claims = { ...ofKubernetes(now, { iss: issuer, aud: tessera.url, sub, jti }), project_id: '20' }
      const proof = { client_assertion_type: assertionType, client_assertion: await signed(claims, key) }
      tokensOf(await token(tessera.url, { grant_type: 'client_credentials', client_id: 'many', ...proof }))
    }
    const told = async () =>
      (await admin.all('/audit?kind=client_authentication.federated&target=many')).length
    for (const jti of ['a', 'b', 'c']) await ask('one', jti)
    expect(await told()).toBe(1)
    for (let index = 0; index < 25; index++) await ask(`other-${index}`, 'a')
    expect(await told()).toBe(20)
    // The next client of that id is told of all the same.
    expect((await admin.delete('/clients/many')).status).toBe(204)
    tessera.clock.advance(1)
    expect((await admin.post('/clients', client)).status).toBe(201)
    for (const jti of ['d', 'e']) await ask('one', jti)
    expect(await told()).toBe(21)
    tessera.clock.advance(86_400_000)
    admin = await Administrator.machine(tessera.url)
    await ask('one', 'f')
    expect(await told()).toBe(22)
  })

  it('a pushed request of a client that lost the grant meanwhile leads to no code', async () => {
    const { client_secret: secret } = (await admin.post('/clients', intranet)).json
    const proof = { client_id: 'intranet', client_secret: String(secret) }
    const one = await pushed(tessera.url, { client_id: 'intranet', redirect_uri: redirectUri }, proof)
    const set = await admin.patch('/clients/intranet', {
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
    })
    expect(set.status, set.text).toBe(200)
    const browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
    expect((await browser.open(one.path)).location ?? '').not.toContain('code=')
  })
})
