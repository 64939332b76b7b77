import { request } from 'node:http'
import { decodeJwt } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, tesseraOn } from '../harness/harness.ts'
import { machineToken, Visitor } from '../harness/program.ts'

const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']

const proving = ['client_secret_post', 'client_secret_basic', 'private_key_jwt']

onOneDatabase('discovery', (dialect) => {
  const tessera = tesseraOn(dialect)
  let document: Record<string, unknown>
  beforeAll(async () => {
    document = (await (await fetch(`${tessera.url}${paths[0]}`)).json()) as Record<string, unknown>
  })

  it('says what the decisions list', () => {
    expect(document).toMatchObject({
      issuer: tessera.url,
      authorization_endpoint: `${tessera.url}/oauth2/authorize`,
      token_endpoint: `${tessera.url}/oauth2/token`,
      userinfo_endpoint: `${tessera.url}/oauth2/userinfo`,
      jwks_uri: `${tessera.url}/oauth2/jwks`,
      end_session_endpoint: `${tessera.url}/oauth2/logout`,
      revocation_endpoint: `${tessera.url}/oauth2/revoke`,
      introspection_endpoint: `${tessera.url}/oauth2/introspect`,
      pushed_authorization_request_endpoint: `${tessera.url}/oauth2/par`,
      scopes_supported: ['openid', 'email', 'profile', 'service.api'],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      acr_values_supported: ['1', '2', 'phr'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      dpop_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA'],
      token_endpoint_auth_methods_supported: ['none', ...proving],
      token_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      revocation_endpoint_auth_methods_supported: ['none', ...proving],
      introspection_endpoint_auth_methods_supported: proving,
      code_challenge_methods_supported: ['S256'],
      prompt_values_supported: ['none', 'login', 'select_account', 'consent'],
      ui_locales_supported: expect.arrayContaining(['en']),
      authorization_response_iss_parameter_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      request_object_signing_alg_values_supported: [],
      service_documentation: `${tessera.url}/api/doc`,
    })
    const device = 'urn:ietf:params:oauth:grant-type:device_code'
    const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange'
    const grants = ['authorization_code', 'client_credentials', 'refresh_token', device, exchange]
    expect([...(document.grant_types_supported as string[])].sort()).toEqual(grants)
  })

  it('advertises nothing that does not work', () => {
    for (const absent of ['registration_endpoint', 'check_session_iframe'])
      expect(document).not.toHaveProperty(absent)
  })

  it('lists every claim that an ID token carries', async () => {
    const { id_token } = await new Visitor(tessera.url).tokens()
    const carried = Object.keys(decodeJwt(id_token ?? ''))
    expect(document.claims_supported).toEqual(expect.arrayContaining(carried))
  })

  it('is the same bytes at both addresses, as JSON that may be cached', async () => {
    const answers = await Promise.all(paths.map((path) => fetch(`${tessera.url}${path}`)))
    const texts = await Promise.all(answers.map((one) => one.text()))
    expect(texts[1]).toBe(texts[0])
    for (const { headers } of answers) {
      expect(headers.get('content-type')).toMatch(/^application\/json/)
      expect(headers.get('cache-control')).toMatch(/max-age=\d+/)
      expect(headers.getSetCookie()).toEqual([])
    }
  })

  it('answers every address that it advertises', async () => {
    const addresses = Object.entries(document).filter(([name]) =>
      /_endpoint$|_uri$|_documentation$/.test(name),
    )
    expect(addresses).toHaveLength(10)
    for (const [name, address] of addresses) {
      const { status } = await fetch(String(address), { redirect: 'manual' })
      expect([name, status]).not.toEqual([name, 404])
      expect(status).toBeLessThan(500)
    }
  })

  it.each([
    ['host', 'evil.example'],
    ['forwarded', 'host=evil.example;proto=https'],
    ['x-forwarded-host', 'evil.example'],
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-prefix', '/evil'],
    ['x-original-url', '/evil'],
  ])('is not changed by %s, nor by a query', async (name, value) => {
    const body = await new Promise<string>((resolve, reject) => {
      const asked = request(
        `${tessera.url}${paths[0]}?issuer=x`,
        { headers: { [name]: value } },
        (answer) => {
          let text = ''
          answer.on('data', (chunk) => (text += chunk)).on('end', () => resolve(text))
        },
      )
      asked.on('error', reject).end()
    })
    expect(JSON.parse(body)).toEqual(document)
  })

  it('publishes RSA keys of 2048 bits or more and keys on P-256, RSA first, public members alone', async () => {
    const answer = await fetch(`${tessera.url}/oauth2/jwks`)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=600')
    const { keys, ...more } = (await answer.json()) as { keys: Record<string, string>[] }
    expect(more).toEqual({})
    expect(keys.map(({ alg }) => alg)).toEqual(['RS256', 'ES256'])
    expect(new Set(keys.map((one) => one.kid)).size).toBe(keys.length)
    const [rsa = {}, ec = {}] = keys
    expect(Object.keys(rsa).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    expect(rsa).toMatchObject({ kty: 'RSA', use: 'sig' })
    expect(Buffer.from(rsa.n ?? '', 'base64url').length).toBeGreaterThanOrEqual(256)
    expect(Object.keys(ec).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    expect(ec).toMatchObject({ kty: 'EC', crv: 'P-256', use: 'sig' })
    for (const part of [ec.x, ec.y]) expect(Buffer.from(part ?? '', 'base64url')).toHaveLength(32)
  })

  it('publishes the key that signs', async () => {
    const { keys } = (await (await fetch(`${tessera.url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] }
    const header = (await machineToken(tessera.url)).split('.')[0] ?? ''
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }
    expect(keys.map((one) => one.kid)).toContain(kid)
  })

  it('is never limited, and names further scopes where a setting lists them', async () => {
    const limits = {
      TESSERA_LIMIT_GRANTS: '1',
      TESSERA_LIMIT_AUTHORIZE: '1',
      TESSERA_LIMIT_CLIENT_AUTH: '1',
    }
    const strict = await startTessera(dialect, {
      settings: { ...limits, TESSERA_SCOPES_SUPPORTED: 'offline_access groups openid' },
    })
    try {
      const listed = await (await fetch(`${strict.url}${paths[1]}`)).json()
      const scopes_supported = ['openid', 'email', 'profile', 'service.api', 'groups', 'offline_access']
      expect(listed).toMatchObject({ scopes_supported })
      for (const path of [paths[0], '/oauth2/jwks']) {
        const answers = await Promise.all(Array.from({ length: 30 }, () => fetch(`${strict.url}${path}`)))
        expect(new Set(answers.map((one) => one.status))).toEqual(new Set([200]))
      }
    } finally {
      await strict.close()
    }
  })
})
