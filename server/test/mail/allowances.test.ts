/** What one recipient gets in a day, by each kind of mail: nobody silences what somebody needs to come in again. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, heads, problemOf } from '../administration/support.ts'
import { answerOf, authorizeRequest, signIn, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo, shownTo } from '../harness/development-mail.ts'
import { cleanUp } from '../harness/process.ts'
import { mailsTo } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'

// The look for what is due.
shortenTimers({ 500: 50 })
afterAll(cleanUp)

const hour = 3_600_000
const password = 'a password of nine lives'
const importer = { role_code: 'importer', organisation_uuid: acme }
const names = ['invited', 'known', 'asked', 'helped', 'coded'] as const

onEachDatabase('the mails to one recipient', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' })
  let admin: Administrator
  let head: Administrator
  const uuids = new Map<string, string>()
  const personOf = (name: string) => ({ email: `${name}@allowances.example`, password })

  beforeAll(async () => {
    tessera.clock.stop()
    admin = await Administrator.machine(tessera.url)
    head = await Administrator.person(tessera.url, heads.head)
    for (const name of names) {
      const made = { ...personOf(name), name, email_verified: true, profiles: [importer] }
      const { status, json } = await admin.post('/users', made)
      expect(status).toBe(201)
      uuids.set(name, String(json.uuid))
    }
  })

  const fresh = () => new TestBrowser(tessera.url)
  const come = async (name: string, browser = fresh(), changes: Record<string, string> = {}) => {
    // The first browser is known by being earlier.
    tessera.clock.advance(1)
    return await signIn(browser, authorizeRequest(changes).path, personOf(name))
  }
  async function forgot(name: string): Promise<void> {
    const browser = fresh()
    const page = await browser.open('/sign-in/forgotten')
    expect((await browser.submit(page, { email: personOf(name).email })).status).toBe(200)
  }
  const kindsTo = async (name: string) => {
    const kinds: Record<string, number> = {}
    for (const { kind } of await mailsTo(tessera, personOf(name).email)) kinds[kind] = (kinds[kind] ?? 0) + 1
    return kinds
  }
  const opens = async (path: string) => (await fresh().open(path)).body.includes('name="password_again"')

  it('are not silenced by invitations, by whomever, and their repetitions', async () => {
    const { email } = personOf('invited')
    for (const by of [admin, head])
      for (let count = 0; count < 8; count++) {
        const made = await by.post('/invitations', { email, profiles: [importer] })
        expect(made.status).toBe(201)
        if (count < 4) {
          const path = `/invitations/${String(made.json.uuid)}/resend`
          expect((await by.post(path, {})).status).toBeLessThan(300)
        }
      }
    expect(await kindsTo('invited')).toEqual({ invitation: 20 })
    // A link, a notice and what an administrator does for them arrive.
    await forgot('invited')
    expect(await opens(linkIn(await mailTo(tessera, email, 'new password')))).toBe(true)
    await come('invited')
    await come('invited')
    await mailTo(tessera, email, 'A new sign-in')
    const recovery = await admin.post(`/users/${uuids.get('invited')}/recovery`, { delivery: 'mail' })
    expect(recovery.status).toBe(201)
    expect(await opens(linkIn(await mailTo(tessera, email, 'way back')))).toBe(true)
  })

  it('are not silenced by who knows the password alone, from 25 new browsers', async () => {
    const { email } = personOf('known')
    for (let count = 0; count < 26; count++) expect(answerOf(await come('known')).code).toBeDefined()
    await expect.poll(() => kindsTo('known'), { timeout: 60_000 }).toEqual({ notice: 20, notices: 1 })
    await forgot('known')
    expect(await opens(linkIn(await mailTo(tessera, email, 'new password')))).toBe(true)
    const recovery = await admin.post(`/users/${uuids.get('known')}/recovery`, { delivery: 'mail' })
    expect(recovery.status).toBe(201)
    expect(await opens(linkIn(await mailTo(tessera, email, 'way back')))).toBe(true)
    const invited = await admin.post('/invitations', { email, profiles: [importer] })
    expect(invited.status).toBe(201)
    await mailTo(tessera, email, 'invited')
  })

  onOne.it('are not silenced by who asks for links at every hour: there are three in each', async () => {
    const { email } = personOf('asked')
    for (let passed = 1; passed <= 7; passed++) {
      await Promise.all([1, 2, 3, 4].map(() => forgot('asked')))
      expect(await kindsTo('asked')).toEqual({ password_reset: 3 * passed })
      tessera.clock.advance(hour)
    }
    await forgot('asked')
    const newest = async () => {
      const [one] = await shownTo(tessera, email)
      return one !== undefined && (await opens(linkIn(one)))
    }
    // Those from before have been replaced.
    await expect.poll(newest, { timeout: 60_000 }).toBe(true)
  })

  onOne.it('are not silenced by who asks for codes at every hour: there are five in each', async () => {
    const { email } = personOf('coded')
    for (let passed = 1; passed <= 5; passed++) {
      const browser = fresh()
      const page = await come('coded', browser, { acr_values: '2' })
      const asked: number[] = []
      for (let count = 0; count < 6; count++)
        asked.push((await browser.submit(page, { choice: 'send' })).status)
      expect(asked).toEqual([200, 200, 200, 200, 200, 429])
      expect((await kindsTo('coded')).enrolment_code).toBe(5 * passed)
      tessera.clock.advance(hour)
    }
    await forgot('coded')
    expect(await opens(linkIn(await mailTo(tessera, email, 'new password')))).toBe(true)
  })

  it('are at most twenty recovery links, and the administrator is told what else to do', async () => {
    const path = `/users/${uuids.get('helped')}/recovery`
    admin = await Administrator.machine(tessera.url)
    for (let count = 0; count < 20; count++)
      expect((await admin.post(path, { delivery: 'mail' })).status).toBe(201)
    const refused = await admin.post(path, { delivery: 'mail' })
    expect(problemOf(refused)).toBe('409 conflict')
    expect(refused.text).toContain('delivery')
    const shown = await admin.post(path, { delivery: 'link' })
    expect(await opens(String(shown.json.link))).toBe(true)
    await forgot('helped')
    expect(await opens(linkIn(await mailTo(tessera, personOf('helped').email, 'new password')))).toBe(true)
    tessera.clock.advance(24 * hour + 1)
    admin = await Administrator.machine(tessera.url)
    expect((await admin.post(path, { delivery: 'mail' })).status).toBe(201)
  })
})
