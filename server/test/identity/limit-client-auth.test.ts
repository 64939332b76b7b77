import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { post } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { type Answer, machine, otherMachine, refresh, refusalOf, token, Visitor } from '../harness/program.ts'

const grant = { grant_type: 'client_credentials' }
const wrong = { ...machine, client_secret: 'wrong' }
const web = { client_id: 'submissions-web' }

onEachDatabase('failed client authentications', (dialect) => {
  const onOne = oneDatabase(dialect)
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startTessera(dialect, {
      settings: { TESSERA_LIMIT_CLIENT_AUTH: '5', TESSERA_TRUSTED_PROXIES: '127.0.0.0/8, ::1' },
    })
    tessera.clock.stop()
  })
  afterAll(() => tessera.close())
  // What was counted is forgotten after a minute.
  beforeEach(() => tessera.clock.advance(61_000))

  const ask = async (form: Record<string, string>, address = '192.0.2.1') =>
    await token(tessera.url, { ...grant, ...form }, { 'x-forwarded-for': address })
  const fail = async (times: number, form: Record<string, string> = wrong, address?: string) => {
    const answers: Answer[] = []
    for (let index = 0; index < times; index++) answers.push(await ask(form, address))
    return answers.map(refusalOf)
  }

  it('are 429 with Retry-After after five, for the right secret too', async () => {
    expect((await ask(machine)).status).toBe(200)
    expect(new Set(await fail(5))).toEqual(new Set(['401 invalid_client']))
    for (const form of [wrong, machine]) {
      const answer = await ask(form)
      expect(refusalOf(answer)).toBe('429 too_many_requests')
      const seconds = Number(answer.headers.get('retry-after'))
      expect(seconds).toBeGreaterThanOrEqual(1)
      expect(seconds).toBeLessThanOrEqual(60)
    }
  })

  it('end after the minute that Retry-After promises', async () => {
    await fail(5)
    const seconds = Number((await ask(machine)).headers.get('retry-after'))
    tessera.clock.advance((seconds + 1) * 1000)
    expect((await ask(machine)).status).toBe(200)
  })

  it('are forgotten when the clock is set back, and count anew, in the database too', async () => {
    await fail(6)
    tessera.clock.advance(-3_600_000)
    try {
      expect(new Set(await fail(5))).toEqual(new Set(['401 invalid_client']))
      expect((await ask(machine)).status).toBe(429)
      tessera.clock.advance(61_000)
      expect((await ask(machine)).status).toBe(200)
    } finally {
      tessera.clock.advance(3_600_000)
    }
  })

  it('leave the first four without a trace', async () => {
    await fail(4)
    for (let index = 0; index < 8; index++) expect((await ask(machine)).status).toBe(200)
  })

  it('concern neither another client nor another address', async () => {
    await fail(6)
    expect((await ask(machine)).status).toBe(429)
    expect((await ask(otherMachine)).status).toBe(200)
    expect((await ask(machine, '192.0.2.2')).status).toBe(200)
  })

  onOne.it('count an IPv6 subscriber as one, and an IPv4 address in IPv6 clothes as itself', async () => {
    await fail(5, wrong, '2001:db8:1:2::1')
    expect((await ask(machine, '2001:db8:1:2:ffff::9')).status).toBe(429)
    expect((await ask(machine, '2001:db8:1:3::1')).status).toBe(200)
    await fail(5, wrong, '192.0.2.9')
    expect((await ask(machine, '::ffff:192.0.2.9')).status).toBe(429)
  })

  it('count together whatever endpoint they came to, by body or by Basic', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const basic = `Basic ${Buffer.from('nightly-import:wrong').toString('base64')}`
    await token(tessera.url, grant, { ...headers, authorization: basic })
    await post(`${tessera.url}/oauth2/introspect`, { ...wrong, token: 'x' }, headers)
    await post(`${tessera.url}/oauth2/revoke`, { ...wrong, token: 'x' }, headers)
    await post(`${tessera.url}/v1/iam/token/refresh`, { ...wrong, refresh_token: 'x' }, headers)
    await fail(1)
    for (const endpoint of ['introspect', 'revoke']) {
      const answer = await post(`${tessera.url}/oauth2/${endpoint}`, { ...machine, token: 'x' }, headers)
      expect(refusalOf(answer)).toBe('429 too_many_requests')
    }
    expect((await ask(machine)).status).toBe(429)
  })

  it('count all names that nobody has as one, so that invented ones fill no table', async () => {
    for (let index = 0; index < 5; index++) {
      expect(refusalOf(await ask({ client_id: `nobody-${index}` }))).toBe('401 invalid_client')
    }
    for (const form of [{ client_id: 'nobody-9' }, { client_id: 'nobody-9', client_secret: 'x' }]) {
      expect(refusalOf(await ask(form))).toBe('429 too_many_requests')
    }
    expect((await ask({ client_id: 'nobody-9' }, '192.0.2.2')).status).toBe(401)
    expect((await ask(machine)).status).toBe(200)
    expect(refusalOf(await ask(wrong))).toBe('401 invalid_client')
  })

  it('count an unknown client and one without its secret', async () => {
    for (const form of [
      { client_id: 'nobody' },
      { client_id: 'ledger-report' },
      { client_id: 'retired-app' },
    ]) {
      expect(new Set(await fail(5, form))).toEqual(new Set(['401 invalid_client']))
      expect(refusalOf(await ask(form))).toBe('429 too_many_requests')
    }
  })

  it('never shut out a public client, which has no secret to guess', async () => {
    const tokens = await new Visitor(tessera.url).tokens()
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    await fail(8, { ...web, client_secret: 'x' })
    expect(refusalOf(await ask({ ...web, client_secret: 'x' }))).toBe('429 too_many_requests')
    const form = { ...web, refresh_token: tokens.refresh_token ?? '' }
    expect((await post(`${tessera.url}/v1/iam/token/refresh`, form, headers)).status).toBe(200)
  })

  onOne.it('are not counted for requests that are only malformed', async () => {
    await fail(0)
    for (let index = 0; index < 8; index++) {
      const answer = await ask({ client_id: '' })
      expect(refusalOf(answer)).toBe('400 invalid_request')
      expect(refusalOf(await ask({ ...machine, scope: 'admin' }))).toBe('400 invalid_scope')
      expect(refusalOf(await refresh(tessera.url, 'x'))).toBe('400 invalid_grant')
    }
    expect((await ask(machine)).status).toBe(200)
  })

  onOne.it('believe no forwarded address from someone who is no proxy', async () => {
    const plain = await startTessera(dialect, { settings: { TESSERA_LIMIT_CLIENT_AUTH: '3' } })
    try {
      for (let index = 0; index < 3; index++) {
        await token(plain.url, { ...grant, ...wrong }, { 'x-forwarded-for': `192.0.2.${index}` })
      }
      const answer = await token(plain.url, { ...grant, ...machine }, { 'x-forwarded-for': '192.0.2.99' })
      expect(answer.status).toBe(429)
    } finally {
      await plain.close()
    }
  })

  onOne.it('are not limited with 0', async () => {
    const unlimited = await startTessera(dialect, { settings: { TESSERA_LIMIT_CLIENT_AUTH: '0' } })
    try {
      for (let index = 0; index < 40; index++) {
        expect((await token(unlimited.url, { ...grant, ...wrong })).status).toBe(401)
      }
    } finally {
      await unlimited.close()
    }
  })
})
