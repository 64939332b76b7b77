import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { auditHead } from '../../dist/audit/head.js'
import type { AuditRecord } from '../../dist/audit/read.js'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  profilesOfBoth,
  signIn,
  TestBrowser,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import {
  introspect,
  machine,
  machineToken,
  otherMachine,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  Visitor,
  withStore,
} from '../harness/program.ts'
import { tries, trySignIn, unknown, wrong } from '../identity/throttling-support.ts'
import { followAudit } from './support.ts'

/** What a running service records of those who use it: each event once, with who, from where and by which request. */

const uuids = {
  importer: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001',
  both: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0002',
} as const
const address = '192.0.2.77'
const from = (ip = address) => ({ headers: { 'x-forwarded-for': ip } })

onEachDatabase('the audit of a service', (dialect) => {
  const once = oneDatabase(dialect)
  let tessera: Tessera
  let reached = 0
  beforeAll(async () => {
    tessera = await startTessera(dialect, {
      settings: {
        TESSERA_LIMIT_CLIENT_AUTH: '5',
        TESSERA_LIMIT_SIGN_IN_ADDRESS: '15',
        TESSERA_TRUSTED_PROXIES: '127.0.0.0/8, ::1',
      },
    })
  })
  afterAll(() => tessera.close())
  beforeEach(async () => {
    // Past every delay that another test began.
    tessera.clock.advance(3_700_000)
    await recorded()
  })

  /** What was recorded since it was asked last. */
  async function recorded(): Promise<AuditRecord[]> {
    return await withStore(tessera, async (store) => {
      const { records } = await followAudit(store, {}, { after: reached, limit: 10_000 })
      reached = (await auditHead(store)).sequence
      return records
    })
  }
  const kinds = (records: readonly AuditRecord[]) => records.map(({ kind }) => kind)
  const requestOf = (visit: { headers: Headers }) => visit.headers.get('x-request-id')
  const browserAt = (ip: string) => {
    const browser = new TestBrowser(tessera.url)
    browser.headers['x-forwarded-for'] = ip
    return browser
  }

  it('has a sign-in, with person, session, client, address and request', async () => {
    const visit = await trySignIn(tessera.url, people.importer, from())
    expect(visit.status).toBe(303)
    const [one, ...more] = await recorded()
    expect(more).toEqual([])
    const { sid } = one ?? {}
    expect(one).toMatchObject({
      kind: 'sign_in.succeeded',
      actor: { kind: 'user', id: uuids.importer },
      address,
      request_id: requestOf(visit),
      target: { kind: 'session', id: sid },
      user_uuid: uuids.importer,
      client_id: 'submissions-web',
      detail: { amr: ['pwd'] },
    })
    expect(new Date(one?.at ?? '').getTime()).toBeCloseTo(tessera.clock.now(), -5)
  })

  once.it.each([
    ['a wrong password', wrong(people.importer), 'wrong_password', uuids.importer],
    ['an account that does not exist', unknown(1), 'unknown_account', undefined],
    [
      'an address that is a password',
      { email: 'hunter2 typed here', password: 'x' },
      'unknown_account',
      undefined,
    ],
  ])('has %s, and nothing that was typed', async (_, person, reason, user_uuid) => {
    const visit = await trySignIn(tessera.url, person, from())
    expect(visit.status).toBe(400)
    const records = await recorded()
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({
      kind: 'sign_in.failed',
      actor: { kind: 'anonymous' },
      address,
      request_id: requestOf(visit),
      client_id: 'submissions-web',
      detail: { reason },
    })
    expect(records[0]?.user_uuid).toBe(user_uuid)
    expect(records[0]?.target?.id).toBe(user_uuid)
    expect(JSON.stringify(records)).not.toContain(person.email)
    expect(JSON.stringify(records)).not.toContain(person.password === 'x' ? 'hunter2' : person.password)
  })

  it('has each delay of an account when it begins, and nothing of what is sent while it lasts', async () => {
    expect(new Set(await tries(tessera.url, 10, wrong(people.importer), from()))).toEqual(new Set([400]))
    const records = await recorded()
    expect(kinds(records)).toEqual([...Array<string>(10).fill('sign_in.failed'), 'sign_in.throttled'])
    const last = records.at(-1)
    expect(last).toMatchObject({
      actor: { kind: 'anonymous' },
      address,
      request_id: records.at(-2)?.request_id,
      target: { kind: 'user', id: uuids.importer },
      user_uuid: uuids.importer,
      detail: { counted_by: 'account', failures: 10, seconds: 5 },
    })
    expect(new Set(await tries(tessera.url, 5, wrong(people.importer), from()))).toEqual(new Set([429]))
    expect(await recorded()).toEqual([])
    tessera.clock.advance(6000)
    expect(await tries(tessera.url, 1, wrong(people.importer), from())).toEqual([400])
    const next = await recorded()
    expect(kinds(next)).toEqual(['sign_in.failed', 'sign_in.throttled'])
    expect(next[1]).toMatchObject({ detail: { counted_by: 'account', failures: 11, seconds: 10 } })
  })

  once.it('has the delay of a browser that is known, and of an address that guesses everywhere', async () => {
    const browser = browserAt(address)
    await signIn(browser, authorizeRequest().path, people.importer)
    await recorded()
    await tries(tessera.url, 10, wrong(people.importer), { browser })
    const records = await recorded()
    expect(kinds(records).filter((kind) => kind === 'sign_in.throttled')).toHaveLength(1)
    expect(records.at(-1)).toMatchObject({ detail: { counted_by: 'device' }, user_uuid: uuids.importer })

    for (let n = 0; n < 15; n++) await trySignIn(tessera.url, unknown(n), from('2001:db8::1:2:3:4'))
    const guessed = await recorded()
    expect(guessed.filter(({ kind }) => kind === 'sign_in.failed')).toHaveLength(15)
    expect(guessed.at(-1)).toMatchObject({
      kind: 'sign_in.throttled',
      address: '2001:db8::1:2:3:4',
      target: { kind: 'address', id: '2001:db8:0:0::/64' },
      detail: { counted_by: 'address', failures: 15 },
    })
    expect(guessed.at(-1)?.user_uuid).toBeUndefined()
  })

  it('has a sign-out, once, and a session that another person’s sign-in ends', async () => {
    const browser = browserAt(address)
    const request = authorizeRequest()
    await signIn(browser, request.path, people.importer)
    await signIn(browser, authorizeRequest({ prompt: 'login' }).path, people.both, profilesOfBoth.reader)
    const [first, ended, second] = await recorded()
    expect(ended).toMatchObject({
      kind: 'session.ended',
      actor: { kind: 'user', id: uuids.both },
      address,
      target: { kind: 'session', id: first?.sid },
      user_uuid: uuids.importer,
      detail: { reason: 'replaced' },
    })
    expect(second).toMatchObject({ kind: 'sign_in.succeeded', user_uuid: uuids.both })
    expect(second?.request_id).toBe(ended?.request_id)

    const logout = await browser.submit(await browser.open('/oauth2/logout'))
    expect(logout.status).toBe(200)
    await browser.open('/oauth2/logout')
    const records = await recorded()
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({
      kind: 'sign_out',
      actor: { kind: 'user', id: uuids.both },
      address,
      request_id: requestOf(logout),
      target: { kind: 'session', id: second?.sid },
      user_uuid: uuids.both,
    })
  })

  it('has a consent with what was allowed before, and none that was refused', async () => {
    const ask = (scope: string) =>
      authorizeRequest({
        client_id: 'partner-portal',
        redirect_uri: 'https://partner.example/callback?tenant=1',
        scope,
      }).path
    const browser = browserAt(address)
    const refused = await browser.submit(await signIn(browser, ask('openid'), people.importer), {
      choice: 'deny',
    })
    expect(answerOf(refused)).toMatchObject({ error: 'access_denied' })
    expect(kinds(await recorded())).toEqual(['sign_in.succeeded'])
    for (const scope of ['openid', 'openid profile']) {
      expect(
        answerOf(await browser.submit(await browser.open(ask(scope)), { choice: 'allow' })),
      ).toHaveProperty('code')
    }
    const [one, two, ...more] = await recorded()
    expect(more).toEqual([])
    expect(one).toMatchObject({
      kind: 'consent.given',
      actor: { kind: 'user', id: uuids.importer },
      address,
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      target: { kind: 'client', id: 'partner-portal' },
      user_uuid: uuids.importer,
      client_id: 'partner-portal',
      after: { scopes: ['openid'] },
    })
    expect(one).not.toHaveProperty('before')
    expect(two).toMatchObject({ before: { scopes: ['openid'] }, after: { scopes: ['openid', 'profile'] } })
  })

  it('has what a client revokes, once, and nothing that it may not', async () => {
    const tokens = await new Visitor(tessera.url).tokens()
    const { sid, jti } = claimsOf(tokens.access_token)
    const machines = await machineToken(tessera.url)
    await recorded()
    const revoke = (
      subject: string | undefined,
      client: Record<string, string> = { client_id: 'submissions-web' },
    ) =>
      post(
        `${tessera.url}/oauth2/revoke`,
        { ...client, token: subject ?? '' },
        { 'x-forwarded-for': address },
      )
    expect(refusalOf(await revoke(tokens.refresh_token, machine))).toBe('400 invalid_request')
    expect(refusalOf(await revoke(tokens.access_token, otherMachine))).toBe('400 invalid_request')
    expect((await revoke('no token at all')).status).toBe(200)
    expect(await recorded()).toEqual([])
    const requests: (string | null)[] = []
    for (const subject of [
      tokens.access_token,
      tokens.access_token,
      tokens.refresh_token,
      tokens.refresh_token,
    ])
      requests.push(requestOf(await revoke(subject)))
    await revoke(machines, machine)
    const [access, family, ofMachine, ...more] = await recorded()
    expect(more).toEqual([])
    const about = {
      actor: { kind: 'client', id: 'submissions-web' },
      address,
      user_uuid: uuids.importer,
      client_id: 'submissions-web',
      sid,
    }
    expect(access).toMatchObject({
      ...about,
      kind: 'access_token.revoked',
      target: { kind: 'access_token', id: jti },
      request_id: requests[0],
    })
    expect(family).toMatchObject({
      ...about,
      kind: 'token_family.revoked',
      target: { kind: 'token_family' },
      request_id: requests[2],
      detail: { reason: 'revoked_by_client' },
    })
    expect(ofMachine).toMatchObject({ kind: 'access_token.revoked', client_id: machine.client_id })
    expect(ofMachine).not.toHaveProperty('user_uuid')
  })

  it('has a code and a refresh token that came again, once', async () => {
    const visitor = new Visitor(tessera.url)
    const code = await visitor.code()
    const first = tokensOf(await token(tessera.url, code))
    const { sid } = claimsOf(first.access_token)
    const rotated = await visitor.tokens()
    await refresh(tessera.url, rotated.refresh_token)
    tessera.clock.advance(11_000)
    await recorded()
    const requests: (string | null)[] = []
    const from = { 'x-forwarded-for': address }
    for (let time = 0; time < 3; time++) {
      const again = await token(tessera.url, code, from)
      const old = await refresh(tessera.url, rotated.refresh_token, {}, from)
      expect([refusalOf(again), refusalOf(old)]).toEqual(['400 invalid_grant', '400 invalid_grant'])
      requests.push(requestOf(again), requestOf(old))
    }
    const about = {
      actor: { kind: 'client', id: 'submissions-web' },
      address,
      user_uuid: uuids.importer,
      client_id: 'submissions-web',
      sid,
    }
    const target = (refreshToken: string | undefined) => ({
      kind: 'token_family',
      id: refreshToken?.split('.')[0],
    })
    expect(await recorded()).toMatchObject([
      { ...about, kind: 'code.replayed', target: target(first.refresh_token), request_id: requests[0] },
      {
        ...about,
        kind: 'refresh_token.replayed',
        target: target(rotated.refresh_token),
        request_id: requests[1],
      },
    ])
  })

  once.it('has a client that guesses once a minute, whatever it sends, and no single failure', async () => {
    const ask = (form: Record<string, string>) =>
      token(tessera.url, { grant_type: 'client_credentials', ...form }, { 'x-forwarded-for': address })
    const guesses = { ...machine, client_secret: 'a guess' }
    for (let n = 0; n < 4; n++) await ask(guesses)
    expect(await recorded()).toEqual([])
    const fifth = await ask(guesses)
    for (let n = 0; n < 10; n++) expect((await ask(guesses)).status).toBe(429)
    const records = await recorded()
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({
      kind: 'client_authentication.throttled',
      actor: { kind: 'anonymous' },
      address,
      request_id: requestOf(fifth),
      target: { kind: 'client', id: machine.client_id },
      client_id: machine.client_id,
      detail: { failures: 5 },
    })
    for (let n = 0; n < 12; n++) await ask({ client_id: `invented-${n}`, client_secret: 'x' })
    const invented = await recorded()
    expect(invented).toHaveLength(1)
    expect(invented[0]).toMatchObject({ target: { kind: 'address', id: address } })
    expect(JSON.stringify(invented)).not.toContain('invented')
    tessera.clock.advance(61_000)
    for (let n = 0; n < 7; n++) await ask(guesses)
    expect(kinds(await recorded())).toEqual(['client_authentication.throttled'])
  })

  it('has nothing of tokens that are issued, refreshed, asked about or refused', async () => {
    const visitor = new Visitor(tessera.url)
    await visitor.tokens()
    await recorded()
    const tokens = await visitor.tokens()
    const next = tokensOf(await refresh(tessera.url, tokens.refresh_token))
    await userinfo(tessera.url, next.access_token)
    await introspect(tessera.url, next.access_token)
    await machineToken(tessera.url)
    await token(tessera.url, { grant_type: 'authorization_code', client_id: 'submissions-web', code: 'x' })
    expect(await recorded()).toEqual([])
  })

  once.it('has no secret of any kind', async () => {
    const all = await withStore(tessera, ({ db }) => db.selectFrom('audit_records').selectAll().execute())
    const text = JSON.stringify(all)
    expect(all.length).toBeGreaterThan(60)
    for (const secret of ['correct horse', 'a wrong password', 'a guess', machine.client_secret, '$argon2'])
      expect(text).not.toContain(secret)
    const hashes = await withStore(tessera, async ({ db }) => [
      ...(await db.selectFrom('client_secrets').select('secret_hash as hash').execute()),
      ...(await db.selectFrom('sessions').select('cookie_hash as hash').execute()),
      ...(await db.selectFrom('token_families').select('current_hash as hash').execute()),
      ...(await db.selectFrom('signing_keys').select('private_key as hash').execute()),
    ])
    expect(hashes.length).toBeGreaterThan(10)
    for (const { hash } of hashes) expect(text).not.toContain(hash)
  })

  it('is part of the change: what can not be recorded does not happen', async () => {
    const visitor = new Visitor(tessera.url)
    const tokens = await visitor.tokens()
    // PostgreSQL is restored while services run, SQLite is not.
    const withoutTable = dialect === 'postgres' ? 503 : 500
    const records = dialect === 'postgres' ? 'audit_waiting' : 'audit_head'
    const lost = await withStore(tessera, async ({ db }) => {
      await db.schema.alterTable(records).renameTo('gone').execute()
      return await db.selectFrom('sessions').select('sid').execute()
    })
    try {
      const visit = await trySignIn(tessera.url, people.importer, from())
      expect(visit.status).toBe(withoutTable)
      expect(
        (
          await post(`${tessera.url}/oauth2/revoke`, {
            client_id: 'submissions-web',
            token: tokens.refresh_token ?? '',
          })
        ).status,
      ).toBe(withoutTable)
    } finally {
      await withStore(tessera, ({ db }) => db.schema.alterTable('gone').renameTo(records).execute())
    }
    const now = await withStore(tessera, ({ db }) => db.selectFrom('sessions').select('sid').execute())
    expect(now).toEqual(lost)
    expect((await refresh(tessera.url, tokens.refresh_token)).status).toBe(200)
    expect(await recorded()).toMatchObject([{ kind: 'sign_in.succeeded' }])
  })
})
