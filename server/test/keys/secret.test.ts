import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { decrypt } from '../../dist/keys/encryption.js'
import { start } from '../../dist/server.js'
import { complaintsOf, type Ran, runHere, type Runs } from '../cli/command-support.ts'
import { answerOf, formOn, TestBrowser } from '../harness/browser.ts'
import { createDatabase, onEachDatabase, type TestDatabase, oneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo } from '../harness/development-mail.ts'
import { Clock } from '../harness/harness.ts'
import { cleanUp, pause, run, temporaryFolder } from '../harness/process.ts'
import { machineToken, verified } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { shortenTimers } from '../harness/timers.ts'
import { auditOf, changePrivateKey, postMail, signingKeysOf, totpSecretsOf } from '../harness/states.ts'
import { atSecondFactor, codeOf, importEnrolled, personOf, totpSecret } from '../sign-in/factor-support.ts'

afterAll(cleanUp)
// The look for keys of others.
shortenTimers({ 5000: 500 })

/** That of the template's keys. */
const secret = 'a-secret-of-the-tests-0123456789-abcdef'
const nextSecret = 'another-secret-of-the-tests-9876543210'
const wrongSecret = 'a-secret-that-nobody-ever-set-0123456789'

interface Listed {
  kid: string
  alg: string
  state: string
  signs_from: string
  published_until: string | null
}

onEachDatabase('tessera keys', (dialect) => {
  const onOne = oneDatabase(dialect)
  let database: TestDatabase
  beforeEach(async () => {
    database = await createDatabase(dialect)
  })
  afterEach(async () => {
    vi.useRealTimers()
    await database.remove()
  })

  const keys = (
    command: string[],
    environment: Record<string, string> = {},
    by: Runs = runHere,
  ): Promise<Ran> =>
    by(['keys', ...command], {
      environment: {
        TESSERA_MODE: 'development',
        TESSERA_DATABASE_URL: database.url,
        TESSERA_SECRET: secret,
        ...environment,
      },
    })
  const list = async () => {
    const { stdout } = await keys(['list', '--json'])
    const { items, next_cursor } = JSON.parse(stdout) as { items: Listed[]; next_cursor: null }
    expect(next_cursor).toBe(null)
    return items
  }
  const rows = () => signingKeysOf({ databaseUrl: database.url })
  const serve = (environment: Record<string, string> = {}, clock = new Clock()) =>
    start(
      { ...testSettings({ TESSERA_DATABASE_URL: database.url, ...environment }), host: 'localhost' },
      { now: clock.now },
    )
  const published = async ({ url }: { url: string }) => {
    const set = (await (await fetch(`${url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] }
    return set.keys.map(({ kid }) => kid)
  }

  it('rotate adds keys that are published at once and sign a day later; list says so', async () => {
    const before = await list()
    expect(before.map(({ alg }) => alg).sort()).toEqual(['ES256', 'RS256'])
    for (const key of before) expect(key).toMatchObject({ state: 'signs', published_until: null })
    const began = Date.now()
    const rotated = await keys(['rotate'])
    expect(rotated).toMatchObject({ code: 0, stderr: '' })
    const after = await list()
    expect(after).toHaveLength(4)
    for (const alg of ['RS256', 'ES256']) {
      const [old, fresh] = after.filter((key) => key.alg === alg)
      expect(rotated.stdout).toContain(`${fresh?.kid} (${alg})`)
      expect(old).toMatchObject({ kid: before.find((key) => key.alg === alg)?.kid, state: 'signs' })
      expect(fresh).toMatchObject({ state: 'published, signs later', published_until: null })
      const signsFrom = Date.parse(fresh?.signs_from ?? '')
      // Longer than a gateway keeps the key set, and no longer than a day.
      expect(signsFrom - began).toBeGreaterThanOrEqual(24 * 3_600_000 - 1)
      expect(signsFrom - Date.now()).toBeLessThanOrEqual(24 * 3_600_000)
      expect(rotated.stdout).toContain(
        `${old?.kid} (${alg}) came before; it leaves the key set at ${old?.published_until}.`,
      )
      // The old one stays for the longest life of a token.
      expect(Date.parse(old?.published_until ?? '') - signsFrom).toBeGreaterThanOrEqual(24 * 3_600_000)
    }
    // Five seconds until others publish it, and ten minutes for which a key set may be kept.
    const [, by = ''] = /within 5 seconds; verifiers .* have them by (\S+)\.$/m.exec(rotated.stdout) ?? []
    expect(Math.round((Date.parse(by) - began) / 60_000)).toBe(10)
    const service = await serve()
    expect((await published(service)).sort()).toEqual(after.map(({ kid }) => kid).sort())
    await service.close()
    const { stdout } = await keys(['list'])
    for (const { kid, alg } of after)
      expect(stdout.split('\n').some((line) => line.includes(kid) && line.includes(alg))).toBe(true)
    expect(stdout.match(/published, signs later/g)).toHaveLength(2)
  })

  it('rotated by a command are published by a process that runs, within seconds', async () => {
    const running = await serve()
    const before = await published(running)
    await keys(['rotate'])
    const all = (await list()).map(({ kid }) => kid).sort()
    expect(all).toHaveLength(before.length + 2)
    await vi.waitFor(async () => expect((await published(running)).sort()).toEqual(all), {
      timeout: 8000,
      interval: 100,
    })
    await running.close()
  })

  onOne.it('rotate says when the key really signs: after one that waits for its own turn', async () => {
    const told = async () => {
      const { stdout } = await keys(['rotate'], { TESSERA_KEY_LEAD: '1800' })
      const line =
        /^(\S+) \((?:RS256|ES256)\) is published now, and signs from (\S+) on, in (\d+) minutes\.$/gm
      return [...stdout.matchAll(line)].map(([, kid, from, minutes]) => ({ kid, from, minutes }))
    }
    const answers = [...(await told()), ...(await told()), ...(await told())]
    expect(answers.map(({ minutes }) => minutes)).toEqual(['30', '30', '60', '60', '90', '90'])
    const [, , ...listed] = await list()
    expect(listed.map(({ kid, signs_from }) => [kid, signs_from])).toEqual(
      answers.map(({ kid, from }) => [kid, from]),
    )
  })

  onOne.it('rotate --now lets new keys sign within a minute, and says what that breaks', async () => {
    await keys(['rotate'])
    const { code, stdout } = await keys(['rotate', '--now'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/in 1 minute\.$/m)
    expect(stdout).toMatch(/refuses every new token: 10 minutes at the most .* hours at some gateways/)
    expect(stdout).toMatch(/are not taken back\.$/m)
    const fresh = (await list()).slice(-2)
    for (const { kid, signs_from } of fresh) {
      expect(stdout).toContain(kid)
      expect(Date.parse(signs_from) - Date.now()).toBeLessThanOrEqual(30_000)
    }
  })

  onOne.it('reencrypt opens the old ones by a file as well', async () => {
    const file = join(temporaryFolder(), 'previous')
    writeFileSync(file, `${secret}\n`)
    const both = { TESSERA_SECRET: nextSecret, TESSERA_SECRET_PREVIOUS_FILE: file }
    const done = await keys(['reencrypt'], both, run)
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(await keys(['list'], { TESSERA_SECRET: nextSecret }, run)).toMatchObject({ code: 0 })
  })

  onOne.it('rests encrypted, and a row that was moved under another id does not open', async () => {
    await keys(['rotate'])
    const all = await rows()
    const [one, other] = all
    for (const row of all) {
      expect(row?.private_key).toMatch(/^v1\.[\w-]{16}\.[\w-]+$/)
      expect(Buffer.from(row?.private_key.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain(
        'PRIVATE KEY',
      )
      const members = Object.keys(JSON.parse(row?.public_jwk ?? '{}') as object)
      const own = row?.alg === 'RS256' ? ['e', 'n'] : ['crv', 'x', 'y']
      expect(members.sort()).toEqual(['alg', 'kid', 'kty', 'use', ...own].sort())
    }
    await changePrivateKey({ databaseUrl: database.url }, other?.kid ?? '', one?.private_key ?? '')
    await expect(serve()).rejects.toThrow(/encrypted with another secret/)
  })

  onOne.it('refuse a wrong secret in one line, and nothing has changed', async () => {
    const before = await rows()
    const tries = [
      keys(['rotate'], { TESSERA_SECRET: wrongSecret }),
      keys(['reencrypt'], { TESSERA_SECRET: nextSecret }),
      keys(['reencrypt'], { TESSERA_SECRET: nextSecret, TESSERA_SECRET_PREVIOUS: wrongSecret }),
    ]
    for (const ran of await Promise.all(tries)) {
      const { code, stdout } = ran
      const complaints = complaintsOf(ran)
      expect({ code, stdout, lines: complaints.length }).toEqual({ code: 1, stdout: '', lines: 1 })
      expect(complaints[0]).toMatch(/encrypted with another secret.*TESSERA_SECRET_PREVIOUS/)
      expect(complaints[0]).not.toContain(wrongSecret)
    }
    expect(await rows()).toEqual(before)
  })

  it('reencrypt never says it is done while another one, by another secret, has some of the keys', async () => {
    await keys(['rotate'])
    const third = 'a-third-secret-of-the-tests-5555555555'
    const by = (next: string) =>
      keys(['reencrypt'], { TESSERA_SECRET: next, TESSERA_SECRET_PREVIOUS: secret })
    const ran = await Promise.all([by(nextSecret), by(third)])
    for (const [index, next] of [nextSecret, third].entries()) {
      const { code, stderr } = ran[index] ?? { code: undefined, stderr: '' }
      if (code !== 0) expect(stderr).toMatch(/^tessera: .*another secret.*TESSERA_SECRET_PREVIOUS.*\n$/)
      // Whoever was told that it is done can do without the one before.
      else expect(await keys(['reencrypt'], { TESSERA_SECRET: next })).toMatchObject({ code: 0 })
    }
    expect(ran.filter(({ code }) => code === 0).length).toBeLessThan(2)
    // Nothing is lost either way: with both it can be finished.
    const both = { TESSERA_SECRET: nextSecret, TESSERA_SECRET_PREVIOUS: third }
    expect(await keys(['reencrypt'], both)).toMatchObject({ code: 0 })
    expect(await keys(['reencrypt'], { TESSERA_SECRET: nextSecret })).toMatchObject({ code: 0 })
  })

  it('reencrypt changes the secret under a service that goes on signing', async () => {
    await keys(['rotate'])
    const before = await rows()
    const running = await serve()
    const changing = { TESSERA_SECRET: nextSecret, TESSERA_SECRET_PREVIOUS: secret }
    // With the old one as the previous one a process can start before anything is encrypted anew.
    const started = await serve(changing)
    expect(await published(started)).toEqual(await published(running))

    const done = await keys(['reencrypt'], changing)
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toMatch(/^4 keys and the key of the audit are encrypted/)
    const after = await rows()
    const sealed = after.map(({ private_key }) => private_key)
    expect(after).toEqual(before.map((row, index) => ({ ...row, private_key: sealed[index] })))
    expect(after.every((row, index) => row.private_key !== before[index]?.private_key)).toBe(true)
    // Again, and alone with the new one: nothing is lost by doing it twice.
    expect(await keys(['reencrypt'], { TESSERA_SECRET: nextSecret })).toMatchObject({ code: 0 })

    const clock = { now: Date.now }
    for (const service of [running, started]) {
      const jwt = await machineToken(service.url)
      expect(await verified({ url: service.url, clock }, jwt, 'at+jwt').catch(String)).toMatchObject({
        sub: 'nightly-import',
      })
      await service.close()
    }
    await expect(serve()).rejects.toThrow(/encrypted with another secret/)
    const anew = await serve({ TESSERA_SECRET: nextSecret })
    expect((await published(anew)).sort()).toEqual(before.map(({ kid }) => kid).sort())
    await anew.close()
  })

  onOne.it('reencrypt renews the secrets of authenticator apps, which go on counting', async () => {
    const clock = new Clock()
    clock.stop()
    await importEnrolled({ databaseUrl: database.url }, ['kept'])
    const sealed = await totpSecretsOf({ databaseUrl: database.url })
    expect(sealed).toEqual([expect.stringMatching(/^v1\./)])
    expect(sealed[0]).not.toContain(totpSecret)
    const changing = { TESSERA_SECRET: nextSecret, TESSERA_SECRET_PREVIOUS: secret }
    const done = await keys(['reencrypt'], changing)
    expect(done.stdout).toMatch(/, 1 secrets of second factors and the key of the audit are encrypted/)
    expect(await totpSecretsOf({ databaseUrl: database.url })).not.toEqual(sealed)
    expect(await auditOf({ databaseUrl: database.url }, { kind: 'factor.reencrypted' })).toHaveLength(1)
    const service = await serve({ TESSERA_SECRET: nextSecret }, clock)
    const browser = new TestBrowser(service.url)
    const page = await atSecondFactor(browser, personOf('kept'))
    expect(answerOf(await browser.submit(page, { code: codeOf({ clock }) })).code).toBeDefined()
    await service.close()
  })

  it('reencrypt renews removed authenticator apps, which come back, and mails that wait', async () => {
    const clock = new Clock()
    clock.stop()
    await importEnrolled({ databaseUrl: database.url }, ['removed'])
    const person = personOf('removed')
    const before = await serve({}, clock)
    const posted = async (address: string) => {
      const now = clock.now()
      const mail = { kind: 'test', data: { at: now }, locale: 'en', expiresAt: now + 3_600_000, now } as const
      await postMail({ databaseUrl: database.url }, { ...mail, to: { address, name: 'Mia Sand' } })
    }
    // Once a mail was sent, notices follow from what is recorded.
    await posted('first@factors.example')
    await mailTo(before, 'first@factors.example', '')
    const browser = new TestBrowser(before.url)
    await browser.submit(await atSecondFactor(browser, person), { code: codeOf({ clock }) })
    const { body } = await browser.open('/account/sign-in')
    const id = /name="id" value="([0-9a-f]{32})"/.exec(body)?.[1] ?? ''
    const { csrf = '' } = formOn(await browser.open('/account/sign-in')).hidden
    await browser.follow(await browser.request('/account/sign-in', { form: { csrf, do: 'remove', id } }))
    expect(await totpSecretsOf({ databaseUrl: database.url })).toEqual([])
    const link = linkIn(await mailTo(before, person.email, 'A second factor was removed'))
    await before.close()

    const changing = { TESSERA_SECRET: nextSecret, TESSERA_SECRET_PREVIOUS: secret }
    const renewed = await keys(['reencrypt'], changing)
    expect(renewed.stdout).toMatch(
      /, 1 secrets of second factors(, [12] mails)? and the key of the audit are/,
    )
    // Of a process that does not know the new one yet.
    await posted('waits@factors.example')
    const refused = await keys(['reencrypt'], { TESSERA_SECRET: nextSecret })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(complaintsOf(refused)).toEqual([
      expect.stringMatching(/The mail .* encrypted with another secret.*TESSERA_SECRET_PREVIOUS/),
    ])
    expect((await keys(['reencrypt'], changing)).stdout).toMatch(/, [123] mails and the key of the audit are/)

    const service = await serve({ TESSERA_SECRET: nextSecret }, clock)
    await mailTo(service, 'waits@factors.example', '')
    const owner = new TestBrowser(service.url)
    expect((await owner.submitOnce(await owner.open(link))).status).toBe(200)
    const environment = {
      TESSERA_MODE: 'development',
      TESSERA_DATABASE_URL: database.url,
      TESSERA_SECRET: nextSecret,
    }
    const recovered = await runHere(['user', 'recover', person.email], { environment })
    expect(recovered).toMatchObject({ code: 0 })
    const { pathname, search } = new URL(/http\S+/.exec(recovered.stdout)?.[0] ?? '')
    clock.advance(30_000)
    const proved = await owner.submit(await owner.open(pathname + search), { code: codeOf({ clock }) })
    expect(proved.body).toContain('name="password_again"')
    await service.close()
  })

  it('are rotated by the services themselves, once over two of them, when TESSERA_KEY_ROTATION is over', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const clock = new Clock()
    const settings = { TESSERA_KEY_ROTATION: '86400' }
    const services = [await serve(settings, clock), await serve(settings, clock)]
    const there = await rows()
    const first = there.map(({ kid }) => kid)
    const age = Date.now() - Math.max(...there.map((row) => row.signs_from))
    const passes = async () => {
      await vi.advanceTimersByTimeAsync(60_000)
      // What the jobs do with the database takes real time.
      await pause(500)
    }
    clock.advance(86_000_000 - age)
    await passes()
    expect(await rows()).toHaveLength(2)
    clock.advance(1_000_000)
    await passes()
    // On a machine that has much to do it takes longer.
    const all = async () => [await rows(), ...(await Promise.all(services.map(published)))]
    for (let tries = 0; (await all()).some(({ length }) => length < 4) && tries < 30; tries++) await passes()
    const kids = (await rows()).map(({ kid }) => kid)
    expect(kids).toHaveLength(4)
    expect(kids.slice(0, 2)).toEqual(first)
    for (const service of services) expect((await published(service)).sort()).toEqual([...kids].sort())
    for (const service of services) await service.close()
  })
})

it('what the versions before encrypted is opened, and for what it was encrypted alone', () => {
  const written = {
    'tessera signing keys': 'v1.j7Ds3XoWSRP3eSIK.L_WzjOaH571uMZVoacK-oVCWFdxua4MXPHc',
    'tessera webhook secrets': 'v1.LEERSBHPQ8pFDTWp.UfvK2OUwwNwMt0FNVVAtcFQYWwhkDaHmS0U',
  }
  const purposes = Object.keys(written) as (keyof typeof written)[]
  const secrets = ['a secret of a service that is long enough']
  for (const [purpose, text] of Object.entries(written)) {
    const opened = purposes.filter(
      (one) => decrypt(text, 'the-id', { purpose: one, secrets }) === 'what rests',
    )
    expect(opened).toEqual([purpose])
  }
})
