/** Passwords that other systems hashed: imported, signed in with, made anew. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeRequest, signIn, TestBrowser, tokensFor } from '../harness/browser.ts'
import { createDatabase, oneDatabase, onEachDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { vectors } from '../identity/password-vectors.ts'
import { runHere } from '../cli/command-support.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { changeUser, usersOf } from '../harness/states.ts'

afterAll(cleanUp)

const people = vectors.map((vector, index) => ({
  ...vector,
  email: `vector-${index}@import.example`,
  stored: vector.stored ?? vector.hash,
}))
const rows = people.map(({ email, from: name, hash: password_hash }) => ({
  email,
  name,
  password_hash,
  profiles: [{ role: 'importer', organisation: 'acme' }],
}))

onEachDatabase('a password that another system hashed', (dialect) => {
  const once = oneDatabase(dialect)
  let tessera: Tessera
  const folder = temporaryFolder()
  const environment = () => ({ TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' })
  const hashes = (from = tessera.databaseUrl) =>
    usersOf({ databaseUrl: from }).then((all) => {
      const found = all.filter(({ email }) => email.startsWith('vector-'))
      return new Map(found.map((row) => [row.email, row.password_hash]))
    })
  const status = async (email: string, password: string) => {
    const visit = await signIn(new TestBrowser(tessera.url), authorizeRequest().path, { email, password })
    return visit.status
  }

  beforeAll(async () => {
    tessera = await startTessera(dialect)
    writeFileSync(join(folder, 'people.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const ended = await run(['import', 'people.jsonl'], { cwd: folder, environment: environment() })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toBe(`${rows.length} imported, 0 there already, 0 refused.\n`)
  })
  afterAll(() => tessera.close())

  it('is stored as it was, and a declared file takes it out and in again', async () => {
    expect(await hashes()).toEqual(new Map(people.map(({ email, stored }) => [email, stored])))
    const everything = join(folder, `${dialect}.yaml`)
    expect(await runHere(['export', everything], { environment: environment() })).toMatchObject({ code: 0 })
    const empty = await createDatabase(dialect, 'empty')
    const there = { TESSERA_DATABASE_URL: empty.url, TESSERA_MODE: 'production' }
    expect(await runHere(['apply', everything, '--yes'], { environment: there })).toMatchObject({ code: 0 })
    expect(await hashes(empty.url)).toEqual(await hashes())
    await empty.remove()
  })

  once.it(
    'is known again by a declared file that says the password itself, and another one is not',
    async () => {
      const longEnough = people.filter(({ password }) => password.length >= 8)
      const file = join(folder, `plain-${dialect}.json`)
      const write = (secretOf: (person: (typeof people)[number]) => object) => {
        const users = longEnough.map((person) => ({
          email: person.email,
          // No word of a password, which a file that says one refuses.
          name: 'N. N.',
          ...secretOf(person),
        }))
        writeFileSync(file, JSON.stringify({ users }))
      }
      const database = await createDatabase(dialect, 'empty')
      const environment = { TESSERA_DATABASE_URL: database.url, TESSERA_MODE: 'development' }
      write(({ stored }) => ({ password_hash: stored }))
      expect(await runHere(['apply', file, '--yes'], { environment })).toMatchObject({ code: 0 })
      write(({ password }) => ({ password }))
      expect(await runHere(['plan', file], { environment })).toMatchObject({ code: 0 })
      write(({ password, email }) => ({
        password: email === longEnough[0]?.email ? `${password}x` : password,
      }))
      const changed = await runHere(['plan', file, '--json'], { environment })
      expect(changed.code).toBe(2)
      expect(changed.stdout.match(/vector-\d+@/g)).toEqual([expect.stringContaining('vector-0@')])
      expect(await runHere(['apply', file, '--yes'], { environment })).toMatchObject({ code: 0 })
      expect((await hashes(database.url)).get('vector-0@import.example')).toMatch(
        /^\$argon2id\$v=19\$m=19456,/,
      )
      await database.remove()
    },
  )

  // A form is checked the same wherever it is stored, so one of each is enough beside all of them on SQLite.
  const dear = ['ln=17,r=8,p=1', 'ln=15,r=1,p=1', 'ln=1,r=8,p=1000', 'ln=1,r=16384,p=1']
  const some = <T>(all: readonly T[]) => (dialect === 'sqlite' ? all : all.slice(0, 1))

  once.it.each(dear)('is checked where scrypt is as dear as it may be: %s', async (cost) => {
    const email = 'dear@import.example'
    const hash = `$scrypt$${cost}$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`
    const row = JSON.stringify({ users: [{ email, name: 'Dear', password_hash: hash }] })
    const file = join(folder, 'dear.yaml')
    writeFileSync(file, row)
    expect(await runHere(['apply', file, '--yes'], { environment: environment() })).toMatchObject({ code: 0 })
    expect(await status(email, 'another password')).toBe(400)
  })

  describe.each(some(people))('of $from ($password)', ({ email, password, stored }) => {
    it('refuses another password, lets its own in, and is made anew', async () => {
      expect(await status(email, `${password}x`)).toBe(400)
      expect((await hashes()).get(email)).toBe(stored)
      expect((await tokensFor(tessera.url, { email, password })).access_token).toBeTypeOf('string')
      expect((await hashes()).get(email)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      expect(await status(email, password)).toBe(303)
    })
  })

  it('lets everybody in who comes at once, and is made anew by one of them', async () => {
    const email = 'vector-5@import.example'
    const { password, hash } = vectors[5] ?? { password: '', hash: '' }
    await changeUser(tessera, email, { password_hash: String(hash) })
    const answers = await Promise.all(Array.from({ length: 5 }, () => status(email, password)))
    expect(answers).toEqual(Array(5).fill(303))
    expect((await hashes()).get(email)).toContain('$argon2id$')
  })
})
