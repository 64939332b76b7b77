import { beforeAll, expect, it } from 'vitest'
import { Authenticator, type Deviations } from '../harness/authenticator.ts'
import {
  answerOf,
  authorizeRequest,
  formOn,
  people,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { passCode } from '../harness/development-mail.ts'
import { tesseraOn } from '../harness/harness.ts'
import { auditOf } from '../harness/states.ts'
import { asked, byPasskey, credentialOf } from '../sign-in/passkey-support.ts'

const path = '/account/sign-in'
const minute = 60_000

onEachDatabase('passkeys and security keys on the page of how somebody signs in', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' } })
  beforeAll(() => tessera.clock.stop())

  async function act(one: TestBrowser, page: Visit, fields: Record<string, string>): Promise<Visit> {
    const { csrf = '' } = formOn(page).hidden
    return await one.follow(await one.request(path, { form: { csrf, ...fields } }))
  }

  /** Where the address is verified, a code from a mail was given as well. */
  async function signedIn(person: { email: string; password: string }): Promise<TestBrowser> {
    const one = new TestBrowser(tessera.url)
    await signIn(one, authorizeRequest().path, person)
    const page = await act(one, await one.open(path), { do: 'key' })
    if (page.body.includes('value="send"'))
      await passCode(tessera, { browser: one, page, address: person.email })
    return one
  }

  /** Sets one up with what the script of the page would send. */
  async function setUp(
    one: TestBrowser,
    authenticator: Authenticator,
    {
      kind = 'passkey',
      deviations = {},
      alg = -7,
    }: { kind?: string; deviations?: Deviations; alg?: number } = {},
  ): Promise<Visit> {
    const page = await act(one, await one.open(path), { do: 'key' })
    const { options, form } = await asked(one, page, kind)
    return await act(one, page, { do: 'key', ...form(authenticator.create(options, deviations, alg)) })
  }

  it('sets up a passkey, with recovery codes, by which the person then signs in', async () => {
    const one = await signedIn(people.importer)
    const page = await act(one, await one.open(path), { do: 'key' })
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'; connect-src 'self'")
    const { options } = await asked(one, page, 'passkey')
    expect(options).toEqual({
      rp: { id: 'localhost', name: 'localhost' },
      user: {
        id: expect.stringMatching(/^[\w-]{43}$/),
        name: people.importer.email,
        displayName: expect.any(String),
      },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      hints: ['client-device', 'hybrid'],
      attestation: 'none',
      excludeCredentials: [],
      extensions: { credProps: true },
    })
    const passkey = new Authenticator(tessera.url, { backupEligible: true })
    const codes = await setUp(one, passkey)
    expect(codes.body.match(/<li>\d+(?:-[0-9A-Z]{4}){4}<\/li>/g)).toHaveLength(10)
    const list = await one.open(path)
    for (const text of [
      'Passkey',
      'Synced between your devices',
      'data-signal="signalAllAcceptedCredentials"',
    ])
      expect(list.body).toContain(text)
    expect(answerOf(await byPasskey(new TestBrowser(tessera.url), passkey))).toHaveProperty('code')
    const kinds = (await auditOf(tessera, { kind: 'factor.created' })).map(({ detail }) => detail?.kind)
    expect(kinds).toContain('passkey')
  })

  once.it('sets up a security key beside it, which excludes what is there', async () => {
    const one = await signedIn(people.both)
    const first = new Authenticator(tessera.url)
    await setUp(one, first)
    const page = await act(one, await one.open(path), { do: 'key' })
    const { options, form } = await asked(one, page, 'security_key')
    expect(options).toMatchObject({
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' },
      hints: ['security-key'],
      excludeCredentials: [{ type: 'public-key', id: first.credentialId, transports: ['internal'] }],
    })
    const key = new Authenticator(tessera.url)
    const elsewhere = new TestBrowser(tessera.url)
    await byPasskey(elsewhere, first)
    expect((await elsewhere.open(path)).status).toBe(200)
    const made = form(key.create(options, { userVerified: false }))
    const done = await act(one, page, { do: 'key', elsewhere: '1', ...made })
    expect(done.body).toContain('The second factor is set up.')
    // Who had got in before is out, as was ticked.
    expect(new URL((await elsewhere.open(path)).url).pathname).toBe('/sign-in')
    expect(new URL((await one.open(path)).url).pathname).toBe(path)
    // It never signs in alone, verified or not.
    expect((await byPasskey(new TestBrowser(tessera.url), key)).status).toBe(400)
  })

  once.it('refuses what is no right new passkey', async () => {
    const one = await signedIn(people.admin)
    const wrong: [string, Deviations, number?][] = [
      ['of another origin', { origin: 'https://evil.example' }],
      ['of another RP ID', { rpId: 'evil.example' }],
      ['of a frame', { crossOrigin: true }],
      ['of another challenge', { challenge: 'x' }],
      ['of another ceremony', { type: 'webauthn.get' }],
      ['without user verification', { userVerified: false }],
      ['that nobody touched', { userPresent: false }],
      ['of another algorithm', {}, -35],
    ]
    for (const [what, deviations, alg = -7] of wrong) {
      const page = await setUp(one, new Authenticator(tessera.url), { deviations, alg })
      expect([what, page.status]).toEqual([what, 400])
    }
    const other = await signedIn(people.nobody)
    const theirs = await act(other, await other.open(path), { do: 'key' })
    const { options, form } = await asked(other, theirs, 'passkey')
    const sent = form(new Authenticator(tessera.url).create(options))
    const mine = await act(one, await one.open(path), { do: 'key' })
    expect((await act(one, mine, { do: 'key', ...sent })).status).toBe(400)
    // It was used up by nobody else, and is by its own person, once.
    expect((await act(other, theirs, { do: 'key', ...sent })).status).toBe(200)
    expect((await act(other, theirs, { do: 'key', ...sent })).status).toBe(400)
  })

  it('refuses a credential that somebody has already', async () => {
    const one = await signedIn(people.admin)
    const taken = new Authenticator(tessera.url)
    expect((await setUp(one, taken)).status).toBe(200)
    expect((await setUp(one, taken)).status).toBe(400)
  })

  once.it(
    'wants a proof of the last ten minutes by the passkey itself, also of who stole the session',
    async () => {
      const passkey = await credentialOf(tessera, people.admin)
      const one = new TestBrowser(tessera.url)
      await byPasskey(one, passkey)
      tessera.clock.advance(11 * minute)
      const page = await one.open(path)
      const asking = await act(one, page, { do: 'key' })
      expect(asking.body).toContain('data-ask="second_factor"')
      const byPassword = await one.submit(asking, { password: people.admin.password })
      expect(byPassword.body).toContain('data-ask="second_factor"')
      const { options, form } = await asked(one, byPassword, 'second_factor')
      expect(options.userVerification).toBe('preferred')
      expect((await one.submit(byPassword, form(new Authenticator(tessera.url).get(options)))).status).toBe(
        400,
      )
      const again = await asked(one, byPassword, 'second_factor')
      const proved = await one.submit(byPassword, again.form(passkey.get(again.options)))
      expect(proved.body).toContain('Set up a passkey or security key')
    },
  )

  once.it('gives options to nobody else', async () => {
    const one = await signedIn(people.importer)
    const { csrf = '' } = formOn(await one.open(path)).hidden
    const ask = async (who: TestBrowser, form: Record<string, string>) =>
      (await who.request(`${path}/passkey`, { form, headers: { accept: '*/*' } })).status
    expect(await ask(one, { csrf, purpose: 'passkey' })).toBe(200)
    expect(await ask(one, { csrf, purpose: 'sign_in' })).toBe(400)
    expect(await ask(one, { csrf: 'x', purpose: 'passkey' })).toBe(403)
    expect(await ask(new TestBrowser(tessera.url), { csrf, purpose: 'passkey' })).toBe(403)
  })
})
