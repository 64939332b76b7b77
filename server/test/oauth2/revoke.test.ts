import { beforeAll, expect, it } from 'vitest'
import { claimsOf, post } from '../harness/browser.ts'
import { applyChanged } from '../declared/change.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import {
  introspect,
  machine,
  machineToken,
  otherMachine,
  refresh,
  refusalOf,
  tokensOf,
  userinfo,
  Visitor,
} from '../harness/program.ts'
import { sweepAt } from '../harness/states.ts'

const web = { client_id: 'submissions-web' }

onEachDatabase('revocation', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  beforeAll(async () => {
    visitor = new Visitor(tessera.url)
  })

  const revoke = async (token: string | undefined, client: Record<string, string> = web) =>
    await post(`${tessera.url}/oauth2/revoke`, { ...client, token: token ?? '' })
  const alive = async (tokens: Record<string, string>) => ({
    userinfo: (await userinfo(tessera.url, tokens.access_token)).status,
    introspection: (await introspect(tessera.url, tokens.access_token)).active,
    refresh: (await refresh(tessera.url, tokens.refresh_token)).status,
  })
  const all = { userinfo: 200, introspection: true, refresh: 200 }
  const none = { userinfo: 401, introspection: false, refresh: 400 }

  it('of a refresh token ends its family and the family’s access tokens, and no other', async () => {
    const [one, two] = [await visitor.tokens(), await visitor.tokens()]
    const answer = await revoke(one.refresh_token)
    expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([200, '', 'no-store'])
    expect(await alive(one)).toEqual(none)
    expect(await alive(two)).toEqual(all)
    // Again is no error.
    expect((await revoke(one.refresh_token)).status).toBe(200)
  })

  it('of a replaced refresh token ends the family all the same', async () => {
    const first = await visitor.tokens()
    const second = tokensOf(await refresh(tessera.url, first.refresh_token))
    tessera.clock.advance(60_000)
    expect((await revoke(first.refresh_token)).status).toBe(200)
    expect(await alive(second)).toEqual(none)
  })

  it('of an access token ends it alone', async () => {
    const first = await visitor.tokens()
    const second = tokensOf(await refresh(tessera.url, first.refresh_token))
    expect((await revoke(first.access_token)).status).toBe(200)
    expect((await userinfo(tessera.url, first.access_token)).status).toBe(401)
    expect(await introspect(tessera.url, first.access_token)).toEqual({ active: false })
    // For as long as it would have lived, whatever is swept meanwhile.
    await sweepAt(tessera, tessera.clock.now() + 890_000)
    expect(await introspect(tessera.url, first.access_token)).toEqual({ active: false })
    expect(await alive(second)).toEqual(all)
    expect((await revoke(first.access_token)).status).toBe(200)
  })

  it('of a machine’s access token is the machine’s own to ask', async () => {
    const jwt = await machineToken(tessera.url)
    expect(await introspect(tessera.url, jwt)).toMatchObject({ active: true })
    expect(refusalOf(await revoke(jwt, otherMachine))).toBe('400 invalid_request')
    expect(await introspect(tessera.url, jwt)).toMatchObject({ active: true })
    expect((await revoke(jwt, machine)).status).toBe(200)
    expect(await introspect(tessera.url, jwt)).toEqual({ active: false })
  })

  onOne.it('ignores token_type_hint, right or wrong', async () => {
    for (const token_type_hint of ['access_token', 'refresh_token', 'nonsense']) {
      const tokens = await visitor.tokens()
      const form = { ...web, token: tokens.refresh_token ?? '', token_type_hint }
      expect((await post(`${tessera.url}/oauth2/revoke`, form)).status).toBe(200)
      expect(await alive(tokens)).toEqual(none)
    }
  })

  onOne.it('of what nobody knows is answered 200', async () => {
    const { id_token } = await visitor.tokens()
    const form = await visitor.code()
    for (const unknown of ['x', '__proto__', '..', id_token, form.code, `${'0'.repeat(32)}.a.b`]) {
      expect((await revoke(unknown)).status).toBe(200)
    }
  })

  it.each(['refresh_token', 'access_token'])('of another client’s %s is refused', async (kind) => {
    const tokens = await visitor.tokens()
    for (const client of [{ client_id: 'partner-portal' }, machine]) {
      expect(refusalOf(await revoke(tokens[kind], client))).toBe('400 invalid_request')
    }
    expect(await alive(tokens)).toEqual(all)
  })

  onOne.it.each([
    ['no client', {}, '400 invalid_request'],
    ['an unknown client', { client_id: 'nobody' }, '401 invalid_client'],
    ['an inactive client', { client_id: 'retired-app' }, '401 invalid_client'],
    ['a public client with a secret', { ...web, client_secret: 'x' }, '401 invalid_client'],
    ['a machine without its secret', { client_id: 'nightly-import' }, '401 invalid_client'],
    ['a machine with a wrong secret', { ...machine, client_secret: 'x' }, '401 invalid_client'],
  ])('is refused to %s, and nothing ends', async (_, client, refusal) => {
    const tokens = await visitor.tokens()
    expect(refusalOf(await revoke(tokens.refresh_token, client))).toBe(refusal)
    expect(await alive(tokens)).toEqual(all)
  })

  onOne.it('is refused without a token, with two, or with one in the query', async () => {
    const tokens = await visitor.tokens()
    const twice = new URLSearchParams({ ...web, token: tokens.refresh_token ?? '' })
    twice.append('token', 'x')
    for (const [query, form] of [
      ['', web],
      ['', twice],
      [`?token=${tokens.refresh_token}`, web],
      ['', { ...web, 'token[]': tokens.refresh_token ?? '' }],
    ] as const) {
      expect(refusalOf(await post(`${tessera.url}/oauth2/revoke${query}`, form))).toBe('400 invalid_request')
    }
    expect(await alive(tokens)).toEqual(all)
  })

  onOne.it('leaves the browser session as it is', async () => {
    const tokens = await visitor.tokens()
    await revoke(tokens.refresh_token)
    const next = await visitor.tokens()
    expect(claimsOf(next.access_token).sid).toBe(claimsOf(tokens.access_token).sid)
  })

  it('during fifty parallel refreshes leaves nothing alive', async () => {
    const tokens = await visitor.tokens()
    const refreshes = Array.from({ length: 50 }, () => refresh(tessera.url, tokens.refresh_token))
    const [revoked, ...answers] = await Promise.all([revoke(tokens.refresh_token), ...refreshes])
    expect(revoked?.status).toBe(200)
    expect(answers.every((one) => one.status === 200 || one.json.error === 'invalid_grant')).toBe(true)
    for (const one of answers.filter((answer) => answer.status === 200)) {
      expect((await userinfo(tessera.url, String(one.json.access_token))).status).toBe(401)
      expect((await refresh(tessera.url, String(one.json.refresh_token))).status).toBe(400)
    }
  })

  it('of an access token that is too long for a header, with hundreds of permissions, ends it too', async () => {
    const codes = Array.from({ length: 500 }, (_, n) => `submissions-tool.resource-${n}.approve`)
    const create = '      - code: submissions-tool.vista-import.create\n'
    const importer = 'permissions: [submissions-tool.vista-import.create, '
    await applyChanged(
      tessera,
      [create, `${codes.map((code) => `      - code: ${code}\n`).join('')}${create}`],
      [importer, `${importer}${codes.join(', ')}, `],
    )
    const { access_token: token = '' } = await visitor.tokens()
    expect(token.length).toBeGreaterThan(16_384)
    expect((await introspect(tessera.url, token)).permissions).toHaveLength(502)
    expect((await revoke(token)).status).toBe(200)
    expect(await introspect(tessera.url, token)).toEqual({ active: false })
  })
})
