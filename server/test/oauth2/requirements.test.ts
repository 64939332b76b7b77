import * as client from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { Administrator, administeredOn, problemOf, profiles, users } from '../administration/support.ts'
import { answerOf, authorizeRequest, claimsOf, people, redirectUri } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { type Changes, refusalOf, token, tokensOf, Visitor } from '../harness/program.ts'

const app = {
  client_id: 'old-app',
  client_name: 'Old app',
  type: 'web',
  first_party: true,
  redirect_uris: [redirectUri],
  scope: 'openid email profile service.api',
  services: ['submissions-tool'],
}
const [noNonce, noState, noPkce] = [
  { require_nonce: false },
  { require_state: false },
  { require_pkce: false },
] as const
const withoutPkce: Changes = { code_challenge: undefined, code_challenge_method: undefined }

/** What a client need not send, where whoever registers it writes so. */
onOneDatabase('what a client must send', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let visitor: Visitor
  const secrets = new Map<string, string>()
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    visitor = new Visitor(tessera.url)
    await visitor.code()
    for (const [client_id, changes] of [
      ['strict', {}],
      ['no-nonce', noNonce],
      ['no-state', { ...noNonce, ...noState }],
      ['no-pkce', noPkce],
    ] as const) {
      const made = await admin.post('/clients', { ...app, client_id, ...changes })
      secrets.set(client_id, String(made.json.client_secret))
    }
  })

  const authorized = async (clientId: string, changes: Changes = {}) => {
    const request = authorizeRequest({ client_id: clientId, ...changes })
    return answerOf(await visitor.browser.open(request.path))
  }
  const codeOf = async (clientId: string, changes: Changes = {}): Promise<Record<string, string>> => ({
    ...(await visitor.code({ client_id: clientId, ...changes })),
    client_secret: secrets.get(clientId) ?? '',
  })

  it.each<[string, Changes]>([
    ['strict', { nonce: undefined }],
    ['strict', { state: undefined }],
    ['strict', withoutPkce],
    ['no-nonce', { state: undefined }],
    ['no-nonce', withoutPkce],
    ['no-nonce', { nonce: 'a\uFFFDb' }],
    ['no-state', withoutPkce],
    ['no-state', { state: 'a\0b' }],
    ['no-pkce', { nonce: undefined, ...withoutPkce }],
    ['no-pkce', { nonce: undefined }],
    ['no-pkce', { state: undefined }],
    ['no-pkce', { code_challenge: undefined }],
    ['no-pkce', { code_challenge_method: undefined }],
    ['no-pkce', { code_challenge_method: 'plain' }],
    ['no-pkce', { code_challenge: 'short' }],
  ])('%s is refused with %j', async (clientId, changes) => {
    expect(await authorized(clientId, changes)).toMatchObject({ error: 'invalid_request' })
  })

  it('a code without nonce gives an ID token without one, and with one, one with it', async () => {
    const bare = tokensOf(await token(tessera.url, await codeOf('no-nonce', { nonce: undefined })))
    expect(claimsOf(bare.id_token)).not.toHaveProperty('nonce')
    const tied = tokensOf(await token(tessera.url, await codeOf('no-nonce', { nonce: 'mine' })))
    expect(claimsOf(tied.id_token)).toMatchObject({ nonce: 'mine' })
  })

  it('without a state the answer has none', async () => {
    const answer = await authorized('no-state', { nonce: undefined, state: undefined })
    expect(Object.keys(answer).sort()).toEqual(['code', 'iss'])
    const refused = await authorized('no-state', { state: undefined, scope: 'email' })
    expect(Object.keys(refused).sort()).toEqual(['error', 'error_description', 'iss'])
  })

  describe('a code without PKCE', () => {
    it('is exchanged without a verifier, and refused with one', async () => {
      const { code_verifier, ...form } = await codeOf('no-pkce', withoutPkce)
      const forged = await token(tessera.url, { ...form, code_verifier: code_verifier ?? '' })
      expect(refusalOf(forged)).toBe('400 invalid_grant')
      tokensOf(await token(tessera.url, form))
    })

    it('is refused once the client must use PKCE again', async () => {
      const { code_verifier, ...form } = await codeOf('no-pkce', withoutPkce)
      await admin.patch('/clients/no-pkce', { require_pkce: true })
      try {
        expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
        const forged = await token(tessera.url, { ...form, code_verifier: code_verifier ?? '' })
        expect(refusalOf(forged)).toBe('400 invalid_grant')
      } finally {
        await admin.patch('/clients/no-pkce', noPkce)
      }
      tokensOf(await token(tessera.url, form))
    })
  })

  it('a code with PKCE needs its verifier, from a client that may do without too', async () => {
    const { code_verifier = '', ...form } = await codeOf('no-pkce')
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
    const wrong = await token(tessera.url, { ...form, code_verifier: 'w'.repeat(43) })
    expect(refusalOf(wrong)).toBe('400 invalid_grant')
    tokensOf(await token(tessera.url, { ...form, code_verifier }))
  })

  it('a request that was begun without a nonce does not end where one is needed by then', async () => {
    const stranger = new Visitor(tessera.url).browser
    const { path } = authorizeRequest({ client_id: 'no-nonce', nonce: undefined })
    const page = await stranger.open(path)
    await admin.patch('/clients/no-nonce', { require_nonce: true })
    try {
      expect(answerOf(await stranger.submit(page, people.importer))).toMatchObject({
        error: 'invalid_request',
      })
    } finally {
      await admin.patch('/clients/no-nonce', noNonce)
    }
  })

  it('openid-client signs in as its README does: without nonce, and without PKCE where that is off', async () => {
    for (const [id, changes] of [
      ['no-nonce', { nonce: undefined }],
      ['no-pkce', withoutPkce],
    ] as const) {
      const configuration = await client.discovery(new URL(tessera.url), id, secrets.get(id), undefined, {
        execute: [client.allowInsecureRequests],
      })
      const request = authorizeRequest({ client_id: id, ...changes })
      const visit = await visitor.browser.open(request.path)
      const { state = '', nonce } = request.parameters
      const tokens = await client.authorizationCodeGrant(configuration, new URL(visit.location ?? ''), {
        expectedState: state,
        ...(nonce !== undefined && { expectedNonce: nonce }),
        ...(id === 'no-nonce' && { pkceCodeVerifier: request.verifier }),
        idTokenExpected: true,
      })
      expect(tokens.claims()?.nonce).toBe(nonce)
    }
  })

  it.each<[string, object, string]>([
    ['public', noPkce, 'require_pkce'],
    ['web', { ...noPkce, ...noNonce }, 'require_nonce'],
    ['web', { ...noPkce, ...noState }, 'require_state'],
    ['web', { require_nonce: null }, 'require_nonce'],
    ['web', { require_nonce: 'false' }, 'require_nonce'],
  ])('of the type %s is not registered with %j', async (type, changes, field) => {
    const answer = await admin.post('/clients', { ...app, client_id: 'wrong', type, ...changes })
    expect(problemOf(answer)).toBe(`400 invalid_request ${field}`)
  })

  it.each([noNonce, noState, noPkce])('a machine is not registered with %j', async (changes) => {
    const machine = { client_id: 'wrong', client_name: 'Wrong', type: 'machine', ...changes }
    expect(problemOf(await admin.post('/clients', machine))).toBe(
      `400 invalid_request ${Object.keys(changes).join('')}`,
    )
  })

  it('both can not be taken away one after the other', async () => {
    const changes = { require_nonce: false }
    expect(problemOf(await admin.patch('/clients/no-pkce', changes))).toBe(
      '400 invalid_request require_nonce',
    )
    expect((await admin.get('/clients/no-pkce')).json).toMatchObject({ require_nonce: true })
  })

  it('the API and the explanation call each a weakening', async () => {
    const fieldsOf = (json: Record<string, unknown>) =>
      (json.weakenings as { field: string; detail: string }[]).map(({ field, detail }) => {
        expect(detail).toMatch(/^Without /)
        return field
      })
    const of = async (id: string) => fieldsOf((await admin.get(`/clients/${id}`)).json)
    expect(await of('strict')).toEqual([])
    expect(await of('no-state')).toEqual(['require_nonce', 'require_state'])
    expect(await of('no-pkce')).toEqual(['require_pkce'])
    const query = new URLSearchParams({
      permission: 'submissions-tool.vista-import.create',
      user_uuid: users.importer,
      profile_uuid: profiles.importer,
      client_id: 'no-pkce',
    })
    const { json } = await admin.get(`/access/explain?${query}`)
    expect(json).toMatchObject({ allowed: true })
    expect(fieldsOf(json)).toEqual(['require_pkce'])
  })
})
