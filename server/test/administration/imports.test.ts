/** Imports over HTTP by whoever administers everything: what the command does, checked, stopped and sent again. */
import { beforeAll, expect, it } from 'vitest'
import { authorizeRequest, people, signIn, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { refresh, tokensOf } from '../harness/program.ts'
import { everythingIn, everythingWritten, totpSecretsOf, usersOf } from '../harness/states.ts'
import { password, password_hash } from '../import/support.ts'
import { csv, importBy, reasonsOf, refusalOf } from './imports-support.ts'
import { acme, Administrator, administeredOn, problemOf, recordsWith, users } from './support.ts'

const minute = 60_000
onEachDatabase('an import over HTTP', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let machine: Administrator
  beforeAll(async () => {
    machine = await Administrator.machine(tessera.url)
    admin = await Administrator.person(tessera.url, people.admin)
  })
  const nothingOf = async (work: () => Promise<unknown>) => {
    const before = await everythingWritten(tessera)
    await work()
    expect(await everythingWritten(tessera)).toEqual(before)
  }
  const addresses = async () => (await usersOf(tessera)).map(({ email }) => email)

  it('is checked first, which writes nothing, and then does what was told', async () => {
    const text = csv(
      'email,name,email_verified,password_hash,role,organisation',
      `one@import.example,One,true,"${password_hash}",reader,acme`,
      'two@import.example,"Two\nof two lines",,,,',
      'three@import.example,Three,,,,',
      'no address,Four,,,,',
      'five@import.example,"Five ""quoted""",,,nothing,',
      'three@import.example,Three again,,,,',
    )
    await nothingOf(async () => {
      const checked = await importBy(admin, text, '?dry_run=true')
      expect(checked.refused).toEqual(['3 name', '6 email', '7 profiles.0.role', '8 email'])
      expect(checked.lines[0]).toMatchObject({ line: 3, last_line: 4 })
      expect(checked.end).toMatchObject({
        kind: 'done',
        rows: 6,
        imported: 2,
        already: 0,
        replaced: 0,
        refused: 4,
        dry_run: true,
        import_uuid: null,
        sign_in_again: false,
        format: 'csv',
        columns: ['email', 'name', 'email_verified', 'password_hash', 'role', 'organisation'],
      })
    })
    const done = await importBy(admin, text)
    expect(done.refused).toEqual(['3 name', '6 email', '7 profiles.0.role', '8 email'])
    expect(done.end).toMatchObject({ kind: 'done', imported: 2, refused: 4, dry_run: false })
    const visit = await signIn(new TestBrowser(tessera.url), authorizeRequest().path, {
      email: 'one@import.example',
      password,
    })
    expect(visit.body).not.toContain('name="password"')

    const own = await admin.all(`/audit?request_id=${done.requestId}`)
    expect(own.map(({ kind }) => String(kind)).toSorted()).toEqual([
      'profile.created',
      'user.created',
      'user.created',
    ])
    expect(own.find(({ kind }) => kind === 'user.created')).toMatchObject({
      actor: { kind: 'user', id: users.admin },
      detail: { imported_from: 'people.csv' },
    })
    const { json } = await admin.get(`/imports/${String(done.end.import_uuid)}`)
    expect(json).toMatchObject({
      name: 'people.csv',
      created_by: { kind: 'user', id: users.admin },
      organisation_uuid: null,
      request_id: done.requestId,
      people: 2,
      signed_in: 1,
    })
    const list = await admin.get('/imports?limit=1')
    expect(list.json.items).toEqual([json])
  })

  it('of the same file again tells that all are in', async () => {
    const text = csv('email,name', 'again@import.example,Again')
    expect((await importBy(admin, text)).end).toMatchObject({ imported: 1, already: 0 })
    await nothingOf(async () => {
      const again = await importBy(admin, text)
      expect(again.end).toMatchObject({ imported: 0, already: 1, refused: 0, import_uuid: null })
      expect((await importBy(admin, text, '?dry_run=true')).end).toMatchObject({ already: 1 })
    })
    const changed = await importBy(admin, csv('email,name', 'again@import.example,Another Name'))
    expect(changed.refused).toEqual(['2 email'])
  })

  it('brings in uuids, authenticator apps and JSON lines, and refuses what is for the command', async () => {
    const uuid = '7f0fd1f6-4b2e-4a35-9f6b-1f6b2f6e0a11'
    const row = {
      email: 'app@import.example',
      name: 'App',
      uuid,
      totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    }
    const passkey = { credential_id: 'AAAA', public_key: 'AAAA', rp_id: 'elsewhere.example' }
    const weak = {
      email: 'weak@import.example',
      name: 'Weak',
      password_hash: '$P$B55D6LjfHDkINU5wF.v2BuuzO0/XPk/',
    }
    const firebase = {
      ...weak,
      email: 'fire@import.example',
      password_hash: { passwordHash: 'AAAA', salt: 'AAAA' },
    }
    const foreign = { email: 'key@import.example', name: 'Key', user_handle: 'AAAA', passkeys: [passkey] }
    const text = [row, weak, firebase, foreign].map((one) => `${JSON.stringify(one)}\n`).join('')
    const done = await importBy(machine, text)
    expect(done.end).toMatchObject({ imported: 1, refused: 3, format: 'jsonl', columns: [] })
    expect(done.refused).toEqual(['2 password_hash', '3 password_hash', expect.stringMatching(/^4 passkeys/)])
    expect(reasonsOf(done).join('\n')).toMatch(/--accept-weak[^]*--firebase-key/)
    expect((await machine.get(`/users/${uuid}`)).json).toMatchObject({ email: row.email })
    for (const secret of await totpSecretsOf(tessera)) expect(secret).not.toContain(row.totp_secret)
    expect((await machine.delete(`/users/${uuid}`)).status).toBe(204)
    expect(reasonsOf(await importBy(machine, text))[0]).toMatch(/who was removed/)
  })

  it.each([
    ['semicolons', 'email;name;active\nforms@import.example;Forms;WAHR\n'],
    ['sep=', 'sep=;\nemail;name\nforms@import.example;"Forms, or so"\n'],
    ['a mark and CRLF', '\uFEFFemail,name\r\nforms@import.example,Forms\r\n,\r\n'],
    ['tabs', 'name\temail\nForms\tforms@import.example'],
    ['blanks', '\n email , name ,\n forms@import.example , Forms ,\n'],
    ['JSON lines', '\n{"email":"forms@import.example","name":"Forms","picture":null}\n\n'],
  ])('reads %s as people have them', async (_, text) => {
    const checked = await importBy(machine, text, '?dry_run=true')
    expect(checked.end, checked.refused.join()).toMatchObject({ kind: 'done', rows: 1, imported: 1 })
  })

  once.it('refuses before the first line what is no file of rows', async () => {
    const unreadable = [
      '',
      ' \n',
      '[]',
      '{\n"users": []}',
      'a;b\n1;2\n',
      'email,name,password\n',
      'email\nx@y.example\n',
    ]
    await nothingOf(async () => {
      for (const text of unreadable) {
        expect(await refusalOf(importBy(admin, text)), text).toBe('400 invalid_request text')
        expect(await refusalOf(importBy(admin, text, '?dry_run=true')), text).toBe('400 invalid_request text')
      }
      const send = async (body: unknown) => problemOf(await admin.post('/imports', body))
      const text = csv('email,name')
      for (const name of ['', '.', '../x.csv', 'a/b.csv', 'x'.repeat(201), 'a\nb', 7])
        expect(await send({ name, text }), String(name)).toBe('400 invalid_request name')
      expect(await send({ name: 'x', text, more: 1 })).toBe('400 invalid_request more')
      expect(await send({ name: 'x', text: '{"email":"\ud800' })).toBe('400 invalid_request text')
      const wide = `email,name\n${'#'.repeat(5 * 1024 * 1024)}`
      expect(await send({ name: 'x', text: wide })).toBe('400 invalid_request text')
      expect(await send({ name: 'x', text: `${wide}${wide}` })).toBe('413 request_too_large')
    })
  })

  once.it('refuses hostile rows one by one, and answers others meanwhile', async () => {
    const rows = [
      `"open@import.example,${'""\n'.repeat(99)}`,
      `wide@import.example,${'x'.repeat(70_000)}`,
      'nul@import.example,"a\0b"',
      'rtl@import.example,"a\u202eb"',
      'toString,x',
      '__proto__,constructor',
      `${'a'.repeat(300)}@import.example,Long`,
    ]
    await nothingOf(async () => {
      const sent = importBy(admin, csv('email,name', ...rows), '?dry_run=true')
      const others = await Promise.all([1, 2, 3].map(async () => await machine.get('/me')))
      expect(others.map(({ status }) => status)).toEqual([200, 200, 200])
      const told = await sent
      expect(told.end).toMatchObject({ imported: 0, refused: told.end.rows })
    })
    const bomb = `{"email":"deep@import.example","name":${'['.repeat(30_000)}${']'.repeat(30_000)}}\n`
    expect((await importBy(admin, bomb, '?dry_run=true')).end).toMatchObject({ refused: 1 })
  })

  once.it('stops when its sender goes, keeps what is in, and goes on when it is sent again', async () => {
    const rows = Array.from({ length: 2000 }, (_, n) => `cut-${n}@import.example,Cut ${n}`)
    const text = csv('email,name', ...rows)
    const gone = new AbortController()
    const { url } = tessera
    const answer = await fetch(`${url}/admin/v1/imports`, {
      method: 'POST',
      signal: gone.signal,
      headers: { authorization: await bearer(), 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'cut.csv', text }),
    })
    const reader = answer.body?.getReader()
    const first = Buffer.from((await reader?.read())?.value ?? []).toString()
    expect(JSON.parse(first.split('\n')[0] ?? '')).toMatchObject({ kind: 'progress', imported: 200 })
    gone.abort()
    await reader?.cancel().catch(() => undefined)
    const inThere = async () => (await addresses()).filter((one) => one.startsWith('cut-')).length
    let last = -1
    await expect
      .poll(
        async () => {
          const before = last
          last = await inThere()
          return before === last
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe(true)
    expect(last).toBeGreaterThanOrEqual(200)
    expect(last).toBeLessThan(2000)
    const { end } = await importBy(machine, text)
    expect(end).toMatchObject({ already: last, imported: 2000 - last, refused: 0 })
    expect(await inThere()).toBe(2000)
    const named = (await admin.all('/imports')).filter(({ name }) => name === 'cut.csv')
    expect(named).toMatchObject([{ people: last }])
  })

  it('ends with the right of its sender', async () => {
    const rows = Array.from({ length: 1500 }, (_, n) => `right-${n}@import.example,Right ${n}`)
    const made = await machine.post('/users', {
      email: 'leaving@acme.example',
      name: 'Leaving',
      password: 'correct horse battery nine',
      profiles: [{ role_code: 'administrator' }],
    })
    const leaving = await Administrator.person(tessera.url, {
      email: 'leaving@acme.example',
      password: 'correct horse battery nine',
    })
    const going = importBy(leaving, csv('email,name', ...rows))
    const found = async () =>
      ((await machine.get('/users?q=right-0@import.example')).json.items as object[]).length
    await expect.poll(found, { timeout: 20_000, interval: 10 }).toBe(1)
    expect((await machine.patch(`/users/${String(made.json.uuid)}`, { active: false })).status).toBe(200)
    const { end } = await going
    expect(end).toMatchObject({ kind: 'failed', code: 'invalid_token' })
    const count = (await addresses()).filter((one) => one.startsWith('right-')).length
    expect(count % 200).toBe(0)
    expect(count).toBeLessThan(1500)
  })

  once.it('needs both permissions, and for all that a file can say a recent sign-in', async () => {
    const text = csv('email,name', 'late@import.example,Late')
    const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
    expect((await onlooker.post('/imports', { name: 'x', text })).status).toBe(403)
    const adding = await machineWith(['iam.users.create', 'iam.users.read'])
    // What is sent is not looked at.
    expect(problemOf(await adding.post('/imports', 'nothing'))).toBe('403 insufficient_scope')

    const changes = { client_id: 'admin-web', scope: 'openid service.api' }
    const tokens = await tokensFor(tessera.url, people.admin, { changes })
    tessera.clock.advance(11 * minute)
    const refreshed = await refresh(tessera.url, tokens.refresh_token, { client_id: 'admin-web' })
    const old = new Administrator(tessera.url, tokensOf(refreshed).access_token ?? '')
    const before = await everythingIn(tessera)

    expect(await refusalOf(importBy(old, text))).toBe('401 insufficient_user_authentication')
    expect((await importBy(old, text, '?dry_run=true')).end).toMatchObject({
      sign_in_again: true,
      imported: 1,
    })
    expect(await refusalOf(importBy(old, '[]'))).toBe('400 invalid_request text')
    // A notice of the sign-in is mailed by and by.
    expect(await everythingIn(tessera)).toEqual(before)
    machine = await Administrator.machine(tessera.url)
    expect((await importBy(machine, text)).end).toMatchObject({ imported: 1 })
    admin = await Administrator.person(tessera.url, people.admin)
  })

  it('takes the place of an unproved account, also of one that a limited import made of the same row', async () => {
    const text = csv('email,name,role,organisation', 'planted@acme.example,Planted,importer,acme')
    const own = await Administrator.machine(tessera.url, 'acme-cli')
    expect((await importBy(own, text)).end).toMatchObject({ imported: 1 })
    const planted = (await usersOf(tessera)).find(({ email }) => email === 'planted@acme.example')
    tessera.clock.advance(1000)
    expect(planted).toMatchObject({ limited_reach: 1 })
    const set = await own.patch(`/users/${planted?.uuid}`, { password: 'a password of the planter' })
    expect(set.status, set.text).toBe(200)
    // What was set since may be their own: whoever administers everything settles it by hand.
    expect((await importBy(admin, text)).refused).toEqual(['2 email'])
    const other = csv('email,name,role,organisation', 'planted-2@acme.example,Planted,importer,acme')
    expect((await importBy(own, other)).end).toMatchObject({ imported: 1 })
    expect((await importBy(admin, other)).end).toMatchObject({ imported: 1, replaced: 1, already: 0 })
    const proved = (await usersOf(tessera)).find(({ email }) => email === 'planted-2@acme.example')
    expect(proved).toMatchObject({ limited_reach: 0, unproved_since: null })
  })

  it('of the command is listed too', async () => {
    const { importText } = await import('../import/support.ts')
    await importText(tessera, csv('email,name', 'command@import.example,Command'), { now: tessera.clock.now })
    const [listed] = (await admin.all('/imports')).filter(
      ({ created_by: by }) => (by as { kind: string }).kind === 'command',
    )
    expect(listed).toMatchObject({ name: 'people.csv', people: 1, signed_in: 0, created_by: { id: 'test' } })
    const records = await recordsWith(admin)
    expect(records.at(-1)).toMatchObject({ kind: 'user.created', detail: { imported_from: 'people.csv' } })
  })

  async function machineWith(permissions: string[]): Promise<Administrator> {
    const { json } = await machine.post('/clients', {
      client_id: `with-${permissions.length}`,
      client_name: 'Some',
      type: 'machine',
      services: ['iam'],
      permissions,
      organisation_uuid: acme,
    })
    return new Administrator(tessera.url, await tokenWith(String(json.client_id), String(json.client_secret)))
  }

  async function tokenWith(client_id: string, client_secret: string): Promise<string> {
    const asked = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    const answer = await fetch(`${tessera.url}/oauth2/token`, { method: 'POST', body: asked })
    return ((await answer.json()) as { access_token: string }).access_token
  }

  const bearer = async () => `Bearer ${await tokenWith('admin-cli', 'admin-cli-development-secret')}`
})
