import { beforeAll, beforeEach, expect, it } from 'vitest'
import { Authenticator, type Deviations } from '../harness/authenticator.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  formOn,
  people,
  profilesOfBoth,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { passCode } from '../harness/development-mail.ts'
import { tesseraOn } from '../harness/harness.ts'
import { token } from '../harness/program.ts'
import { asked, credentialOf, type Owned } from './passkey-support.ts'

onOneDatabase('a security key or passkey after a password', (dialect) => {
  const tessera = tesseraOn(dialect)
  let key: Owned
  let passkey: Owned
  let others: Owned
  let browser: TestBrowser
  beforeAll(async () => {
    key = await credentialOf(tessera, people.importer, { kind: 'security_key' })
    passkey = await credentialOf(tessera, people.importer, { backupEligible: true })
    others = await credentialOf(tessera, people.admin, { kind: 'security_key' })
  })
  beforeEach(() => {
    browser = new TestBrowser(tessera.url)
  })

  const atKey = async (changes: Record<string, string> = {}) => {
    const request = authorizeRequest(changes)
    return { request, page: await browser.submit(await browser.open(request.path), people.importer) }
  }

  async function use(page: Visit, one: Authenticator, deviations: Deviations = {}): Promise<Visit> {
    const { options, form } = await asked(browser, page, 'second_factor')
    return await browser.submit(page, form(one.get(options, deviations)))
  }

  it('is asked for, and makes the level phr, also without user verification', async () => {
    for (const one of [key, passkey]) {
      const { request, page } = await atKey({ prompt: 'login' })
      expect(new URL(page.url).pathname).toBe('/sign-in/second-factor')
      const { options, form } = await asked(browser, page, 'second_factor')
      expect(options).toEqual({
        rpId: 'localhost',
        challenge: expect.any(String),
        userVerification: 'discouraged',
        allowCredentials: expect.any(Array),
      })
      // In the order of their ids, which within a millisecond is none.
      const allowed = options.allowCredentials as { id: string }[]
      expect(new Set(allowed.map(({ id }) => id))).toEqual(
        new Set([key, passkey].map(({ credentialId }) => credentialId)),
      )
      const cookie = browser.cookies.get('tessera-session')
      const answer = await browser.submit(
        page,
        form(one.get(options, { userVerified: false, userHandle: undefined })),
      )
      expect(browser.cookies.get('tessera-session')).not.toBe(cookie)
      const { json } = await token(tessera.url, {
        grant_type: 'authorization_code',
        client_id: 'submissions-web',
        redirect_uri: request.parameters.redirect_uri ?? '',
        code: answerOf(answer).code ?? '',
        code_verifier: request.verifier,
      })
      expect(claimsOf(json.id_token as string)).toMatchObject({ acr: 'phr', amr: ['pwd', 'pop', 'mfa'] })
    }
  })

  it('refuses another person’s key, another person’s user handle, and a challenge of another purpose', async () => {
    const { page } = await atKey()
    expect((await use(page, others)).status).toBe(400)
    expect((await use(page, key, { userHandle: others.userHandle })).status).toBe(400)
    const signIn = await browser.open(authorizeRequest({ prompt: 'login' }).path)
    const { options, form } = await asked(browser, signIn)
    const answer = await browser.submit(page, form(key.get(options)))
    expect(answer.status).toBe(400)
    expect(answer.body).toContain('was not accepted')
    expect(answerOf(await use(page, key))).toHaveProperty('code')
  })

  it('is skipped by nothing: not by asking for the code, nor by another request', async () => {
    const { page } = await atKey()
    for (const path of ['/oauth2/authorize/continue', '/consent', '/choose-profile']) {
      const visit = await browser.open(`${path}?request=${new URL(page.url).searchParams.get('request')}`)
      expect(new URL(visit.url).pathname).toBe('/sign-in/second-factor')
    }
    expect(answerOf(await browser.open(authorizeRequest({ prompt: 'none' }).path))).toMatchObject({
      error: 'login_required',
    })
    const other = await browser.open(authorizeRequest().path)
    expect(new URL(other.url).pathname).toBe('/sign-in/second-factor')
  })

  it('counts wrong ones with wrong codes, and delays', async () => {
    const { page } = await atKey()
    const stranger = new Authenticator(tessera.url)
    const statuses: number[] = []
    for (let tries = 0; tries < 7; tries++) statuses.push((await use(page, stranger)).status)
    expect(statuses.slice(0, 5)).toEqual([400, 400, 400, 400, 400])
    expect(statuses.at(-1)).toBe(429)
    tessera.clock.advance(60_000)
    expect(answerOf(await use(page, key))).toHaveProperty('code')
  })
})

onOneDatabase('a key that a level demands', (dialect) => {
  const tessera = tesseraOn(dialect)
  const path = authorizeRequest({ acr_values: 'phr' }).path

  it.each(['passkey', 'security_key'])('is set up on the way, as a %s, with recovery codes', async (kind) => {
    const browser = new TestBrowser(tessera.url)
    const who = kind === 'passkey' ? people.importer : people.admin
    const first = await browser.submit(await browser.open(path), who)
    expect(new URL(first.url).pathname).toBe('/sign-in/enrol')
    // The address of the administrator is not verified, so no code is mailed to it.
    const isVerified = who === people.importer
    const page = isVerified ? await passCode(tessera, { browser, page: first, address: who.email }) : first
    const wrong = await asked(browser, page, kind)
    const deviations = { origin: 'https://evil.example' }
    const made = new Authenticator(tessera.url)
    expect((await browser.submit(page, wrong.form(made.create(wrong.options, deviations)))).status).toBe(400)
    const right = await asked(browser, page, kind)
    const codes = await browser.submit(page, right.form(made.create(right.options)))
    expect(codes.body.match(/<li>\d+-[0-9A-Z-]{19}<\/li>/g)).toHaveLength(10)
    expect(answerOf(await browser.submit(codes, { choice: 'saved' }))).toHaveProperty('code')
  })

  it('is not set up with the cookie of an older session, nor where nothing demands it', async () => {
    const browser = new TestBrowser(tessera.url)
    const page = await browser.submit(await browser.open(path), people.both)
    const asking = page.url.includes('/choose-profile')
      ? await browser.submit(page, { profile_uuid: profilesOfBoth.reader })
      : page
    const chosen = await passCode(tessera, { browser, page: asking, address: people.both.email })
    expect(new URL(chosen.url).pathname).toBe('/sign-in/enrol')
    const { options, form } = await asked(browser, chosen, 'passkey')
    tessera.clock.advance(11 * 60_000)
    const sent = form(new Authenticator(tessera.url).create(options))
    expect(new URL((await browser.submit(chosen, sent)).url).pathname).toBe('/sign-in')
    const plain = await browser.open(authorizeRequest({ prompt: 'login' }).path)
    const action = plain.url.replace('/sign-in?', '/sign-in/enrol?')
    const { csrf = '' } = formOn(plain).hidden
    const visit = await browser.follow(await browser.request(action, { form: { csrf, ...sent } }))
    expect(new URL(visit.url).pathname).toBe('/sign-in')
  })
})

onOneDatabase('a person whose every key is of an earlier address', (dialect) => {
  const tessera = tesseraOn(dialect)

  it('signs in as without, sees where it belongs, and may set up another by a code from a mail', async () => {
    await credentialOf(tessera, people.importer, { kind: 'security_key', rpId: 'earlier.example' })
    const browser = new TestBrowser(tessera.url)
    const page = await browser.open(authorizeRequest().path)
    expect(answerOf(await browser.submit(page, people.importer))).toHaveProperty('code')
    const account = await browser.open('/account/sign-in')
    expect(account.body).toMatch(/Of an earlier address \(<bdi[^>]*>earlier\.example/)
    const { csrf = '' } = formOn(account).hidden
    const asking = await browser.request('/account/sign-in', { form: { csrf, do: 'key' } })
    expect(asking.body).not.toContain('data-ask="passkey"')
    const adding = await passCode(tessera, { browser, page: asking, address: people.importer.email })
    expect(adding.body).toContain('data-ask="passkey"')
  })
})
