import { describe, expect, it } from 'vitest'
import {
  copyEnds,
  documentSays,
  documentUrlProblem,
  keptFor,
  readDocument,
} from '../../dist/protocol/client-document.js'

const url = 'https://vendor.example/oauth/client.json'
const loopback = 'http://localhost/callback'

describe('the address of a document', () => {
  it.each([
    url,
    'https://claude.ai/oauth/claude-code-client-metadata',
    'https://vendor.example:8443/a',
    'https://vendor.example/a/',
    `https://vendor.example/${'a'.repeat(512 - 23)}`,
  ])('may be %s', (one) => {
    expect(documentUrlProblem(one)).toBeUndefined()
  })

  it.each([
    'http://vendor.example/client.json',
    'https://vendor.example',
    'https://vendor.example/',
    'https://vendor.example/client.json?a=1',
    'https://vendor.example/client.json?',
    'https://vendor.example/client.json#a',
    'https://vendor.example/client.json#',
    'https://user@vendor.example/client.json',
    'https://user:secret@vendor.example/client.json',
    'https://@vendor.example/client.json',
    'https://vendor.example/a/../client.json',
    'https://vendor.example/./client.json',
    'https://vendor.example/a/%2e%2E/client.json',
    'https://vendor.example/..',
    'https://VENDOR.example/client.json',
    'https://vendor.example:443/client.json',
    'https:/vendor.example/client.json',
    'https://vendor.example\\client.json',
    'HTTPS://vendor.example/client.json',
    `https://vendor.example/${'a'.repeat(513 - 23)}`,
    'vendor.example/client.json',
    '',
  ])('is never %s', (one) => {
    expect(documentUrlProblem(one)).toBeDefined()
  })
})

describe('what a document says', () => {
  const right = { client_id: url, client_name: 'Agent', redirect_uris: [loopback] }
  const problemOf = (document: unknown, redirect_hosts: string[] = []) => {
    const says = documentSays(document, { client_id: url, redirect_hosts })
    return 'problem' in says ? says.problem : undefined
  }

  it('is its name, its redirect URIs and how it proves itself, and nothing else', () => {
    const more = { scope: 'iam', first_party: true, logo_uri: 'https://evil.example/', client_secret: 'a' }
    expect(documentSays({ ...right, ...more }, { client_id: url })).toEqual({
      client_name: 'Agent',
      redirect_uris: [loopback],
      methods: ['none'],
      jwks: null,
      jwks_uri: null,
    })
  })

  it.each([undefined, '', 'a'.repeat(201), 'Ag\u202Eent', 5])('has the name of its host for %j', (name) => {
    expect(documentSays({ ...right, client_name: name }, { client_id: url })).toMatchObject({
      client_name: 'vendor.example',
    })
  })

  it.each([
    ['http://127.0.0.1/a'],
    ['http://127.0.0.1:8080/a'],
    ['http://[::1]/a'],
    ['http://localhost:33418/'],
    ['https://vendor.example/callback'],
    ['https://app.vendor.example/callback'],
  ])('may send people to %s', (uri) => {
    expect(problemOf({ ...right, redirect_uris: [uri] }, ['app.vendor.example'])).toBeUndefined()
  })

  it.each([
    ['https://evil.example/callback'],
    ['https://vendor.example.evil.example/callback'],
    ['https://sub.vendor.example/callback'],
    ['http://vendor.example/callback'],
    ['http://127.0.0.2/callback'],
    ['http://a.localhost/callback'],
    ['http://169.254.169.254/callback'],
    ['https://vendor.example@evil.example/callback'],
    ['https://vendor.example/callback#a'],
    ['https://vendor.example/*'],
    ['https://vendor.example/callback?code=a'],
    ['com.example.app:/callback'],
    ['javascript:alert(1)'],
    [''],
    [5],
    [null],
  ])('is refused whole for %j, also beside a right one', (uri) => {
    expect(problemOf({ ...right, redirect_uris: [loopback, uri] })).toBeDefined()
  })

  it.each([
    ['another client_id', { client_id: `${url}/` }],
    ['the host in capitals', { client_id: 'https://VENDOR.example/oauth/client.json' }],
    ['no client_id', { client_id: undefined }],
    ['a client_id that is a list', { client_id: [url] }],
    ['no redirect_uris', { redirect_uris: undefined }],
    ['no list of redirect_uris', { redirect_uris: loopback }],
    ['an empty list', { redirect_uris: [] }],
    ['too many', { redirect_uris: Array.from({ length: 21 }, (_, index) => `${loopback}${index}`) }],
    ['a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['keys without keys', { token_endpoint_auth_method: 'private_key_jwt' }],
    [
      'keys elsewhere',
      { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://evil.example/jwks' },
    ],
    [
      'keys over http',
      { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://vendor.example/jwks' },
    ],
    ['no keys', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }],
    [
      'a symmetric key',
      { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } },
    ],
  ])('is refused with %s', (_, changes) => {
    expect(problemOf({ ...right, ...changes })).toBeDefined()
  })

  it.each([['[]'], ['null'], ['"a"'], ['<html></html>'], [''], [`{"client_id":"${url}"`]])(
    'is refused as %s',
    (text) => {
      expect(readDocument(text, { client_id: url })).toHaveProperty('problem')
    },
  )

  it('is refused where it names something twice', () => {
    const text = `{"client_id":"https://evil.example/a","client_id":"${url}","redirect_uris":["${loopback}"]}`
    expect(readDocument(text, { client_id: url })).toEqual({ problem: 'has a name twice' })
  })

  it('lets a client do without its keys where it says so', () => {
    const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://vendor.example/jwks' }
    const both = { ...right, ...keys, token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'] }
    expect(documentSays(both, { client_id: url })).toMatchObject({ methods: ['none', 'private_key_jwt'] })
    expect(documentSays({ ...right, ...keys }, { client_id: url })).toMatchObject({
      methods: ['private_key_jwt'],
    })
  })
})

/** Documents as vendors publish them, in the parts that count. */
const published = [
  {
    client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
  },
  {
    client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
    token_endpoint_auth_method: 'none',
    hosts: ['claude.com'],
  },
  {
    client_id: 'https://chatgpt.com/oauth/client.json',
    redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    token_endpoint_auth_signing_alg: 'RS256',
    jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    logo_uri: 'https://persistent.oaistatic.com/sonic/misc/openai-logo.png',
  },
  {
    client_id: 'https://chatgpt.com/oauth/codex/client.json',
    redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
    token_endpoint_auth_method: 'none',
  },
  {
    client_id: 'https://vscode.dev/oauth/client-metadata.json',
    redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  },
]

it.each(published)('reads the document of $client_id', ({ hosts, ...document }) => {
  const client = { client_id: document.client_id, redirect_hosts: hosts }
  expect(documentUrlProblem(document.client_id)).toBeUndefined()
  expect(documentSays(document, client)).toMatchObject({ redirect_uris: document.redirect_uris })
  if (hosts !== undefined)
    expect(documentSays(document, { ...client, redirect_hosts: [] })).toHaveProperty('problem')
})

describe('how long a document counts', () => {
  const minute = 60_000
  it.each([
    [undefined, 5 * minute],
    ['no-store', 5 * minute],
    ['max-age=0', 5 * minute],
    ['public, max-age=3600', 60 * minute],
    ['max-age=3600, no-cache', 5 * minute],
    ['max-age=999999999', 24 * 60 * minute],
    ['s-maxage=3600', 5 * minute],
    ['max-age=a', 5 * minute],
  ])('is by Cache-Control: %s', (said, ms) => {
    expect(keptFor(said)).toBe(ms)
  })

  it('is seven days after it was read last, and an hour after its host said that there is none', () => {
    const day = 24 * 60 * minute
    expect(copyEnds({ fetched_at: null, gone_at: null })).toBeNull()
    expect(copyEnds({ fetched_at: 0, gone_at: null })).toBe(7 * day)
    expect(copyEnds({ fetched_at: 0, gone_at: day })).toBe(day + 60 * minute)
  })
})
