import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { token, tokensOf } from '../harness/program.ts'
import { assertionType, keyOf, type Signing, signed } from './workload-tokens.ts'

/** What of the proofs of clients asks the database. */
onEachDatabase('attacks on what is kept of the proofs of clients', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_CLIENT_AUTH: '0' })
  const issuer = 'https://kubernetes.default.svc.cluster.local'
  const machine = { type: 'machine', services: [], permissions: [] }
  let admin: Administrator
  let key: Signing
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    key = await keyOf('ES256', 'one')
    const { etag } = await admin.get('/assertion-issuers')
    const body = { issuers: [{ issuer, jwks: { keys: [key.jwk] } }] }
    expect((await admin.ask('PUT', '/assertion-issuers', { body, match: etag })).status).toBe(200)
  })

  it('an exp with a fraction, as programs write it, is an exp', async () => {
    const made = { ...machine, client_id: 'fraction', client_name: 'Fraction', jwks: { keys: [key.jwk] } }
    expect((await admin.post('/clients', made)).status).toBe(201)
    const exp = tessera.clock.now() / 1000 + 60.123_456_7
    const claims = { iss: 'fraction', sub: 'fraction', aud: tessera.url, jti: 'one', exp }
    const form = {
      grant_type: 'client_credentials',
      client_assertion_type: assertionType,
      client_assertion: await signed(claims, key),
    }
    tokensOf(await token(tessera.url, form))
    expect((await token(tessera.url, form)).status).toBe(401)
  })

  it('one subject is bound once, of any number at the same time', async () => {
    const federated = { issuer, subject: 'system:serviceaccount:prod:raced' }
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const id = `raced-${index}`
        return await admin.post('/clients', { ...machine, client_id: id, client_name: id, federated })
      }),
    )
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
  })
})
