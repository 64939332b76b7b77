/** `tessera import`: what is refused and where it is said, and that stopping it loses and doubles nobody. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { checkColumns } from '../../dist/import/row.js'
import { readSource } from '../../dist/import/source.js'
import { createDatabase, oneDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, run, temporaryFolder, TesseraProcess } from '../harness/process.ts'
import { auditOf, changeUser, usersOf } from '../harness/states.ts'
import { importText } from './support.ts'

afterAll(cleanUp)

const bcrypt = '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
const head = 'email,name,email_verified,password_hash,role,organisation,unit,expires_at,profiles\n'
const salted = (cost: string) => `${cost}$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`

/** The same of JSON lines: a secret of an authenticator app is never quoted. */
const refusedTotp: [secret: string, reason: RegExp][] = [
  ['GEZDGNBVGY3TQOJ', /less than 80 bits/],
  ['not base32!', /neither base32/],
  ['otpauth://hotp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', /no otpauth:\/\/totp/],
  ['otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=4', /6 to 8 digits/],
]

/** Rows of CSV that are refused, with the field that is named and the reason. */
const refusedCsv: [row: string, field: string, reason: RegExp][] = [
  ['bad,Name,,,,,,,', 'email', /no e-mail address/],
  [',Name,,,,,,,', 'email', /missing/],
  ['a1@x.example,,,,,,,,', 'name', /missing/],
  [`a2@x.example,${'x'.repeat(201)},,,,,,,`, 'name', /200/],
  ['a3@x.example,"two\nlines",,,,,,,', 'name', /control character/],
  ['a4@x.example,Name,maybe,,,,,,', 'email_verified', /true or false/],
  ['a5@x.example,Name,,not a hash,,,,,', 'password_hash', /known form/],
  ['a6@x.example,Name,,$2b$10$tooshort,,,,,', 'password_hash', /known form/],
  [`a7@x.example,Name,,${bcrypt.replace('$2b', '$2x')},,,,,`, 'password_hash', /flaw/],
  [`a8@x.example,Name,,${bcrypt.replace('$05', '$15')},,,,,`, 'password_hash', /too much: bcrypt/],
  [
    `a9@x.example,Name,,"${salted('$argon2id$v=19$m=262145,t=1,p=1')}",,,,,`,
    'password_hash',
    /too much: argon2/,
  ],
  [
    `a10@x.example,Name,,"${salted('$argon2id$v=19$m=65536,t=17,p=1')}",,,,,`,
    'password_hash',
    /too much: argon2/,
  ],
  [`a11@x.example,Name,,"${salted('$argon2id$v=19$m=4,t=1,p=1')}",,,,,`, 'password_hash', /can not be used/],
  [`a12@x.example,Name,,${salted('pbkdf2_sha256$2000001')},,,,,`, 'password_hash', /too much: PBKDF2/],
  [`a13@x.example,Name,,"${salted('$scrypt$ln=18,r=8,p=1')}",,,,,`, 'password_hash', /too much: scrypt/],
  // Its lanes take more than its blocks.
  [`a28@x.example,Name,,"${salted('$scrypt$ln=1,r=8,p=262144')}",,,,,`, 'password_hash', /too much: scrypt/],
  // What no library checks: whoever has it could never sign in.
  [`a29@x.example,Name,,"${salted('$scrypt$ln=16,r=1,p=1')}",,,,,`, 'password_hash', /can not be used/],
  [
    `a30@x.example,Name,,"${salted('$argon2id$v=19$m=064,t=1,p=1')}",,,,,`,
    'password_hash',
    /can not be used/,
  ],
  [`a33@x.example,Name,,"${salted('$scrypt$ln=14,r=8,p=33')}",,,,,`, 'password_hash', /too much: scrypt/],
  [
    `a34@x.example,Name,,"${salted('$argon2id$v=19$m=1024,t=1,p=17')}",,,,,`,
    'password_hash',
    /too much: argon2/,
  ],
  [
    `a27@x.example,Name,,"${salted('$argon2id$v=19$m=1024,t=1,p=1').replace('c29tZXNhbHQ', 'c29tZXNhbHQzz')}",,,,,`,
    'password_hash',
    /no base64/,
  ],
  ['a14@x.example,Name,,,no-such-role,,,,', 'profiles.0.role', /no such role/],
  ['a15@x.example,Name,,,reader,nowhere,,,', 'profiles.0.organisation', /no such organisation/],
  ['a16@x.example,Name,,,reader,globex,intake,,', 'profiles.0.unit', /no such unit/],
  ['a17@x.example,Name,,,reader,,intake,,', 'profiles.0.organisation', /needed with a unit/],
  ['a18@x.example,Name,,,reader,acme,,2031-02-30,', 'profiles.0.expires_at', /no time/],
  // By their offset outside of the years that an export can write.
  ['a31@x.example,Name,,,reader,acme,,9999-12-31T23:59:59-01:00,', 'profiles.0.expires_at', /no time/],
  ['a32@x.example,Name,,,reader,acme,,0000-01-01T00:00:00+01:00,', 'profiles.0.expires_at', /no time/],
  ['a19@x.example,Name,,,,acme,,,', 'profiles.0.role', /missing/],
  ['a20@x.example,Name,,,reader,,,,[]', 'profiles', /either/],
  ['a21@x.example,Name,,,,,,,[{', 'profiles', /no JSON/],
  ['a22@x.example,Name,,,,,,,"[{""role"":""reader"",""admin"":true}]"', 'profiles.0.admin', /not known/],
  [
    'a35@x.example,Name,,,,,,,"[{""role"":""reader"",""role"":""administrator""}]"',
    'profiles',
    /"0.role" is there twice/,
  ],
  ['a23@x.example,Name', 'row', /2 fields, the first line 9/],
  ['a24@x.example,Na"me,,,,,,,', 'row', /quote/],
  ['a25@x.example,"Na"me,,,,,,,', 'row', /quote/],
  ['a26@x.example,\xFF,,,,,,,', 'row', /UTF-8/],
  ['GOOD@x.example,Twice,,,,,,,', 'email', /twice; first on line 2/],
  ['importer@acme.example,There,,,,,,,', 'email', /taken/],
]

const django = (salt: string) =>
  `"password_hash":"pbkdf2_sha256$1000$${salt}$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"`

/** The same of JSON lines. */
const refusedJson: [row: string, field: string, reason: RegExp][] = [
  ['{"email":"b1@x.example"', 'row', /no JSON/],
  ['["b2@x.example","Name"]', 'row', /no JSON object/],
  ['{"email":"b3@x.example","name":"\xC3"}', 'row', /UTF-8/],
  ['{"email":"b4@x.example","name":7}', 'name', /type string/],
  ['{"email":"b5@x.example","name":"Name","password":"in the clear"}', 'password', /not known/],
  ['{"email":"b6@x.example","name":"Name","uuid":"x"}', 'uuid', /no UUID/],
  ['{"email":"b7@x.example","name":"Name","__proto__":{"active":false}}', '__proto__', /not known/],
  [
    '{"email":"b8@x.example","name":"Name","password_hash":{"credentialData":"{}"}}',
    'password_hash',
    /neither a text nor an object/,
  ],
  [
    '{"email":"b9@x.example","name":"Name","profiles":[{"role":"reader"},{"role":"reader"}]}',
    'profiles',
    /the same/,
  ],
  // In the salt, which is a text; of one that PostgreSQL can't store no row would have come in.
  [`{"email":"b11@x.example","name":"Name",${django('\\u0000')}}`, 'password_hash', /known form/],
  [`{"email":"b12@x.example","name":"Name",${django('\\ud800')}}`, 'password_hash', /known form/],
  ['{"email":"b13@x.example","name":"One","name":"Two"}', 'row', /"name" is there twice/],
  ['{"email":"b14@x.example","n\\u0061me":"One","name":"Two"}', 'row', /"name" is there twice/],
  [
    '{"email":"b15@x.example","name":"One","profiles":[{"role":"reader","role":"administrator"}]}',
    'row',
    /"profiles.0.role" is there twice/,
  ],
  [
    String.raw`{"email":"b16@x.example","name":"N","password_hash":{"credentialData":"{\"algorithm\":\"pbkdf2\",\"hashIterations\":1000,\"hashIterations\":2000}","secretData":"{\"value\":\"CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc=\",\"salt\":\"c29tZXNhbHQ=\"}"}}`,
    'password_hash',
    /neither a text nor an object/,
  ],
  [`{"email":"b10@x.example","name":"${'x'.repeat(70_000)}"}`, 'row', /longer/],
]

onEachDatabase('an import', (dialect) => {
  const once = oneDatabase(dialect)
  let database: TestDatabase
  const folder = temporaryFolder()
  beforeAll(async () => {
    database = await createDatabase(dialect)
  })
  afterAll(() => database.remove())

  const at = () => ({ databaseUrl: database.url })
  const environment = () => ({ TESSERA_DATABASE_URL: database.url, TESSERA_MODE: 'development' })
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), Buffer.from(text, 'latin1'))
    return name
  }
  const imported = (text: string, options?: { name?: string; dryRun?: boolean }) =>
    importText(at(), text, options)
  /** Those whose addresses end so, and how many of them the audit has. */
  const stored = async (end: string) => {
    const rows = (await usersOf(at())).filter(({ email_key: key }) => key.endsWith(end))
    const uuids = new Set(rows.map(({ uuid }) => uuid))
    const created = await auditOf(at(), { kind: 'user.created' })
    const records = created.filter(({ target }) => uuids.has(target?.id ?? '')).length
    return { emails: rows.map((row) => row.email).sort(), records, rows }
  }
  const listed = async (...commandLine: string[]) => {
    const { stdout } = await run([...commandLine, '--json'], { environment: environment() })
    return (JSON.parse(stdout) as { items: Record<string, unknown>[] }).items
  }
  const events = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  once.it('refuses secrets of authenticator apps that it can not keep, without quoting them', async () => {
    const rows = refusedTotp.map(([totp_secret], index) => ({
      email: `t${index}@x.example`,
      name: 'T',
      totp_secret,
    }))
    const answer = await imported(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    expect(answer).toMatchObject({
      imported: 0,
      refused: refusedTotp.map((_, index) => ({ at: `${index + 1} totp_secret` })),
    })
    for (const [index, [secret, reason]] of refusedTotp.entries()) {
      expect(answer.refused[index]?.reasons).toMatch(reason)
      expect(answer.refused[index]?.reasons).not.toContain(secret)
    }
  })

  it.each([
    ['CSV', `${head}good@x.example,Good,,,,,,,\n`, refusedCsv, 'good@x.example'],
    ['JSON lines', '{"email":"fine@x.example","name":"Fine"}\n', refusedJson, 'fine@x.example'],
  ])('of %s refuses by line what is wrong, and writes nothing of it', async (_, start, refused, good) => {
    const text = `${start}\n${refused.map(([row]) => `${row}\n`).join('')}`
    let line = start.split('\n').length + 1
    const expected = refused.map(([row, field]) => {
      const at = `${line} ${field}`
      line += row.split('\n').length
      return at
    })
    const before = (await stored('')).emails
    const dry = await imported(text, { dryRun: true })
    expect((await stored('')).emails).toEqual(before)
    const done = await imported(text)
    expect(done).toEqual(dry)
    expect(done).toMatchObject({ imported: 1, already: 0 })
    expect(done.refused.map((one) => one.at)).toEqual(expected)
    for (const [index, [row, , reason]] of refused.entries()) {
      expect(done.refused[index]?.reasons, row).toMatch(reason)
      expect(done.refused[index]?.reasons).not.toMatch(/c29tZXNhbHQ|CCCCC/)
    }
    expect((await stored('')).emails.filter((one) => !before.includes(one))).toEqual([good])
    // As it was, to be mended.
    expect(done.refused.map((one) => one.raw)).toEqual(refused.map(([row]) => `${row}\n`))
  })

  it('refuses a quote that is never closed with what it may have swallowed, and goes on after that', async () => {
    const swallowed = Array.from({ length: 99 }, (_, index) => `s${index}@q.example,Name\n`)
    const done = await imported(
      `email,name\na@q.example,"open\n${swallowed.join('')}b@q.example,Name\nc@q.example,"open\nd@q.example,Name`,
    )
    expect([done.imported, done.refused.map((one) => one.at)]).toEqual([1, ['2 row', '103 row']])
    expect(done.refused[0]?.raw).toBe(`a@q.example,"open\n${swallowed.join('')}`)
    expect((await stored('@q.example')).emails).toEqual(['b@q.example'])
  })

  it('gives profiles, is found by search, and is in the audit', async () => {
    const profiles =
      '[{""role"":""reader"",""organisation"":""acme"",""unit"":""intake""},{""role"":""bookkeeper""}]'
    const text = `${head.replace('\n', '\r\n')}several@x.example,"Ånn ""A"" Berg, jun.",true,${bcrypt},,,,,"${profiles}"\r\n`
    const marked = `\xEF\xBB\xBF${Buffer.from(text).toString('latin1')}`
    expect(await imported(marked)).toMatchObject({ imported: 1, refused: [] })
    const [row] = (await stored('several@x.example')).rows
    expect(row).toMatchObject({ name: 'Ånn "A" Berg, jun.', email_verified: 1 })
    expect(row).toMatchObject({ active: 1, password_hash: bcrypt, managed_by: null })
    const uuid = row?.uuid ?? ''
    const held = await listed('profile', 'list', '--user', uuid)
    expect(held.map((one) => String(one.role_code)).sort()).toEqual(['bookkeeper', 'reader'])
    const found = await listed('user', 'list', '--organisation', 'acme', '--search', 'berg,')
    expect(found.map((one) => one.uuid)).toEqual([uuid])
    const records = await auditOf(at(), { user: uuid })
    expect(records.map((one) => one.kind)).toEqual(['user.created', 'profile.created', 'profile.created'])
    expect(records[0]).toMatchObject({ actor: { kind: 'command' }, target: { kind: 'user' } })
    expect(records[0]?.detail).toMatchObject({ imported_from: 'people.csv', line: 2 })
    expect(JSON.stringify(records)).not.toContain('CCCCC')
  })

  it('leaves people as they are now when their row comes again, and refuses another row of theirs', async () => {
    const text = `${head}again@x.example,Before,,,,,,,\n`
    expect(await imported(text)).toMatchObject({ imported: 1 })
    await changeUser(at(), 'again@x.example', { name: 'Married' })
    expect(await imported(text)).toMatchObject({ imported: 0, already: 1, refused: [] })
    // Said otherwise, it is the same row.
    expect(await imported('{"name":"Before","email":"again@x.example"}')).toMatchObject({ already: 1 })
    const defaults = '"email_verified":false,"active":true,"profiles":[]'
    expect(await imported(`{"name":"Before","email":"again@x.example",${defaults}}`)).toMatchObject({
      already: 1,
    })
    expect((await stored('again@x.example')).rows[0]?.name).toBe('Married')
    const other = await imported(`${head}again@x.example,Other,,,,,,,\n`)
    expect(other.refused).toMatchObject([{ at: '2 email', reasons: expect.stringContaining('taken') }])
  })

  const many = 1500
  const row = (index: number) => `p${index}@many.example,"Person ${index}",,${bcrypt},reader,acme,,,\n`
  const all = head + Array.from({ length: many }, (_, index) => row(index)).join('')

  it('that is killed or stopped in the middle goes on, loses none and doubles none', async () => {
    const name = file('many.csv', all)
    const begin = async () => {
      const started = new TesseraProcess(['import', name, '--json'], {
        cwd: folder,
        environment: environment(),
      })
      await started.prints(/"kind":"progress".*"imported":[1-9]/)
      return started
    }
    const told = (stdout: string) => Math.max(...events(stdout).map((one) => Number(one.imported)))
    const killed = await (await begin()).stop('SIGKILL')
    const after = await stored('@many.example')
    // At least what was said to be in; each with its record.
    expect(after.emails.length).toBeGreaterThanOrEqual(told(killed.stdout.replace(/\n[^\n]*$/, '\n')))
    expect(after.emails.length).toBeLessThan(many)
    expect(after.records).toBe(after.emails.length)

    const stopped = await (await begin()).stop('SIGINT')
    expect([stopped.code, events(stopped.stdout).at(-1)?.kind]).toEqual([1, 'stopped'])
    const then = (await stored('@many.example')).emails.length
    expect(then).toBe(after.emails.length + told(stopped.stdout))

    expect(await imported(all)).toMatchObject({ imported: many - then, already: then, refused: [] })
    const end = await stored('@many.example')
    expect([new Set(end.emails).size, end.records]).toEqual([many, many])
  })

  once.it('that is stopped says how to go on where it keeps refused rows', async () => {
    const rows = Array.from({ length: 3000 }, (_, index) => row(index).replace('many', 'kept')).join('')
    const name = file('kept.csv', `${head}bad,Name,,,,,,,\n${rows}`)
    const begun = new TesseraProcess(['import', name, '--refused', join(folder, `${dialect}-kept.csv`)], {
      cwd: folder,
      environment: environment(),
    })
    await vi.waitFor(() => expect(begun.stderr).toContain('no e-mail address'), {
      timeout: 60_000,
      interval: 5,
    })
    const stopped = await begun.stop('SIGINT')
    expect(stopped.code).toBe(1)
    expect(stopped.complaints.at(-1)).toMatch(/^tessera: Stopped\. .* another file for --refused/)
  })

  it('beside another of the same rows adds each once', async () => {
    const rows = head + Array.from({ length: 450 }, (_, index) => row(index).replace('many', 'twin')).join('')
    const ended = await Promise.all(
      [1, 2].map(() =>
        run(['import', '-', '--json'], { cwd: folder, environment: environment(), input: rows }),
      ),
    )
    expect(ended.map((one) => one.code)).toEqual([0, 0])
    const done = ended.map((one) => events(one.stdout).at(-1))
    expect(done.map((one) => Number(one?.imported) + Number(one?.already))).toEqual([450, 450])
    expect(Number(done[0]?.imported) + Number(done[1]?.imported)).toBe(450)
    expect((await stored('@twin.example')).emails).toHaveLength(450)
  })

  once.it('of a file that is not there is refused in a line', async () => {
    const ended = await run(['import', 'not-there.csv'], { cwd: folder, environment: environment() })
    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: "tessera: The file not-there.csv can't be read (ENOENT). Nothing was imported.\n",
    })
  })

  once.it('is refused before anybody is in where its refused rows could not be kept', async () => {
    const people = Array.from({ length: 250 }, (_, index) => `p${index}@nowhere.example,P,,,,,,,\n`)
    const name = file('nowhere.csv', `${head}${people.join('')}bad,Bad,,,,,,,\n`)
    const refused = join(folder, 'no-such-folder', 'refused.csv')
    const ended = await run(['import', name, '--refused', refused], {
      cwd: folder,
      environment: environment(),
    })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.complaints).toEqual([expect.stringContaining('no-such-folder')])
    expect((await stored('@nowhere.example')).emails).toEqual([])
  })

  once.it('by its command tells the first rows of each kind, and their number', async () => {
    const bad = Array.from({ length: 1207 }, (_, index) => `k${index}@kinds.example,K,,none,,,,,\n`).join('')
    const roles = Array.from({ length: 5 }, (_, index) => `r${index}@kinds.example,R,,,no-role,,,,\n`).join(
      '',
    )
    const twice = 'k0@kinds.example,K,,,,,,,\n'.repeat(8)
    const name = file('kinds.csv', `${head}${bad}${roles}${twice}`)
    const command = (...options: string[]) =>
      run(['import', name, ...options, '--dry-run'], { cwd: folder, environment: environment() })
    const { stderr, stdout, code } = await command()
    const told = stderr.trim().split('\n')
    expect([code, stdout]).toEqual([2, '1 would be imported, 0 there already, 1,219 refused.\n'])
    expect(told.filter((line) => line.startsWith('kinds.csv:2:'))).toHaveLength(1)
    expect(told).toHaveLength(5 + 5 + 5 + 2)
    expect(told.at(-2)).toMatch(/^kinds\.csv: password_hash: .*known form.* \(1,207 rows, first on line 2\)$/)
    expect(told.at(-1)).toBe('kinds.csv: email: This address is there twice. (7 rows, first on line 1215)')
    const each = events((await command('--json')).stdout).filter(({ kind }) => kind === 'refused')
    expect(each).toHaveLength(1219)
  })

  once.it('by its command tells people of what is refused, keeps it, and writes over no file', async () => {
    const name = file('people.csv', `${head}one@cli.example,One,,,,,,,\nbad,Bad,,,,,,,\n`)
    const tessera = () =>
      run(['import', name, '--refused', `${dialect}.csv`], { cwd: folder, environment: environment() })
    const ended = await tessera()
    expect([ended.code, ended.stdout]).toEqual([2, '1 imported, 0 there already, 1 refused.\n'])
    expect(ended.stderr).toBe('people.csv:3: email: It is no e-mail address.\n')
    expect(readFileSync(join(folder, `${dialect}.csv`), 'utf8')).toBe(`${head}bad,Bad,,,,,,,\n`)
    const again = await tessera()
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`${dialect}.csv exists already`)])
  })
})

it.each([
  ['email,name,shoe_size\n', /Unknown columns: "shoe_size"/],
  ['email,name,password\n', /Passwords are imported as hashes/],
  ['email,given_name\n', /column name is missing/],
  ['email,email,name\n', /"email" twice/],
  ['email|name\n', /Unknown columns/],
  ['email,"name\n', /can not be read/],
  ['[{"email":"x@x.example"}]', /JSON array/],
  ['', /empty/],
])('a file that begins with %j is refused as a whole', async (text, reason) => {
  const read = async () => checkColumns(await readSource(Readable.from([Buffer.from(text)])))
  await expect(read()).rejects.toThrow(reason)
})
