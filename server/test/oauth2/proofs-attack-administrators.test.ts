import { CompactSign } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, globex, heads, problemOf } from '../administration/support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { token, tokensOf } from '../harness/program.ts'
import { assertionType, keyOf, ofKubernetes, type Signing } from './workload-tokens.ts'

const cluster = 'https://kubernetes.default.svc.cluster.local'
const account = 'system:serviceaccount:prod:orders'
const machine = { type: 'machine', services: [], permissions: [] }

/** What administrators learn of the proofs of clients that are not theirs, and register by mistake. */
onOneDatabase('the proofs of clients and administrators', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let key: Signing

  const add = async (client_id: string, more: object) => {
    const answer = await admin.post('/clients', { ...machine, client_id, client_name: client_id, ...more })
    expect(answer.status, answer.text).toBe(201)
    return answer.json
  }
  const ask = async (form: Record<string, string>) =>
    await token(tessera.url, { grant_type: 'client_credentials', ...form })

  beforeAll(async () => {
    key = await keyOf('RS256', 'cluster')
    admin = await Administrator.machine(tessera.url)
    const jwks = { keys: [key.jwk] }
    const issuers = [
      { issuer: cluster, jwks },
      { issuer: 'https://globex.cluster.example', jwks, organisations: [globex] },
      { issuer: 'https://both.cluster.example', jwks, organisations: [acme, globex] },
    ]
    const { etag } = await admin.get('/assertion-issuers')
    const set = await admin.ask('PUT', '/assertion-issuers', { body: { issuers }, match: etag })
    expect(set.status, set.text).toBe(200)
    await add('orders', { federated: { issuer: cluster, subject: account } })
  })

  it('a number is registered only where no other is read as the same', async () => {
    const federated = `{"issuer":"${cluster}","claims":{"project_id":9007199254740993}}`
    const body = `{"client_id":"big","client_name":"Big","type":"machine","permissions":[],"federated":${federated}}`
    const made = await admin.ask('POST', '/clients', { body })
    // The token of a neighbour, whose project has the next id.
    const now = Math.floor(tessera.clock.now() / 1000)
    const claims = JSON.stringify(ofKubernetes(now, { iss: cluster, aud: [tessera.url] }))
    const text = `${claims.slice(0, -1)},"project_id":9007199254740992}`
    const signing = new CompactSign(Buffer.from(text)).setProtectedHeader({ alg: 'RS256', kid: 'cluster' })
    const form = {
      client_assertion_type: assertionType,
      client_assertion: await signing.sign(key.privateKey),
    }
    expect((await ask({ ...form, client_id: 'big' })).status).toBe(401)
    expect(problemOf(made)).toBe('400 invalid_request federated.claims.project_id')
  })

  it('a client whose every secret ends is told of, where it has keys that do not count', async () => {
    const jwks = { keys: [key.jwk] }
    const { secrets } = await add('by-secret', { jwks, token_endpoint_auth_method: 'client_secret_basic' })
    const expires_at = new Date(tessera.clock.now() + 3_600_000).toISOString()
    expect((await admin.post('/clients/by-secret/secrets', { expires_at })).status).toBe(201)
    await admin.delete(`/clients/by-secret/secrets/${(secrets as { id: string }[])[0]?.id}`)
    const { items } = (await admin.get('/attention')).json as { items: { target: { id: string } }[] }
    expect(items.map(({ target }) => target.id)).toContain('by-secret')
  })

  describe('of an organisation', () => {
    let head: Administrator
    beforeAll(async () => {
      head = await Administrator.person(tessera.url, heads.head)
      const federated = { issuer: 'https://globex.cluster.example', subject: 'theirs' }
      await add('globex-bound', { federated, organisation_uuid: globex })
    })

    it.each<[string, string | null]>([
      ['another organisation', globex],
      ['the installation', null],
    ])('do not learn which issuers and subjects %s has', async (_, organisation_uuid) => {
      const probed = async (issuer: string, subject: string) => {
        const client = { ...machine, client_id: 'probe', client_name: 'Probe', organisation_uuid }
        const { status, text } = await head.post('/clients', { ...client, federated: { issuer, subject } })
        return `${status} ${text}`
      }
      const answers = [
        await probed('https://nowhere.example', 'x'),
        await probed('https://globex.cluster.example', 'other'),
        await probed('https://globex.cluster.example', 'theirs'),
        await probed(cluster, account),
      ]
      expect(new Set(answers).size).toBe(1)
    })

    it('read the issuers that are open to it alone, and not to whom else they are', async () => {
      const wild = { organisation_uuid: acme, services: ['iam'], permissions: ['iam.*'] }
      const { client_secret: secret } = await add('acme-wild', wild)
      const tokens = tokensOf(await ask({ client_id: 'acme-wild', client_secret: String(secret) }))
      const within = new Administrator(tessera.url, tokens.access_token ?? '')
      const { status, json } = await within.get('/assertion-issuers')
      expect(status).toBe(200)
      expect(json.issuers).toEqual([
        { issuer: 'https://both.cluster.example', jwks: { keys: [key.jwk] }, organisations: [acme] },
      ])
    })
  })
})
