import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, globex, heads, problemOf } from '../administration/support.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { duringTests } from '../harness/harness.ts'
import { machineToken, refusalOf, token, tokensOf, Visitor } from '../harness/program.ts'
import {
  assertionType,
  type Claims,
  gitHubHeader,
  keyOf,
  ofGitHub,
  ofGitLab,
  ofKubernetes,
  ofSpire,
  publishedIssuer,
  type Signing,
  signed,
} from './workload-tokens.ts'

const cluster = 'https://kubernetes.default.svc.cluster.local'
const machine = {
  type: 'machine',
  services: ['submissions-tool'],
  permissions: ['submissions-tool.vista-import.read'],
}
const account = 'system:serviceaccount:prod:orders'
const accountUid = 'kubernetes.io/serviceaccount/uid'
const refused = '401 invalid_client'

onEachDatabase('a token of another issuer', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, {
    TESSERA_LIMIT_CLIENT_AUTH: '0',
    TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true',
  })
  const published = duringTests(publishedIssuer)
  let admin: Administrator
  let key: Signing
  let remote: Signing
  let issuers: object[]

  const now = () => Math.floor(tessera.clock.now() / 1000)
  const declareBy = async (by: Administrator, all: readonly object[]) => {
    const { etag } = await admin.get('/assertion-issuers')
    return await by.ask('PUT', '/assertion-issuers', { body: { issuers: all }, match: etag })
  }
  const declare = async (all: readonly object[]) => await declareBy(admin, all)
  const add = async (client_id: string, federated: object, more: object = {}) =>
    await admin.post('/clients', { ...machine, client_id, client_name: client_id, federated, ...more })
  const made = async (...asked: Parameters<typeof add>) => {
    const answer = await add(...asked)
    expect(answer.status, answer.text).toBe(201)
    return answer.json
  }
  const ask = async (assertion: string, client_id?: string, form: Record<string, string> = {}) =>
    await token(tessera.url, {
      grant_type: 'client_credentials',
      client_assertion_type: assertionType,
      client_assertion: assertion,
      ...(client_id !== undefined && { client_id }),
      ...form,
    })
  const kubernetes = async (changes: Claims = {}, by = key) =>
    await signed(ofKubernetes(now(), { iss: cluster, aud: [tessera.url], ...changes }), by)
  const gitHub = async (changes: Claims = {}, by = remote) =>
    await signed(
      ofGitHub(now(), { iss: published.state.issuer, aud: tessera.url, ...changes }),
      by,
      gitHubHeader,
    )
  const saidOf = async (...asked: Parameters<typeof ask>) => {
    const answer = await ask(...asked)
    expect(refusalOf(answer)).toBe(refused)
    return String(answer.json.error_description)
  }

  beforeAll(async () => {
    key = await keyOf('RS256', 'cluster')
    remote = await keyOf('RS256', 'remote')
    admin = await Administrator.machine(tessera.url)
    published.state.keys = [remote.jwk]
    issuers = [{ issuer: cluster, jwks: { keys: [key.jwk] } }, { issuer: published.state.issuer }]
    expect((await declare(issuers)).status).toBe(200)
  })

  describe('in the shape of Kubernetes', () => {
    beforeAll(async () => {
      const shown = await made('orders', { issuer: cluster, subject: account })
      expect(shown).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt', secrets: [] })
      expect(shown).not.toHaveProperty('client_secret')
      await made('orders-by-uid', {
        issuer: cluster,
        claims: { [accountUid]: '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798' },
      })
    })

    it('proves a machine, again and again until it ends, with and without its client_id', async () => {
      const assertion = await kubernetes()
      for (const id of ['orders', undefined, 'orders', 'orders-by-uid']) tokensOf(await ask(assertion, id))
      tessera.clock.advance(3_660_000)
      admin = await Administrator.machine(tessera.url)
      expect(await saidOf(assertion, 'orders')).toMatch(/expired \d+ seconds ago/)
    })

    onOne.it.each<[string, Claims]>([
      ['another namespace', { sub: 'system:serviceaccount:dev:orders' }],
      ['a namespace that begins alike', { sub: 'system:serviceaccount:prod-evil:orders' }],
      ['an account that begins alike', { sub: `${account}-evil` }],
      ['another case', { sub: account.toUpperCase() }],
    ])('is refused of %s', async (_, claims) => {
      const assertion = await kubernetes(claims)
      expect(await saidOf(assertion, 'orders')).toBe(
        'The client_assertion is not that of this client: sub is another.',
      )
      expect(await saidOf(assertion)).toMatch(/^The client is unknown.*No client without organisation/)
    })

    onOne.it('is refused of an account that was made anew, where its uid is matched', async () => {
      const anew = {
        'kubernetes.io': { namespace: 'prod', serviceaccount: { name: 'orders', uid: 'another' } },
      }
      tokensOf(await ask(await kubernetes(anew), 'orders'))
      expect(await saidOf(await kubernetes(anew), 'orders-by-uid')).toMatch(/serviceaccount\/uid is another/)
      const none = { 'kubernetes.io': { namespace: 'prod' } }
      expect(await saidOf(await kubernetes(none), 'orders-by-uid')).toMatch(
        /serviceaccount\/uid is not in it/,
      )
      const text = { 'kubernetes.io': '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798' }
      await saidOf(await kubernetes(text), 'orders-by-uid')
    })

    onOne.it.each<[string, () => Claims, RegExp]>([
      [
        'for another provider',
        () => ({ aud: ['https://other.example'] }),
        /aud of the client_assertion must be/,
      ],
      [
        'for another provider too',
        () => ({ aud: [tessera.url, 'https://other.example'] }),
        /and nothing else/,
      ],
      ['for nobody', () => ({ aud: [] }), /aud/],
      ['for our token endpoint', () => ({ aud: [`${tessera.url}/oauth2/token`] }), /aud/],
      ['for us with a slash', () => ({ aud: [`${tessera.url}/`] }), /aud/],
      ['that lives too long', () => ({ exp: now() + 7200 }), /lives for 7200 seconds/],
      ['without iat', () => ({ iat: undefined }), /no iat/],
      ['without exp', () => ({ exp: undefined }), /no exp/],
      ['of the future', () => ({ iat: now() + 61, nbf: now() + 61 }), /of the future: 61 seconds/],
      ['of an issuer with a slash', () => ({ iss: `${cluster}/` }), /compared to the last slash/],
      ['of no issuer', () => ({ iss: undefined }), /compared to the last slash/],
    ])('is refused %s', async (_, claims, said) => {
      expect(await saidOf(await kubernetes(claims()), 'orders')).toMatch(said)
    })

    onOne.it('is refused of another key, without a signature, or of another type', async () => {
      const foreign = await keyOf('RS256', 'cluster')
      const unknown = await keyOf('RS256', 'unknown')
      for (const other of [foreign, unknown]) await saidOf(await kubernetes({}, other), 'orders')
      const claims = ofKubernetes(now(), { iss: cluster, aud: [tessera.url] })
      for (const header of [
        { typ: 'at+jwt' },
        { typ: 'logout+jwt' },
        { crit: ['b64'], b64: true },
        { jwk: foreign.jwk },
        { jku: 'https://evil.example/jwks' },
        { x5u: 'https://evil.example/x5u' },
      ])
        await saidOf(await signed(claims, key, header), 'orders')
      const [, payload] = (await kubernetes()).split('.')
      const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
      await saidOf(`${none}.${payload}.`, 'orders')
      await saidOf(`${await kubernetes()}x`, 'orders')
    })

    onOne.it('has 16 KB at the most', async () => {
      tokensOf(await ask(await kubernetes({ groups: 'x'.repeat(11_000) }), 'orders'))
      const longer = await ask(await kubernetes({ groups: 'x'.repeat(13_000) }), 'orders')
      expect(refusalOf(longer)).toBe('400 invalid_request')
    })

    onOne.it('is no way around the method of a client', async () => {
      const beside = await ask(await kubernetes(), 'orders', { client_secret: 'x' })
      expect(refusalOf(beside)).toBe('400 invalid_request')
      expect(
        refusalOf(
          await token(tessera.url, {
            grant_type: 'client_credentials',
            client_id: 'orders',
            client_secret: 'x',
          }),
        ),
      ).toBe(refused)
      expect(problemOf(await admin.post('/clients/orders/secrets', {}))).toBe('409 conflict')
      for (const id of ['admin-cli', 'submissions-web', 'nobody']) await saidOf(await kubernetes(), id)
    })
  })

  describe('in the shape of GitHub', () => {
    const byName = 'repo:octo-org/octo-repo:ref:refs/heads/main'
    beforeAll(async () => {
      const issuer = published.state.issuer
      await made('deploy', { issuer, claims: { repository_id: '456789', ref: 'refs/heads/main' } })
      await made('deploy-sub', {
        issuer,
        subject: 'repo:octo-org@123456/octo-repo@456789:ref:refs/heads/main',
      })
      await made('deploy-name', { issuer, subject: byName })
    })

    it('proves by the id of the repository whatever its sub says, and by each sub', async () => {
      for (const sub of [byName, undefined]) tokensOf(await ask(await gitHub(sub ? { sub } : {}), 'deploy'))
      tokensOf(await ask(await gitHub(), 'deploy-sub'))
      tokensOf(await ask(await gitHub()))
      tokensOf(await ask(await gitHub({ sub: byName }), 'deploy-name'))
      expect(await saidOf(await gitHub({ sub: byName }), 'deploy-sub')).toMatch(/sub is another/)
    })

    onOne.it.each<[string, Claims, RegExp]>([
      [
        'a repository that was made anew with the name',
        { repository_id: '999999' },
        /repository_id is another/,
      ],
      ['another branch', { ref: 'refs/heads/feature' }, /ref is another/],
      [
        'a pull request of a fork',
        { ref: 'refs/pull/7/merge', event_name: 'pull_request' },
        /ref is another/,
      ],
      ['a tag of the name', { ref: 'refs/tags/main', ref_type: 'tag' }, /ref is another/],
      [
        'an id that is a number',
        { repository_id: 456_789 },
        /repository_id is a number in it, and registered as a string/,
      ],
    ])('is refused of %s', async (_, claims, said) => {
      expect(await saidOf(await gitHub(claims), 'deploy')).toMatch(said)
    })

    onOne.it('reads keys once, and goes on by them while the issuer fails', async () => {
      tessera.clock.stop()
      tokensOf(await ask(await gitHub(), 'deploy'))
      published.state.asked = 0
      tessera.clock.advance(601_000)
      const wrong = [
        { status: 503 },
        { document: '<html>' },
        { document: '{"issuer":"https://evil.example"}' },
      ]
      for (const [index, answer] of wrong.entries()) {
        Object.assign(published.state, answer)
        tokensOf(await ask(await gitHub(), 'deploy'))
        // The second request waits for it no more.
        await expect.poll(() => published.state.asked).toBe(index + 1)
        tokensOf(await ask(await gitHub(), 'deploy'))
        tessera.clock.advance(31_000)
        Object.assign(published.state, { status: 200, document: undefined })
      }
      expect(published.state.asked).toBe(3)
      tokensOf(await ask(await gitHub(), 'deploy'))
      await expect.poll(() => published.state.asked).toBe(5)
      tokensOf(await ask(await gitHub(), 'deploy'))
      tessera.clock.advance(590_000)
      tokensOf(await ask(await gitHub(), 'deploy'))
      expect(published.state.asked).toBe(5)
      published.state.status = 503
      tessera.clock.advance(24 * 3_600_000 + 60_000)
      await saidOf(await gitHub(), 'deploy')
      Object.assign(published.state, { status: 200 })
      tessera.clock.advance(31_000)
      tokensOf(await ask(await gitHub(), 'deploy'))
      admin = await Administrator.machine(tessera.url)
    })

    it('ends with the key that signed it, whatever is remembered', async () => {
      const assertion = await gitHub({ exp: now() + 3600 })
      tokensOf(await ask(assertion, 'deploy'))
      const next = await keyOf('RS256', 'next')
      published.state.keys = [next.jwk]
      tessera.clock.advance(31_000)
      tokensOf(await ask(await gitHub({}, next), 'deploy'))
      await saidOf(assertion, 'deploy')
      remote = next
    })
  })

  onOne.it('proves in the shape of GitLab; a claim of text is no number', async () => {
    const issuer = published.state.issuer
    const claims = { project_id: '20', ref: 'main', ref_type: 'branch', runner_id: 1 }
    await made('gitlab', { issuer, claims })
    await made('gitlab-text', { issuer, claims: { ...claims, runner_id: '1' } })
    const of = async (changes: Claims = {}) =>
      await signed(ofGitLab(now(), { iss: issuer, aud: tessera.url, ...changes }), remote, { typ: 'JWT' })
    tokensOf(await ask(await of(), 'gitlab'))
    expect(await saidOf(await of(), 'gitlab-text')).toMatch(
      /runner_id is a number in it, and registered as a string/,
    )
    expect(await saidOf(await of({ runner_id: '1' }), 'gitlab')).toMatch(/runner_id is a string in it/)
    expect(await saidOf(await of({ project_id: '21' }), 'gitlab')).toMatch(/project_id is another/)
  })

  onOne.it('proves in the shape of SPIRE, by the algorithm that the client wants', async () => {
    const issuer = 'https://oidc-discovery.example.org'
    const spire = await keyOf('ES256', 'spire')
    await declare([...issuers, { issuer, jwks: { keys: [spire.jwk] } }])
    await made(
      'svid',
      { issuer, subject: 'spiffe://example.org/ns/prod/sa/orders' },
      { token_endpoint_auth_signing_alg: 'ES256' },
    )
    const of = async (changes: Claims = {}) =>
      await signed(ofSpire(now(), { iss: issuer, aud: [tessera.url], ...changes }), spire, { typ: 'JWT' })
    tokensOf(await ask(await of()))
    await saidOf(await of({ sub: 'spiffe://example.org/ns/prod/sa/orders/evil' }), 'svid')
    expect((await admin.patch('/clients/svid', { token_endpoint_auth_signing_alg: 'RS256' })).status).toBe(
      200,
    )
    expect(await saidOf(await of(), 'svid')).toBe('The alg of the client_assertion must be RS256.')
  })

  describe('what is remembered', () => {
    beforeEach(async () => {
      expect((await declare(issuers)).status).toBe(200)
    })

    it('passes no disabled client, no other match and no removed issuer', async () => {
      await made('remembered', { issuer: cluster, subject: 'system:serviceaccount:prod:remembered' })
      const assertion = await kubernetes({ sub: 'system:serviceaccount:prod:remembered' })
      const works = async () => tokensOf(await ask(assertion, 'remembered'))
      await works()
      await admin.patch('/clients/remembered', { active: false })
      await saidOf(assertion, 'remembered')
      await saidOf(assertion)
      await admin.patch('/clients/remembered', { active: true })
      await works()
      await admin.patch('/clients/remembered', { federated: { issuer: cluster, subject: 'another' } })
      await saidOf(assertion, 'remembered')
      await admin.patch('/clients/remembered', {
        federated: { issuer: cluster, subject: 'system:serviceaccount:prod:remembered' },
      })
      await works()
      await declare([{ issuer: published.state.issuer }])
      expect(await saidOf(assertion, 'remembered')).toMatch(/does not take tokens of this issuer/)
      expect(await saidOf(assertion)).toMatch(/client_assertion is no issuer that assertion_issuers/)
      await declare([{ issuer: cluster, jwks: { keys: [remote.jwk] } }])
      await saidOf(assertion, 'remembered')
      await declare(issuers)
      await works()
      await admin.patch('/clients/remembered', { token_endpoint_auth_method: 'client_secret_basic' })
      await saidOf(assertion, 'remembered')
    })

    it('is told once of each token', async () => {
      await made('told', { issuer: cluster, subject: 'system:serviceaccount:prod:told' })
      const assertion = await kubernetes({ sub: 'system:serviceaccount:prod:told' })
      for (let count = 0; count < 3; count++) tokensOf(await ask(assertion))
      const { items } = (await admin.get('/audit?kind=client_authentication.federated&target=told')).json as {
        items: Claims[]
      }
      expect(items).toHaveLength(1)
      expect(items[0]).toMatchObject({
        actor: { kind: 'client', id: 'told' },
        detail: { issuer: cluster, subject: 'system:serviceaccount:prod:told' },
      })
    })

    it('is told once of a subject that comes in many tokens at the same time', async () => {
      await made('crowd', { issuer: cluster, subject: 'system:serviceaccount:prod:crowd' })
      const assertions = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          kubernetes({ sub: 'system:serviceaccount:prod:crowd', jti: `${at}` }),
        ),
      )
      for (const answer of await Promise.all(assertions.map((one) => ask(one)))) tokensOf(answer)
      const { items } = (await admin.get('/audit?kind=client_authentication.federated&target=crowd'))
        .json as {
        items: Claims[]
      }
      expect(items).toHaveLength(1)
    })
  })

  onOne.it('of an issuer that nobody declared makes nobody ask', async () => {
    await declare([{ issuer: cluster, jwks: { keys: [key.jwk] } }])
    published.state.asked = 0
    await saidOf(await gitHub(), 'deploy')
    await saidOf(await gitHub())
    await saidOf(await gitHub({ iss: 'https://evil.example' }), 'deploy')
    expect(published.state.asked).toBe(0)
    await declare(issuers)
  })

  onOne.it('of this service itself proves nothing', async () => {
    const tokens = await new Visitor(tessera.url).tokens()
    await declare([...issuers, { issuer: tessera.url, audience: 'submissions-web' }])
    const sub = String(
      JSON.parse(Buffer.from(String(tokens.id_token?.split('.')[1]), 'base64url').toString()).sub,
    )
    await made('ourselves', { issuer: tessera.url, subject: sub })
    for (const text of [tokens.id_token, tokens.access_token]) {
      await saidOf(String(text), 'ourselves')
      await saidOf(String(text), 'orders')
      await saidOf(String(text))
    }
    await declare(issuers)
  })

  it('signs people in to a web client, and has no other method there', async () => {
    const subject = 'system:serviceaccount:prod:intranet'
    await made(
      'intranet',
      { issuer: cluster, subject },
      {
        type: 'web',
        permissions: null,
        first_party: true,
        redirect_uris: ['https://intranet.acme.example/callback'],
        scope: 'openid service.api',
      },
    )
    const form = await new Visitor(tessera.url).code({
      client_id: 'intranet',
      redirect_uri: 'https://intranet.acme.example/callback',
      scope: 'openid service.api',
    })
    const proof = {
      client_assertion_type: assertionType,
      client_assertion: await kubernetes({ sub: subject }),
    }
    expect(refusalOf(await token(tessera.url, form))).toBe(refused)
    const other = { ...proof, client_assertion: await kubernetes() }
    expect(refusalOf(await token(tessera.url, { ...form, ...other }))).toBe(refused)
    const tokens = tokensOf(await token(tessera.url, { ...form, ...proof }))
    const again = {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token ?? '',
      client_id: 'intranet',
    }
    tokensOf(await token(tessera.url, { ...again, ...proof }))
  })

  describe('is registered', () => {
    onOne.it.each<[string, object, string]>([
      ['without subject and claims', {}, 'federated.subject'],
      ['with both', { subject: 'x', claims: { repository_id: '1' } }, 'federated.subject'],
      ['by names alone', { claims: { repository: 'octo-org/octo-repo' } }, 'federated.claims'],
      ['by what is no claim of who it is', { claims: { repository_id: '1', jti: 'x' } }, 'federated.claims'],
      ['with a list', { claims: { repository_id: ['1'] } }, 'federated.claims.repository_id'],
      ['with more', { subject: 'x', wildcard: true }, 'federated.wildcard'],
    ])('not %s', async (_, match, field) => {
      expect(problemOf(await add('wrong', { issuer: cluster, ...match }))).toBe(
        `400 invalid_request ${field}`,
      )
    })

    onOne.it('not of an undeclared issuer, beside keys, or for another type', async () => {
      const answer = await add('wrong', { issuer: `${cluster}/`, subject: 'x' })
      expect(problemOf(answer)).toBe('400 invalid_request federated.issuer')
      expect(answer.text).toContain(`${cluster} is, and it is compared to the last slash`)
      const match = { issuer: cluster, subject: 'x' }
      expect(problemOf(await add('wrong', match, { jwks: { keys: [key.jwk] } }))).toBe(
        '400 invalid_request federated',
      )
      const browser = {
        type: 'public',
        redirect_uris: ['https://a.example/cb'],
        scope: 'openid',
        permissions: null,
      }
      expect(problemOf(await add('wrong', match, browser))).toBe('400 invalid_request federated')
    })

    onOne.it('not for a client that is a document, which says its keys', async () => {
      const document = {
        client_id: 'https://agent.example/client.json',
        metadata: 'document',
        type: 'public',
        scope: 'openid service.api',
        services: ['submissions-tool'],
        permissions: ['submissions-tool.vista-import.read'],
        federated: { issuer: cluster, subject: 'agent' },
      }
      expect(problemOf(await admin.post('/clients', document))).toBe('400 invalid_request federated')
    })

    it('once for a subject', async () => {
      const match = { issuer: cluster, subject: 'system:serviceaccount:prod:single' }
      await made('single', match)
      expect(problemOf(await add('double', match))).toBe('409 conflict federated.subject')
      await admin.delete('/clients/single')
      await made('double', match)
    })
  })

  describe('and an administrator of an organisation', () => {
    let head: Administrator
    beforeAll(async () => {
      head = await Administrator.person(tessera.url, heads.head)
      await declare([
        ...issuers,
        { issuer: 'https://acme.cluster.example', jwks: { keys: [key.jwk] }, organisations: [acme] },
        { issuer: 'https://globex.cluster.example', jwks: { keys: [key.jwk] }, organisations: [globex] },
      ])
    })
    const own = {
      ...machine,
      client_id: 'acme-orders',
      client_name: 'Orders',
      organisation_uuid: acme,
      services: [],
      permissions: [],
    }

    onOne.it('declares no issuer', async () => {
      expect((await declareBy(head, [])).status).toBe(403)
      const limited = await Administrator.machine(tessera.url, 'roles-cli')
      expect((await declareBy(limited, [])).status).toBe(403)
    })

    it('reads the issuers that are open to it, and no other organisation', async () => {
      const reading = {
        ...own,
        client_id: 'acme-reader',
        services: ['iam'],
        permissions: ['iam.assertion-issuers.read'],
      }
      const { client_secret } = (await admin.post('/clients', reading)).json
      const form = { client_id: 'acme-reader', client_secret: String(client_secret) }
      const reader = new Administrator(tessera.url, await machineToken(tessera.url, form))
      const jwks = { keys: [key.jwk] }
      expect((await reader.get('/assertion-issuers')).json).toMatchObject({
        issuers: [{ issuer: 'https://acme.cluster.example', jwks, organisations: [acme] }],
      })
      expect((await admin.get('/assertion-issuers')).json['issuers']).toHaveLength(4)
    })

    it('binds clients to issuers that are open to it alone, and one subject once', async () => {
      const bind = async (issuer: string, client_id = 'acme-orders') =>
        await head.post('/clients', { ...own, client_id, federated: { issuer, subject: account } })
      const others = [cluster, 'https://globex.cluster.example', 'https://nowhere.example']
      const answers = await Promise.all(others.map(async (one) => await bind(one)))
      // Nothing tells one that is another's from one that is nobody's.
      expect(new Set(answers.map((one) => JSON.stringify(one.json.errors ?? one.json.detail))).size).toBe(1)
      for (const one of answers) expect(problemOf(one)).toBe('400 invalid_request federated.issuer')
      expect((await bind('https://acme.cluster.example')).status).toBe(201)
      expect(problemOf(await bind('https://acme.cluster.example', 'acme-second'))).toBe(
        '409 conflict federated.subject',
      )
      const iss = 'https://acme.cluster.example'
      tokensOf(await ask(await kubernetes({ iss }), 'acme-orders'))
      // A request without client_id finds clients of no organisation alone.
      await saidOf(await kubernetes({ iss }))
    })

    onOne.it('binds no client that carries more than they hold', async () => {
      await made(
        'acme-strong',
        { issuer: 'https://acme.cluster.example', subject: 'strong' },
        { organisation_uuid: acme, services: ['ledger'], permissions: ['ledger.entry.read'] },
      )
      const federated = { issuer: 'https://acme.cluster.example', subject: 'mine' }
      expect((await head.patch('/clients/acme-strong', { federated })).status).toBe(403)
    })

    it('is out where the issuer is closed to the organisation', async () => {
      await declare([...issuers, { issuer: 'https://acme.cluster.example', jwks: { keys: [key.jwk] } }])
      await saidOf(await kubernetes({ iss: 'https://acme.cluster.example' }), 'acme-orders')
    })
  })

  onOne.it('is explained in words', async () => {
    const about = `permission=submissions-tool.vista-import.read&client_id=deploy`
    const { chain } = (await admin.get(`/access/explain?${about}`)).json as { chain: Claims[] }
    const link = chain.find(({ check }) => check === 'client_issuer_declared')
    expect(link).toMatchObject({ holds: true })
    expect(String(link?.['detail'])).toContain(
      'in which ref is "refs/heads/main" and repository_id is "456789"',
    )
  })
})
