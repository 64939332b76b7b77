import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import timers from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startAdministered } from '../administration/support.ts'
import { claimsOf, people, post, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'
import { refresh, refusalOf, userinfo } from '../harness/program.ts'
import { auditOf } from '../harness/states.ts'
import { deviceGrant, enter } from '../oauth2/device-support.ts'
import { type Here, type Ran, runHere, ways } from './command-support.ts'

/**
 * By the wait of RFC 8628 between two requests, the person has answered: the command asks when a test says so, and
 * not after five seconds.
 */
const interval = 5000
const { setTimeout: wait } = timers
let answered = (): void => undefined
function waitForAnswers(): void {
  const until = new Promise<void>((resolve) => (answered = resolve))
  Object.assign(timers, {
    setTimeout: (...given: Parameters<typeof wait>) =>
      given[0] === interval ? Promise.race([until, wait(...given)]) : wait(...given),
  })
  syncBuiltinESMExports()
}
afterAll(() => {
  Object.assign(timers, { setTimeout: wait })
  syncBuiltinESMExports()
})
beforeEach(waitForAnswers)

onOneDatabase('tessera login', (dialect) => {
  let tessera: Tessera
  let folder: string
  let browser: TestBrowser
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
    const administration = ['administration', '--client-name', 'Command line', '--type', 'public']
    const native = ['--application-type', 'native', '--redirect-uri', 'http://127.0.0.1/callback']
    const may = ['--first-party', '--service', 'iam', '--scope', 'openid email service.api']
    const grants = ['authorization_code', 'refresh_token', deviceGrant].flatMap((one) => [
      '--grant-type',
      one,
    ])
    await made(...administration, ...native, ...may, ...grants)
    await made(
      'web-alone',
      '--client-name',
      'Web',
      '--type',
      'public',
      '--redirect-uri',
      'https://x.example/',
      ...may,
    )
  })
  afterAll(async () => {
    await cleanUp()
    await tessera.close()
  })
  beforeEach(() => {
    folder = temporaryFolder()
    browser = new TestBrowser(tessera.url)
  })

  const made = async (...options: string[]) => {
    const ran = await runHere(['client', 'create', ...options], { environment: ways.database(tessera) })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
  }
  /** By the client that an operator has registered. */
  const login = ['login', '--client', 'administration']
  const environment = (more: Record<string, string> = {}) => ({
    TESSERA_URL: tessera.url,
    XDG_CONFIG_HOME: folder,
    ...more,
  })
  const tesseraHere = async (line: string | string[], here: Here = {}): Promise<Ran> =>
    await runHere(typeof line === 'string' ? line.split(' ') : line, {
      ...here,
      environment: environment(here.environment),
    })

  /** The command, whose browser is a script that keeps the address; and what that address is. */
  function byBrowser(line = [...login]): { ran: Promise<Ran>; address: Promise<string> } {
    const [script, kept] = [join(folder, 'browser.sh'), join(folder, 'address')]
    rmSync(kept, { force: true })
    writeFileSync(script, `#!/bin/sh\nprintf %s "$1" > ${kept}.new && mv ${kept}.new ${kept}\n`, {
      mode: 0o700,
    })
    const ran = tesseraHere(line, { environment: { BROWSER: script } })
    const address = expect
      .poll(() => existsSync(kept))
      .toBe(true)
      .then(() => readFileSync(kept, 'utf8'))
    return { ran, address }
  }
  const opened = async (visit: Visit) => await fetch(visit.location ?? '')

  /** The command, and the user code that it shows. */
  function byDevice(line = `${login.join(' ')} --device --json`): {
    ran: Promise<Ran>
    code: Promise<string>
  } {
    let ran: Promise<Ran> | undefined
    const code = new Promise<string>((resolve) => {
      let heard = ''
      const hears = (text: string) => {
        heard += text
        const [, shown] = /enter the code (\S+)\n/.exec(heard) ?? []
        if (shown !== undefined) resolve(shown)
      }
      ran = tesseraHere(line, { hears })
    })
    return { ran: ran ?? Promise.reject(new Error('It did not begin.')), code }
  }
  async function signedIn(person: { email: string; password: string } = people.admin): Promise<void> {
    const { ran, address } = byBrowser()
    expect((await opened(await signIn(browser, await address, person))).status).toBe(200)
    expect((await ran).code).toBe(0)
  }
  const file = () => join(folder, 'tessera', 'logins', `${encodeURIComponent(tessera.url)}.json`)
  const kept = () => JSON.parse(readFileSync(file(), 'utf8')) as Record<string, string>
  const later = Date.now() + 1_000_000

  it('signs in by a browser that comes back to this machine, and administers in that name', async () => {
    const { ran, address } = byBrowser([...login, '--scope', 'openid email service.api'])
    const visit = await signIn(browser, await address, people.admin)
    expect(visit.location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/)
    // Something else on this machine knows no state.
    const callback = new URL(visit.location ?? '')
    for (const wrong of ['/', '/callback', '/callback?code=x&state=y', `${callback.pathname}?code=x&iss=z`])
      expect((await fetch(new URL(wrong, callback))).status).toBe(404)
    const page = await opened(visit)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Go on in the terminal')])
    const { code, stdout, stderr } = await ran
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Signed in at ${tessera.url} as ${people.admin.email}, through administration.\n`,
    })
    expect(stderr).toContain(`${tessera.url}/oauth2/authorize?`)
    // A session that is older would be refused by changes that want a recent sign-in.
    expect(stderr).toContain('&max_age=600')
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'tessera', 'logins')).mode & 0o777).toBe(0o700)
    const renamed = await tesseraHere('role change reader --name Readers --override-file --json')
    expect(renamed).toMatchObject({ code: 0, stderr: '' })
    const [record] = (await auditOf(tessera, { kind: 'role.changed' })).slice(-1)
    expect(record).toMatchObject({ client_id: 'administration', actor: { kind: 'user' } })
    const { access_token: access = '', refresh_token: secret = '' } = kept()
    for (const token of [access, secret]) expect(stdout + stderr).not.toContain(token)
    expect(await tesseraHere('token')).toEqual({ code: 0, stdout: `${access}\n`, stderr: '' })
    expect(JSON.parse((await tesseraHere('token --json')).stdout)).toMatchObject({ access_token: access })
  })

  it('signs in by a code on another device', async () => {
    const { ran, code } = byDevice()
    const question = await browser.submit(await enter(browser, await code), people.admin)
    expect(question.body).toContain('Command line')
    await browser.submit(question, { choice: 'allow' })
    answered()
    const { code: exit, stdout, stderr } = await ran
    expect({ exit, said: JSON.parse(stdout) }).toEqual({
      exit: 0,
      said: {
        url: tessera.url,
        client_id: 'administration',
        sub: expect.any(String),
        expires_at: expect.any(String),
      },
    })
    expect(stderr).not.toContain(kept().access_token)
    expect(await tesseraHere('role list')).toMatchObject({ code: 0, stderr: '' })
  })

  it('says no where the person does', async () => {
    const device = byDevice()
    const question = await enter(browser, await device.code)
    await browser.submit(question, { choice: 'cancel' })
    answered()
    expect(await device.ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Nobody is signed in'),
    })
    const { ran, address } = byBrowser()
    const cancelled = await browser.submit(await browser.open(await address), { choice: 'cancel' })
    await opened(cancelled)
    expect(await ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Nobody is signed in'),
    })
    expect(existsSync(file())).toBe(false)
  })

  it('shows a QR code on a terminal, and where nobody sees a browser a code', async () => {
    const hears: string[] = []
    const ran = runHere(login, {
      environment: environment({ SSH_CONNECTION: 'somewhere' }),
      terminal: true,
      hears: (text) => hears.push(text),
    })
    await expect.poll(() => hears.join('')).toMatch(/[█▀▄]{5}[\s\S]*enter the code/)
    const [, code = ''] = /enter the code (\S+)/.exec(hears.join('')) ?? []
    await browser.submit(await enter(browser, code), { choice: 'cancel' })
    answered()
    expect((await ran).code).toBe(1)
  })

  describe('a login', () => {
    beforeEach(() => signedIn())

    it('is refreshed once by commands at the same time, and goes on', async () => {
      const before = kept()
      const ran = await Promise.all(Array.from({ length: 5 }, () => tesseraHere('token', { now: later })))
      expect(new Set(ran.map(({ stdout }) => stdout.trim()))).toEqual(new Set([kept().access_token]))
      expect(kept().access_token).not.toBe(before.access_token)
      expect(kept().refresh_token).not.toBe(before.refresh_token)
      expect((await tesseraHere('token', { now: later + 1_000_000 })).code).toBe(0)
      // No lock, no half file.
      expect(readdirSync(join(folder, 'tessera', 'logins'))).toHaveLength(1)
      expect(statSync(file()).mode & 0o777).toBe(0o600)
    })

    it('is refreshed although a command was killed that held the lock', async () => {
      // No process has that number.
      writeFileSync(`${file()}.lock`, '999999999')
      expect((await tesseraHere('token', { now: later })).code).toBe(0)
    })

    it('ends by tessera logout, and the tokens with it', async () => {
      const { access_token: access, refresh_token: secret } = kept()
      expect(await tesseraHere('logout')).toMatchObject({ code: 0, stdout: '' })
      expect(existsSync(file())).toBe(false)
      expect((await userinfo(tessera.url, access)).status).toBe(401)
      const again = await refresh(tessera.url, secret, { client_id: 'administration' })
      expect(refusalOf(again)).toBe('400 invalid_grant')
      expect(await tesseraHere('token')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('tessera login --url'),
      })
      expect(await tesseraHere('user list')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/Who asks\?/),
      })
      expect((await tesseraHere('logout')).code).toBe(0)
    })

    it('that has ended says so, once it is refreshed', async () => {
      const { refresh_token: secret = '' } = kept()
      await post(`${tessera.url}/oauth2/revoke`, { client_id: 'administration', token: secret })
      const ended = await tesseraHere('user list', { now: later })
      expect(ended).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Sign in again: tessera login --url'),
      })
      expect(existsSync(file())).toBe(false)
    })

    it('takes the place of the one before, whose tokens end', async () => {
      const before = kept()
      browser = new TestBrowser(tessera.url)
      await signedIn(people.importer)
      expect(claimsOf(kept().access_token).sub).not.toBe(claimsOf(before.access_token).sub)
      const again = await refresh(tessera.url, before.refresh_token, { client_id: 'administration' })
      expect(refusalOf(again)).toBe('400 invalid_grant')
    })

    it('is not used while others may read it, nor where it is damaged', async () => {
      chmodSync(file(), 0o644)
      expect(await tesseraHere('token')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('chmod 600'),
      })
      chmodSync(file(), 0o600)
      writeFileSync(file(), '{')
      expect(await tesseraHere('token')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is damaged'),
      })
    })

    it('counts less than a token or a client of the environment', async () => {
      const token = { TESSERA_TOKEN: 'nonsense' }
      expect((await tesseraHere('user list', { environment: token })).stderr).toContain(
        'access token is not valid',
      )
      const half = { TESSERA_CLIENT_ID: 'admin-cli' }
      expect((await tesseraHere('user list', { environment: half })).stderr).toContain('belong together')
    })
  })

  it.each<[string, string, RegExp]>([
    [
      'the client lacks the grant',
      'login --device --client web-alone',
      /grant_types: \[.*device_code"\][\s\S]*--add-grant-type/,
    ],
    ['there is no such client', 'login --device --client nobody', /tessera client create nobody/],
    [
      'the scope is not the client’s',
      'login --client administration --device --scope openid,profile',
      /does not let administration sign in/,
    ],
    ['the address is clear text', 'login --url http://id.example.com', /for everybody to read/],
    ['the address is none', 'login --url nonsense', /is no address of a service/],
    ['nothing answers', 'login --url http://127.0.0.1:1', /can't be reached/],
    ['nothing answers at its argument', 'login http://127.0.0.1:1', /can't be reached/],
    [
      'it is named twice',
      'login http://127.0.0.1:1 --url http://127.0.0.1:1',
      /named twice: leave out --url/,
    ],
    ['it is named twice', 'logout http://127.0.0.1:1 --url http://127.0.0.1:1', /named twice/],
    ['it is named twice', 'token http://127.0.0.1:1 --url http://127.0.0.1:1', /named twice/],
    ['the argument is clear text', 'login http://id.example.com', /for everybody to read/],
  ])('is refused where %s, and says what to do', async (_, line, said) => {
    expect(await tesseraHere(line)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(said),
    })
  })

  it('opens no browser in vain', async () => {
    const BROWSER = '/nowhere/browser'
    const ran = async (line: string) => await tesseraHere(line, { environment: { BROWSER } })
    expect((await ran('login --client web-alone')).stderr).toMatch(
      /redirect_uris: \[http:\/\/127\.0\.0\.1\/callback\]/,
    )
    expect((await ran('login --client nobody')).stderr).toMatch(/tessera client create nobody/)
    expect((await ran('login --client administration --scope email')).stderr).toMatch(
      /The scope openid is missing/,
    )
    expect(await runHere(['login'], { environment: { XDG_CONFIG_HOME: folder } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Which service?'),
    })
  })
})
