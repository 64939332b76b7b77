/** Each form of a hash, of a value that its source wrote: imported, checked, signed in with; and those that are refused. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readFirebaseKey } from '../../dist/import/firebase.js'
import type { HashOptions } from '../../dist/import/password-hash.js'
import { importRows } from '../../dist/import/rows.js'
import { readSource } from '../../dist/import/source.js'
import type { FieldProblem } from '../../dist/protocol/problem.js'
import { isPasswordOf } from '../../dist/identity/password-check.js'
import { runHere } from '../cli/command-support.ts'
import { authorizeRequest, signIn, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { withStore } from '../harness/program.ts'
import { passwordHashOf } from '../harness/states.ts'
import { firebaseKey, ofFirebase, strong, weak } from './hashes.ts'

afterAll(cleanUp)

const people = [...strong, ...ofFirebase].map((one, index) => ({
  ...one,
  email: `form-${index}@import.example`,
}))
const rowOf = (email: string, password_hash: unknown) =>
  `${JSON.stringify({
    email,
    name: 'N. N.',
    password_hash,
    profiles: [{ role: 'importer', organisation: 'acme' }],
  })}\n`

onEachDatabase('a hash that another system wrote', (dialect) => {
  const once = oneDatabase(dialect)
  let tessera: Tessera
  const cwd = temporaryFolder()
  const environment = () => ({ TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' })
  const imported = async (rows: string, options: readonly string[] = []) => {
    const file = join(cwd, 'people.jsonl')
    writeFileSync(file, rows)
    return await run(['import', file, ...options], { cwd, environment: environment() })
  }
  const status = async (email: string, password: string) =>
    (await signIn(new TestBrowser(tessera.url), authorizeRequest().path, { email, password })).status
  const keyFile = join(cwd, 'firebase')

  beforeAll(async () => {
    tessera = await startTessera(dialect)
    writeFileSync(keyFile, firebaseKey)
    const rows = people.map(({ email, hash }) => rowOf(email, hash)).join('')
    const ended = await imported(rows, ['--firebase-key', keyFile])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
  })
  afterAll(() => tessera.close())

  once.it('is checked by the password that it was made of, and no other', async () => {
    const firsts = new Map(people.toReversed().map((one) => [one.from, one.email]))
    for (const { email, from, password } of people) {
      const stored = (await passwordHashOf(tessera, email)) ?? ''
      expect(isPasswordOf(stored, password), from).toBe(true)
      expect(isPasswordOf(stored, `${password}x`), from).toBe(false)
      // One form of each family.
      if (firsts.get(from) === email) expect(isPasswordOf(stored, ''), from).toBe(false)
    }
  })

  once.it('holds nothing of the signer key of a Firebase project', async () => {
    const { email, hash } =
      people.find((one) => typeof one.hash === 'object' && 'passwordHash' in one.hash) ?? {}
    const stored = (await passwordHashOf(tessera, email ?? '')) ?? ''
    expect(stored).toMatch(/^\$firebase\$ln=14,r=8\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]{43}$/)
    const key = Buffer.from(/signer_key: (\S+),/.exec(firebaseKey)?.[1] ?? '', 'base64')
    const foreign = Buffer.from(
      typeof hash === 'object' && 'passwordHash' in hash ? hash.passwordHash : '',
      'base64',
    )
    const held = Buffer.from(stored.split('$')[4] ?? '', 'base64')
    for (const secret of [key, foreign, key.map((byte, index) => byte ^ (foreign[index] ?? 0))])
      expect(held.equals(Buffer.from(secret.subarray(0, 32)))).toBe(false)
  })

  it('comes in by a declared file too, and goes out by an export', async () => {
    const file = join(cwd, `${dialect}.json`)
    const [one] = people.filter(({ hash }) => typeof hash === 'string')
    const users = [{ email: 'declared-form@import.example', name: 'N. N.', password_hash: one?.hash }]
    writeFileSync(file, JSON.stringify({ users }))
    expect(await runHere(['apply', file, '--yes'], { environment: environment() })).toMatchObject({ code: 0 })
    const exported = await runHere(['export'], { environment: environment() })
    expect(exported.stdout).toContain(String(one?.hash))
    expect(exported.stdout).toContain('$firebase$ln=14')
  })

  // One of a family and database; PostgreSQL stores what SQLite does.
  const families = new Map(people.map((one) => [one.from, one]))
  const some = dialect === 'sqlite' ? [...families.values()] : [...families.values()].slice(-1)
  it.each(some)('of $from signs in, and is made anew', async ({ email, password }) => {
    expect(await status(email, `${password}x`)).toBe(400)
    expect(await status(email, password)).toBe(303)
    expect(await passwordHashOf(tessera, email)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await status(email, password)).toBe(303)
  })

  /** What a dry run says of the hash, with the parameters of the project or without. */
  const saidOf = async (hash: unknown, hashes: HashOptions = {}): Promise<string> =>
    await withStore({ databaseUrl: tessera.databaseUrl }, async (store) => {
      const lines: string[] = []
      const told = {
        by: { actor: { kind: 'command', id: 'test' } } as const,
        now: Date.now,
        encryptTotp: () => '',
        rpId: () => 'localhost',
        hashes,
        progress: () => undefined,
        refused: (_row: unknown, problems: readonly FieldProblem[]) =>
          problems.forEach(({ field, detail }) => lines.push(`${field}: ${detail}`)),
      }
      const source = await readSource(Readable.from([Buffer.from(rowOf('refused@import.example', hash))]))
      await importRows(store, source, { name: 'people', dryRun: true, ...told }, () => false)
      return lines.join('\n')
    })

  it.each(dialect === 'sqlite' ? refused : [])('is refused, and not shown: %s', async (_, hash, reason) => {
    const read = readFirebaseKey(firebaseKey)
    const said = await saidOf(hash, 'problem' in read ? {} : { firebaseKey: read })
    expect(said).toMatch(/^password_hash: It /)
    expect(said).toMatch(reason)
    const parts = JSON.stringify(hash).split(/[$,:{}"\\]/)
    expect(parts.filter((part) => part.length > 12 && /\d/.test(part) && said.includes(part))).toEqual([])
  })

  once.it('of Firebase is refused without the parameters of its project', async () => {
    expect(await saidOf(ofFirebase[0]?.hash)).toMatch(/It is of Firebase.*add --firebase-key FILE/)
    for (const text of [
      '',
      firebaseKey.replace('rounds', 'round'),
      firebaseKey.replace(/(?<=signer_key: ).*/, 'jxspr8'),
    ]) {
      writeFileSync(join(cwd, 'broken'), text)
      const wrong = await imported(rowOf('x@import.example', undefined), [
        '--firebase-key',
        join(cwd, 'broken'),
      ])
      expect(wrong).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('has no base64_signer_key') as string,
      })
      expect(wrong.stderr).not.toContain('jxspr8')
    }
  })
})

const salt = 'c29tZXNhbHQ'
const key = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
const hex = '09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7'
const keycloak = (credentialData: object, value = `${key}=`) => ({
  credentialData: JSON.stringify(credentialData),
  secretData: JSON.stringify({ value, salt: 'c29tZXNhbHRzYWx0c2FsdA==' }),
})
const argon2 = (more: object, hashIterations = 5) =>
  keycloak({
    algorithm: 'argon2',
    hashIterations,
    additionalParameters: { memory: ['7168'], type: ['id'], version: ['1.3'], parallelism: ['1'], ...more },
  })
/** ASP.NET Identity version 3. */
const aspNet = (digest: number, iterations: number, saltLength: number) => {
  const head = Buffer.alloc(13, 1)
  for (const [index, value] of [digest, iterations, saltLength].entries())
    head.writeUInt32BE(value, 1 + 4 * index)
  return Buffer.concat([head, Buffer.alloc(48, 7)]).toString('base64')
}

const refused: [what: string, hash: unknown, reason: RegExp][] = [
  ['Django scrypt of 10 GB', `scrypt$10485760$salt$8$1$${key}=`, /can not be used/],
  ['Django scrypt of 8 GB', `scrypt$8388608$salt$8$1$${key}=`, /too much: scrypt/],
  ['Django scrypt with too many lanes', `scrypt$2$salt$1$9999999999$${key}=`, /too much: scrypt/],
  ['Django scrypt, negative', `scrypt$-2$salt$8$1$${key}=`, /known form/],
  ['Django pbkdf2', `pbkdf2_sha512$9999999999$salt$${key}=`, /too much: PBKDF2/],
  ['Django argon2', `argon2$argon2id$v=19$m=10485760,t=1,p=1$${salt}$${key}`, /too much: argon2/],
  ['Django argon2, leading zeros', `argon2$argon2id$v=19$m=0064,t=1,p=1$${salt}$${key}`, /can not be used/],
  [
    'Django bcrypt_sha256',
    'bcrypt_sha256$$2b$31$C6UzMDM.H6dfI/f/IKcEeO7ZBvA1DqHd5zJQf8v7bvuD8B6UWvYb2',
    /too much: bcrypt/,
  ],
  ['werkzeug scrypt', `scrypt:1048576:8:1$salt$${hex}`, /too much: scrypt/],
  ['werkzeug scrypt, N of no power', `scrypt:32767:8:1$salt$${hex}`, /can not be used/],
  ['werkzeug pbkdf2', `pbkdf2:sha256:2000001$salt$${hex}`, /too much: PBKDF2/],
  ['werkzeug pbkdf2 of MD5', `pbkdf2:md5:1000$salt$${hex}`, /known form/],
  ['werkzeug pbkdf2, no iterations', `pbkdf2:sha256:0$salt$${hex}`, /no iterations/],
  ['{PBKDF2-SHA256}', `{PBKDF2-SHA256}9999999$${salt}$${key}`, /too much: PBKDF2/],
  ['{ARGON2}', `{ARGON2}$argon2id$v=19$m=65536,t=99999,p=1$${salt}$${key}`, /too much: argon2/],
  [
    '{ARGON2}, passes',
    `{ARGON2}$argon2id$v=19$m=128,t=1025,p=1$${salt}$${key}`,
    /too much: argon2 .* t up to 1024/,
  ],
  ['Kratos scrypt', `$scrypt$ln=1073741824,r=8,p=1$${salt}$${key}`, /too much: scrypt/],
  ['Kratos scrypt of no power', `$scrypt$ln=16383,r=8,p=1$${salt}$${key}`, /can not be used/],
  ['Firebase of 2^31', `$firebase$ln=31,r=8$${salt}$${key}`, /too much: scrypt/],
  ['a Firebase hash of another length', { passwordHash: `${key}=`, salt }, /signer key of --firebase-key/],
  ['ASP.NET, iterations', aspNet(2, 0xffff_ffff, 16), /too much: PBKDF2/],
  ['ASP.NET, length of the salt', aspNet(1, 1000, 0x7fff_ffff), /no hash of ASP.NET/],
  ['ASP.NET, nothing behind the salt', aspNet(1, 1000, 48), /less than 16/],
  ['ASP.NET, unknown digest', aspNet(7, 1000, 16), /no hash of ASP.NET/],
  ['Keycloak argon2, memory', argon2({ memory: ['10485760'] }), /too much: argon2/],
  ['Keycloak argon2, passes', argon2({}, 1e9), /too much: argon2/],
  ['Keycloak argon2, negative', argon2({ memory: ['-7168'] }), /neither a text/],
  ['Keycloak argon2, leading zeros', argon2({ memory: ['07168'] }), /can not be used/],
  ['Keycloak argon2, another type', argon2({ type: ['x'] }), /neither a text/],
  [
    'Keycloak argon2 without parameters',
    keycloak({ algorithm: 'argon2', hashIterations: 5 }),
    /neither a text/,
  ],
  ['Keycloak PBKDF2', keycloak({ algorithm: 'pbkdf2', hashIterations: 1e9 }), /too much: PBKDF2/],
  ['Keycloak PBKDF2, negative', keycloak({ algorithm: 'pbkdf2', hashIterations: -1 }), /known form/],
  ['an algorithm of a plugin', keycloak({ algorithm: 'bcrypt', hashIterations: 10 }), /neither a text/],
  ['a list', ['x'], /neither a text/],
  ['a long text', `$argon2id$${'A'.repeat(2000)}`, /longer than 1000/],
  ['nothing', '', /no password; leave it out/],
  ['Django unusable', '!oZPa6tA0fOJZw1mjpkv2RU4ogXynbCc6q5CmlRqC', /no password; leave it out/],
  ['{SHA}', '{SHA}Sm800iiwL8VFZnwkEqmnoaLIVY4=', /fast hash/],
  ['{MD5}', '{MD5}ICy5YqxZB1uWSwcVLSNLcA==', /fast hash/],
  ['$1$', '$1$GJr800zV$X.AaFXK0cPkU00n/iB.271', /fast hash/],
  ['Django md5', 'md5$sk8mxbKoU08NtbshWNcGP5$f2b3a95d3db3ee8a550e1605bc1cfb2f', /fast hash/],
  ['MD5 in hex', '2821b4d46ed807c94042665a407e91c9', /without salt/],
  ['SHA-256 in hex', hex, /without salt/],
  ['$2x$', '$2x$10$H2OLNJ8bYNZHP.hGiGV7BO2n7Hxkc0EIVdeUOGwUybZHDsydeeHua', /flaw/],
  ['$2$', '$2$10$H2OLNJ8bYNZHP.hGiGV7BO2n7Hxkc0EIVdeUOGwUybZHDsydeeHua', /flaw/],
  ['{CLEARTEXT}', '{CLEARTEXT}a plain password', /plain password/],
  ['{CRYPT} of DES', '{CRYPT}rqXexS6ZhobKA', /DES/],
  ['crypt of NUL', '{CRYPT}$5$\0$x', /known form/],
  ...weak.slice(0, 1).map(({ hash }): [string, unknown, RegExp] => ['a weak one', hash, /--accept-weak/]),
]
