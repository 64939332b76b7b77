/** The interface description is whole, and says what the running service does. */
import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorCatalogue } from '../../dist/protocol/errors.js'
import type { Tessera } from '../harness/harness.ts'
import {
  type Description,
  descriptionOf,
  examplesOf,
  operationsOf,
  schemaErrors,
  startWithRoutes,
} from './openapi-support.ts'

/** Of one browser and one sign-in, files of a page, or for operators: no client calls them, and the text says so. */
const pages = [
  'GET /oauth2/authorize/continue',
  'GET /oauth2/authorize/trial',
  'GET /',
  'GET /.well-known/change-password',
  'GET /.tessera/callback',
  'GET /.tessera/logout',
  'POST /.tessera/logout',
  'GET /development/mail',
  'GET /development/mail/{id}',
  'GET /development/mail/{id}/html',
  'GET /api/doc/oauth2-redirect',
  'GET /console',
  'GET /console/*',
  'GET /device/done',
  'GET /invitation/accepted',
  'POST /sign-in/passkey',
  'POST /sign-in/reset/passkey',
  'POST /invitation/passkey',
  'POST /language',
  'POST /account/sign-in/passkey',
  ...[
    '/sign-in',
    '/choose-profile',
    '/consent',
    '/no-profile',
    '/sign-in/enrol',
    '/sign-in/second-factor',
    '/home',
    '/account',
    '/sign-in/new-password',
    '/sign-in/forgotten',
    '/sign-in/reset',
    '/account/person',
    '/account/address',
    '/account/applications',
    '/account/profiles',
    '/account/activity',
    '/account/data',
    '/account/deletion',
    '/sign-in/leaving',
    '/account/sign-in',
    '/account/directory',
    '/account/connect',
    '/account/not-me',
    '/account/sessions',
    '/device',
    '/device/confirm',
    '/setup',
    '/invitation',
    '/connect',
    '/connect/provider',
    '/connect/values',
    '/connect/domain',
    '/connect/trial',
    '/connect/provisioning',
    '/connect/finish',
    '/sign-in/connect',
    '/sign-in/directory',
    '/sign-in/guest',
    '/sign-in/organisation',
  ].flatMap((path) => [`GET ${path}`, `POST ${path}`]),
]
const isForOperators = (route: string) =>
  route.startsWith('GET /health/') || / \/oauth2\/forward-auth(\/\*)?$/.test(route)
/** SCIM describes itself, and an upstream's addresses are for its provider: OpenID Connect and SAML say what they are. */
const isOfAnotherProtocol = (route: string) => / \/(scim\/v2|upstreams\/\{uuid\})(\/|$)/.test(route)
const isFile = (route: string) =>
  /^GET \/((assets|api\/doc)\/([\w.-]+\.(css|js)|accent\/\{file\})|console\/assets\/\*)$/.test(route) ||
  route === 'GET /pictures/{id}'

let tessera: Tessera
let routes: string[]
let description: Description

beforeAll(async () => {
  ;({ tessera, routes } = await startWithRoutes('sqlite', { TESSERA_ACCESS_TOKEN_LIFETIME: '600' }))
  description = await descriptionOf(tessera.url)
})
afterAll(() => tessera?.close())

describe('the interface description', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(description)))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(description.openapi).toMatch(/^3\.1\./)
  })

  it('describes every route, except pages, their files and health checks', () => {
    const undescribed = routes.filter((route) => !operationsOf(description).has(route))
    expect(
      undescribed
        .filter((route) => !isFile(route) && !isForOperators(route) && !isOfAnotherProtocol(route))
        .sort(),
    ).toEqual(pages.sort())
    for (const page of pages) expect(description.info.description).toContain(`\`${page.split(' ')[1]}\``)
  })

  it('describes no route that does not exist', async () => {
    expect(operationsOf(description).size).toBeGreaterThan(10)
    for (const [name] of operationsOf(description)) {
      expect(routes, `${name} is described`).toContain(name)
      const [method = '', path = ''] = name.split(' ')
      const { status } = await fetch(`${tessera.url}${path}`, { method, redirect: 'manual' })
      expect([404, 405, 500], `${name} answered ${status}`).not.toContain(status)
    }
  })

  it('has every endpoint of the discovery document', async () => {
    const discovery = await fetch(`${tessera.url}/.well-known/openid-configuration`)
    const endpoints = Object.entries((await discovery.json()) as Record<string, unknown>).filter(
      (entry): entry is [string, string] => /_(endpoint|uri)$/.test(entry[0]) && typeof entry[1] === 'string',
    )
    expect(endpoints.length).toBeGreaterThan(6)
    for (const [name, url] of endpoints) {
      expect(Object.keys(description.paths), name).toContain(new URL(url).pathname)
    }
  })

  it('names the issuer as its server, and the version of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(description.servers.map(({ url }) => url)).toEqual([tessera.url])
    expect(description.externalDocs.url).toBe(`${tessera.url}/api/doc`)
    expect(description.info.version).toBe(version)
  })

  it('gives every operation an id of its own, a summary, an answer and the request id', () => {
    const operations = [...operationsOf(description).values()]
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    for (const { operationId, responses } of operations) {
      expect(
        Object.keys(responses).some((status) => /^[23]/.test(status)),
        operationId,
      ).toBe(true)
      for (const [status, { headers }] of Object.entries(responses)) {
        expect(Object.keys(headers), `${operationId} ${status}`).toContain('x-request-id')
      }
    }
  })

  it('says the lifetimes and limits that are set', () => {
    expect(description.info.description).toContain('access and ID tokens live 10 minutes')
    expect(JSON.stringify(description.paths['/oauth2/token'])).toContain('"expires_in":600')
  })
})

describe('the errors of the description', () => {
  const codes = Object.keys(errorCatalogue)

  it('are all of the catalogue, each with an example of its own', () => {
    const named = new Set<string>()
    for (const [name, { responses }] of operationsOf(description)) {
      for (const [status, { content }] of Object.entries(responses)) {
        for (const [code, example] of Object.entries(content?.['application/json']?.examples ?? {})) {
          if (Number(status) < 400) continue
          expect(codes, `${name} ${status}`).toContain(code)
          expect(example.value).toMatchObject({ error: code })
          named.add(code)
        }
      }
    }
    expect(named.size).toBeGreaterThan(12)
  })

  it('leave no code of the catalogue out', () => {
    for (const code of codes) expect(description.info.description, code).toContain(`| \`${code}\` |`)
    expect(description.components.schemas.Error).toMatchObject({ properties: { error: { enum: codes } } })
  })

  it('carry Retry-After, Allow and WWW-Authenticate where the service sends them', () => {
    const needed = { '405': 'Allow', '429': 'Retry-After', '503': 'Retry-After', '401': 'WWW-Authenticate' }
    for (const [name, { responses }] of operationsOf(description)) {
      for (const [status, header] of Object.entries(needed)) {
        if (responses[status] !== undefined) {
          expect(Object.keys(responses[status].headers), `${name} ${status}`).toContain(header)
        }
      }
    }
  })
})

describe('the examples of the description', () => {
  it('fit their own schemas', () => {
    let count = 0
    for (const item of Object.values(description.paths)) {
      for (const operation of [item.get, item.post]) {
        if (operation === undefined) continue
        const answers = Object.values(operation.responses).flatMap(({ content }) =>
          Object.values(content ?? {}),
        )
        const bodies = Object.values(operation.requestBody?.content ?? {})
        for (const media of [...answers, ...bodies]) {
          for (const example of examplesOf(media)) {
            expect(schemaErrors(description, media.schema, example), JSON.stringify(example)).toEqual([])
            count++
          }
        }
        for (const { name, schema, example } of operation.parameters ?? []) {
          if (example === undefined) continue
          // A query holds text, whatever its schema says.
          const value = name === 'max_age' ? Number(example) : example
          expect(schemaErrors(description, schema, value), name).toEqual([])
        }
      }
    }
    expect(count).toBeGreaterThan(60)
  })

  it('would be told apart from wrong ones', () => {
    const form = description.paths['/oauth2/token']?.post?.requestBody?.content
    const schema = form?.['application/x-www-form-urlencoded']?.schema ?? {}
    expect(schemaErrors(description, schema, { grant_type: 'authorization_code' })).not.toEqual([])
    expect(schemaErrors(description, schema, { grant_type: 'password' })).not.toEqual([])
    const error = { $ref: '#/components/schemas/Error' }
    expect(schemaErrors(description, error, { error: 'no_such_code', error_description: '' })).not.toEqual([])
  })
})

describe('TESSERA_DOCS_URL', () => {
  it('is where discovery and the description send readers; the server stays the issuer', async () => {
    const docsUrl = 'https://docs.acme.example/iam'
    const elsewhere = await startWithRoutes('sqlite', { TESSERA_DOCS_URL: `${docsUrl}/` })
    try {
      const { url } = elsewhere.tessera
      const discovery = await fetch(`${url}/.well-known/openid-configuration`)
      expect(await discovery.json()).toMatchObject({
        service_documentation: `${docsUrl}/api/doc`,
        issuer: url,
      })
      const { externalDocs, servers, info } = await descriptionOf(url)
      expect(externalDocs.url).toBe(`${docsUrl}/api/doc`)
      expect(info.description).toContain(`${docsUrl}/api/doc.json`)
      expect(servers).toMatchObject([{ url }])
      const page = await fetch(`${url}/api/doc`)
      expect(page.headers.get('content-security-policy')).toContain(`connect-src 'self' ${url}`)
    } finally {
      await elsewhere.tessera.close()
    }
  })
})
