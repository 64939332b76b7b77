import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { machine, refusalOf, refresh, token, userinfo, Visitor } from '../harness/program.ts'

const without = (form: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(form).filter(([one]) => one !== name))

onOneDatabase('code exchange', (dialect) => {
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  beforeAll(async () => {
    visitor = new Visitor(tessera.url)
  })

  /** A refusal, and then the right exchange: the refusal must not have burned the code. */
  async function refusedAndNotBurned(wrong: (form: Record<string, string>) => Record<string, string>) {
    const form = await visitor.code()
    const refusal = refusalOf(await token(tessera.url, wrong(form)))
    expect((await token(tessera.url, form)).status).toBe(200)
    return refusal
  }

  describe.each(['grant_type', 'client_id', 'redirect_uri', 'code', 'code_verifier'])('%s', (name) => {
    it('is required', async () => {
      expect(await refusedAndNotBurned((form) => without(form, name))).toBe('400 invalid_request')
    })
    it('counts as left out when empty', async () => {
      expect(await refusedAndNotBurned((form) => ({ ...form, [name]: '' }))).toBe('400 invalid_request')
    })
    it('is refused when repeated, even with the same value', async () => {
      const form = await visitor.code()
      const twice = new URLSearchParams(form)
      twice.append(name, form[name] ?? '')
      expect(refusalOf(await token(tessera.url, twice))).toBe('400 invalid_request')
      expect((await token(tessera.url, form)).status).toBe(200)
    })
    it('is refused when oversized or with a NUL', async () => {
      for (const value of ['x'.repeat(4097), 'x\0y']) {
        expect(await refusedAndNotBurned((form) => ({ ...form, [name]: value }))).toBe('400 invalid_request')
      }
    })
    it('does not count in the query', async () => {
      const form = await visitor.code()
      const query = new URLSearchParams({ [name]: form[name] ?? '' })
      const answer = await fetch(`${tessera.url}/oauth2/token?${query}`, {
        method: 'POST',
        body: new URLSearchParams(without(form, name)),
      })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ error: 'invalid_request' })
    })
  })

  it.each([
    ['another registered redirect_uri', { redirect_uri: 'http://localhost:4001/callback' }],
    ['the redirect_uri with a slash', { redirect_uri: 'http://127.0.0.1:4001/callback/' }],
    ['the redirect_uri in other case', { redirect_uri: 'HTTP://127.0.0.1:4001/callback' }],
    ['another verifier', { code_verifier: randomBytes(32).toString('base64url') }],
    ['a verifier that is too short', { code_verifier: 'short' }],
    ['a verifier that is too long', { code_verifier: 'a'.repeat(129) }],
    ['another client', { client_id: 'partner-portal' }],
    ['an unknown code', { code: `${'0'.repeat(32)}.${'A'.repeat(43)}` }],
    ['a code of another shape', { code: '__proto__' }],
    ['a code with SQL', { code: `' or '1'='1` }],
  ])('refuses %s and does not burn the code', async (_, wrong) => {
    expect(await refusedAndNotBurned((form) => ({ ...form, ...wrong }))).toBe('400 invalid_grant')
  })

  it('refuses the challenge itself as verifier', async () => {
    const challenge = 'A'.repeat(43)
    const form = await visitor.code({ code_challenge: challenge })
    const answer = await token(tessera.url, { ...form, code_verifier: challenge })
    expect(refusalOf(answer)).toBe('400 invalid_grant')
  })

  it('refuses a code whose halves are of two codes', async () => {
    const [one, two] = [await visitor.code(), await visitor.code()]
    const mixed = `${one.code?.split('.')[0]}.${two.code?.split('.')[1]}`
    expect(refusalOf(await token(tessera.url, { ...one, code: mixed }))).toBe('400 invalid_grant')
    expect((await token(tessera.url, one)).status).toBe(200)
    expect((await token(tessera.url, two)).status).toBe(200)
  })

  it.each([
    ['a client that does not exist', { client_id: 'nobody' }, '401 invalid_client'],
    ['an inactive client', { client_id: 'retired-app' }, '401 invalid_client'],
    ['the client in other case', { client_id: 'Submissions-Web' }, '401 invalid_client'],
    ['a public client with a secret', { client_secret: 'anything' }, '401 invalid_client'],
    ['a machine client', machine, '400 unauthorized_client'],
    ['a machine client without its secret', { client_id: 'nightly-import' }, '401 invalid_client'],
    ['an unknown grant', { grant_type: 'password' }, '400 unsupported_grant_type'],
    ['a grant in other case', { grant_type: 'Authorization_Code' }, '400 unsupported_grant_type'],
    ['a prototype name as grant', { grant_type: 'constructor' }, '400 unsupported_grant_type'],
    ['client_credentials', { grant_type: 'client_credentials' }, '400 unauthorized_client'],
    ['another resource', { resource: 'https://ledger.acme.example/api' }, '400 invalid_target'],
  ])('refuses %s and does not burn the code', async (_, wrong, refusal) => {
    expect(await refusedAndNotBurned((form) => ({ ...form, ...wrong }))).toBe(refusal)
  })

  it('ignores what it does not know, prototype names and PHP-style names', async () => {
    const form = await visitor.code()
    const hostile = { 'code[]': 'x', __proto__x: 'y', constructor: 'z', 'redirect_uri[0]': 'w', state: 's' }
    const body = new URLSearchParams({ ...form, ...hostile })
    body.append('__proto__', 'p')
    body.append('hasOwnProperty', 'h')
    expect((await token(tessera.url, body)).status).toBe(200)
  })

  it.each(['code', 'client_id', 'code_verifier'])('does not take %s[] for %s', async (name) => {
    const refusal = await refusedAndNotBurned((form) => ({
      ...without(form, name),
      [`${name}[]`]: form[name] ?? '',
    }))
    expect(refusal).toBe('400 invalid_request')
  })

  it('refuses more than a hundred parameters', async () => {
    const refusal = await refusedAndNotBurned((form) => ({
      ...form,
      ...Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 'y'])),
    }))
    expect(refusal).toBe('400 invalid_request')
  })

  it('gives a refresh token that is no code, and a code that is no refresh token', async () => {
    const form = await visitor.code()
    expect(refusalOf(await refresh(tessera.url, form.code))).toBe('400 invalid_grant')
    const { json } = await token(tessera.url, form)
    const asCode = await token(tessera.url, { ...form, code: String(json.refresh_token) })
    expect(refusalOf(asCode)).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, String(json.access_token))).status).toBe(200)
  })
})
