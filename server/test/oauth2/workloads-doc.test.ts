/** The recipes of docs/workloads-without-secrets.md, as they stand there, and what it says of refusals. */
import * as oauth from 'oauth4webapi'
import { beforeAll, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { Administrator, administeredOn } from '../administration/support.ts'
import { runHere, ways } from '../cli/command-support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { refusalOf, token, tokensOf } from '../harness/program.ts'
import { blocksOf, commandsOf, pageOf } from './doc-support.ts'
import {
  assertionType,
  type Claims,
  gitHubHeader,
  keyOf,
  ofGitHub,
  ofGitLab,
  ofKubernetes,
  ofSpire,
  type Signing,
  signed,
} from './workload-tokens.ts'

const page = pageOf('workloads-without-secrets.md')
/** The blocks of a declared file, by the heading above each. */
const recipes = new Map(
  page.split(/^## /m).map((section) => {
    const recipe = blocksOf(section, 'yaml').find((yaml) => yaml.includes('clients:'))
    return [section.split('\n', 1)[0] ?? '', recipe] as const
  }),
)
const refusals = [...page.matchAll(/^\| [^|]+ \| (The (?:client|iss|aud|installation)[^|]+) \|$/gm)].map(
  ([, said]) => said,
)

interface Recipe {
  assertion_issuers: { issuer: string; jwks?: object }[]
  clients: Claims[]
}

onOneDatabase('docs/workloads-without-secrets.md', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_CLIENT_AUTH: '0' })
  const keys = new Map<string, Signing>()
  const now = () => Math.floor(tessera.clock.now() / 1000)
  const make: Record<string, (claims: Claims) => Claims> = {
    GitHub: (claims) => ofGitHub(now(), { aud: tessera.url, ...claims }),
    GitLab: (claims) => ofGitLab(now(), { aud: tessera.url, ...claims }),
    Kubernetes: (claims) => ofKubernetes(now(), { aud: [tessera.url], ...claims }),
    SPIRE: (claims) => ofSpire(now(), { aud: [tessera.url], ...claims }),
  }
  const headers: Record<string, Record<string, string>> = {
    GitHub: gitHubHeader,
    GitLab: { typ: 'JWT' },
    SPIRE: { typ: 'JWT' },
  }
  const recipeOf = (name: string) => parseDocument(recipes.get(name) ?? '').toJS() as Recipe
  const of = async (name: string, claims: Claims = {}) => {
    const iss = recipeOf(name).assertion_issuers[0]?.issuer
    return await signed(make[name]?.({ iss, ...claims }) ?? {}, keys.get(name) as Signing, headers[name])
  }
  const ask = async (client_assertion: string, form: Record<string, string> = {}) =>
    await token(tessera.url, {
      grant_type: 'client_credentials',
      client_assertion_type: assertionType,
      client_assertion,
      ...form,
    })
  let admin: Administrator

  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const issuers: object[] = []
    const clients: Claims[] = []
    for (const name of Object.keys(make)) {
      const key = await keyOf(name === 'SPIRE' ? 'ES256' : 'RS256', name)
      keys.set(name, key)
      // The keys stand in the entry: a test asks nobody.
      for (const { issuer } of recipeOf(name).assertion_issuers)
        issuers.push({ issuer, jwks: { keys: [key.jwk] } })
      clients.push(...recipeOf(name).clients)
    }
    const { etag } = await admin.get('/assertion-issuers')
    const set = await admin.ask('PUT', '/assertion-issuers', { body: { issuers }, match: etag })
    expect(set.status, set.text).toBe(200)
    for (const one of clients) expect((await admin.post('/clients', one)).status).toBe(201)
  })

  it.each(Object.keys({ GitHub: 0, GitLab: 0, Kubernetes: 0, SPIRE: 0 }))(
    'has a recipe that works: %s',
    async (name) => {
      const client_id = String(recipeOf(name).clients[0]?.['client_id'])
      tokensOf(await ask(await of(name), { client_id }))
      const other = { sub: 'another', repository_id: '1', project_id: '1', 'kubernetes.io': {} }
      expect(refusalOf(await ask(await of(name, other), { client_id }))).toBe('401 invalid_client')
    },
  )

  it('is set up by the commands that it shows', async () => {
    await admin.delete('/clients/deploy')
    const lines = commandsOf(page, 'npx tessera ').slice(0, 2)
    const issuers = await admin.get('/assertion-issuers')
    for (const [, , ...words] of lines) {
      const ran = await runHere(words, { environment: ways.http(tessera) })
      expect(ran).toMatchObject({ code: 0, stderr: '' })
    }
    expect(lines).toHaveLength(2)
    const { federated } = (await admin.get('/clients/deploy')).json
    expect(federated).toEqual(recipeOf('# Workloads without a stored secret').clients[0]?.['federated'])
    const { etag } = await admin.get('/assertion-issuers')
    await admin.ask('PUT', '/assertion-issuers', { body: { issuers: issuers.json['issuers'] }, match: etag })
    await admin.patch('/clients/deploy', { federated: recipeOf('GitHub').clients[0]?.['federated'] })
  })

  it('names the client by its subject', async () => {
    tokensOf(await ask(await of('SPIRE')))
  })

  it('says what is said of each that is set up wrongly', async () => {
    const github = 'https://token.actions.githubusercontent.com'
    const byName = 'repo:octo-org/octo-repo:ref:refs/heads/main'
    const machine = { type: 'machine', permissions: [] }
    const add = async (client_id: string, more: object) =>
      await admin.post('/clients', { ...machine, client_id, client_name: client_id, ...more })
    const own = await keyOf('ES256', 'own')
    await add('by-name', { federated: { issuer: github, subject: byName } })
    await add('by-number', { federated: { issuer: github, claims: { repository_id: 456_789 } } })
    await add('by-place', {
      federated: { issuer: github, claims: { repository_id: '456789', environment: 'production' } },
    })
    await add('own', { jwks: { keys: [own.jwk] } })
    await add('secretive', {})
    const gitHub = async (claims: Claims, client_id = 'deploy') =>
      await ask(await of('GitHub', claims), { client_id })
    const moved = 'repo:octo-org/renamed:ref:refs/heads/main'
    const ownClaims = {
      iss: 'own',
      sub: 'own',
      aud: `${tessera.url}/oauth2/token`,
      exp: now() + 60,
      jti: '1',
    }
    const answers = [
      await gitHub({ iss: `${github}/` }),
      await gitHub({ aud: 'https://github.com/octo-org' }),
      await ask(await signed(ownClaims, own)),
      await gitHub({ iat: now() - 3900, exp: now() - 3600 }),
      await gitHub({ iat: now() + 120, exp: now() + 420 }),
      await gitHub({ exp: now() + 7200 }),
      await ask(
        await signed(ofGitHub(now(), { iss: github, aud: tessera.url }), await keyOf('RS256', 'new')),
        { client_id: 'deploy' },
      ),
      await gitHub({ sub: moved }, 'by-name'),
      await gitHub({}, 'by-number'),
      await gitHub({}, 'by-place'),
      await token(tessera.url, { grant_type: 'client_credentials', client_id: 'deploy', client_secret: 'x' }),
      await gitHub({}, 'secretive'),
      await ask(await of('GitHub', { sub: 'nobody' })),
    ]
    const { etag } = await admin.get('/assertion-issuers')
    await admin.ask('PUT', '/assertion-issuers', { body: { issuers: [] }, match: etag })
    answers.splice(1, 0, await gitHub({}))
    const said = answers.map(({ json }) =>
      String(json.error_description).replaceAll(tessera.url, 'https://id.example.com'),
    )
    expect(said).toEqual(refusals)
  })

  it('lets oauth4webapi prove itself by a key of its own', async () => {
    const own = await keyOf('ES256', 'one')
    const made = {
      client_id: 'nightly',
      client_name: 'Nightly',
      type: 'machine',
      permissions: [],
      jwks: { keys: [own.jwk] },
    }
    expect((await admin.post('/clients', made)).status).toBe(201)
    const options = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(tessera.url)
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
    const prove = oauth.PrivateKeyJwt({ key: own.privateKey, kid: own.kid })
    const client = { client_id: 'nightly', [oauth.clockSkew]: now() - Math.floor(Date.now() / 1000) }
    const answer = await oauth.clientCredentialsGrantRequest(as, client, prove, {}, options)
    expect(await oauth.processClientCredentialsResponse(as, client, answer)).toHaveProperty('access_token')
  })
})
