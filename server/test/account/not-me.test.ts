import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere, ways } from '../cli/command-support.ts'
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
import { linkIn, mailTo, passCode, shownTo } from '../harness/development-mail.ts'
import { tesseraOn } from '../harness/harness.ts'
import { cleanUp } from '../harness/process.ts'
import { auditOf, mailsTo, postMail } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'
import { atSecondFactor, codeOf, importEnrolled, personOf, wrongCode } from '../sign-in/factor-support.ts'

// The look for what is due.
shortenTimers({ 500: 50 })
afterAll(cleanUp)

const hour = 3_600_000
const day = 24 * hour
const path = '/account/sign-in'

onEachDatabase('notices', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' } })
  beforeAll(async () => {
    tessera.clock.stop()
    await importEnrolled(tessera, ['remover', 'guessed', 'renewed', 'much'])
  })

  const fresh = () => new TestBrowser(tessera.url)
  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  async function signedIn(person: { email: string; password: string }): Promise<TestBrowser> {
    const one = fresh()
    await signIn(one, authorizeRequest().path, person)
    return one
  }
  /** With the second factor. A code counts once, so each is of the next step. */
  async function enrolled(name: string): Promise<TestBrowser> {
    tessera.clock.advance(30_000)
    const one = fresh()
    const done = await one.submit(await atSecondFactor(one, personOf(name)), { code: codeOf(tessera) })
    expect(answerOf(done).code).toBeDefined()
    return one
  }
  const act = async (one: TestBrowser, fields: Record<string, string>) => {
    const { csrf = '' } = formOn(await one.open(path)).hidden
    return await one.follow(await one.request(path, { form: { csrf, ...fields } }))
  }
  /** Sets up an authenticator app, and yields its secret. */
  async function setUp(one: TestBrowser, name: string): Promise<string> {
    const page = await act(one, { do: 'add' })
    const address = /<p class="lead">[^@]*?>([^<>]*@[^<>]*)</.exec(page.body)?.[1]
    const shown = address === undefined ? page : await passCode(tessera, { browser: one, page, address })
    const secret = /<p class="key">([A-Z2-7 ]+)<\/p>/.exec(shown.body)?.[1]?.replaceAll(' ', '') ?? ''
    await one.submit(shown, { name, code: codeOf(tessera, 0, secret) })
    return secret
  }

  it('tell of a second factor, and by their button undo it, end all sessions and void the password', async () => {
    const { email } = people.importer
    const thief = await signedIn(people.importer)
    await setUp(thief, 'Phone of a thief')
    const notice = await mailTo(tessera, email, 'A second factor was set up')
    expect(notice.text).toContain('“Phone of a thief”')
    const link = linkIn(notice)
    expect(link).toMatch(/^\/account\/not-me\?link=[\w-]{43}$/)

    // Scanners and other sites change nothing.
    const scanner = fresh()
    expect((await scanner.request(link, { method: 'HEAD' })).status).toBe(200)
    const page = await scanner.open(link)
    expect(page.body).toContain('The second factor that was set up is removed.')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const text = new URL(link, tessera.url).searchParams.get('link') ?? ''
    for (const csrf of ['', 'x', formOn(await fresh().open(link)).hidden.csrf ?? ''])
      expect((await scanner.request('/account/not-me', { form: { link: text, csrf } })).status).toBe(403)
    expect(pathOf(await thief.open(path))).toBe(path)

    const both = await Promise.all([1, 2].map(() => scanner.submitOnce(page)))
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    expect(pathOf(await thief.open(path))).toBe('/sign-in')
    const again = fresh()
    const refused = await again.submit(await again.open(authorizeRequest().path), people.importer)
    expect(refused.status).toBe(400)
    expect(await auditOf(tessera, { kind: 'notice.repudiated' })).toMatchObject([
      { actor: { kind: 'anonymous' }, detail: { event: 'factor_created' } },
    ])
    expect(await auditOf(tessera, { kind: 'factor.removed' })).toMatchObject([
      { detail: { name: 'Phone of a thief', reason: 'repudiated' } },
    ])
    for (const used of [link, '/account/not-me?link=x', '/account/not-me'])
      expect(await fresh().open(used)).toMatchObject({ status: 400 })
    // The thief's factor can't come back by a notice of its removal.
    const sentinel = await signedIn(people.both)
    await setUp(sentinel, 'Own')
    await mailTo(tessera, people.both.email, 'A second factor was set up')
    expect((await shownTo(tessera, email)).map(({ subject }) => subject)).not.toContain(
      'A second factor was removed',
    )
  })

  once.it('tell of recovery codes, and of a password, also where somebody else set it', async () => {
    const { email } = personOf('renewed')
    await act(await enrolled('renewed'), { do: 'codes' })
    await mailTo(tessera, email, 'You have new recovery codes')
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl }
    const input = 'seven quiet ferries at dawn\n'
    expect(await runHere(['user', 'password', email], { environment, input })).toMatchObject({ code: 0 })
    const notice = await mailTo(tessera, email, 'Your password was changed')
    expect(notice.text).toContain('An administrator gave your account another password.')
  })

  it('bring a removed second factor back, and count for seven days', async () => {
    const { email } = personOf('remover')
    const one = await enrolled('remover')
    const id = /name="id" value="([0-9a-f]{32})"/.exec((await one.open(path)).body)?.[1] ?? ''
    await act(one, { do: 'remove', id })
    const link = linkIn(await mailTo(tessera, email, 'A second factor was removed'))
    await one.submit(await fresh().open(authorizeRequest().path)).catch(() => undefined)
    const owner = fresh()
    const page = await owner.open(link)
    expect(page.body).toContain('The second factor that was removed comes back.')
    expect((await owner.submitOnce(page)).status).toBe(200)
    expect(await auditOf(tessera, { kind: 'factor.restored', target: id })).toHaveLength(1)
    const person = await auditOf(tessera, { kind: 'notice.repudiated' })
    expect(person.at(-1)).toMatchObject({ detail: { event: 'factor_removed' } })

    const other = await signedIn(people.admin)
    await setUp(other, 'Late')
    const late = linkIn(await mailTo(tessera, people.admin.email, 'A second factor was set up'))
    tessera.clock.advance(7 * day + 1)
    expect(await fresh().open(late)).toMatchObject({ status: 400 })
  })

  it('tell of a new browser but the first, and once of wrong codes after the right password', async () => {
    const { email } = personOf('guessed')
    await enrolled('guessed')
    await enrolled('guessed')
    await mailTo(tessera, email, 'A new sign-in')
    const thief = fresh()
    let page = await atSecondFactor(thief, personOf('guessed'))
    for (let count = 0; count < 7; count++) {
      page = await thief.submit(page, { code: wrongCode(tessera) })
      // The sixth and the seventh have to wait.
      if (count > 3) tessera.clock.advance(60_000)
    }
    const notice = await mailTo(tessera, email, 'Somebody may know your password')
    expect(notice.text).toContain('Network address: 127.0.0.1')
    // Neither of the import that brought the factor, nor of the first browser.
    expect((await shownTo(tessera, email)).map(({ subject }) => subject)).toEqual([
      'Somebody may know your password',
      'A new sign-in to your account',
    ])
  })

  describe('beyond twenty in a day', () => {
    const { email } = personOf('much')
    const digests = async () => (await mailsTo(tessera, email)).filter(({ kind }) => kind === 'notices')
    const untilDigests = (count: number) =>
      expect.poll(async () => (await digests()).length, { timeout: 60_000 }).toBe(count)
    const told = async () => (await shownTo(tessera, email)).filter(({ subject }) => subject.includes('More'))
    const factors = async () =>
      JSON.parse(
        (await runHere(['user', 'factors', 'list', email, '--json'], { environment: ways.database(tessera) }))
          .stdout,
      ) as { items: { id: string; name: string }[] }
    const namesOf = async () => (await factors()).items.map(({ name }) => name).toSorted()

    beforeAll(async () => {
      const now = tessera.clock.now()
      const data = { event: 'new_device', at: now, zone: 'UTC' } as const
      const to = { address: email, name: 'Much' }
      for (let count = 0; count < 20; count++)
        expect(await postMail(tessera, { kind: 'notice', data, to, locale: 'en', expiresAt: now, now })).toBe(
          true,
        )
    })

    it('are one mail an hour, whose link undoes each of them, however many sign-ins there are', async () => {
      const thief = await enrolled('much')
      const [own] = (await factors()).items
      const secret = await setUp(thief, 'First of many')
      await act(thief, { do: 'codes' })
      await setUp(thief, 'Second of many')
      const second = (await factors()).items.find(({ name }) => name.startsWith('Second'))
      for (const one of [own, second]) await act(thief, { do: 'remove', id: one?.id ?? '' })
      expect(await namesOf()).toEqual(['First of many'])
      await untilDigests(1)
      // More than a mail tells.
      for (let count = 0; count < 55; count++) {
        tessera.clock.advance(30_000)
        const one = fresh()
        const page = await atSecondFactor(one, personOf('much'))
        expect(answerOf(await one.submit(page, { code: codeOf(tessera, 0, secret) })).code).toBeDefined()
      }
      expect(await told()).toEqual([])
      await untilDigests(1)
      tessera.clock.advance(hour + 1)
      const notice = await mailTo(tessera, email, 'More happened')
      for (const words of ['set up for your account: “First of many”', '“Second of many”', 'recovery codes'])
        expect(notice.text.replaceAll('\n', ' ')).toContain(words)
      expect(notice.text.replaceAll('\n', ' ')).toContain(`removed: “${own?.name ?? ''}”`)

      // Another hour has a mail of its own, and the first link still counts.
      const again = fresh()
      await again.submit(await atSecondFactor(again, personOf('much')), {
        code: codeOf(tessera, 0, secret),
      })
      await setUp(again, 'Third of many')
      await untilDigests(2)
      tessera.clock.advance(hour + 1)
      await expect.poll(async () => (await told()).length, { timeout: 60_000 }).toBe(2)
      const [later] = await told()
      expect(later?.text).toContain('“Third of many”')
      expect(later?.text).not.toContain('First')

      const owner = fresh()
      const page = await owner.open(linkIn(notice))
      expect(page.body.match(/<li>The.*?<\/li>/g)).toEqual([
        '<li>The second factor that was removed comes back.</li>',
        '<li>The second factors that were set up are removed.</li>',
        '<li>The new recovery codes no longer count.</li>',
      ])
      expect((await owner.submitOnce(page)).status).toBe(200)
      expect(await fresh().open(linkIn(notice))).toMatchObject({ status: 400 })
      expect(await namesOf()).not.toContain('First of many')
      expect(await namesOf()).toContain(own?.name)
      const undone = await auditOf(tessera, { kind: 'factor.removed' })
      expect(undone.filter(({ detail }) => detail?.reason === 'repudiated')).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ detail: expect.objectContaining({ name: 'First of many' }) }),
          expect.objectContaining({ detail: expect.objectContaining({ name: 'Second of many' }) }),
        ]),
      )
      const third = await owner.open(linkIn(later ?? notice))
      expect((await owner.submitOnce(third)).status).toBe(200)
      expect(await namesOf()).toEqual([own?.name])
    })
  })
})
