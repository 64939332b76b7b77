import { beforeAll, expect, it } from 'vitest'
import { claimsOf, people, post } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { introspect, machine, machineToken, otherMachine, refusalOf, Visitor } from '../harness/program.ts'

onOneDatabase('introspection', (dialect) => {
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  let tokens: Record<string, string>
  beforeAll(async () => {
    visitor = new Visitor(tessera.url)
    tokens = await visitor.tokens()
  })

  const ask = async (form: Record<string, string> | URLSearchParams, headers: Record<string, string> = {}) =>
    await post(`${tessera.url}/oauth2/introspect`, form, headers)

  it('tells a service what a token that is meant for it says', async () => {
    const answer = await ask({ ...machine, token: tokens.access_token ?? '' })
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ active: true, token_type: 'Bearer', ...claimsOf(tokens.access_token) })
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('takes Basic, and ignores a token_type_hint', async () => {
    const credentials = Buffer.from(`${machine.client_id}:${machine.client_secret}`).toString('base64')
    for (const token_type_hint of ['access_token', 'refresh_token', 'nonsense']) {
      const form = { token: tokens.access_token ?? '', token_type_hint }
      const answer = await ask(form, { authorization: `Basic ${credentials}` })
      expect(answer.json.active).toBe(true)
    }
  })

  it('is refused to a public client that names itself by Basic, with a challenge as by any Basic', async () => {
    const credentials = Buffer.from('submissions-web:').toString('base64')
    const answer = await ask({ token: tokens.access_token ?? '' }, { authorization: `Basic ${credentials}` })
    expect(refusalOf(answer)).toBe('401 invalid_client')
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+"/)
  })

  it('tells a machine of its own tokens', async () => {
    const own = await machineToken(tessera.url, otherMachine)
    const { json } = await ask({ ...otherMachine, token: own })
    expect(json).toMatchObject({ active: true, sub: 'ledger-report', client_id: 'ledger-report' })
  })

  it('tells nothing of tokens that are meant for others', async () => {
    const forIssuer = (await visitor.tokens({ scope: 'openid email' })).access_token
    expect(await introspect(tessera.url, forIssuer)).toEqual({ active: false })
    const forSubmissions = await ask({ ...otherMachine, token: tokens.access_token ?? '' })
    expect(forSubmissions.json).toEqual({ active: false })
    const ofMachine = await ask({ ...otherMachine, token: await machineToken(tessera.url) })
    expect(ofMachine.json).toEqual({ active: false })
  })

  it('tells nothing of what is no access token', async () => {
    const form = await visitor.code()
    for (const token of [tokens.id_token, tokens.refresh_token, form.code, 'x', '..', 'x'.repeat(16_000)]) {
      expect(await introspect(tessera.url, token)).toEqual({ active: false })
    }
  })

  it('tells that an expired token is not active', async () => {
    const short = await new Visitor(tessera.url, people.admin).tokens()
    expect(await introspect(tessera.url, short.access_token)).toMatchObject({ active: true })
    tessera.clock.advance(901_000)
    expect(await introspect(tessera.url, short.access_token)).toEqual({ active: false })
  })

  it.each([
    ['nobody', {}, '401 invalid_client'],
    ['nobody, by an empty name', { client_id: '' }, '401 invalid_client'],
    ['a secret without a name', { client_secret: machine.client_secret }, '401 invalid_client'],
    ['a public client', { client_id: 'submissions-web' }, '401 invalid_client'],
    ['the token’s own client, which proves nothing', { client_id: 'submissions-web' }, '401 invalid_client'],
    ['a wrong secret', { ...machine, client_secret: 'wrong' }, '401 invalid_client'],
    ['no secret', { client_id: machine.client_id }, '401 invalid_client'],
    ['an inactive client', { client_id: 'retired-app' }, '401 invalid_client'],
  ])('is refused to %s', async (_, form, refusal) => {
    expect(refusalOf(await ask({ ...form, token: tokens.access_token ?? '' }))).toBe(refusal)
  })

  it('is refused without a token, with two, with an oversized one, or by the query', async () => {
    const twice = new URLSearchParams({ ...machine, token: 'x' })
    twice.append('token', 'y')
    for (const form of [machine, { ...machine, token: '' }, twice]) {
      expect(refusalOf(await ask(form))).toBe('400 invalid_request')
    }
    const oversized = await ask({ ...machine, token: 'x'.repeat(66_000) })
    expect(refusalOf(oversized)).toBe('413 request_too_large')
    const address = `${tessera.url}/oauth2/introspect?token=${tokens.access_token}`
    expect(refusalOf(await post(address, machine))).toBe('400 invalid_request')
  })

  it('takes no bearer token in the place of a client', async () => {
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    expect(refusalOf(await ask({ token: tokens.access_token ?? '' }, headers))).toBe('401 invalid_client')
  })
})
