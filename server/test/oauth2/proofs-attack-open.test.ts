import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { authorizeRequest, people, redirectUri, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { token } from '../harness/program.ts'
import { keyOf } from './workload-tokens.ts'
import { intranet, pushed } from './par-support.ts'

/** What is not mended. */
onOneDatabase('open holes', (dialect) => {
  const tessera = administeredOn(dialect)
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
    // Nobody says a word of secrets.
    await admin.patch('/clients/fallen', { jwks: null })
    const form = { grant_type: 'client_credentials', client_id: 'fallen', client_secret: String(secret) }
    expect((await token(tessera.url, form)).status).toBe(401)
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
