/** What the service really answers is what the interface description says of it. */
import { createGuard } from '@tessera/guard'
import { createTestIssuer } from '@tessera/guard/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { claimsOf, people, post, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { type Description, descriptionOf, operationsOf, schemaErrors } from './openapi-support.ts'

const machine = { client_id: 'nightly-import', client_secret: 'nightly-import-development-secret' }
const exchange = {
  grant_type: 'authorization_code',
  client_id: 'submissions-web',
  redirect_uri: 'http://127.0.0.1:4001/callback',
  code: 'no-such-code',
  code_verifier: 'v'.repeat(43),
}
type Form = Record<string, string>

/** Requests that are refused: operation, form, headers, what must come and be described. */
const refused: [operation: string, status: number, code: string, form?: Form | undefined, headers?: Form][] =
  [
    ['POST /oauth2/token', 400, 'invalid_request', {}],
    ['POST /oauth2/token', 400, 'invalid_grant', exchange],
    ['POST /oauth2/token', 400, 'unsupported_grant_type', { ...exchange, grant_type: 'password' }],
    ['POST /oauth2/token', 400, 'unauthorized_client', { ...machine, grant_type: 'refresh_token' }],
    [
      'POST /oauth2/token',
      400,
      'invalid_scope',
      { ...machine, grant_type: 'client_credentials', scope: 'openid' },
    ],
    [
      'POST /oauth2/token',
      400,
      'invalid_target',
      { ...machine, grant_type: 'client_credentials', resource: 'x:y' },
    ],
    ['POST /oauth2/token', 401, 'invalid_client', { ...exchange, client_id: 'nobody' }],
    ['POST /oauth2/token', 413, 'request_too_large', { ...exchange, code: 'x'.repeat(70_000) }],
    ['POST /v1/iam/token/refresh', 400, 'invalid_request', { client_id: 'submissions-web' }],
    [
      'POST /v1/iam/token/refresh',
      400,
      'invalid_grant',
      { client_id: 'submissions-web', refresh_token: 'x' },
    ],
    ['POST /v1/iam/token/refresh', 401, 'invalid_client', { client_id: 'retired-app', refresh_token: 'x' }],
    ['POST /oauth2/revoke', 401, 'invalid_client', { client_id: 'nightly-import', token: 'x' }],
    ['POST /oauth2/par', 400, 'invalid_request', { client_id: 'submissions-web' }],
    ['POST /oauth2/par', 401, 'invalid_client', { client_id: 'nobody' }],
    ['POST /oauth2/introspect', 401, 'invalid_client', { client_id: 'submissions-web', token: 'x' }],
    ['POST /oauth2/introspect', 400, 'invalid_request', machine],
    ['GET /oauth2/userinfo', 401, 'invalid_token'],
    ['POST /oauth2/userinfo', 401, 'invalid_token', undefined, { authorization: 'Bearer x' }],
    ['GET /oauth2/authorize', 400, 'invalid_client'],
    ['POST /oauth2/authorize', 400, 'invalid_redirect_uri', { client_id: 'submissions-web' }],
    [
      'POST /oauth2/logout',
      400,
      'invalid_redirect_uri',
      { client_id: 'submissions-web', post_logout_redirect_uri: 'https://evil.example/' },
    ],
    ['POST /oauth2/logout', 400, 'invalid_client', { client_id: 'nobody' }],
  ]

onOneDatabase('the described answers', (dialect) => {
  let tessera: Tessera
  let description: Description
  let tokens: Record<string, string>

  beforeAll(async () => {
    tessera = await startTessera(dialect)
    description = await descriptionOf(tessera.url)
    tokens = await tokensFor(tessera.url, people.importer)
  })
  afterAll(() => tessera?.close())

  const errorsBy = (schema: string, value: unknown) =>
    schemaErrors(description, { $ref: `#/components/schemas/${schema}` }, value)

  /** Fits the schema, and holds nothing that the schema does not name. */
  function expectDescribed(schema: string, value: object): void {
    expect(errorsBy(schema, value), JSON.stringify(value)).toEqual([])
    const { properties = {} } = description.components.schemas[schema] as { properties?: object }
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(value)))
  }

  const getJson = async (path: string, headers: Record<string, string> = {}) =>
    (await (await fetch(`${tessera.url}${path}`, { headers })).json()) as Record<string, unknown>

  it('of the discovery document and the keys', async () => {
    expectDescribed('Discovery', await getJson('/.well-known/openid-configuration'))
    expectDescribed('Jwks', await getJson('/oauth2/jwks'))
  })

  it('of an exchange, and what is inside its tokens', () => {
    expectDescribed('TokenResponse', tokens)
    expectDescribed('IdTokenClaims', claimsOf(tokens.id_token))
    expectDescribed('AccessTokenClaims', claimsOf(tokens.access_token))
  })

  it('of a refresh', async () => {
    const fresh = await tokensFor(tessera.url, people.importer)
    const { json } = await post(`${tessera.url}/v1/iam/token/refresh`, {
      client_id: 'submissions-web',
      refresh_token: fresh.refresh_token ?? '',
    })
    expectDescribed('TokenResponse', json)
  })

  it('of a machine, which gets nothing else', async () => {
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      ...machine,
      grant_type: 'client_credentials',
    })
    expectDescribed('MachineTokenResponse', json)
    expectDescribed('AccessTokenClaims', claimsOf(json.access_token as string))
    expect(errorsBy('MachineTokenResponse', tokens)).not.toEqual([])
  })

  it('of userinfo and introspection', async () => {
    const userinfo = await getJson('/oauth2/userinfo', { authorization: `Bearer ${tokens.access_token}` })
    expectDescribed('Userinfo', userinfo)
    const ask = (token: string) => post(`${tessera.url}/oauth2/introspect`, { ...machine, token })
    for (const token of [tokens.access_token ?? '', 'nothing']) {
      const { json } = await ask(token)
      expect(errorsBy('Introspection', json), JSON.stringify(json)).toEqual([])
    }
    expect(errorsBy('Introspection', { active: false, sub: 'x' })).not.toEqual([])
  })

  it.each(refused)('of %s refused by %i %s', async (name, status, code, form, headers) => {
    const [method = '', path = ''] = name.split(' ')
    const answer = await fetch(`${tessera.url}${path}`, {
      method,
      ...(form !== undefined && { body: new URLSearchParams(form) }),
      headers: headers ?? {},
    })
    const body: unknown = await answer.json()
    expect(body).toMatchObject({ error: code })
    expect(answer.status).toBe(status)
    expect(errorsBy('Error', body)).toEqual([])
    const described = operationsOf(description).get(name)?.responses[String(status)]
    expect(Object.keys(described?.content?.['application/json']?.examples ?? {})).toContain(code)
    const names = Object.keys(described?.headers ?? {}).map((one) => one.toLowerCase())
    for (const header of ['www-authenticate', 'retry-after', 'allow', 'cache-control', 'x-request-id'])
      if (answer.headers.has(header)) expect(names, `${name} ${status}`).toContain(header)
    if (status === 400) expect(names).not.toContain('www-authenticate')
  })

  it('of an authorization request that is refused at its redirect_uri', async () => {
    const query = 'client_id=submissions-web&redirect_uri=http%3A%2F%2F127.0.0.1%3A4001%2Fcallback'
    const visit = await new TestBrowser(tessera.url).request(`/oauth2/authorize?${query}`)
    expect(visit.status).toBe(303)
    const described =
      operationsOf(description).get('GET /oauth2/authorize')?.responses['303']?.headers.Location
    const { examples } = described as { examples: Record<string, { value: string }> }
    const parameters = (url: string) => [...new URL(url).searchParams.keys()]
    const example = parameters(examples.invalid_request?.value ?? 'about:blank')
    expect(example.filter((name) => name !== 'state')).toEqual(parameters(visit.location ?? 'about:blank'))
  })

  it('of a protected service, as the guard gives them', async () => {
    const { post: operation } = description.paths['/{api_area}/vista-import'] ?? {}
    const permission = 'submissions-tool.vista-import.create'
    const issuer = await createTestIssuer({ audience: 'https://submissions.acme.example/api' })
    const guard = createGuard(issuer.guardOptions)
    for (const header of [undefined, 'Bearer x', `Bearer ${await issuer.token({ permissions: [] })}`]) {
      const decision = await guard.check(header, permission)
      if (decision.allowed) throw new Error('The guard let in who must stay out.')
      const { schema } = operation?.responses[String(decision.status)]?.content?.['application/json'] ?? {}
      expect(schemaErrors(description, schema ?? { not: {} }, decision.body)).toEqual([])
    }
    expect(operation).toMatchObject({ 'x-required-permission': permission })
  })
})
