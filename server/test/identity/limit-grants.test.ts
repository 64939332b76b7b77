import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { post } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { machine, otherMachine, refusalOf, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'

const web = { client_id: 'submissions-web' }
const grant = { grant_type: 'client_credentials', ...machine }
const badCode = {
  grant_type: 'authorization_code',
  ...web,
  code: 'x',
  redirect_uri: 'x',
  code_verifier: 'x',
}

onEachDatabase('refused grants', (dialect) => {
  const onOne = oneDatabase(dialect)
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startTessera(dialect, {
      settings: {
        TESSERA_LIMIT_GRANTS: '5',
        TESSERA_LIMIT_CLIENT_AUTH: '3',
        TESSERA_TRUSTED_PROXIES: '127.0.0.0/8, ::1',
      },
    })
    tessera.clock.stop()
  })
  afterAll(() => tessera.close())
  beforeEach(() => tessera.clock.advance(61_000))

  const from = (address: string) => ({ 'x-forwarded-for': address })
  const ask = async (form: Record<string, string>, address = '192.0.2.1') =>
    await token(tessera.url, form, from(address))
  const refreshWith = async (refresh_token: string, address = '192.0.2.1') =>
    await post(`${tessera.url}/v1/iam/token/refresh`, { ...web, refresh_token }, from(address))

  it('are 429 with Retry-After after five, at both addresses and of every kind', async () => {
    expect(refusalOf(await ask(badCode))).toBe('400 invalid_grant')
    expect(refusalOf(await ask({ grant_type: 'password' }))).toBe('400 unsupported_grant_type')
    expect(refusalOf(await refreshWith('x'))).toBe('400 invalid_grant')
    expect(refusalOf(await ask({ ...grant, client_secret: 'x' }))).toBe('401 invalid_client')
    expect(refusalOf(await ask({}))).toBe('400 invalid_request')
    for (const answer of [await ask(badCode), await refreshWith('x'), await ask(grant)]) {
      expect(refusalOf(answer)).toBe('429 too_many_requests')
      const seconds = Number(answer.headers.get('retry-after'))
      expect(seconds).toBeGreaterThanOrEqual(1)
      expect(seconds).toBeLessThanOrEqual(60)
    }
  })

  it('concern no other address', async () => {
    for (let index = 0; index < 6; index++) await ask(badCode)
    expect((await ask(grant)).status).toBe(429)
    expect((await ask(grant, '192.0.2.2')).status).toBe(200)
  })

  onOne.it('count an IPv6 subscriber as one', async () => {
    for (let index = 0; index < 5; index++) await ask(badCode, `2001:db8:1:2::${index}`)
    expect((await ask(grant, '2001:db8:1:2:ffff::9')).status).toBe(429)
    expect((await ask(grant, '2001:db8:1:3::1')).status).toBe(200)
  })

  it('end after a minute, however often one asked meanwhile', async () => {
    for (let index = 0; index < 12; index++) await ask(badCode)
    tessera.clock.advance(61_000)
    expect((await ask(grant)).status).toBe(200)
  })

  it('are forgotten when the clock is set back, and count anew', async () => {
    for (let index = 0; index < 6; index++) await ask(badCode)
    tessera.clock.advance(-3_600_000)
    for (let index = 0; index < 5; index++) expect(refusalOf(await ask(badCode))).toBe('400 invalid_grant')
    expect((await ask(grant)).status).toBe(429)
    tessera.clock.advance(61_000)
    expect((await ask(grant)).status).toBe(200)
    tessera.clock.advance(3_600_000)
  })

  it('do not count what is refused by the limit of one client, which would shut out the others', async () => {
    const wrong = { ...grant, client_secret: 'x' }
    for (let index = 0; index < 3; index++) expect(refusalOf(await ask(wrong))).toBe('401 invalid_client')
    for (let index = 0; index < 4; index++) expect((await ask(wrong)).status).toBe(429)
    expect((await ask({ ...grant, ...otherMachine })).status).toBe(200)
  })

  it('do not count what succeeds', async () => {
    for (let index = 0; index < 12; index++) expect((await ask(grant)).status).toBe(200)
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(grant)))
    expect(new Set(answers.map((one) => one.status))).toEqual(new Set([200]))
    expect(refusalOf(await ask(badCode))).toBe('400 invalid_grant')
  })

  onOne.it('leave discovery, keys and userinfo alone, and burn nothing', async () => {
    const visitor = new Visitor(tessera.url)
    const tokens = await visitor.tokens()
    const form = await visitor.code()
    for (let index = 0; index < 6; index++) await ask(badCode)
    expect((await ask(form)).status).toBe(429)
    expect((await refreshWith(tokens.refresh_token ?? '')).status).toBe(429)
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(200)
    for (const path of ['/oauth2/jwks', '/.well-known/openid-configuration']) {
      const answer = await fetch(`${tessera.url}${path}`, { headers: from('192.0.2.1') })
      expect(answer.status).toBe(200)
    }
    expect(tokensOf(await ask(form, '192.0.2.2'))).toHaveProperty('id_token')
    expect((await refreshWith(tokens.refresh_token ?? '', '192.0.2.2')).status).toBe(200)
  })

  onOne.it('are not limited with 0', async () => {
    const unlimited = await startTessera(dialect, { settings: { TESSERA_LIMIT_GRANTS: '0' } })
    try {
      for (let index = 0; index < 40; index++) {
        expect((await token(unlimited.url, badCode)).status).toBe(400)
      }
    } finally {
      await unlimited.close()
    }
  })
})
