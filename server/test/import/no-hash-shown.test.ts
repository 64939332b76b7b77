import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRows } from '../../dist/import/rows.js'
import { readSource } from '../../dist/import/source.js'
import type { Store } from '../../dist/database/store.js'
import type { FieldProblem } from '../../dist/protocol/problem.js'
import { createDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { withStore } from '../harness/program.ts'

/** Whatever is wrong with a file, no line of `tessera import` repeats the hash of a password. */

const bcrypt = '$2b$10$H2OLNJ8bYNZHP.hGiGV7BO2n7Hxkc0EIVdeUOGwUybZHDsydeeHua'
const argon2 = '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzYWx0$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
const hashes = [
  bcrypt,
  argon2,
  '5f4dcc3b5aa765d61d8327deb882cf99',
  '5F4DCC3B5AA765D61D8327DEB882CF99',
  'Zw4tuYmgna7yA1IaAVU9E82sm1lydswe6UmQIwFGQglHqkSF7hTJ27dvhX6dFx7vyUs3JCSEBz4RWc2qab8FA',
  'IePCznKYeIutXwQhRdTbNm',
  '$P$B55D6LjfHDkINU5wF.v2BuuzO0/XPk/',
  '{SSHA}yfB1HWzbWPrRXUBzqRJUKAtFBq9zYWx0',
  'sha1$a1976$a36cc8cbf81742a8fb52e221aaeab48ed7f58ab4',
  '$wp$2y$10$23HuceLugPdOpJep981qJ.XW0/E17rAZdeeoBE033LT.88sJgIIIW',
  '$6$wFhc8Vn9zK.p6V05$OqkFNiPbHQ89JE.i9zEGjEdc.rWfdBlSYrOw3VfyRMN0YxbmQ5HBw/4A5e2OWtvqN4usIjE26ggfojz4VwgH1/',
  'AQAAAAIAAYagAAAAEAABAgMEBQYHCAkKCwwNDg/Q8A0WMKbtHQJQ2DHCdoEeeFBrgNlldq6vH4qX/CGqGQ==',
  'pbkdf2:sha256:150000$8YT5oSy1ufUvlvL4$0552dca68060be61b3cc3b2da4106e930ffe9d2e0c70ae42b21f3f3cbd5978d2',
  // Of an authenticator app.
  'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  'gezdgnbvgykmtqojqgezdgnbvgy',
]
/** What of a hash is long enough to tell it by. */
const traces = hashes.flatMap((one) => one.split(/[$,.=/{}:]/).filter((part) => part.length > 12))

const quoted = (cells: readonly string[]) => cells.map((one) => `"${one.replaceAll('"', '""')}"`)
/** Files by what is wrong with them, made for a hash. */
const files: Record<string, (hash: string) => string> = {
  'no line with names': (hash) => `ada@x.example,Ada,${quoted([hash])}\nbo@x.example,Bo,${quoted([hash])}\n`,
  'no names, semicolons': (hash) => `ada@x.example;Ada;${hash}\nbo@x.example;Bo;${hash}\n`,
  'no names, tabs': (hash) => `ada@x.example\tAda\t${hash}\nbo@x.example\tBo\t${hash}\n`,
  'no names, bars': (hash) => `ada@x.example|Ada|${hash}\n`,
  'no names, quotes': (hash) => `${quoted(['ada@x.example', 'Ada', hash]).join(',')}\n`,
  'no names, single quotes': (hash) => `'ada@x.example','Ada','${hash}'\n`,
  'no names, quoted semicolons': (hash) => `${quoted(['ada@x.example', 'Ada', hash]).join(';')}\n`,
  'no names, a broken quote': (hash) => `ada@x.example,"Ada,${hash}\n`,
  'no names, a byte-order mark': (hash) => `\uFEFFada@x.example,Ada,${quoted([hash])}\r\n`,
  'no names, the hash twice': (hash) => `${quoted([hash, hash, 'ada@x.example']).join(',')}\n`,
  'a hash among the names': (hash) => `email,name,${quoted([hash])}\nada@x.example,Ada,x\n`,
  'a hash among the names, twice': (hash) =>
    `email,name,${quoted([hash, hash]).join(',')}\nada@x.example,Ada,x,y\n`,
  'names with bars': (hash) => `email|name|password_hash\nada@x.example|Ada|${hash}\n`,
  'a hash in each other column': (hash) =>
    `email,name,email_verified,active,locale,zoneinfo,picture,role,expires_at,profiles\n${Array(10)
      .fill(quoted([hash])[0])
      .join(',')}\n`,
  'a column too many': (hash) => `email,name\nada@x.example,Ada,${quoted([hash])}\n`,
  'a quote that is not closed': (hash) => `email,name,password_hash\nada@x.example,Ada,"${hash}\n`,
  'a quote within': (hash) => `email,name,password_hash\nada@x.example,A"da,${hash}\n`,
  'profiles that are no JSON': (hash) => `email,name,profiles\nada@x.example,Ada,"[{""role"":${hash}"\n`,
  'JSON that is none': (hash) => `{"email":"ada@x.example","password_hash":${hash}}\n{"x":"${hash}\n`,
  'a key that is a hash': (hash) => `{"email":"ada@x.example","name":"Ada",${JSON.stringify(hash)}:true}\n`,
  'a key that is a hash, further in': (hash) =>
    `{"email":"ada@x.example","name":"Ada","profiles":[{"role":"x",${JSON.stringify(hash)}:1}]}\n`,
  'a key that is a hash, twice': (hash) =>
    `{"email":"ada@x.example","name":"Ada",${JSON.stringify(hash)}:1,${JSON.stringify(hash)}:2}\n`,
  'a key that is a hash, twice in a cell': (hash) =>
    `email,name,profiles\nada@x.example,Ada,"${JSON.stringify(
      `[{${JSON.stringify(hash)}:1,${JSON.stringify(hash)}:2}]`,
    )
      .slice(1, -1)
      .replaceAll('\\"', '""')}"\n`,
  'an authenticator app of Keycloak that is none': (hash) =>
    `${JSON.stringify({
      email: 'ada@x.example',
      name: 'Ada',
      totp_secret: {
        type: 'otp',
        credentialData: { subType: 'totp', algorithm: hash, digits: 6 },
        secretData: { value: hash },
      },
    })}\n`,
  'a passkey of Keycloak that is none': (hash) =>
    `${JSON.stringify({
      email: 'ada@x.example',
      name: 'Ada',
      user_handle: `${hash}!`,
      passkeys: [
        {
          type: 'webauthn',
          userLabel: hash,
          credentialData: { credentialId: hash, [hash]: hash },
          secretData: hash,
        },
      ],
    })}\n`,
  'a hash as each id': (hash) =>
    `${JSON.stringify({ email: 'ada@x.example', name: 'Ada', uuid: hash, password_temporary: hash, user_handle: hash, former_sub: `\n${hash}` })}\n`,
  'a hash as an address': (hash) => `{"email":${JSON.stringify(hash)},"name":"Ada"}\n`,
  'a list of people': (hash) => `[{"email":"ada@x.example","password_hash":${JSON.stringify(hash)}}]\n`,
  'a hash of its own': (hash) => `${hash}\n`,
}

describe('a file with hashes that is refused', () => {
  let database: TestDatabase
  const idle: Store[] = []
  beforeAll(async () => {
    database = await createDatabase('sqlite', 'tables')
  })
  afterAll(async () => {
    await cleanUp()
    for (const store of idle) await store.close()
    await database.remove()
  })

  const environment = () => ({
    TESSERA_DATABASE_URL: database.url,
    TESSERA_ISSUER: 'https://id.acme.example',
  })
  /** All that would be printed of a file. */
  const said = async (content: string): Promise<string> => {
    const lines: string[] = []
    const told = {
      by: { actor: { kind: 'command', id: 'test' } } as const,
      now: Date.now,
      encryptTotp: () => '',
      rpId: () => 'localhost',
      progress: () => undefined,
      refused: (_: unknown, problems: readonly FieldProblem[]) =>
        problems.forEach(({ field, detail }) => lines.push(`${field}: ${detail}`)),
    }
    return await withStore({ databaseUrl: database.url, idle }, async (store) => {
      const source = await readSource(Readable.from([Buffer.from(content)]))
      await importRows(store, source, { name: 'people', dryRun: true, ...told }, () => false)
      return lines.join('\n')
    }).catch((error: unknown) => String(error))
  }

  it.each(Object.entries(files))('shows none: %s', async (_, file) => {
    for (const hash of hashes) {
      const shown = await said(file(hash))
      expect(shown).not.toBe('')
      expect(traces.filter((one) => shown.includes(one))).toEqual([])
    }
  })

  it.concurrent.each([
    'no line with names',
    'no names, semicolons',
    'a hash among the names',
    'a key that is a hash',
    'a quote that is not closed',
  ])('nor by the command: %s', async (what) => {
    const file = files[what] ?? String
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'people'), file(bcrypt))
    for (const options of [[], ['--json']]) {
      const ended = await run(['import', 'people', ...options], { cwd, environment: environment() })
      expect([1, 2]).toContain(ended.code)
      const shown = `${ended.stdout}${ended.stderr}`
      expect(shown).not.toBe('')
      expect(traces.filter((one) => shown.includes(one))).toEqual([])
    }
  })
})
