import { expect, it } from 'vitest'
import { claimsOf } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, sampleOn } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { audiences, machine, otherMachine, refusalOf, token, tokensOf } from '../harness/program.ts'
import { addSecret } from '../harness/states.ts'

const grant = { grant_type: 'client_credentials' }

onEachDatabase('client_credentials', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect)

  const ask = async (changes: Record<string, string> = {}) =>
    await token(tessera.url, { ...grant, ...machine, ...changes })

  it('answers exactly access_token, token_type and expires_in', async () => {
    const answer = await ask()
    expect(Object.keys(tokensOf(answer)).sort()).toEqual(['access_token', 'expires_in', 'token_type'])
    expect(answer.json).toMatchObject({ token_type: 'Bearer', expires_in: 900 })
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('leaves out the organisation of a machine that has none', async () => {
    const claims = claimsOf(tokensOf(await token(tessera.url, { ...grant, ...otherMachine })).access_token)
    expect(claims).toMatchObject({
      sub: 'ledger-report',
      aud: audiences.ledger,
      permissions: ['ledger.entry.read'],
    })
    for (const absent of ['organisation_uuid', 'sid', 'auth_time', 'profile_uuid', 'role_code', 'email'])
      expect(claims).not.toHaveProperty(absent)
  })

  it('takes service.api as scope, and its own resource', async () => {
    for (const changes of [{ scope: 'service.api' }, { resource: audiences.submissions }]) {
      const claims = claimsOf(tokensOf(await ask(changes)).access_token)
      expect(claims).toMatchObject({ aud: audiences.submissions, scope: 'service.api' })
    }
  })

  it.each(
    sampleOn(dialect, 2, [
      ['a user scope', { scope: 'openid' }, '400 invalid_scope'],
      ['a user scope beside its own', { scope: 'service.api email' }, '400 invalid_scope'],
      ['an unknown scope', { scope: 'admin' }, '400 invalid_scope'],
      ['a scope in other case', { scope: 'SERVICE.API' }, '400 invalid_scope'],
      ['an unknown scope with quotes', { scope: '"<script>\\' }, '400 invalid_scope'],
      ['a resource of another service', { resource: audiences.ledger }, '400 invalid_target'],
      ['a resource that nobody has', { resource: 'https://elsewhere.example' }, '400 invalid_target'],
      ['its audience with a slash', { resource: `${audiences.submissions}/` }, '400 invalid_target'],
      ['a wrong secret', { client_secret: 'wrong' }, '401 invalid_client'],
      [
        'a secret that ends too soon',
        { client_secret: machine.client_secret.slice(0, -1) },
        '401 invalid_client',
      ],
      ['the secret of another machine', { client_secret: otherMachine.client_secret }, '401 invalid_client'],
      ['no secret', { client_secret: '' }, '401 invalid_client'],
      ['an unknown client', { client_id: 'nobody' }, '401 invalid_client'],
      ['a prototype name as client', { client_id: '__proto__' }, '401 invalid_client'],
      ['a client with SQL', { client_id: `' or '1'='1` }, '401 invalid_client'],
      ['no client', { client_id: '' }, '400 invalid_request'],
      ['an oversized secret', { client_secret: 'x'.repeat(5000) }, '400 invalid_request'],
      ['a code', { grant_type: 'authorization_code', code: 'x' }, '400 unauthorized_client'],
      ['a refresh token', { grant_type: 'refresh_token', refresh_token: 'x' }, '400 unauthorized_client'],
    ]),
  )('refuses %s', async (_, wrong, refusal) => {
    expect(refusalOf(await ask(wrong))).toBe(refusal)
  })

  it('refuses a public client', async () => {
    const answer = await token(tessera.url, { ...grant, client_id: 'submissions-web' })
    expect(refusalOf(answer)).toBe('400 unauthorized_client')
  })

  onOne.it.each(['grant_type', 'client_id', 'client_secret', 'scope', 'resource'])(
    'refuses %s twice',
    async (name) => {
      const right: Record<string, string> = {
        ...grant,
        ...machine,
        scope: 'service.api',
        resource: audiences.submissions,
      }
      const body = new URLSearchParams(right)
      body.append(name, right[name] ?? '')
      expect(refusalOf(await token(tessera.url, body))).toBe('400 invalid_request')
    },
  )

  onOne.it('does not take the secret, or any other parameter, from the query', async () => {
    for (const [query, body] of [
      [machine, grant],
      [{ client_secret: machine.client_secret }, { ...grant, client_id: machine.client_id }],
      [grant, machine],
    ] as const) {
      const address = `${tessera.url}/oauth2/token?${new URLSearchParams(query)}`
      const answer = await fetch(address, { method: 'POST', body: new URLSearchParams(body) })
      expect([400, 401]).toContain(answer.status)
      expect(await answer.json()).not.toHaveProperty('access_token')
    }
    // A query beside a right body changes nothing.
    const answer = await fetch(`${tessera.url}/oauth2/token?client_id=nobody&scope=openid`, {
      method: 'POST',
      body: new URLSearchParams({ ...grant, ...machine }),
    })
    expect(answer.status).toBe(200)
  })

  it('takes two secrets at once, each until it expires', async () => {
    const second = 'the-second-secret-of-the-nightly-import'
    tessera.clock.stop()
    const now = tessera.clock.now()
    await addSecret(tessera, 'nightly-import', { text: second, expiresAt: now + 60_000 })
    expect((await ask()).status).toBe(200)
    tessera.clock.advance(59_999)
    expect((await ask({ client_secret: second })).status).toBe(200)
    tessera.clock.advance(1)
    expect(refusalOf(await ask({ client_secret: second }))).toBe('401 invalid_client')
    expect((await ask()).status).toBe(200)
  })

  it('takes the same client from many sides at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask()))
    expect(new Set(answers.map((one) => one.status))).toEqual(new Set([200]))
    expect(new Set(answers.map((one) => claimsOf(tokensOf(one).access_token).jti)).size).toBe(50)
  })
})
