import { beforeAll, describe, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { acme, Administrator, administeredOn, globex } from '../administration/support.ts'
import { answerOf, authorizeRequest, people, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { type Changes, tokensOf } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { countOf, sweepAt } from '../harness/states.ts'
import { intranet, pushed, refusedPage } from './par-support.ts'

/** A pushed request gives one code, and none when what it was for has changed. */
onEachDatabase('a pushed request is used up', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_AUTHORIZE: '0' })
  let admin: Administrator
  let visitor: TestBrowser
  let secret = ''
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    secret = String((await admin.post('/clients', intranet)).json.client_secret)
    visitor = new TestBrowser(tessera.url)
    await signIn(visitor, authorizeRequest().path, people.importer)
  })
  const fresh = () => new TestBrowser(tessera.url)
  const hasCode = (visit: Visit) => visit.location !== undefined && 'code' in answerOf(visit)
  /** The second one is told that the sign-in is done, and is sent nowhere. */
  const isDone = ({ status, location, body }: Visit) =>
    status === 400 && location === undefined && body.includes('<html')

  it('by its code, where that was given at once', async () => {
    const one = await pushed(tessera.url)
    const { code } = answerOf(await visitor.open(one.path))
    expect(refusedPage(await visitor.open(one.path))).toBe('400')
    expect(refusedPage(await fresh().open(one.path))).toBe('400')
    tokensOf(await one.exchange(code))
    expect(refusedPage(await visitor.open(one.path))).toBe('400')
  })

  it('by its code, after pages that were loaded several times', async () => {
    const one = await pushed(tessera.url)
    const browser = fresh()
    const pages = [await browser.open(one.path), await browser.open(one.path)]
    expect(hasCode(await browser.submit(pages[1] as Visit, people.importer))).toBe(true)
    expect(refusedPage(await browser.open(one.path))).toBe('400')
    // The page of the first load has a form yet, and gives no second code.
    expect(isDone(await browser.submit(pages[0] as Visit, people.importer))).toBe(true)
  })

  it('by the first of two browsers that opened it, whose sign-ins are apart', async () => {
    const one = await pushed(tessera.url)
    const [first, second] = [fresh(), fresh()]
    const [page, other] = [await first.open(one.path), await second.open(one.path)]
    expect(new URL(page.url).search).not.toBe(new URL(other.url).search)
    // A browser does not go on with the sign-in of another.
    expect((await second.open(page.url)).status).toBe(400)
    const { code } = answerOf(await second.submit(other, people.importer))
    expect(isDone(await first.submit(page, people.importer))).toBe(true)
    expect(refusedPage(await first.open(one.path))).toBe('400')
    tokensOf(await one.exchange(code))
  })

  it('by an answer with an error not: the application may lead there again', async () => {
    const one = await pushed(tessera.url)
    const browser = fresh()
    const cancelled = await browser.submit(await browser.open(one.path), { choice: 'cancel' })
    expect(answerOf(cancelled)).toMatchObject({ error: 'access_denied', state: one.parameters.state })
    expect(hasCode(await signIn(browser, one.path, people.importer))).toBe(true)
  })

  it('once, of any number at the same time, in two processes', async () => {
    const settings = testSettings({
      TESSERA_DATABASE_URL: tessera.databaseUrl,
      TESSERA_ISSUER: tessera.url,
      TESSERA_LIMIT_AUTHORIZE: '0',
    })
    const other = await start({ ...settings, host: 'localhost' }, { now: tessera.clock.now })
    try {
      for (let round = 0; round < 5; round++) {
        const one = await pushed(tessera.url)
        const cookie = visitor.cookieHeader()
        const visits = await Promise.all(
          Array.from({ length: 20 }, async (_, index) => {
            const url = index % 2 === 0 ? tessera.url : other.url
            const { status, headers } = await fetch(`${url}${one.path}`, {
              redirect: 'manual',
              headers: { cookie, accept: 'text/html' },
            })
            return [status, headers.get('location')?.includes('code=') === true] as const
          }),
        )
        expect(visits.filter(([, code]) => code)).toHaveLength(1)
        expect(visits.filter(([status]) => status === 400)).toHaveLength(19)
      }
    } finally {
      await other.close()
    }
  })

  it('once, of any number of browsers that are in the middle of it', async () => {
    for (let round = 0; round < 3; round++) {
      const one = await pushed(tessera.url)
      const browsers = Array.from({ length: 4 }, fresh)
      const pages = await Promise.all(browsers.map((browser) => browser.open(one.path)))
      const visits = await Promise.all(
        browsers.map((browser, index) => browser.submit(pages[index] as Visit, people.importer)),
      )
      expect(visits.filter(hasCode)).toHaveLength(1)
      expect(visits.filter(isDone)).toHaveLength(3)
    }
  })

  it('by the sweep, once no sign-in with it can be answered', async () => {
    const before = await countOf(tessera, 'pushed requests')
    await pushed(tessera.url)
    await sweepAt(tessera, tessera.clock.now() + 3_600_000)
    expect(await countOf(tessera, 'pushed requests')).toBe(before + 1)
    await sweepAt(tessera, tessera.clock.now() + 25 * 3_600_000)
    expect(await countOf(tessera, 'pushed requests')).toBe(0)
  })

  describe('or judged anew, where meanwhile', () => {
    const ofIntranet = async (changes: Changes = {}) =>
      await pushed(tessera.url, { client_id: 'intranet', ...changes }, { client_secret: secret })
    /** What comes of it at the opening, and at the end of a sign-in that was begun before. */
    async function after(change: object, back: object): Promise<[Visit, Visit]> {
      const [one, two] = [await ofIntranet(), await ofIntranet()]
      const begun = fresh()
      const page = await begun.open(two.path)
      expect((await admin.patch('/clients/intranet', change)).status).toBe(200)
      try {
        return [await visitor.open(one.path), await begun.submit(page, people.importer)]
      } finally {
        expect((await admin.patch('/clients/intranet', back)).status).toBe(200)
      }
    }

    it('the client was disabled', async () => {
      for (const visit of await after({ active: false }, { active: true }))
        expect([visit.status, visit.location]).toEqual([400, undefined])
    })

    it('its redirect_uri was removed', async () => {
      const back = { redirect_uris: intranet.redirect_uris }
      for (const visit of await after({ redirect_uris: ['https://new.example/callback'] }, back))
        expect([visit.status, visit.location]).toEqual([400, undefined])
    })

    it('a scope or a service was taken from it', async () => {
      for (const visit of await after({ scope: 'openid email' }, { scope: intranet.scope }))
        expect(answerOf(visit)).toMatchObject({ error: 'invalid_scope' })
    })

    onOne.it('it must send more by now', async () => {
      await admin.patch('/clients/intranet', { require_nonce: false })
      const one = await ofIntranet({ nonce: undefined })
      await admin.patch('/clients/intranet', { require_nonce: true })
      expect(answerOf(await visitor.open(one.path))).toMatchObject({ error: 'invalid_request' })
    })

    onOne.it('it got another owner', async () => {
      const one = await ofIntranet()
      expect((await admin.patch('/clients/intranet', { organisation_uuid: globex })).status).toBe(200)
      await admin.patch('/clients/intranet', { organisation_uuid: acme })
      await admin.patch('/clients/intranet', { organisation_uuid: null })
      expect(refusedPage(await visitor.open(one.path))).toBe('400')
    })

    it('it was removed, and another has its name', async () => {
      const one = await ofIntranet()
      const { etag } = await admin.get('/clients/intranet')
      expect((await admin.delete('/clients/intranet', etag)).status).toBe(204)
      expect([(await visitor.open(one.path)).status]).toEqual([400])
      secret = String((await admin.post('/clients', intranet)).json.client_secret)
      expect(refusedPage(await visitor.open(one.path))).toBe('400')
      expect(hasCode(await visitor.open((await ofIntranet()).path))).toBe(true)
    })
  })
})
