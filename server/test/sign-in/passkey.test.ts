import { warnOfEarlierPasskeys } from '../../dist/background/earlier-passkeys.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Authenticator, type Deviations } from '../harness/authenticator.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  formOn,
  people,
  signIn,
  TestBrowser,
  tokensFor,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, sampleOn } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { token, withStore } from '../harness/program.ts'
import { applyChanged, disabled } from '../declared/change.ts'
import { recordsOf } from '../audit/support.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { asked, byPasskey, credentialOf, type Owned } from './passkey-support.ts'

afterAll(cleanUp)

onEachDatabase('a passkey as the whole sign-in', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  let passkey: Owned
  beforeAll(async () => {
    passkey = await credentialOf(tessera, people.importer)
  })
  beforeEach(() => {
    browser = new TestBrowser(tessera.url)
  })

  it('signs in, with what the options ask for', async () => {
    const page = await browser.open(authorizeRequest().path)
    expect(page.body).toContain('autocomplete="username webauthn"')
    const { options, form } = await asked(browser, page)
    expect(options).toEqual({
      rpId: 'localhost',
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      userVerification: 'required',
    })
    const answer = await browser.submit(page, form(passkey.get(options)))
    expect(answerOf(answer)).toMatchObject({ code: expect.any(String) })
  })

  const refused: [string, Deviations][] = [
    ['of another RP ID', { rpId: 'localhost.evil.example' }],
    ['of another origin', { origin: 'https://evil.example' }],
    ['of a frame', { crossOrigin: true }],
    ['of another ceremony', { type: 'webauthn.create' }],
    ['of another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['without user verification', { userVerified: false }],
    ['that nobody touched', { userPresent: false }],
    ['with another person’s user handle', { userHandle: Buffer.alloc(32).toString('base64url') }],
    ['without a user handle', { userHandle: undefined }],
    ['signed by another key', { forged: true }],
    ['whose backup eligibility changed', { backupEligible: true }],
  ]

  it.each(sampleOn(dialect, 1, refused))('refuses one %s', async (_what, deviations) => {
    const page = await byPasskey(browser, passkey, { deviations })
    expect(page.status).toBe(400)
    expect(page.body).toContain('That passkey was not accepted.')
    expect(browser.cookies.has('tessera-session')).toBe(false)
    expect(answerOf(await byPasskey(browser, passkey))).toHaveProperty('code')
  })

  it('refuses a replay, and an answer to a challenge of another browser or request', async () => {
    const passkey = await credentialOf(tessera, people.importer, { backupEligible: true })
    const page = await browser.open(authorizeRequest().path)
    const { options, form } = await asked(browser, page)
    const sent = form(passkey.get(options))
    const other = new TestBrowser(tessera.url)
    expect((await other.submit(await other.open(authorizeRequest().path), sent)).status).toBe(400)
    const another = await browser.open(authorizeRequest().path)
    expect((await browser.submit(another, sent)).status).toBe(400)
    expect(answerOf(await browser.submit(page, sent))).toHaveProperty('code')
    const again = await browser.open(authorizeRequest({ prompt: 'login' }).path)
    expect((await browser.submit(again, sent)).status).toBe(400)
  })

  it('refuses one that nobody has, is of an earlier address, or only follows a password', async () => {
    const unknown = new Authenticator(tessera.url)
    unknown.userHandle = passkey.userHandle
    const page = await byPasskey(browser, unknown)
    expect(page.status).toBe(400)
    // What the browser's password manager is told to forget.
    expect(page.body).toContain('data-signal="signalUnknownCredential"')
    expect(page.body).toContain(unknown.credentialId)
    const key = await credentialOf(tessera, people.importer, { kind: 'security_key' })
    const earlier = await credentialOf(tessera, people.importer, { rpId: 'earlier.example' })
    for (const one of [key, earlier]) {
      const visit = await byPasskey(browser, one)
      expect(visit.status).toBe(400)
      expect(visit.body).not.toContain('signalUnknownCredential')
    }
    const warnings: string[] = []
    const log = { warn: (_fields: object, message: string) => void warnings.push(message) }
    await withStore(tessera, (store) => warnOfEarlierPasskeys(store, 'localhost', log))
    expect(warnings).toEqual([
      expect.stringMatching(/^1 passkeys and security keys .* TESSERA_WEBAUTHN_RP_ID/),
    ])
  })

  it('refuses and suspends one whose counter goes back, unless it may be copied', async () => {
    const bound = await credentialOf(tessera, people.both)
    const synced = await credentialOf(tessera, people.both, { backupEligible: true })
    for (const signCount of [7, 7, 0]) {
      const visit = await byPasskey(new TestBrowser(tessera.url), synced, { deviations: { signCount } })
      expect(visit.url).toContain('/choose-profile')
    }
    const tries = [7, 7, 8].map((signCount) => ({ deviations: { signCount } }))
    const visits = []
    for (const one of tries) visits.push(await byPasskey(new TestBrowser(tessera.url), bound, one))
    // The third is of one that is suspended.
    expect(visits.map(({ status }) => status)).toEqual([200, 400, 400])
    expect(await reasonsOf(bound.user_uuid)).toEqual(['passkey_counter', 'passkey_suspended'])
    expect(await kindsOf(bound.user_uuid)).toContain('factor.suspended')
  })

  it('counts one of two parallel answers with the same counter', async () => {
    const bound = await credentialOf(tessera, people.both)
    const browsers = [new TestBrowser(tessera.url), new TestBrowser(tessera.url)]
    const visits = await Promise.all(
      browsers.map((one) => byPasskey(one, bound, { deviations: { signCount: 5 } })),
    )
    expect(visits.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 400])
  })

  it('of another system signs in after an import, where it is whole, of this domain and nobody’s yet', async () => {
    const one = new Authenticator(tessera.url)
    one.userHandle = Buffer.alloc(16, 'handle').toString('base64url')
    const rowOf = (name: string, changed: object = {}, user_handle = one.userHandle) => {
      const { credentialId: credential_id, publicKey: public_key } = new Authenticator(tessera.url).kept()
      const whole = { credential_id, public_key, rp_id: 'localhost', backup_eligible: false }
      return { email: `${name}@passkeys.example`, name, user_handle, passkeys: [{ ...whole, ...changed }] }
    }
    const { credentialId: credential_id, publicKey: public_key } = one.kept()
    const rows = [
      { ...rowOf('right', { credential_id, public_key }), profiles: [{ role: 'reader' }] },
      rowOf('foreign', { rp_id: 'other.example' }),
      rowOf('padded', { credential_id: `${credential_id}=` }, 'AAAA'),
      rowOf('keyless', { public_key: credential_id }, 'AAAB'),
      { ...rowOf('nameless'), user_handle: undefined },
      rowOf('again', { credential_id }, 'AAAC'),
      rowOf('namesake'),
      rowOf('taken', { credential_id: passkey.credentialId }, 'AAAD'),
      rowOf('taking', {}, passkey.userHandle),
    ]
    const file = join(temporaryFolder(), 'people.jsonl')
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url }
    const { stdout, code } = await run(['import', file, '--json'], { environment })
    const told = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; line: number; field: string })
    expect(told.filter(({ kind }) => kind === 'refused').map((each) => [each.line, each.field])).toEqual([
      [2, 'passkeys.0.rp_id'],
      [3, 'passkeys.0.credential_id'],
      [4, 'passkeys.0.public_key'],
      [5, 'user_handle'],
      [6, 'passkeys'],
      [7, 'passkeys'],
      [8, 'passkeys'],
      [9, 'passkeys'],
    ])
    expect([code, told.at(-1)]).toEqual([2, expect.objectContaining({ imported: 1, refused: 8 })])
    expect(answerOf(await byPasskey(browser, one))).toHaveProperty('code')
  })

  it('refuses a person who was disabled, as anybody who is unknown', async () => {
    const key = await credentialOf(tessera, people.nobody)
    await applyChanged(tessera, disabled(`  - email: ${people.nobody.email}`))
    const page = await byPasskey(browser, key)
    expect([page.status, page.body.includes('That passkey was not accepted.')]).toEqual([400, true])
    expect(await reasonsOf(key.user_uuid)).toEqual(['disabled_account'])
  })

  it('tells the client how: acr phr, amr pop and mfa, also for prompt=login and max_age=0', async () => {
    for (const changes of [{}, { prompt: 'login' }, { max_age: '0' }]) {
      const before = Math.floor(tessera.clock.now() / 1000)
      const claims = await claimsBy(browser, passkey, changes)
      expect(claims).toMatchObject({ acr: 'phr', amr: ['pop', 'mfa'], sub: passkey.user_uuid })
      expect(claims.auth_time).toBeGreaterThanOrEqual(before)
      tessera.clock.advance(5000)
    }
  })

  onOne.it('is not asked for again by a request of prompt=none', async () => {
    await byPasskey(browser, passkey)
    expect(answerOf(await browser.open(authorizeRequest({ prompt: 'none' }).path))).toHaveProperty('code')
  })

  onOne.it('is refused to a client that names another person', async () => {
    const { id_token: hint = '' } = await tokensFor(tessera.url, people.admin)
    const visit = await byPasskey(browser, passkey, { changes: { id_token_hint: hint } })
    expect(answerOf(visit)).toMatchObject({ error: 'login_required' })
  })

  it('ends the session of another person', async () => {
    const { cookies } = browser
    await signIn(browser, authorizeRequest().path, people.admin)
    const before = cookies.get('tessera-session') ?? ''
    await byPasskey(browser, passkey, { changes: { prompt: 'login' } })
    const other = new TestBrowser(tessera.url)
    other.cookies.set('tessera-session', before)
    expect(answerOf(await other.open(authorizeRequest({ prompt: 'none' }).path))).toMatchObject({
      error: 'login_required',
    })
  })

  onOne.it('gives options to the browser of a sign-in alone, and for nothing else', async () => {
    const page = await browser.open(authorizeRequest().path)
    const from = /data-passkeys="([^"]*)"/.exec(page.body)?.[1] ?? ''
    const { csrf = '' } = formOn(page).hidden
    const ask = async (one: TestBrowser, form: Record<string, string>) =>
      (await one.request(from, { form, headers: { accept: 'application/json' } })).status
    expect(await ask(browser, { csrf, purpose: 'sign_in' })).toBe(200)
    expect(await ask(browser, { csrf: 'x', purpose: 'sign_in' })).toBe(403)
    expect(await ask(browser, { csrf, purpose: 'second_factor' })).toBe(400)
    expect(await ask(browser, { csrf, purpose: 'passkey' })).toBe(400)
    expect(await ask(browser, { csrf })).toBe(400)
    expect(await ask(new TestBrowser(tessera.url), { csrf, purpose: 'sign_in' })).toBe(400)
  })

  onOne.it('is refused whatever a browser sends', async () => {
    for (const credential of [
      '',
      '{',
      '[]',
      'null',
      '{"id":1}',
      JSON.stringify({ id: 'a', rawId: 'a', type: 'public-key', response: {} }),
    ]) {
      const page = await browser.open(authorizeRequest().path)
      const { form } = await asked(browser, page)
      expect((await browser.submit(page, form(credential))).status).toBe(400)
    }
  })

  async function claimsBy(one: TestBrowser, authenticator: Owned, changes: Record<string, string>) {
    const request = authorizeRequest(changes)
    const page = await one.open(request.path)
    const { options, form } = await asked(one, page)
    const { code = '' } = answerOf(await one.submit(page, form(authenticator.get(options))))
    const { json } = await token(tessera.url, {
      grant_type: 'authorization_code',
      client_id: request.parameters.client_id ?? '',
      redirect_uri: request.parameters.redirect_uri ?? '',
      code,
      code_verifier: request.verifier,
    })
    return claimsOf(json.id_token as string)
  }

  const recordsAbout = async (user_uuid: string) =>
    (await withStore(tessera, recordsOf)).filter((record) => record.user_uuid === user_uuid)
  const kindsOf = async (user_uuid: string) => (await recordsAbout(user_uuid)).map(({ kind }) => kind)
  const reasonsOf = async (user_uuid: string) =>
    (await recordsAbout(user_uuid))
      .filter(({ kind }) => kind === 'sign_in.failed')
      .map(({ detail }) => (JSON.parse(detail ?? '{}') as { reason?: string }).reason)
})

onEachDatabase('wrong passkeys', (dialect) => {
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '2' } })

  it('are counted by address, and delay the right one', async () => {
    const passkey = await credentialOf(tessera, people.importer)
    const browser = new TestBrowser(tessera.url)
    const unknown = new Authenticator(tessera.url)
    expect((await byPasskey(browser, unknown)).status).toBe(400)
    expect(answerOf(await byPasskey(browser, passkey))).toHaveProperty('code')
    // The right one is taken back, so this is the second that is wrong.
    expect((await byPasskey(browser, unknown, { changes: { prompt: 'login' } })).status).toBe(400)
    const page = await byPasskey(browser, passkey, { changes: { prompt: 'login' } })
    expect(page.status).toBe(429)
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
    tessera.clock.advance(10_000)
    expect(answerOf(await byPasskey(browser, passkey, { changes: { prompt: 'login' } }))).toHaveProperty(
      'code',
    )
  })
})

describe('an issuer that is an IP address', () => {
  const tessera = tesseraOn('sqlite', { settings: { TESSERA_ISSUER: 'http://127.0.0.1:4999' } })

  it('has no passkeys, and its page no script', async () => {
    const browser = new TestBrowser(tessera.listening)
    const page = await browser.open(authorizeRequest().path)
    expect(page.body).not.toMatch(/<script src="(?!\/assets\/controls-)|passkey|webauthn/)
    const { csrf = '' } = formOn(page).hidden
    const from = `/sign-in/passkey${new URL(page.url).search}`
    const answer = await browser.request(from, {
      form: { csrf, purpose: 'sign_in' },
      headers: { accept: '*/*' },
    })
    expect([answer.status, answer.body]).toEqual([404, expect.stringContaining('IP address')])
  })
})

describe('a domain that was moved from, or is above the issuer', () => {
  const tessera = tesseraOn('sqlite', {
    settings: {
      TESSERA_WEBAUTHN_RP_ID: 'acme.example',
      TESSERA_WEBAUTHN_ORIGINS: 'https://id.acme.example, https://new.example:8443',
    },
  })

  it('is what passkeys are asked for, and names the origins that may use them', async () => {
    const browser = new TestBrowser(tessera.url)
    const { options } = await asked(browser, await browser.open(authorizeRequest().path))
    expect(options.rpId).toBe('acme.example')
    const own = await credentialOf(tessera, people.importer, { rpId: 'acme.example' })
    const deviations = { rpId: 'acme.example' }
    expect((await byPasskey(browser, own)).status).toBe(400)
    expect(answerOf(await byPasskey(browser, own, { deviations }))).toHaveProperty('code')
    const document = await fetch(`${tessera.url}/.well-known/webauthn`)
    expect(document.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await document.json()).toEqual({
      origins: ['https://id.acme.example', 'https://new.example:8443'],
    })
  })
})
