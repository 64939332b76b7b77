import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { answerOf, authorizeRequest, headerOf, redirectUri, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { introspect, refusalOf, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'
import { addExchanger, exchange, exchangerBody, must } from './exchange-support.ts'

const client = {
  client_id: 'alike',
  client_name: 'Alike',
  type: 'web',
  first_party: true,
  redirect_uris: [redirectUri],
  scope: 'openid service.api',
  services: ['submissions-tool'],
  id_token_signed_response_alg: 'ES256',
}

/** Both tokens of one key and one `typ`: of a service that asks for JWT and ES256, through a client that does. */
onOneDatabase('an ID token and an access token whose headers are the same', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_GRANTS: '0', TESSERA_LIMIT_AUTHORIZE: '0' })
  let admin: Administrator
  let visitor: Visitor
  let own: { client_id: string; client_secret: string }
  let tokens: Record<string, string>
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    must(
      await admin.patch('/services/submissions-tool', { access_token_alg: 'ES256', access_token_typ: 'JWT' }),
      200,
    )
    const { json } = must(await admin.post('/clients', client), 201)
    own = { client_id: client.client_id, client_secret: String(json.client_secret) }
    visitor = new Visitor(tessera.url)
    const form = await visitor.code({ client_id: client.client_id, scope: client.scope })
    tokens = tokensOf(await token(tessera.url, { ...form, ...own }))
    expect(headerOf(tokens.access_token)).toEqual(headerOf(tokens.id_token))
  })

  it('the ID token opens nothing', async () => {
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(200)
    expect((await userinfo(tessera.url, tokens.id_token)).status).toBe(401)
    expect(await introspect(tessera.url, tokens.id_token, own)).toEqual({ active: false })
    const body = exchangerBody('submissions-tool', ['ledger'], ['ledger.entry.read'])
    const caller = await addExchanger(admin, body)
    expect((await exchange(tessera.url, caller, tokens.access_token)).status).toBe(200)
    const refused = await exchange(tessera.url, caller, tokens.id_token)
    expect(refusalOf(refused)).toBe('400 invalid_request')
  })

  it('the access token is no hint of who it is about', async () => {
    const asks = async (hint: string | undefined) => {
      const changes = { ...{ scope: 'openid', prompt: 'none' }, id_token_hint: hint }
      const { path } = authorizeRequest({ client_id: client.client_id, ...changes })
      return answerOf(await visitor.browser.open(path))
    }
    expect(await asks(tokens.id_token)).toHaveProperty('code')
    expect(await asks(tokens.access_token)).toMatchObject({ error: 'invalid_request' })
    const out = new URLSearchParams({ id_token_hint: tokens.access_token ?? '' })
    expect((await new TestBrowser(tessera.url).request(`/oauth2/logout?${out}`)).status).toBe(400)
  })

  it.each([
    ['machine', { services: [], permissions: [] }, ['id_token_signed_response_alg']],
    [
      'proxied',
      { origins: ['https://wiki.example'], routes: { '* /*': 'signed-in' }, dpop_bound_access_tokens: true },
      ['dpop_bound_access_tokens', 'id_token_signed_response_alg'],
    ],
  ])('a %s client has none of it', async (type, more, fields) => {
    const body = {
      client_id: `a-${type}`,
      client_name: 'A',
      type,
      id_token_signed_response_alg: 'ES256',
      ...more,
    }
    const { json } = must(await admin.post('/clients', body), 400)
    const named = (json.errors as { field: string }[]).map(({ field }) => field)
    expect(named.toSorted()).toEqual(fields)
  })
})
