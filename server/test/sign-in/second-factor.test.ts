import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  formOn,
  post,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { runHere } from '../cli/command-support.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'
import { auditOf } from '../harness/states.ts'
import { atSecondFactor, codeOf, importEnrolled, personOf, totpSecret, wrongCode } from './factor-support.ts'

afterAll(cleanUp)

const minute = 60_000
const names = ['right', 'twice', 'skip', 'guess', 'quiet', 'suspend', 'both', 'others', 'recovering'] as const

onEachDatabase('a second factor', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' } })
  beforeAll(() => {
    // Codes count for half a minute, which a slow machine spends by itself.
    tessera.clock.stop()
    return importEnrolled(tessera, names)
  })

  const browser = () => new TestBrowser(tessera.url)
  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  const asks = (visit: Visit) => [visit.status, pathOf(visit)]
  const asked = [200, '/sign-in/second-factor']
  const nextStep = () => tessera.clock.advance(30_000)
  const sessionOf = (one: TestBrowser) => one.cookies.get('tessera-session')

  async function tokens(visit: Visit, verifier: string): Promise<Record<string, string>> {
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: 'http://127.0.0.1:4001/callback',
      code: answerOf(visit).code ?? '',
      code_verifier: verifier,
    })
    return json as Record<string, string>
  }

  it('is asked after every password, and makes the level 2', async () => {
    const one = browser()
    for (const changes of [{}, { prompt: 'login' }]) {
      const request = authorizeRequest(changes)
      const page = await one.submit(await one.open(request.path), personOf('right'))
      expect(asks(page)).toEqual(asked)
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      const before = sessionOf(one)
      const done = await one.submit(page, {
        code: ` ${codeOf(tessera).slice(0, 3)} ${codeOf(tessera).slice(3)}`,
      })
      expect(sessionOf(one)).not.toBe(before)
      const claims = claimsOf((await tokens(done, request.verifier)).id_token)
      expect(claims).toMatchObject({ acr: '2', amr: ['pwd', 'otp', 'mfa'] })
      nextStep()
    }
    const silent = await one.open(authorizeRequest({ prompt: 'none' }).path)
    expect(answerOf(silent).code).toBeDefined()
  })

  it('counts once, and neither an older one nor a clock set back brings it back', async () => {
    const code = codeOf(tessera)
    const first = browser()
    const done = await first.submit(await atSecondFactor(first, personOf('twice')), { code })
    expect(answerOf(done).code).toBeDefined()
    const second = browser()
    const page = await atSecondFactor(second, personOf('twice'))
    for (const used of [code, codeOf(tessera, -1)]) {
      expect((await second.submitOnce(page, { code: used })).status).toBe(400)
    }
    tessera.clock.advance(-30_000)
    expect((await second.submitOnce(page, { code: codeOf(tessera) })).status).toBe(400)
    tessera.clock.advance(30_000)
    const later = await second.submit(page, { code: codeOf(tessera, 1) })
    expect(answerOf(later).code).toBeDefined()
    const failed = await auditOf(tessera, { kind: 'sign_in.failed' })
    expect(failed.map(({ detail }) => detail?.reason)).toEqual(['used_code', 'used_code', 'used_code'])
  })

  onOne.it('is skipped by no address, other tab, other request or second form', async () => {
    const one = browser()
    const first = await one.open(authorizeRequest().path)
    const page = await one.submit(first, personOf('skip'))
    // As after "Back".
    expect(asks(await one.submit(first, personOf('skip')))).toEqual(asked)
    const id = new URL(page.url).searchParams.get('request') ?? ''
    for (const path of [
      '/oauth2/authorize/continue',
      '/choose-profile',
      '/consent',
      '/no-profile',
      '/sign-in',
    ]) {
      expect(asks(await one.open(`${path}?request=${id}`))).toEqual(asked)
    }
    const { hidden } = formOn(page)
    const [reader] = ['0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0201']
    for (const form of [{ choice: 'allow' }, { choice: 'saved' }, { profile_uuid: reader ?? '' }]) {
      const other = await one.request(`/choose-profile?request=${id}`, { form: { ...hidden, ...form } })
      expect(asks(await one.follow(other))).toEqual(asked)
    }
    expect(asks(await one.open(authorizeRequest().path))).toEqual(asked)
    const silent = await one.open(authorizeRequest({ prompt: 'none' }).path)
    expect(answerOf(silent)).toMatchObject({ error: 'login_required' })
    // The password once more, and the form of another person's sign-in.
    expect(asks(await atSecondFactor(one, personOf('skip'), { prompt: 'login' }))).toEqual(asked)
    const theirs = await atSecondFactor(browser(), personOf('others'))
    const code = codeOf(tessera)
    const stolen = await browser().request(theirs.url, { form: { ...formOn(theirs).hidden, code } })
    expect(stolen.status).toBeGreaterThanOrEqual(400)
  })

  onOne.it(
    'comes with somebody whom a declared file of development makes, and with nobody who is there',
    async () => {
      const { email, password } = personOf('declared')
      const file = join(temporaryFolder(), 'development.yaml')
      const apply = async (secret: string) => {
        const one = `{ email: ${email}, name: Declared, password: ${password}, totp_secret: ${secret} }`
        writeFileSync(file, `users: [${one}]\n`)
        const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
        return await runHere(['apply', file, '--yes'], { environment })
      }
      expect(await apply(totpSecret)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/totp_secret: set/),
      })
      expect((await apply('AAAAAAAAAAAAAAAA')).stdout).not.toContain('totp_secret')
      const one = browser()
      const page = await atSecondFactor(one, personOf('declared'))
      expect(asks(page)).toEqual(asked)
      const wrong = codeOf(tessera, 0, 'AAAAAAAAAAAAAAAA')
      expect((await one.submitOnce(page, { code: wrong })).status).toBe(400)
      expect(pathOf(await one.submit(page, { code: codeOf(tessera) }))).toBe('/no-profile')
    },
  )

  it('is taken once of two sign-ins with the same code at once', async () => {
    const both = await Promise.all(
      [browser(), browser()].map(async (one) => {
        return { one, page: await atSecondFactor(one, personOf('both')) }
      }),
    )
    const code = codeOf(tessera)
    const answers = await Promise.all(both.map(({ one, page }) => one.submit(page, { code })))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([303, 400])
  })

  describe('is guessed', () => {
    it('no more often in parallel than one after the other, and quiet forgets nothing', async () => {
      const one = browser()
      const page = await atSecondFactor(one, personOf('guess'))
      const code = wrongCode(tessera)
      const guesses = await Promise.all(Array.from({ length: 60 }, () => one.submitOnce(page, { code })))
      const statuses = guesses.map(({ status }) => status)
      expect(statuses.filter((status) => status === 400)).toHaveLength(5)
      expect(statuses.filter((status) => status === 429)).toHaveLength(55)
      const refused = await one.submitOnce(page, { code: codeOf(tessera) })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])

      tessera.clock.advance(48 * 60 * minute)
      const other = browser()
      const again = await atSecondFactor(other, personOf('guess'))
      expect((await other.submitOnce(again, { code: wrongCode(tessera) })).status).toBe(400)
      const longer = await other.submitOnce(again, { code: codeOf(tessera) })
      expect([longer.status, longer.headers.get('retry-after')]).toEqual([429, '10'])

      tessera.clock.advance(minute)
      expect(answerOf(await other.submit(again, { code: codeOf(tessera) })).code).toBeDefined()
      const fresh = browser()
      const free = await atSecondFactor(fresh, personOf('guess'))
      for (let wrong = 0; wrong < 5; wrong++) {
        expect((await fresh.submitOnce(free, { code: wrongCode(tessera) })).status).toBe(400)
      }
      const { length } = (await auditOf(tessera, { kind: 'sign_in.throttled' })).filter(
        ({ detail }) => detail?.counted_by === 'second_factor',
      )
      expect(length).toBe(3)
    })

    it('by recovery codes no more often than by codes, and delays those', async () => {
      const one = browser()
      const page = await atSecondFactor(one, personOf('recovering'))
      const recovery = await one.open(`${page.url}&with=recovery`)
      const recovery_code = '1-0000-0000-0000-0000'
      const guesses = await Promise.all(
        Array.from({ length: 12 }, () => one.submitOnce(recovery, { recovery_code })),
      )
      expect(guesses.filter(({ status }) => status === 400)).toHaveLength(5)
      expect((await one.submitOnce(page, { code: codeOf(tessera) })).status).toBe(429)
      tessera.clock.advance(minute)
      expect(answerOf(await one.submit(page, { code: codeOf(tessera) })).code).toBeDefined()
    })

    it('until it is suspended, which a browser that proved it before frees', async () => {
      const known = browser()
      await known.submit(await atSecondFactor(known, personOf('suspend')), { code: codeOf(tessera) })
      const thief = browser()
      await atSecondFactor(thief, personOf('suspend'))
      for (let wrong = 0; wrong < 50; wrong++) {
        tessera.clock.advance(16 * minute)
        const page = await thief.open(authorizeRequest().path)
        expect((await thief.submitOnce(page, { code: wrongCode(tessera) })).status).toBe(400)
      }
      tessera.clock.advance(16 * minute)
      const page = await atSecondFactor(thief, personOf('suspend'), { prompt: 'login' })
      expect(page.body).not.toContain('name="code"')
      expect((await thief.submitOnce(page, { code: codeOf(tessera) })).status).toBe(403)
      const [suspended] = await auditOf(tessera, { kind: 'factor.suspended' })
      expect(suspended?.detail).toMatchObject({ kind: 'totp' })

      const back = await atSecondFactor(known, personOf('suspend'), { prompt: 'login' })
      expect(answerOf(await known.submit(back, { code: codeOf(tessera) })).code).toBeDefined()
      expect(await auditOf(tessera, { kind: 'factor.restored' })).toHaveLength(1)
    })
  })
})
