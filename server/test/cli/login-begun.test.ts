/** From an empty folder to the command in somebody's name: `serve`, `setup` and `login`, with what comes along alone. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../harness/chromium.ts'
import {
  type Ended,
  cleanUp,
  freePort,
  secret,
  Serving,
  TesseraProcess,
  temporaryFolder,
} from '../harness/process.ts'
import { Person } from '../oauth2/journey-support.ts'

const lena = { email: 'lena.hoff@acme.example', password: 'correct horse battery lena' }

let chromium: Browser
beforeAll(async () => {
  chromium = await launchChromium()
})
afterAll(async () => {
  await chromium?.close()
  await cleanUp()
})

/** Settings as an operator has them: none in development, and in production those that it asks for. */
const installations: [mode: string, settings: (port: number) => Record<string, string>][] = [
  ['in development', () => ({ TESSERA_MODE: 'development', TESSERA_SECRET: '' })],
  [
    'in production on loopback',
    (port) => ({
      TESSERA_MODE: 'production',
      TESSERA_SECRET: secret,
      TESSERA_ISSUER: `http://localhost:${port}`,
      TESSERA_DATABASE_URL: 'sqlite:kept.sqlite',
    }),
  ],
]

describe.each(installations)('an installation that begins %s', (mode, settingsAt) => {
  let folder: string
  let settings: Record<string, string>
  let serving: Serving
  let setup: Ended
  beforeAll(async () => {
    folder = temporaryFolder()
    const port = await freePort()
    settings = { ...settingsAt(port), TESSERA_PORT: String(port) }
    serving = await Serving.start(settings, folder)
    const options = { cwd: folder, environment: settings, input: lena.password }
    setup = await new TesseraProcess(['setup', '--email', lena.email, '--password-stdin'], options).ended
  })
  afterAll(async () => await serving?.stop('SIGKILL'))

  /** The command of somebody who has no setting but where logins are kept. */
  const command = (line: string[], more: Record<string, string> = {}) =>
    new TesseraProcess(line, { cwd: folder, environment: { XDG_CONFIG_HOME: folder, ...more } })
  /** Runs it, and yields what stands at an address that the browser would be shown. */
  async function byBrowser(line: string[]): Promise<{ login: TesseraProcess; address: string }> {
    const [script, kept] = [join(folder, 'browser.sh'), join(folder, `address-${line.join('-').length}`)]
    writeFileSync(script, `#!/bin/sh\nprintf %s "$1" > ${kept}.new && mv ${kept}.new ${kept}\n`, {
      mode: 0o700,
    })
    const login = command(line, { BROWSER: script })
    await Promise.race([
      login.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
      expect.poll(() => existsSync(kept), { timeout: 20_000 }).toBe(true),
    ])
    return { login, address: readFileSync(kept, 'utf8') }
  }

  it('ends its setup with the address of the console, which is there', async () => {
    const { code, stdout, stderr } = setup
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${lena.email} administers the whole installation, by the role administrator.\n`,
    })
    expect(stderr).toContain(`tessera login ${serving.issuer}\n`)
    expect(stderr.trimEnd().split(/\s+/).at(-1)).toBe(`${serving.issuer}/console`)
    expect((await fetch(`${serving.issuer}/console`)).status).toBe(200)
  })

  it('lets its administrator sign in by the command alone, in a real browser', async () => {
    const { login, address } = await byBrowser(['login', serving.issuer])
    const person = await Person.with(chromium)
    await person.page.goto(address)
    await person.typePassword(lena)
    // The role that setup makes demands a second factor, after some days.
    await person.press('Later')
    const asked = await person.page.locator('main').innerText()
    expect(asked).toContain('Tessera command line')
    expect(asked).toContain('127.0.0.1')
    await person.press('Allow')
    expect(await person.page.locator('body').innerText()).toContain('Go on in the terminal')
    const { code, stdout, stderr } = await login.ended
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Signed in at ${serving.issuer}, through tessera:command.\n`,
    })
    expect(stderr).toContain(`tessera user list --url ${serving.issuer}\n`)
    const list = await command(['user', 'list', '--url', serving.issuer]).ended
    expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining(lena.email) })
    const role = await command(['role', 'create', 'clerk', '--name', 'Clerk', '--url', serving.issuer]).ended
    expect(role).toMatchObject({ code: 0, stderr: '' })
    expect((await command(['token', serving.issuer]).ended).stdout).toMatch(/^ey[\w.-]+\n$/)
    expect(await command(['logout', serving.issuer]).ended).toMatchObject({ code: 0 })
    expect(await command(['user', 'list', '--url', serving.issuer]).ended).toMatchObject({
      code: 1,
      stdout: '',
    })
    await person.context.close()
  })

  it('goes by codes of devices, or says what to add', async () => {
    const login = command(['login', serving.issuer, '--device'])
    if (mode === 'in development') {
      await expect.poll(() => login.stderr, { timeout: 20_000 }).toMatch(/enter the code \S+\n/)
      await login.stop()
      return
    }
    const { code, stdout, stderr } = await login.ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    const [, line = ''] = /^ {2}(tessera client create (?:.*\\\n)*.*)$/m.exec(stderr) ?? []
    const words = [...line.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, plain = '']) => quoted ?? plain,
    )
    const created = new TesseraProcess(words.slice(1), { cwd: folder, environment: settings })
    expect(await created.ended).toMatchObject({ code: 0, stderr: '' })
    const [, id = ''] = /--device --client (\S+)/.exec(stderr) ?? []
    const again = command(['login', serving.issuer, '--device', '--client', id])
    await expect.poll(() => again.stderr, { timeout: 20_000 }).toMatch(/enter the code \S+\n/)
    await again.stop()
  })

  it('shows the address where no browser can be opened and no code is given', async () => {
    if (mode === 'in development') return
    const login = command(['login', serving.issuer])
    await expect
      .poll(() => login.stderr, { timeout: 20_000 })
      .toContain(`${serving.issuer}/oauth2/authorize?`)
    const [, port] = /redirect_uri=http%3A%2F%2F127\.0\.0\.1%3A(\d+)/.exec(login.stderr) ?? []
    expect(login.stderr).toContain(`ssh -L ${port}:127.0.0.1:${port} `)
    await login.stop()
  })
})
