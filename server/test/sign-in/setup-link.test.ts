/** `tessera setup --link`: a link at which the first administrator of an installation names themself. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { hashSecret } from '../../dist/protocol/identifier.js'
import { TestBrowser, type Visit } from '../harness/browser.ts'
import { launchChromium } from '../harness/chromium.ts'
import { type Ran, runHere } from '../cli/command-support.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { auditOf, countOf, everythingKept, passwordHashOf, removeEverybody } from '../harness/states.ts'

const hour = 3_600_000
const password = 'correct horse battery lena'
const lena = { name: 'Lena Hoff', email: 'lena.hoff@acme.example', password, password_again: password }

onEachDatabase('the link of tessera setup', (dialect) => {
  const onOne = oneDatabase(dialect)
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startTessera(dialect, { content: 'empty' })
  })
  afterAll(() => tessera?.close())
  // Nobody administers.
  beforeEach(() => removeEverybody(tessera, 'and roles'))

  const command = async (commandLine: string[], input = ''): Promise<Ran> =>
    await runHere(commandLine, {
      environment: { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url },
      input,
    })
  const makeLink = async (): Promise<string> => {
    const { code, stdout, stderr } = await command(['setup', '--link'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^Good once, until /) })
    expect(stdout).toMatch(/^http:\/\/localhost:\d+\/setup\?link=[0-9a-f]{32}\.[\w-]{43}\n$/)
    return stdout.trim()
  }
  const open = async (link: string, browser = new TestBrowser(tessera.url)) => {
    const page = await browser.open(link)
    return {
      page,
      browser,
      send: async (fields: Record<string, string>) => await browser.submit(page, fields),
    }
  }
  const written = async () => ({
    users: await countOf(tessera, 'users'),
    roles: await countOf(tessera, 'roles'),
    profiles: await countOf(tessera, 'profiles'),
  })
  const nobody = { users: 0, roles: 0, profiles: 0 }
  const somebody = { users: 1, roles: 1, profiles: 1 }
  const outcomeOf = ({ status, body }: Visit) => `${status} ${/<code>(\w+)<\/code>/.exec(body)?.[1] ?? ''}`
  const ended = '400 setup_link_ended'
  const recorded = async () => (await auditOf(tessera, {})).slice(-6).toReversed()

  it('makes somebody who administers everything, and records who came by it', async () => {
    const link = await makeLink()
    const { page, send, browser } = await open(link)
    expect(page.status).toBe(200)
    expect(page.body).toContain('<h1>Set up the first administrator</h1>')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('cache-control')).toBe('no-store')
    const done = await send({ ...lena, name: '  Lena Hoff ', email: ' lena.hoff@acme.example ' })
    expect(done.status).toBe(200)
    expect(done.body).toContain('You administer this installation')
    expect(done.body).toContain('lena.hoff@acme.example')
    expect(done.body).toContain(`<a href="${tessera.url}/api/doc">interface description</a>`)
    for (const step of ['', '/applications/new', '/people/new'])
      expect(done.body).toContain(`<a href="/console${step}">`)
    // Signed in, so the second factor is set up at once.
    const factors = await browser.open('/account/sign-in')
    expect([factors.status, factors.body.includes('authenticator app')]).toEqual([200, true])
    expect((await browser.open('/')).body).toContain('href="/console"')
    const { stdout } = await command(['user', 'access', lena.email, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      profiles: [{ role_code: 'administrator', organisation_uuid: null, usable: true }],
    })
    const shown = JSON.parse((await command(['user', 'show', lena.email, '--json'])).stdout) as unknown
    expect(shown).toMatchObject({ name: 'Lena Hoff', email_verified: false })
    expect(await passwordHashOf(tessera, lena.email)).toMatch(/^\$argon2id\$/)

    const records = await recorded()
    const id = /link=(\w+)\./.exec(link)?.[1]
    expect(records.map(({ kind, actor }) => `${kind} ${actor.kind}`)).toEqual([
      'sign_in.succeeded user',
      'profile.created anonymous',
      'user.created anonymous',
      'role.created anonymous',
      'setup_link.used anonymous',
      'setup_link.created command',
    ])
    for (const one of records.slice(0, 5)) {
      expect(one).toMatchObject({ request_id: done.headers.get('x-request-id'), address: expect.any(String) })
    }
    for (const one of records.slice(4)) expect(one.target).toEqual({ kind: 'setup_link', id })
    const secret = link.slice(link.indexOf('.', link.indexOf('=')) + 1)
    const kept = await everythingKept(tessera)
    expect(kept).toContain(id)
    expect(kept).not.toContain(secret)
    expect(JSON.stringify(records)).not.toMatch(/argon2|correct horse/)
    expect(JSON.stringify(records)).not.toContain(hashSecret(secret))
  })

  it('is used once, by one of many that come with it and with others at the same time', async () => {
    const [one, other] = [await makeLink(), await makeLink()]
    const pages = await Promise.all(Array.from({ length: 20 }, (_, index) => open(index < 15 ? one : other)))
    const answers = await Promise.all(
      pages.map(({ send }, index) => send({ ...lena, email: `lena-${index}@acme.example` })),
    )
    const outcomes = answers.map(outcomeOf).toSorted()
    expect(outcomes).toEqual(['200 ', ...Array<string>(19).fill(ended)])
    expect(await written()).toEqual(somebody)
    for (const link of [one, other]) expect(outcomeOf((await open(link)).page)).toBe(ended)
  })

  onOne.it('is good for an hour', async () => {
    const link = await makeLink()
    const [early, late] = [await open(link), await open(link)]
    tessera.clock.advance(hour - 60_000)
    try {
      const wrong = await early.send({ ...lena, password_again: 'something else' })
      expect([wrong.status, wrong.body.includes('not the same')]).toEqual([400, true])
      tessera.clock.advance(60_000)
      expect(outcomeOf((await open(link)).page)).toBe(ended)
      expect(outcomeOf(await late.send(lena))).toBe(ended)
    } finally {
      tessera.clock.advance(-hour)
    }
    expect(await written()).toEqual(nobody)
    expect((await late.send(lena)).status).toBe(200)
  })

  onOne.it('is none when anything of it is another', async () => {
    const link = await makeLink()
    const at = link.indexOf('=') + 1
    const [id = '', secret = ''] = link.slice(at).split('.')
    const others = [
      '',
      id,
      `.${secret}`,
      `${id}.`,
      `${id}.${secret}.${secret}`,
      `${id}.${secret.slice(1)}`,
      `${id}.${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`,
      `${id.startsWith('0') ? '1' : '0'}${id.slice(1)}.${secret}`,
      `${id.toUpperCase()}x.${secret}`,
      `${secret}.${id}`,
    ]
    const { page, send } = await open(link)
    for (const text of others) {
      expect(outcomeOf((await open(`/setup?link=${encodeURIComponent(text)}`)).page), text).toBe(ended)
      expect(outcomeOf(await send({ ...lena, link: text })), text).toBe(ended)
    }
    expect(outcomeOf((await open('/setup')).page)).toBe(ended)
    expect((await open(`${link}&link=${id}.${secret}`)).page.status).toBe(400)
    expect(await written()).toEqual(nobody)

    // Another browser's form, as another site would send it.
    const stranger = new TestBrowser(tessera.url)
    expect(outcomeOf(await stranger.submit(page, lena))).toBe('403 form_expired')
    await stranger.open(link)
    expect(outcomeOf(await stranger.submit(page, lena))).toBe('403 form_expired')
    // The form of another link in the same browser.
    expect(outcomeOf(await send({ ...lena, link: (await makeLink()).slice(at) }))).toBe('403 form_expired')
    expect(outcomeOf(await send({ ...lena, csrf: '' }))).toBe('403 form_expired')
    expect(await written()).toEqual(nobody)
    expect((await send(lena)).status).toBe(200)
  })

  it('is dead as soon as somebody administers, whichever way, and no other is made', async () => {
    const ways: [string, () => Promise<Ran>][] = [
      [
        'by the command',
        async () => await command(['setup', '--email', lena.email, '--password-stdin'], password),
      ],
      [
        'by what administers everything',
        async () => {
          await command(['role', 'create', 'root', '--name', 'Root', '--permission', 'iam.*'])
          return await command(['user', 'create', lena.email, '--name', 'Lena', '--profile', 'root'])
        },
      ],
    ]
    for (const [way, make] of ways) {
      const link = await makeLink()
      const { send } = await open(link)
      expect(await make(), way).toMatchObject({ code: 0 })
      const before = await written()
      expect(outcomeOf((await open(link)).page), way).toBe(ended)
      expect(outcomeOf(await send({ ...lena, email: 'other@acme.example' })), way).toBe(ended)
      expect(await command(['setup', '--link']), way).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^tessera: Somebody administers the whole installation already; .*\n$/),
      })
      const json = await command(['setup', '--link', '--json'])
      expect(json).toMatchObject({ code: 1, stdout: '' })
      expect(JSON.parse(json.stderr)).toMatchObject({ status: 409, error: 'conflict' })
      expect(await written(), way).toEqual(before)
      await removeEverybody(tessera)
    }
  })

  const wrong: [string, Record<string, string>, RegExp][] = [
    ['no name', { name: ' ' }, /name-error.*Enter your name\./s],
    ['a long name', { name: 'x'.repeat(201) }, /name-error.*without invisible ones/s],
    ['no address', { email: '' }, /email-error.*Enter your e-mail address\./s],
    ['what is no address', { email: 'nobody' }, /email-error.*such as lena\.hoff@example\.com/s],
    ['what looks like another', { email: 'lena\u200B@acme.example' }, /email-error.*such as lena\.hoff/s],
    ['a domain that does', { email: 'lena@\u0430cme.example' }, /email-error.*such as lena\.hoff/s],
    ['a name that runs backwards', { name: 'Lena \u202Effoh' }, /name-error.*without invisible ones/s],
    ['no password', { password: '', password_again: '' }, /password-error.*Enter a password\./s],
    ['a short one', { password: 'short 1', password_again: 'short 1' }, /needs at least 8 characters/],
    ['a long one', { password: 'x1'.repeat(65), password_again: 'x1'.repeat(65) }, /at most 128 characters/],
    [
      'a common one',
      { password: 'Password123', password_again: 'Password123' },
      /passwords that are guessed first/,
    ],
    ['two different ones', { password_again: `${password} ` }, /password-error.*are not the same/s],
  ]
  // The words alone decide, before a database is asked.
  it.each(dialect === 'sqlite' ? wrong : wrong.slice(0, 1))(
    'shows what is wrong, writes nothing and goes on with what was typed: %s',
    async (_, fields, said) => {
      const { page, send } = await open(await makeLink())
      const typed = { ...lena, ...fields }
      const refused = await send(typed)
      expect(refused.status).toBe(400)
      expect(refused.body).toMatch(said)
      expect(refused.body).toMatch(/<title>Error: Set up/)
      if (fields.name === undefined) expect(refused.body).toContain('value="Lena Hoff"')
      if (typed.password.length > 8) expect(refused.body).not.toContain(typed.password)
      expect(await written()).toEqual(nobody)
      expect(page.status).toBe(200)
      expect((await send(lena)).status).toBe(200)
    },
  )

  onOne.it('takes no address that somebody has, and speaks German to who does', async () => {
    expect((await command(['user', 'create', lena.email, '--name', 'Lena'])).code).toBe(0)
    const browser = new TestBrowser(tessera.url)
    browser.headers['accept-language'] = 'de-CH, en;q=0.5'
    const link = await makeLink()
    const { page, send } = await open(link, browser)
    expect(page.body).toContain('Die Verwaltung einrichten')
    const taken = await send({ ...lena, email: 'Lena.Hoff@acme.example' })
    expect(taken.status).toBe(400)
    expect(taken.body).toContain('Diese E-Mail-Adresse gehört schon jemandem.')
    expect(await written()).toEqual({ users: 1, roles: 0, profiles: 0 })
    const done = await send({ ...lena, email: 'hoff@acme.example' })
    expect([done.status, done.body.includes('Sie verwalten diese Installation')]).toEqual([200, true])
    expect((await open(link, browser)).page.body).toContain('Dieser Link lässt sich nicht verwenden')
  })

  onOne.it.each<[string, string[], Record<string, string>, RegExp]>([
    ['who it is too', ['--link', '--email', lena.email], {}, /'--link' cannot be used with option '--email/],
    ['a password too', ['--link', '--password-stdin'], {}, /'--link' cannot be used with .*--password-stdin/],
    ['neither', [], {}, /--email.*--link/],
    ['no issuer', ['--link'], { TESSERA_ISSUER: '' }, /^tessera: TESSERA_ISSUER is missing/],
  ])('is not made when the command is given %s', async (_, options, environment, said) => {
    const before = await auditOf(tessera, { kind: 'setup_link.created' })
    const ran = await runHere(['setup', ...options], {
      environment: { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url, ...environment },
    })
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) })
    expect(await auditOf(tessera, { kind: 'setup_link.created' })).toEqual(before)
  })

  if (dialect === 'sqlite') {
    it('is followed in a browser without JavaScript, by keyboard alone', async () => {
      const browser: Browser = await launchChromium()
      try {
        const context = await browser.newContext({ javaScriptEnabled: false })
        const page = await context.newPage()
        await page.goto(await makeLink())
        // The first field has the focus.
        for (const text of [lena.name, lena.email, 'password', 'password']) {
          await page.keyboard.type(text)
          await page.keyboard.press('Tab')
        }
        await page.keyboard.press('Enter')
        await page.getByText('This is one of the passwords that are guessed first').waitFor()
        await page.keyboard.type(password)
        await page.keyboard.press('Tab')
        await page.keyboard.type(password)
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'You administer this installation' }).waitFor()
        expect(await written()).toEqual(somebody)
      } finally {
        await browser.close()
      }
    })
  }
})
