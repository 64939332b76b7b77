import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  formOn,
  people,
  post,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { runHere } from '../cli/command-support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { passCode } from '../harness/development-mail.ts'
import { tesseraOn } from '../harness/harness.ts'
import { cleanUp } from '../harness/process.ts'
import { auditOf, setPolicy } from '../harness/states.ts'
import { atSecondFactor, codeOf, importEnrolled, personOf } from './factor-support.ts'

afterAll(cleanUp)

const minute = 60_000
const day = 24 * 60 * minute

onEachDatabase('enrolment and trusted devices', (dialect) => {
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' } })
  beforeAll(() => {
    tessera.clock.stop()
    return importEnrolled(tessera, ['trusting', 'other', 'ending'])
  })
  afterEach(async () => {
    await setPolicy(tessera, {}, null)
    await setPolicy(tessera, { role: 'importer' }, null)
  })

  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  const secretOn = (page: Visit) =>
    /<p class="key">([A-Z2-7 ]+)<\/p>/.exec(page.body)?.[1]?.replaceAll(' ', '') ?? ''
  const nextStep = () => tessera.clock.advance(30_000)
  const demand = () => setPolicy(tessera, { role: 'importer' }, { second_factor: 'required' })

  it('sets up what is demanded, by who proved the password just now, and goes on with it', async () => {
    await demand()
    const request = authorizeRequest()
    const one = new TestBrowser(tessera.url)
    const toSetUp = async (browser: TestBrowser, path: string) => {
      const asking = await signIn(browser, path, people.importer)
      return await passCode(tessera, { browser, page: asking, address: people.importer.email })
    }
    const page = await toSetUp(one, request.path)
    expect(pathOf(page)).toBe('/sign-in/enrol')
    const other = new TestBrowser(tessera.url)
    const theirs = await toSetUp(other, authorizeRequest().path)
    const secret = secretOn(page)
    expect(secretOn(theirs)).not.toBe(secret)
    const wrong = await one.submitOnce(page, { name: 'Phone', code: codeOf(tessera, 0, secretOn(theirs)) })
    expect([wrong.status, secretOn(wrong)]).toEqual([400, secret])

    // The cookie of a session that is older is not enough, shows no secret and gives nothing.
    tessera.clock.advance(11 * minute)
    const thief = new TestBrowser(tessera.url)
    thief.cookies.set('tessera-session', one.cookies.get('tessera-session') ?? '')
    expect(pathOf(await thief.open(authorizeRequest().path))).toBe('/sign-in')
    const stale = await one.submit(page, { name: 'Phone', code: codeOf(tessera, 0, secret) })
    expect(pathOf(stale)).toBe('/sign-in')
    const again = await one.submit(stale, people.importer)
    expect([pathOf(again), secretOn(again)]).toEqual(['/sign-in/enrol', secret])

    const codes = await one.submit(again, { name: 'Phone', code: codeOf(tessera, 0, secret) })
    expect(codes.body.match(/<li>\d+-[0-9A-Z-]{19}<\/li>/g)).toHaveLength(10)
    const { code = '' } = answerOf(await one.submit(codes, { choice: 'saved' }))
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: request.parameters.redirect_uri ?? '',
      code,
      code_verifier: request.verifier,
    })
    expect(claimsOf(String(json.id_token))).toMatchObject({ acr: '2', amr: ['pwd', 'otp', 'mfa'] })

    // Another sign-in that was about to set up a first factor is asked for this one.
    const late = await other.submit(theirs, { name: 'Thief', code: codeOf(tessera, 0, secretOn(theirs)) })
    expect(pathOf(late)).toBe('/sign-in/second-factor')
    expect(await auditOf(tessera, { kind: 'recovery_codes.created' })).toHaveLength(1)
  })

  describe('a trusted device', () => {
    const trusting = personOf('trusting')
    const days = (trusted_device_days: number) => setPolicy(tessera, {}, { trusted_device_days })
    /** Whether the password is followed by the question for a code. */
    const isAsked = async (one: TestBrowser, person = trusting, changes: Record<string, string> = {}) => {
      const visit = await atSecondFactor(one, person, { prompt: 'login', ...changes })
      return visit.location === undefined && pathOf(visit) === '/sign-in/second-factor'
    }
    async function trust(one: TestBrowser, person = trusting): Promise<void> {
      const page = await atSecondFactor(one, person, { prompt: 'login' })
      expect(page.body).toContain('name="trust"')
      const done = await one.submit(page, { code: codeOf(tessera), trust: '1' })
      expect(answerOf(done).code).toBeDefined()
      nextStep()
    }

    it('stands in for the code of one person in one browser, as long as policy says', async () => {
      const one = new TestBrowser(tessera.url)
      expect((await atSecondFactor(one, trusting)).body).not.toContain('name="trust"')
      await days(30)
      await trust(one)
      expect(await isAsked(one)).toBe(false)
      // It is no proof to a client that asks for one.
      expect(await isAsked(one, trusting, { acr_values: '2' })).toBe(true)
      const thief = new TestBrowser(tessera.url)
      thief.cookies.set('tessera-trusted', one.cookies.get('tessera-trusted') ?? '')
      expect(await isAsked(thief, personOf('other'))).toBe(true)
      expect(await isAsked(new TestBrowser(tessera.url))).toBe(true)
      // Who trusted the browser before somebody else did knows nothing that stands in for theirs.
      const shared = new TestBrowser(tessera.url)
      await trust(shared, personOf('other'))
      thief.cookies.set('tessera-trusted', shared.cookies.get('tessera-trusted') ?? '')
      await trust(shared)
      expect([await isAsked(shared), await isAsked(thief)]).toEqual([false, true])

      tessera.clock.advance(6 * day)
      expect(await isAsked(one)).toBe(false)
      await days(5)
      expect(await isAsked(one)).toBe(true)
      await days(30)
      expect(await isAsked(one)).toBe(false)
      await setPolicy(tessera, { role: 'reader' }, { second_factor: 'passkey', trusted_device_days: 30 })
      const stricter = await atSecondFactor(one, trusting, { prompt: 'login' })
      expect(stricter.location).toBeUndefined()
      await setPolicy(tessera, { role: 'reader' }, null)
      // Use moves no end.
      tessera.clock.advance(24 * day + minute)
      expect(await isAsked(one)).toBe(true)
    })

    it('ends with the password, and is none after a recovery code or by a forged field', async () => {
      await days(30)
      const ending = personOf('ending')
      const one = new TestBrowser(tessera.url)
      await trust(one, ending)
      const { csrf = '' } = formOn(await one.open('/account/sign-in')).hidden
      const codes = await one.request('/account/sign-in', { form: { csrf, do: 'codes' } })
      const [, recovery = ''] = /<li>(\d+-[0-9A-Z-]{19})<\/li>/.exec(codes.body) ?? []

      const other = new TestBrowser(tessera.url)
      const page = await other.open(`${(await atSecondFactor(other, ending)).url}&with=recovery`)
      expect(page.body).not.toContain('name="trust"')
      expect(answerOf(await other.submit(page, { recovery_code: recovery, trust: '1' })).code).toBeDefined()
      expect(other.cookies.has('tessera-trusted')).toBe(false)

      expect(await isAsked(one, ending)).toBe(false)
      const password = 'another password of nine lives'
      const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl }
      await runHere(['user', 'password', ending.email], { environment, input: `${password}\n` })
      expect(await isAsked(one, { ...ending, password })).toBe(true)
    })
  })
})
