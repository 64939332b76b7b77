/** Weak hashes: refused, or wrapped by an import that accepts them, until a sign-in or for 90 days. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPasswordOf } from '../../dist/identity/password-check.js'
import { readWeakHash } from '../../dist/protocol/password-hash/weak.js'
import { runHere } from '../cli/command-support.ts'
import { authorizeRequest, signIn, TestBrowser } from '../harness/browser.ts'
import { createDatabase, oneDatabase, onEachDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { auditOf, everythingKept, forgetWeakHashesAt, passwordHashOf, usersOf } from '../harness/states.ts'
import { weak } from './hashes.ts'

afterAll(cleanUp)

const day = 86_400_000
const people = weak.map((one, index) => ({ ...one, email: `weak-${index}@import.example` }))
const rows = people.map(({ email, hash: password_hash }) =>
  JSON.stringify({
    email,
    name: 'N. N.',
    password_hash,
    profiles: [{ role: 'importer', organisation: 'acme' }],
  }),
)
/** What of a hash is neither its form nor its salt. */
const digestOf = (hash: string) => {
  const bytes = /^\{SSHA(\d*)\}(.*)$/.exec(hash)
  if (bytes === null) return hash.slice(-22)
  return Buffer.from(bytes[2] ?? '', 'base64')
    .subarray(0, 18)
    .toString('base64')
}

const b64 = (length: number) => 'A'.repeat(length)
describe('a weak hash that is too dear, or none', () => {
  it.each([
    [`$6$rounds=99999999$salt$${b64(86)}`, /too much: SHA-crypt/],
    [`$5$rounds=700001$salt$${b64(43)}`, /too much: SHA-crypt/],
    [`$6$rounds=005000$salt$${b64(86)}`, /can not be used/],
    [`$6$rounds=999$salt$${b64(86)}`, /can not be used/],
    [`$P$I12345678${b64(22)}`, /too much: phpass/],
    [`$P$.12345678${b64(22)}`, /can not be used/],
    [`$wp$2y$31$${b64(21)}u${b64(31)}`, /too much: bcrypt/],
    [`$wp$2y$03$${b64(21)}u${b64(31)}`, /can not be used/],
    [`{SSHA}${b64(26)}8=`, /without a salt/],
    [`{SSHA512}${b64(86)}==`, /without a salt/],
  ])('is refused: %s', (text, problem) => {
    const read = readWeakHash(text)
    expect(read !== undefined && 'problem' in read ? read.problem : '').toMatch(problem)
  })

  it.each([`$6$rounds=-1$salt$${b64(86)}`, `$6$s:lt$${b64(86)}`, `$6$salt$${b64(85)}`, `$P$B${b64(29)}`])(
    'is none: %s',
    (text) => {
      expect(readWeakHash(text)).toBeUndefined()
    },
  )
})

onEachDatabase('a weak hash', (dialect) => {
  const once = oneDatabase(dialect)
  let tessera: Tessera
  const cwd = temporaryFolder()
  const environment = () => ({ TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' })
  const imported = async (options: readonly string[]) =>
    await run(['import', 'people.jsonl', ...options], { cwd, environment: environment() })
  const status = async (email: string, password: string) =>
    (await signIn(new TestBrowser(tessera.url), authorizeRequest().path, { email, password })).status
  const stored = async (email: string) => (await passwordHashOf(tessera, email)) ?? ''
  const left = async () =>
    (await usersOf(tessera)).filter((one) => one.password_hash?.startsWith('$weak$') ?? false)

  beforeAll(async () => {
    tessera = await startTessera(dialect)
    writeFileSync(join(cwd, 'people.jsonl'), `${rows.join('\n')}\n`)
  })
  afterAll(() => tessera.close())

  once.it('is refused without the option, and not shown', async () => {
    const ended = await imported([])
    expect(ended).toMatchObject({
      code: 2,
      stdout: `0 imported, 0 there already, ${people.length} refused.\n`,
    })
    expect(ended.stderr).toContain(
      'password_hash: It is a weak hash, which tessera import --accept-weak takes',
    )
    expect(people.filter(({ hash }) => ended.stderr.includes(digestOf(String(hash))))).toEqual([])
  })

  it('is wrapped by an import that accepts it, which is known again', async () => {
    const count = people.length
    const tried = await imported(['--accept-weak', '--dry-run'])
    expect(tried).toMatchObject({
      code: 0,
      stdout: `${count} would be imported, 0 there already, 0 refused.\n`,
    })
    const ended = await imported(['--accept-weak'])
    expect(ended).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `${count} imported, 0 there already, 0 refused.\n`,
    })
    const again = await imported(['--accept-weak'])
    expect(again).toMatchObject({ code: 0, stdout: `0 imported, ${count} there already, 0 refused.\n` })
    for (const { email } of people)
      expect(await stored(email)).toMatch(
        /^\$weak\$\d{4}-\d\d-\d\d[${].*\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/,
      )
  })

  it('is nowhere in the database itself', async () => {
    const kept = await everythingKept(tessera)
    expect(kept.includes('$weak$')).toBe(true)
    expect(people.filter(({ hash }) => kept.includes(digestOf(String(hash))))).toEqual([])
  })

  once.it('is checked by the password that it was made of, and no other', async () => {
    const families = new Map(people.map((one) => [String(one.hash).slice(0, 4), one.email]))
    for (const { email, from, password, hash: was } of people) {
      const hash = await stored(email)
      expect(isPasswordOf(hash, password), from).toBe(true)
      expect(isPasswordOf(hash, `${password}x`), from).toBe(false)
      if (families.get(String(was).slice(0, 4)) !== email) continue
      expect(isPasswordOf(hash, ''), from).toBe(false)
      // Of 656,000 rounds each byte would count.
      expect(isPasswordOf(hash, 'x'.repeat(100_000)), from).toBe(false)
    }
  })

  once.it('is left out of an export, and refused in a declared file', async () => {
    const exported = await runHere(['export'], { environment: environment() })
    expect(exported.stdout.split('\n')[1]).toMatch(
      `# It leaves out ${people.length} weak password hashes of an import.`,
    )
    expect(exported.stdout.replace(/^#.*$/gm, '')).not.toContain('$weak$')
    const empty = await createDatabase(dialect, 'empty')
    const there = { TESSERA_DATABASE_URL: empty.url, TESSERA_MODE: 'production' }
    const file = join(cwd, 'declared.yaml')
    writeFileSync(file, exported.stdout)
    expect(await runHere(['apply', file, '--yes'], { environment: there })).toMatchObject({ code: 0 })
    rmSync(file)
    await empty.remove()
    const [wrapped, plain] = [await stored(people[0]?.email ?? ''), String(people[0]?.hash)]
    for (const password_hash of [wrapped, plain]) {
      const users = [{ email: 'weak-declared@import.example', name: 'N. N.', password_hash }]
      writeFileSync(join(cwd, 'weak.json'), JSON.stringify({ users }))
      const ended = await runHere(['plan', join(cwd, 'weak.json')], { environment: environment() })
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/is a weak hash/) as string })
      expect(ended.stderr).not.toContain(password_hash.slice(-20))
    }
  })

  it('lets its person in, and is made anew', async () => {
    const families = new Map(people.map((one) => [String(one.hash).slice(0, 4), one]))
    for (const { email, password, from } of [...families.values()].slice(dialect === 'sqlite' ? 0 : -1)) {
      expect(await status(email, `${password}x`), from).toBe(400)
      expect(await status(email, password), from).toBe(303)
      expect(await stored(email)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      expect(await status(email, password), from).toBe(303)
    }
  })

  it('counts for 90 days, and then is gone', async () => {
    const before = await left()
    expect(before.length).toBeGreaterThan(3)
    const [{ email, password } = { email: '', password: '' }, other] = people.filter((one) =>
      before.some((row) => row.email === one.email),
    )
    tessera.clock.advance(88 * day)
    await forgetWeakHashesAt(tessera, tessera.clock.now())
    expect(await left()).toHaveLength(before.length)
    expect(await status(other?.email ?? '', other?.password ?? '')).toBe(303)
    tessera.clock.advance(2 * day)
    expect(await status(email, password)).toBe(400)
    await forgetWeakHashesAt(tessera, tessera.clock.now())
    expect(await left()).toEqual([])
    expect(await passwordHashOf(tessera, email)).toBeUndefined()
    const records = await auditOf(tessera, { kind: 'user.changed' })
    expect(records.filter(({ detail }) => JSON.stringify(detail).includes('weak_hash_over'))).toHaveLength(
      before.length - 1,
    )
  })
})
