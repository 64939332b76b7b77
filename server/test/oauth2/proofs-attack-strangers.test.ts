import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { duringTests } from '../harness/harness.ts'
import { refusalOf, token, tokensOf } from '../harness/program.ts'
import { shortenTimers } from '../harness/timers.ts'
import { assertionType, type Claims, keyOf, ofKubernetes, type Signing, signed } from './workload-tokens.ts'

// The end of an attempt to read keys: longer than anybody may wait who has nothing to do with it.
shortenTimers({ 5000: 2500 })

/** What strangers and neighbours try with the proofs of clients. */

const cluster = 'https://kubernetes.default.svc.cluster.local'
const account = 'system:serviceaccount:prod:orders'
const machine = {
  type: 'machine',
  services: ['submissions-tool'],
  permissions: ['submissions-tool.vista-import.read'],
}
const refused = '401 invalid_client'

/** An issuer whose keys are published, until it hangs. */
async function hangingIssuer() {
  const state = { hangs: false, asked: 0, keys: [] as object[], uri: '' }
  const held: ServerResponse[] = []
  const server = createServer((_request, response) => {
    state.asked += 1
    if (state.hangs) held.push(response)
    else response.end(JSON.stringify({ keys: state.keys }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  state.uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
  return {
    state,
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}

onOneDatabase('attacks on the proofs of clients', (dialect) => {
  const tessera = administeredOn(dialect, {
    TESSERA_LIMIT_CLIENT_AUTH: '5',
    TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true',
  })
  const published = duringTests(hangingIssuer)
  const slow = 'https://slow.cluster.example'
  let admin: Administrator
  let key: Signing

  const now = () => Math.floor(tessera.clock.now() / 1000)
  const add = async (client_id: string, more: object) => {
    const answer = await admin.post('/clients', { ...machine, client_id, client_name: client_id, ...more })
    expect(answer.status, answer.text).toBe(201)
    return answer.json
  }
  const ask = async (form: Record<string, string>) =>
    await token(tessera.url, { grant_type: 'client_credentials', ...form })
  const by = async (client_assertion: string, client_id?: string) =>
    await ask({
      client_assertion_type: assertionType,
      client_assertion,
      ...(client_id !== undefined && { client_id }),
    })
  const kubernetes = async (changes: Claims = {}, signing = key) =>
    await signed(ofKubernetes(now(), { iss: cluster, aud: [tessera.url], ...changes }), signing)
  const own = (id: string) => ({
    ...{ iss: id, sub: id, aud: tessera.url, iat: now(), exp: now() + 60 },
    jti: `${Math.random()}`,
  })

  beforeAll(async () => {
    key = await keyOf('RS256', 'cluster')
    admin = await Administrator.machine(tessera.url)
    published.state.keys = [key.jwk]
    const issuers = [
      { issuer: cluster, jwks: { keys: [key.jwk] } },
      { issuer: slow, jwks_uri: published.state.uri },
    ]
    const { etag } = await admin.get('/assertion-issuers')
    const set = await admin.ask('PUT', '/assertion-issuers', { body: { issuers }, match: etag })
    expect(set.status, set.text).toBe(200)
    await add('orders', { federated: { issuer: cluster, subject: account } })
  })

  it.each<[string, unknown]>([
    ['a number', 5],
    ['null', null],
    ['a list', ['JWT']],
  ])('a header whose typ is %s is refused, and no failure of the service', async (_, typ) => {
    await add(`typed-${JSON.stringify(typ).length}`, { jwks: { keys: [key.jwk] } })
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const id = `typed-${JSON.stringify(typ).length}`
    const forged = `${part({ alg: 'RS256', kid: 'cluster', typ })}.${part(own(id))}.AAAA`
    expect(refusalOf(await by(forged, id))).toBe(refused)
  })

  it('a key that can not be used as it says is refused, and no failure of the service', async () => {
    const odd = await keyOf('ES256', 'odd')
    await add('odd', { jwks: { keys: [{ ...odd.jwk, key_ops: ['verify', 'sign'] }] } })
    expect(refusalOf(await by(await signed(own('odd'), odd), 'odd'))).toBe(refused)
  })

  it.each<[string, string | undefined]>([
    ['its client_id', 'orders'],
    ['nothing but its subject', undefined],
  ])('a neighbour behind the same address locks out no workload by garbage with %s', async (_, id) => {
    tessera.clock.advance(61_000)
    const forged = `${(await kubernetes()).split('.').slice(0, 2).join('.')}.AAAA`
    for (let count = 0; count < 8; count++) expect((await by(forged, id)).status).toBeGreaterThan(400)
    tokensOf(await by(await kubernetes(), 'orders'))
  })

  it('nobody holds up a workload by a key that its issuer does not have', async () => {
    await add('slow', { federated: { issuer: slow, subject: account } })
    tokensOf(await by(await kubernetes({ iss: slow }), 'slow'))
    tessera.clock.advance(61_000)
    published.state.hangs = true
    const forged = by(await kubernetes({ iss: slow }, await keyOf('RS256', 'unknown')), 'slow')
    await expect.poll(() => published.state.asked).toBe(2)
    const began = performance.now()
    tokensOf(await by(await kubernetes({ iss: slow }), 'slow'))
    expect(performance.now() - began).toBeLessThan(2000)
    published.state.hangs = false
    expect(refusalOf(await forged)).toBe(refused)
  })
})
