import { hash, verify } from '@node-rs/argon2'
import { beforeAll, expect, it } from 'vitest'
import { passwordHashOf } from '../harness/states.ts'
import { authorizeRequest, TestBrowser } from '../harness/browser.ts'
import { applyChanged } from '../declared/change.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

const cheap = { memoryCost: 1024, timeCost: 1, parallelism: 1 }

/** People with passwords of many scripts, and one whose hash is of older parameters. */
const people = [
  { email: 'Mixed.Case@acme.example', password: 'Grüße aus Zürich' },
  { email: 'script@acme.example', password: '密码密码密码密码' },
  { email: 'spaces@acme.example', password: '  spaces count  ' },
  { email: 'long@acme.example', password: 'ü🗝x'.repeat(42) },
  { email: 'ligature@acme.example', password: 'ﬁnd my ﬂag ²' },
]
const older = { email: 'older@acme.example', password: 'an older password' }

onOneDatabase('a password', (dialect) => {
  const tessera = tesseraOn(dialect)
  beforeAll(async () => {
    const olderHash = await hash(older.password, cheap)
    const declared = [
      ...people.map(({ email, password }) => user(email, `password: ${JSON.stringify(password)}`)),
      user(older.email, `password_hash: ${olderHash}`),
      user('invited@acme.example', ''),
    ]
    await applyChanged(tessera, ['users:\n', `users:\n${declared.join('')}`])
  })

  const user = (email: string, password: string) => `  - email: ${email}
    name: Somebody
    ${password}
    profiles: [{ role: reader, organisation: acme }]
`
  async function signIn(fields: Record<string, string>): Promise<number> {
    const browser = new TestBrowser(tessera.url)
    return (await browser.submitOnce(await browser.open(authorizeRequest().path), fields)).status
  }

  it.each(people)('of any script signs in: $password', async ({ email, password }) => {
    expect(await signIn({ email, password })).toBe(303)
    expect(await signIn({ email, password: `${password}x` })).toBe(400)
    expect(await signIn({ email, password: password.trim().slice(0, -1) })).toBe(400)
  })

  it('is the same however its characters are composed', async () => {
    expect(
      await signIn({ email: 'Mixed.Case@acme.example', password: 'Grüße aus Zürich'.normalize('NFD') }),
    ).toBe(303)
    expect(await signIn({ email: 'ligature@acme.example', password: 'find my flag 2' })).toBe(303)
    expect(await signIn({ email: 'Mixed.Case@acme.example', password: 'GRÜSSE AUS ZÜRICH' })).toBe(400)
    expect(await signIn({ email: 'spaces@acme.example', password: 'spaces count' })).toBe(400)
  })

  it.each(['mixed.case@ACME.example', '  Mixed.Case@acme.example ', 'MIXED.CASE@ACME.EXAMPLE'])(
    'belongs to the address however it is written: "%s"',
    async (email) => {
      expect(await signIn({ email, password: 'Grüße aus Zürich' })).toBe(303)
    },
  )

  it.each([
    '',
    'mixed.case',
    'mixed.case@acme.example@acme.example',
    'mixed.case@acme.example,long@acme.example',
    "' or '1'='1",
    'mixed.case@acme.example\n',
    '*',
    '%',
    'm_xed.case@acme.example',
  ])('opens nothing for the address "%s"', async (email) => {
    const expected = email.endsWith('\n') ? 303 : 400
    expect(await signIn({ email, password: 'Grüße aus Zürich' })).toBe(expected)
  })

  it('that nobody set opens nothing', async () => {
    for (const password of ['', ' ', 'null', 'undefined', 'x']) {
      expect(await signIn({ email: 'invited@acme.example', password })).toBe(400)
    }
  })

  it('that is its own hash opens nothing', async () => {
    const stored = await passwordHashOf(tessera, older.email)
    expect(await signIn({ email: older.email, password: stored ?? '' })).toBe(400)
  })

  it('is hashed anew when it was hashed by older parameters, once it proved right', async () => {
    expect(await signIn({ ...older, password: 'a wrong password' })).toBe(400)
    expect(await passwordHashOf(tessera, older.email)).toContain('$m=1024,t=1,p=1$')
    expect(await signIn(older)).toBe(303)
    const renewed = (await passwordHashOf(tessera, older.email)) ?? ''
    expect(renewed).toContain('$argon2id$v=19$m=19456,t=2,p=1$')
    expect(await verify(renewed, older.password)).toBe(true)
    expect(await signIn(older)).toBe(303)
    expect(await passwordHashOf(tessera, older.email)).toBe(renewed)
  })

  it('is never longer than a form allows', async () => {
    const browser = new TestBrowser(tessera.url)
    const page = await browser.open(authorizeRequest().path)
    const long = await browser.submitOnce(page, { email: 'long@acme.example', password: 'x'.repeat(5000) })
    expect([long.status, long.location]).toEqual([400, undefined])
    const huge = await browser.submitOnce(page, { email: 'long@acme.example', password: 'x'.repeat(100_000) })
    expect(huge.status).toBe(413)
    expect(huge.body).toContain('<code>request_too_large</code>')
  })
})
