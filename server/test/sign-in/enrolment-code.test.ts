import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keepEnrolmentCode, useEnrolmentCode } from '../../dist/store/enrolment-codes.js'
import { newSecret } from '../../dist/protocol/identifier.js'
import { runHere } from '../cli/command-support.ts'
import { Authenticator } from '../harness/authenticator.ts'
import {
  answerOf,
  authorizeRequest,
  formOn,
  people,
  profilesOfBoth,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { codeByMail, linkIn, mailTo, passCode, shownTo } from '../harness/development-mail.ts'
import { startTessera, tesseraOn } from '../harness/harness.ts'
import { cleanUp } from '../harness/process.ts'
import { withStore } from '../harness/program.ts'
import { auditOf } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'
import { codeOf } from './factor-support.ts'
import { asked } from './passkey-support.ts'

afterAll(cleanUp)
// The look for what is due.
shortenTimers({ 500: 50 })

const minute = 60_000
const { importer, both, admin } = people
const secretOn = (page: Visit) =>
  /<p class="key">([A-Z2-7 ]+)<\/p>/.exec(page.body)?.[1]?.replaceAll(' ', '') ?? ''
const isAsked = (page: Visit) => page.body.includes('value="send"') && secretOn(page) === ''
const other = (code: string) => String((Number(code) + 1) % 100_000_000).padStart(8, '0')

onEachDatabase('the code by mail before a first second factor', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' } })
  beforeAll(() => tessera.clock.stop())
  // What is counted within an hour begins anew.
  beforeEach(() => tessera.clock.advance(61 * minute))

  /** At the page of a sign-in that demands a second factor, which asks for the code first. */
  async function arrived(
    person: { email: string; password: string } = importer,
    browser = new TestBrowser(tessera.url),
  ) {
    const request = authorizeRequest({ acr_values: '2', prompt: 'login' })
    const page = await signIn(browser, request.path, person, profilesOfBoth.reader)
    expect([new URL(page.url).pathname, isAsked(page)]).toEqual(['/sign-in/enrol', true])
    const give = (shown: Visit, code: string) => browser.submit(shown, { choice: 'code', mail_code: code })
    const mailed = async () => await codeByMail(tessera, { browser, page, address: person.email })
    return { browser, page, give, mailed }
  }
  /** Refused, and nothing is shown that a factor could be set up with. */
  const refused = (page: Visit) => [page.status, secretOn(page)]

  onOne.it('is sent by a button alone, and nothing is set up without it', async () => {
    const before = (await shownTo(tessera, importer.email)).length
    const { browser, page } = await arrived()
    expect((await shownTo(tessera, importer.email)).length).toBe(before)
    const { csrf = '' } = formOn(page).hidden
    const send = (form: Record<string, string>) => browser.request(page.url, { form: { csrf, ...form } })
    expect(isAsked(await send({ name: 'Phone', code: '123456' }))).toBe(true)
    const options = await browser.request(`/sign-in/passkey${new URL(page.url).search}`, {
      form: { csrf, purpose: 'passkey' },
      headers: { accept: '*/*' },
    })
    const { challenge_id, options: wanted } = JSON.parse(options.body)
    const credential = new Authenticator(tessera.url).create(wanted)
    const key = { choice: 'credential', purpose: 'passkey', challenge_id, credential }
    expect(isAsked(await send(key))).toBe(true)
    expect(await auditOf(tessera, { kind: 'factor.created' })).toEqual([])
  })

  it('is refused when it is wrong, replaced, of another browser or of another person', async () => {
    const one = await arrived()
    const first = await one.mailed()
    expect(first.code).toMatch(/^\d{8}$/)
    expect(refused(await one.give(first.page, other(first.code)))).toEqual([400, ''])
    for (const typed of ['', '1234567', '123456789', 'abcdefgh'])
      expect(refused(await one.give(first.page, typed))).toEqual([400, ''])
    const second = await one.mailed()
    expect(refused(await one.give(second.page, first.code))).toEqual([400, ''])

    const thief = await arrived()
    const theirs = await thief.mailed()
    expect(refused(await thief.give(theirs.page, second.code))).toEqual([400, ''])
    const somebody = await arrived(both)
    expect(refused(await somebody.give((await somebody.mailed()).page, second.code))).toEqual([400, ''])
    const withoutCode = await arrived(both)
    expect(refused(await withoutCode.give(withoutCode.page, second.code))).toEqual([400, ''])

    const typed = `${second.code.slice(0, 4)} ${second.code.slice(4)}`
    expect(secretOn(await one.give(second.page, typed))).toMatch(/^[A-Z2-7]{32}$/)
  })

  it('ends with five wrong tries, and with ten minutes', async () => {
    const one = await arrived()
    const { code, page } = await one.mailed()
    for (let wrong = 0; wrong < 5; wrong++)
      expect(refused(await one.give(page, other(code)))).toEqual([400, ''])
    const late = await one.give(page, code)
    expect([...refused(late), late.body.includes('name="mail_code"')]).toEqual([400, '', false])
    const again = await one.mailed()
    tessera.clock.advance(9 * minute)
    // Who gives the password again in the same browser may still use it.
    const { page: next, give } = await arrived(importer, one.browser)
    expect(next.body).toContain('name="mail_code"')
    tessera.clock.advance(minute)
    expect(refused(await give(next, again.code))).toEqual([400, ''])
  })

  it('is mailed five times an hour, and the last one stays', async () => {
    const one = await arrived()
    let last = await one.mailed()
    for (let sent = 1; sent < 5; sent++) last = await one.mailed()
    const elsewhere = await arrived()
    for (const { browser, page } of [elsewhere, one]) {
      const refusal = await browser.submit(page, { choice: 'send' })
      expect([refusal.status, refusal.body.includes('So many codes were sent')]).toEqual([429, true])
    }
    expect(secretOn(await one.give(last.page, last.code))).not.toBe('')
  })

  it('counts once, and five of any number of parallel tries', async () => {
    const user_uuid = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001'
    const now = tessera.clock.now()
    await withStore(tessera, async (store) => {
      const holder = { user_uuid, sid: 'a session' }
      const keep = async (text: string) =>
        await keepEnrolmentCode(store, holder, { text, expiresAt: now + minute, now }, async () => true)
      const use = async (text: string) =>
        await useEnrolmentCode(store, holder, { text, until: now + minute, now })
      const text = newSecret()
      await keep(text)
      const uses = await Promise.all([1, 2, 3, 4].map(() => use(text)))
      expect(uses.filter((one) => one)).toHaveLength(1)
      await keep(text)
      await Promise.all(Array.from({ length: 12 }, () => use(newSecret())))
      expect(await use(text)).toBe(false)
    })
  })

  onOne.it('is not asked for within ten minutes of a mailed link, in its session alone', async () => {
    const { password } = both
    /** At the page that demands a second factor, from one that sets the password by a link. */
    const by = async (path: string, browser = new TestBrowser(tessera.url)) => {
      const set = await browser.open(path)
      const done = await browser.submit(set, { password, password_again: password })
      expect(new URL(done.url).pathname).toBe('/account')
      const request = authorizeRequest({ acr_values: '2', profile_uuid: profilesOfBoth.reader })
      const demands = () => browser.open(request.path)
      return { browser, demands }
    }
    const asking = new TestBrowser(tessera.url)
    await asking.submit(await asking.open('/sign-in/forgotten'), { email: both.email })
    const { browser, demands } = await by(linkIn(await mailTo(tessera, both.email, 'password')))
    expect(secretOn(await demands())).not.toBe('')
    expect(isAsked((await arrived(both)).page)).toBe(true)
    tessera.clock.advance(10 * minute)
    expect(isAsked((await arrived(both, browser)).page)).toBe(true)

    // A link that an administrator hands over proves no mailbox. The command has the time of the machine.
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url }
    const { stdout } = await runHere(['user', 'recover', both.email], { environment })
    const ahead = tessera.clock.now() - Date.now()
    tessera.clock.advance(-ahead)
    const { pathname, search } = new URL(/http\S+/.exec(stdout)?.[0] ?? '')
    expect(isAsked(await (await by(pathname + search)).demands())).toBe(true)
    tessera.clock.advance(ahead)
  })

  onOne.it('is asked for by the page of the account as well, before an app or a key is set up', async () => {
    const path = '/account/sign-in'
    const browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, both, profilesOfBoth.reader)
    const act = async (fields: Record<string, string>) => {
      const { csrf = '' } = formOn(await browser.open(path)).hidden
      return await browser.follow(await browser.request(path, { form: { csrf, ...fields } }))
    }
    for (const fields of [{ do: 'add' }, { do: 'confirm', name: 'Phone', code: '123456' }, { do: 'key' }])
      expect(isAsked(await act(fields))).toBe(true)
    const { csrf = '' } = formOn(await browser.open(path)).hidden
    const options = await browser.request(`${path}/passkey`, {
      form: { csrf, purpose: 'passkey' },
      headers: { accept: '*/*' },
    })
    const { challenge_id, options: wanted } = JSON.parse(options.body)
    const credential = new Authenticator(tessera.url).create(wanted)
    expect(isAsked(await act({ do: 'key', purpose: 'passkey', challenge_id, credential }))).toBe(true)

    const given = { browser, page: await act({ do: 'key' }), address: both.email }
    const { code, page } = await codeByMail(tessera, given)
    const wrong = await browser.submit(page, { choice: 'code', mail_code: other(code) })
    expect([wrong.status, wrong.body.includes('data-ask=')]).toEqual([400, false])
    expect((await browser.submit(page, { choice: 'code' })).status).toBe(400)
    const keys = await browser.submit(page, { choice: 'code', mail_code: code })
    const made = await asked(browser, keys, 'passkey')
    const form = made.form(new Authenticator(tessera.url).create(made.options as never))
    expect((await browser.submit(keys, form)).body).toMatch(/<li>\d+-[0-9A-Z-]{19}<\/li>/)
    // With a second factor proved the next one needs no code.
    expect(secretOn(await act({ do: 'add' }))).not.toBe('')
  })

  it('lets the sign-in go on with what is set up then', async () => {
    const { browser, page } = await arrived()
    const shown = await passCode(tessera, { browser, page, address: importer.email })
    const codes = await browser.submit(shown, { name: 'Phone', code: codeOf(tessera, 0, secretOn(shown)) })
    expect(answerOf(await browser.submit(codes, { choice: 'saved' }))).toHaveProperty('code')
  })

  onOne.it('is not asked for where the address is not verified', async () => {
    const browser = new TestBrowser(tessera.url)
    const page = await signIn(browser, authorizeRequest({ acr_values: '2' }).path, admin)
    expect(secretOn(page)).not.toBe('')
    expect(await shownTo(tessera, admin.email)).toEqual([])
  })
})

describe('without mail', () => {
  it('is no code before a first second factor', async () => {
    const settings = { TESSERA_MODE: 'production', TESSERA_ISSUER: 'https://id.acme.example' }
    const tessera = await startTessera('sqlite', { settings })
    try {
      const browser = new TestBrowser(tessera.listening)
      const page = await signIn(browser, authorizeRequest({ acr_values: '2' }).path, importer)
      expect(secretOn(page)).not.toBe('')
      const account = await browser.open('/account/sign-in')
      const { csrf = '' } = formOn(account).hidden
      const adding = await browser.request('/account/sign-in', { form: { csrf, do: 'add' } })
      expect(secretOn(adding)).not.toBe('')
    } finally {
      await tessera.close()
    }
  })
})
