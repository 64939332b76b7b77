/** What the audit is told of clients that change hands: by exchange, and by tokens of other issuers. */
import { beforeAll, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  administeredOn,
  globex,
  profiles,
  recordsWith,
} from '../administration/support.ts'
import { claimsOf, people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { token, tokensOf, Visitor } from '../harness/program.ts'
import { addExchanger, type Caller, exchange, exchangerBody, must } from './exchange-support.ts'
import { assertionType, keyOf, ofKubernetes, signed } from './workload-tokens.ts'

onOneDatabase('the audit is told', (dialect) => {
  const tessera = administeredOn(dialect)
  const acting = exchangerBody('submissions-tool', ['ledger'], ['ledger.entry.read'])
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const exchanged = async (subject: string | undefined, by: Caller) =>
    must(await exchange(tessera.url, by, subject), 200)
  const remove = async (path: string) => must(await admin.delete(path, (await admin.get(path)).etag), 204)

  it('of each client that acts for a person, also of one that has the id of another', async () => {
    const again = { ...acting, client_id: 'acts-again' }
    const subject = await new Visitor(tessera.url, people.both).tokens({ profile_uuid: profiles.bothReader })
    const { sid } = claimsOf(subject.access_token)
    for (let time = 0; time < 2; time += 1) {
      await exchanged(subject.access_token, await addExchanger(admin, again))
      await remove('/clients/acts-again')
      tessera.clock.advance(1)
    }
    const records = await recordsWith(admin)
    const told = records.filter((one) => one.kind === 'token.exchanged' && one.sid === sid)
    expect(told.map((one) => one.client_id)).toEqual(['acts-again', 'acts-again'])
  })

  it('and in each organisation whose profile the person uses', async () => {
    const caller = await addExchanger(admin, acting)
    const visitor = new Visitor(tessera.url, people.both)
    const sids = new Set<unknown>()
    for (const profile_uuid of [profiles.bothReader, profiles.bothBookkeeper]) {
      const { access_token: subject } = await visitor.tokens({ profile_uuid })
      await exchanged(subject, caller)
      sids.add(claimsOf(subject).sid)
    }
    expect(sids.size).toBe(1)
    const records = await recordsWith(admin)
    const told = records.filter((one) => one.kind === 'token.exchanged' && sids.has(one.sid))
    expect(told.map((one) => one.organisation_uuid)).toEqual([acme, globex])
  })

  it('of whoever proves to be a client, also by another issuer, and after it was made anew', async () => {
    const [one, other] = [await keyOf('ES256', 'one'), await keyOf('ES256', 'other')]
    const [staging, prod] = ['https://staging.example', 'https://prod.example']
    const issuers = [
      { issuer: staging, jwks: { keys: [one.jwk] } },
      { issuer: prod, jwks: { keys: [other.jwk] } },
    ]
    const { etag } = await admin.get('/assertion-issuers')
    must(await admin.ask('PUT', '/assertion-issuers', { body: { issuers }, match: etag }), 200)
    const subject = 'system:serviceaccount:prod:orders'
    const orders = {
      client_id: 'orders',
      client_name: 'Orders',
      type: 'machine',
      permissions: [],
      federated: { issuer: staging, subject },
    }
    const ask = async (iss: string, key: typeof one) => {
      const now = Math.floor(tessera.clock.now() / 1000)
      const claims = ofKubernetes(now, { iss, aud: tessera.url, sub: subject })
      const proof = { client_assertion_type: assertionType, client_assertion: await signed(claims, key) }
      tokensOf(await token(tessera.url, { grant_type: 'client_credentials', client_id: 'orders', ...proof }))
    }
    const told = async () =>
      (await recordsWith(admin, 'orders')).filter((one) => one.kind === 'client_authentication.federated')
    must(await admin.post('/clients', orders), 201)
    await ask(staging, one)
    must(await admin.patch('/clients/orders', { federated: { issuer: prod, subject } }), 200)
    await ask(prod, other)
    const issuersTold = async () => (await told()).map(({ detail }) => (detail as { issuer: string }).issuer)
    expect(await issuersTold()).toEqual([staging, prod])
    await remove('/clients/orders')
    tessera.clock.advance(1)
    must(await admin.post('/clients', orders), 201)
    await ask(staging, one)
    expect(await issuersTold()).toEqual([staging, prod, staging])
  })
})
