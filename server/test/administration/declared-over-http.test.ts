/** Declared files over HTTP: what a person who administers everything may do by one, and all that is refused. */
import { beforeAll, expect, it } from 'vitest'
import { authorizeRequest, people, signIn, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { refresh, tokensOf } from '../harness/program.ts'
import { everythingWritten } from '../harness/states.ts'
import {
  acme,
  type AdminAnswer,
  Administrator,
  administeredOn,
  heads,
  problemOf,
  recordsWith,
  users,
} from './support.ts'

const minute = 60_000
const role = (code: string, permissions = '[]', more = '') =>
  `roles:\n  - code: ${code}\n    name: ${code}\n    permissions: ${permissions}\n${more}`
const person = (email: string, more = '') => `users:\n  - email: ${email}\n    name: Somebody New\n${more}`

interface Told {
  line?: number
  detail: string
}

onEachDatabase('a declared file over HTTP', (dialect) => {
  const tessera = administeredOn(dialect)
  let machine: Administrator
  let admin: Administrator
  let browser: TestBrowser
  /** In the browser that is known: a new one would be told of by mail, at any time afterwards. */
  const tokensOfAdmin = async () => {
    browser.cookies.delete('tessera-session')
    const changes = { client_id: 'admin-web', scope: 'openid service.api' }
    return await tokensFor(tessera.url, people.admin, { changes, browser })
  }
  const signedIn = async () => new Administrator(tessera.url, (await tokensOfAdmin()).access_token ?? '')
  beforeAll(async () => {
    browser = new TestBrowser(tessera.url)
    machine = await Administrator.machine(tessera.url)
    admin = await signedIn()
  })

  // What the words of a request decide, no database changes. Each such plan starts a process.
  const once = oneDatabase(dialect)
  const sent = (text: string, more: object = {}) => ({ text, file: 'sent.yaml', ...more })
  const plan = async (text: string, more: object = {}, who = admin) =>
    await who.post('/declared/plan', sent(text, more))
  const digestOf = async (text: string, more: object = {}) => {
    const { status, json, text: said } = await plan(text, more)
    expect(status, said).toBe(200)
    return String(json.digest)
  }
  const apply = async (
    text: string,
    { digest, headers = {}, query = '', ...more }: Partial<Applying> = {},
    who = admin,
  ) =>
    await who.post(
      `/declared/apply${query}`,
      sent(text, { digest: digest ?? (await digestOf(text, more)), ...more }),
      headers,
    )
  interface Applying {
    digest: string
    headers: Record<string, string>
    query: string
    prune: boolean
    file: string
  }
  const linesOf = ({ json }: AdminAnswer) =>
    ((json.errors ?? []) as Told[]).map(({ line = 0, detail }) => `${line}: ${detail}`)
  const nothingOf = async (work: () => Promise<unknown>) => {
    const before = await everythingWritten(tessera)
    await work()
    expect(await everythingWritten(tessera)).toEqual(before)
  }

  it('is planned, shown with its digest, and applied as just that', async () => {
    const text = role('weigher', '[iam.users.read]')
    const planned = await plan(text)
    expect(planned.status, planned.text).toBe(200)
    expect(planned.json).toMatchObject({
      file: 'sent.yaml',
      at_start: false,
      sign_in_again: false,
      changes: [{ kind: 'role', action: 'create', id: 'weigher' }],
      access: { users: [], clients: [] },
    })
    expect((await admin.get('/roles/weigher')).status).toBe(404)
    const { digest } = planned.json
    const tried = await apply(text, { digest: String(digest), query: '?dry_run=true' })
    expect([tried.status, tried.json]).toEqual([200, planned.json])
    expect((await admin.get('/roles/weigher')).status).toBe(404)

    const done = await apply(text, { digest: String(digest) })
    expect(done.json).toMatchObject({ file: 'sent.yaml', digest, counts: { role_create: 1 } })
    expect((await admin.get('/roles/weigher')).json.managed_by).toBe('sent.yaml')
    const records = await recordsWith(admin)
    const own = records.filter(({ request_id }) => request_id === done.headers.get('x-request-id'))
    expect(own.map(({ kind, actor }) => [kind, actor.id])).toEqual([
      ['declared.applied', users.admin],
      ['role.created', users.admin],
    ])
    expect(own[1]?.detail).toMatchObject({ declared_file: 'sent.yaml' })
    expect((await plan(text)).json).toMatchObject({ changes: [] })
  })

  once.it('is refused to everybody who does not administer everything, before it is read', async () => {
    const others = [
      await Administrator.machine(tessera.url, 'acme-cli'),
      await Administrator.machine(tessera.url, 'roles-cli'),
      await Administrator.machine(tessera.url, 'onlooker-cli'),
      await Administrator.person(tessera.url, heads.head),
      await Administrator.person(tessera.url, heads.unitHead),
    ]
    const digest = await digestOf(role('other'))
    await nothingOf(async () => {
      for (const who of others) {
        expect((await plan(role('other'), {}, who)).status).toBe(403)
        expect((await apply(role('other'), { digest }, who)).status).toBe(403)
        expect((await apply(role('other'), { digest, query: '?dry_run=true' }, who)).status).toBe(403)
        expect((await who.get('/declared/export')).status).toBe(403)
      }
    })
    // With the permissions of these, of one organisation or of the whole installation.
    const all = ['iam.declared.read', 'iam.declared.update']
    const made = async (body: object) => {
      const { json, text } = await machine.post('/clients', {
        client_name: 'Files',
        type: 'machine',
        services: ['iam'],
        ...body,
      })
      expect(json.client_secret, text).toBeDefined()
      const asked = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: String(json.client_id),
        client_secret: String(json.client_secret),
      })
      const answer = await fetch(`${tessera.url}/oauth2/token`, { method: 'POST', body: asked })
      return new Administrator(tessera.url, ((await answer.json()) as { access_token: string }).access_token)
    }
    const own = await made({ client_id: 'files-acme', permissions: ['iam.*'], organisation_uuid: acme })
    const few = await made({ client_id: 'files-all', permissions: all })
    for (const who of [own, few]) {
      // What is sent is not looked at.
      expect(problemOf(await plan('users: [', {}, who))).toBe('403 forbidden')
      expect(problemOf(await apply('users: [', { digest: 'none' }, who))).toBe('403 forbidden')
      expect(problemOf(await who.get('/declared/export'))).toBe('403 forbidden')
    }
  })

  once.it('names the lines that are wrong, and reads nothing that it names', async () => {
    const refused = await plan('roles:\n  - code: a\n    nam: A\n  - code: a\n    name: A\n')
    expect(problemOf(refused)).toMatch(/^400 invalid_request text/)
    expect(linesOf(refused)).toEqual([
      expect.stringMatching(/^2: a role has no "name"/),
      expect.stringMatching(/^3: .*did you mean "name"/),
      expect.stringMatching(/^4: .*is there twice; first on line 2/),
    ])
    expect(linesOf(await plan('roles: [\n'))[0]).toMatch(/^\d: YAML: /)
    expect(linesOf(await plan(`a: ${'x'.repeat(100_001)}`))[0]).toMatch(/YAML: a text is longer/)
    const names = ['/etc/hostname', '$HOME', '${TESSERA_SECRET}', '@/etc/hostname', 'file:///etc/hostname']
    const roles = names.map((name, at) => `  - code: read-${at}\n    name: '${name}'\n`)
    const { json, text } = await plan(`roles:\n${roles.join('')}`)
    for (const name of names) expect(JSON.stringify(json.changes), text).toContain(JSON.stringify(name))
    for (const tag of ['!include /etc/hostname', '!!binary L2V0Yw==', '!env HOME', '!!js/function f'])
      expect(problemOf(await plan(`roles:\n  - code: read\n    name: ${tag}\n`)), tag).toMatch(/^400/)
    expect(linesOf(await plan('a: &a [1]\nb: *a\n')).join()).toMatch(/lias|unknown key/)
  })

  once.it('has bounds', async () => {
    const wide = '#'.repeat(5 * 1024 * 1024 + 1)
    const large = await plan(wide)
    expect(linesOf(large)).toEqual([expect.stringContaining('0: the file has 5242881 bytes')])
    expect(problemOf(await plan(`${wide}${wide}`))).toBe('413 request_too_large')
    for (const file of ['', '.', '..', '../x.yaml', 'a/b.yaml', 'x'.repeat(201), 'a\u202eb', 'a\nb', 7])
      expect(problemOf(await plan(role('x'), { file })), String(file)).toBe('400 invalid_request file')
    expect(problemOf(await plan(role('x'), { more: 1 }))).toBe('400 invalid_request more')
    expect(problemOf(await plan(role('x'), { digest: 'x' }))).toBe('400 invalid_request digest')
    expect(problemOf(await apply(role('x'), { digest: 'x' }))).toBe('400 invalid_request digest')
    expect(problemOf(await admin.post('/declared/plan?dry_run=true', sent('')))).toBe(
      '400 invalid_request dry_run',
    )
    expect(problemOf(await admin.post('/declared/plan', { file: 'x' }))).toBe('400 invalid_request text')
    expect(problemOf(await plan('name: \ud800'))).toMatch(/^400/)
  })

  once.it('is done for one at a time, while tokens go on', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => `  - email: many-${n}@acme.example\n    name: Many\n`)
    const text = `users:\n${lines.join('')}`
    const answers = await Promise.all([1, 2, 3].map(async () => await plan(text)))
    const states = answers.map(({ status }) => String(status)).toSorted()
    expect(states).toEqual(['200', '503', '503'])
    const busy = answers.find(({ status }) => status === 503)
    expect([busy && problemOf(busy), busy?.headers.get('retry-after')]).toEqual([
      '503 temporarily_unavailable',
      '5',
    ])
    expect((await plan(role('after'))).status).toBe(200)
  })

  once.it('is not applied where the plan is another one by now', async () => {
    const text = role('drifting', '[iam.users.read]')
    const digest = await digestOf(text)
    expect((await machine.post('/roles', { code: 'drifting', name: 'Made meanwhile' })).status).toBe(201)
    await nothingOf(async () => {
      const refused = await apply(text, { digest })
      expect(problemOf(refused)).toBe('409 plan_outdated')
      expect(refused.json.digest).toBe(await digestOf(text))
      expect(problemOf(await apply(text, { digest, query: '?dry_run=true' }))).toBe('409 plan_outdated')
    })
    // The digest is of this text under this name, pruned or not.
    const same = await digestOf(text)
    for (const other of [{ prune: true }, { file: 'other.yaml' }])
      expect(problemOf(await apply(text, { digest: same, ...other }))).toBe('409 plan_outdated')
    expect(problemOf(await apply(`${text}# more\n`, { digest: same }))).toBe('409 plan_outdated')
    // Somebody else did the same.
    expect((await apply(text, { digest: same })).status).toBe(200)
    expect(problemOf(await apply(text, { digest: same }))).toBe('409 plan_outdated')
  })

  once.it('is applied once for an Idempotency-Key', async () => {
    const text = role('once')
    const digest = await digestOf(text)
    const headers = { 'idempotency-key': 'one-file' }
    const first = await apply(text, { digest, headers })
    const again = await apply(text, { digest, headers })
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([
      200,
      200,
      'true',
    ])
    expect(again.json).toEqual(first.json)
    const other = role('other-once')
    expect(problemOf(await apply(other, { headers }))).toBe('422 idempotency_key_reused')
    const both = role('both-at-once')
    const asked = { digest: await digestOf(both), headers: { 'idempotency-key': 'two-files' } }
    const answers = await Promise.all([apply(both, asked), apply(both, asked)])
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    const applied = (await recordsWith(admin)).filter(({ kind }) => kind === 'declared.applied')
    expect(applied.filter(({ detail }) => detail?.role_create === 1).length).toBeGreaterThanOrEqual(2)
  })

  once.it('needs a recent sign-in of a person, after all else', async () => {
    const tokens = await tokensOfAdmin()
    tessera.clock.advance(11 * minute)
    const refreshed = await refresh(tessera.url, tokens.refresh_token, { client_id: 'admin-web' })
    const old = new Administrator(tessera.url, tokensOf(refreshed).access_token ?? '')
    const text = role('late')
    const planned = await plan(text, {}, old)
    expect(planned.json.sign_in_again).toBe(true)
    const digest = String(planned.json.digest)
    await nothingOf(async () => {
      const headers = { 'idempotency-key': 'late' }
      expect(problemOf(await apply(text, { digest, headers }, old))).toBe(
        '401 insufficient_user_authentication',
      )
      expect(problemOf(await apply(role('worse'), { digest }, old))).toBe('409 plan_outdated')
      expect(problemOf(await apply('roles: 1', { digest }, old))).toMatch(/^400/)
      const tried = await apply(text, { digest, query: '?dry_run=true' }, old)
      expect([tried.status, tried.json.sign_in_again]).toEqual([200, true])
    })
    admin = await signedIn()
    machine = await Administrator.machine(tessera.url)
    // A machine proves itself each time.
    expect((await apply(text, { digest, headers: { 'idempotency-key': 'late' } }, machine)).status).toBe(200)
  })

  once.it('does by HTTP nothing that is the command’s alone', async () => {
    const uuid = '11111111-1111-4111-8111-111111111111'
    const hash = `password_hash: '$argon2id$v=19$m=19456,t=2,p=1$cYvUs2YMkyAb01S6jL9cSQ$CKjPZfOq2s435QCujhnVT/aG5rcsAPRd+2h2p+ts4YU'`
    const reader = 'roles:\n  - code: reader\n    name: Reader\n'
    const refused: [text: string, reason: RegExp][] = [
      [person('new@acme.example', `    uuid: ${uuid}\n`), /^2: this user is new, and a new uuid is chosen/],
      [
        `organisations:\n  - code: fresh\n    name: Fresh\n    uuid: ${uuid}\n`,
        /^2: this organisation is new/,
      ],
      [
        `organisations:\n  - code: fresh\n    name: Fresh\n    units:\n      - code: low\n        name: Low\n        uuid: ${uuid}\n`,
        /^5: this unit is new/,
      ],
      [
        `${reader}${person('new@acme.example', `    profiles:\n      - role: reader\n        uuid: ${uuid}\n`)}`,
        /^5: a profile of this user is new/,
      ],
      [person('new@acme.example', `    ${hash}\n`), /^2: password_hash is another than the stored one/],
      [person(people.importer.email, `    ${hash}\n`), /^2: password_hash is another than the stored one/],
      ['break_glass: [admin@acme.example]\n', /^0: break_glass changes/],
      [
        'organisations:\n  - code: acme\n    name: Acme\n    break_glass: [importer@acme.example]\n',
        /^2: break_glass changes/,
      ],
      ['policy:\n  sign_in: upstream\n', /^0: it newly demands sign_in: upstream/],
      [
        role('forced', '[]', '    policy:\n      sign_in: upstream\n'),
        /^2: it newly demands sign_in: upstream/,
      ],
    ]
    const digest = await digestOf(role('any'))
    await nothingOf(async () => {
      for (const [at, [text, reason]] of refused.entries()) {
        const answer = await (at % 2 === 0 ? plan(text) : apply(text, { digest }, machine))
        expect(problemOf(answer), text).toMatch(/^400 invalid_request text/)
        expect(linesOf(answer).join('\n')).toMatch(reason)
      }
    })
    const ours = `services:\n  - code: ours\n    name: Ours\n    audience: ${tessera.url}/admin\n`
    expect(linesOf(await plan(ours)).join()).toMatch(/^2: the audience .* belongs to Tessera itself/)
  })

  once.it('leaves somebody who administers everything, and lets nobody be taken by surprise', async () => {
    const robbed =
      'roles:\n  - code: administrator\n    name: Administrator\n    active: false\n    permissions: ["iam.*"]\n'
    await nothingOf(async () => {
      expect(problemOf(await plan(robbed))).toBe('409 last_administrator')
      expect(problemOf(await apply(robbed, { digest: await digestOf(role('any')) }))).toBe(
        '409 last_administrator',
      )
    })
    // Another one takes the asker's own profile, with a token that counted when the plan was made.
    const second = await machine.post('/users', {
      email: 'second@acme.example',
      name: 'Second Head',
      password: 'correct horse battery nine',
      profiles: [{ role_code: 'administrator' }],
    })
    expect(second.status, second.text).toBe(201)
    const other = await Administrator.person(tessera.url, {
      email: 'second@acme.example',
      password: 'correct horse battery nine',
    })
    const text = role('after-all')
    const digest = await digestOf(text)
    expect((await other.patch(`/users/${String(second.json.uuid)}`, { active: false })).status).toBe(200)
    expect((await apply(text, { digest }, other)).status).toBe(401)
    expect((await admin.get('/roles/after-all')).status).toBe(404)
    // Who asks may take from themself, where somebody else is left.
    const third = { ...people.admin, email: 'third@acme.example', password: 'correct horse battery six' }
    expect(
      (
        await machine.post('/users', {
          email: third.email,
          name: 'Third',
          password: third.password,
          profiles: [{ role_code: 'administrator' }],
        })
      ).status,
    ).toBe(201)
    const leaving = await Administrator.person(tessera.url, third)
    const own = person(third.email, '    active: false\n')
    const seen = await plan(own, {}, leaving)
    expect(seen.json.access).toMatchObject({
      users: [{ email: third.email, loses: expect.arrayContaining(['iam.users.read']) }],
    })
    expect((await apply(own, { digest: String(seen.json.digest) }, leaving)).status).toBe(200)
    expect((await leaving.get('/me')).status).toBe(401)
  })

  once.it('keeps no password of a text, and tells none', async () => {
    const secret = 'a password of its own kind'
    const text = person('secret@acme.example', `    password: ${secret}\n`)
    const planned = await plan(text)
    expect(planned.text).not.toContain(secret)
    const done = await apply(text, { headers: { 'idempotency-key': 'secret' } })
    expect([done.status, done.text.includes(secret)]).toEqual([200, false])
    expect(JSON.stringify(await everythingWritten(tessera))).not.toContain(secret)
    expect(JSON.stringify(await recordsWith(admin))).not.toContain(secret)
    const visit = await signIn(new TestBrowser(tessera.url), authorizeRequest().path, {
      email: 'secret@acme.example',
      password: secret,
    })
    expect(visit.body).not.toContain('name="password"')
  })

  it('is exported without a hash, and changes nothing where it comes from', async () => {
    const answer = await admin.get('/declared/export')
    expect(answer.status, answer.text).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/yaml')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="tessera.yaml"')
    for (const hidden of ['$argon2', 'sha256:', 'password_hash', 'client_secret'])
      expect(answer.text).not.toContain(hidden)
    expect(answer.text).toContain('importer@acme.example')
    const exported = (await recordsWith(admin)).filter(({ kind }) => kind === 'declared.exported')
    expect(exported.map(({ actor }) => actor.id)).toEqual([users.admin])
    const { json, text } = await plan(answer.text, { file: 'tessera.yaml' })
    expect(json.changes, text).toEqual([])
    expect(((json.adopts ?? []) as { loses: string[] }[]).filter(({ loses }) => loses.length > 0)).toEqual([])
  })
})
