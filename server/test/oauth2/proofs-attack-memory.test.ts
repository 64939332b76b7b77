import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { duringTests } from '../harness/harness.ts'
import { token, tokensOf } from '../harness/program.ts'
import {
  assertionType,
  keyOf,
  ofKubernetes,
  publishedIssuer,
  type Signing,
  signed,
} from './workload-tokens.ts'

/** More addresses than are kept in memory. */
const many = 1001

onOneDatabase('the keys of an issuer in memory', (dialect) => {
  const tessera = administeredOn(dialect, {
    TESSERA_LIMIT_CLIENT_AUTH: '0',
    TESSERA_LIMIT_GRANTS: '0',
    TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true',
  })
  const published = duringTests(publishedIssuer)
  const machine = { type: 'machine', services: [], permissions: [] }
  let key: Signing

  const now = () => Math.floor(tessera.clock.now() / 1000)
  const by = async (client_id: string, claims: Record<string, unknown>) =>
    await token(tessera.url, {
      grant_type: 'client_credentials',
      client_id,
      client_assertion_type: assertionType,
      client_assertion: await signed(claims, key),
    })

  beforeAll(async () => {
    key = await keyOf('ES256', 'one')
    published.state.keys = [key.jwk]
  })

  it('are not pushed out by addresses that administrators of organisations register', async () => {
    tessera.clock.stop()
    const admin = await Administrator.machine(tessera.url)
    const { issuer } = published.state
    const { etag } = await admin.get('/assertion-issuers')
    await admin.ask('PUT', '/assertion-issuers', { body: { issuers: [{ issuer }] }, match: etag })
    const federated = { issuer, subject: 'orders' }
    const client = { ...machine, client_id: 'orders', client_name: 'Orders', federated }
    expect((await admin.post('/clients', client)).status).toBe(201)
    const orders = async () =>
      tokensOf(await by('orders', ofKubernetes(now(), { iss: issuer, aud: tessera.url, sub: 'orders' })))
    await orders()
    const { asked } = published.state
    for (let index = 0; index < many; index++) {
      const client_id = `flood-${index}`
      const jwks_uri = `http://127.0.0.1:1/${index}`
      await admin.post('/clients', { ...machine, client_id, client_name: client_id, jwks_uri })
      const claims = { iss: client_id, sub: client_id, aud: tessera.url, exp: now() + 60, jti: 'x' }
      expect((await by(client_id, claims)).status).toBe(401)
    }
    await orders()
    expect(published.state.asked).toBe(asked)
  })
})
