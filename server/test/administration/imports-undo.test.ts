/** An import that is undone: who never signed in goes, as by hand, and nobody else. */
import { beforeAll, expect, it } from 'vitest'
import { answerOf, authorizeRequest, people, signIn, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { machineToken, refresh, tokensOf } from '../harness/program.ts'
import { everythingIn, everythingWritten, usersOf } from '../harness/states.ts'
import { password, password_hash } from '../import/support.ts'
import { csv, importBy, refusalOf, undoBy } from './imports-support.ts'
import { acme, Administrator, administeredOn, globex, heads, problemOf, users } from './support.ts'

const minute = 60_000

onEachDatabase('an import that is undone', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let machine: Administrator
  let own: Administrator
  beforeAll(async () => {
    machine = await Administrator.machine(tessera.url)
    admin = await Administrator.person(tessera.url, people.admin)
    own = await Administrator.person(tessera.url, heads.head)
  })
  const nothingOf = async (work: () => Promise<unknown>) => {
    const before = await everythingWritten(tessera)
    await work()
    expect(await everythingWritten(tessera)).toEqual(before)
  }
  const columns = 'email,name,password_hash,role,organisation'
  const rowOf = (email: string, role = 'importer', organisation = 'acme') =>
    `${email},Somebody,"${password_hash}",${role},${organisation}`
  const imported = async (...rows: string[]) => {
    const { end } = await importBy(machine, csv(columns, ...rows))
    expect(end).toMatchObject({ imported: rows.length, refused: 0 })
    return String(end.import_uuid)
  }
  const uuidOf = async (email: string) => (await usersOf(tessera)).find((one) => one.email === email)?.uuid
  const signedIn = async (email: string) => {
    const visit = await signIn(new TestBrowser(tessera.url), authorizeRequest().path, { email, password })
    return answerOf(visit).code !== undefined
  }

  it('loses those who never signed in, and keeps who has', async () => {
    const emails = ['stays@undo.example', 'goes@undo.example', 'changed@undo.example']
    const uuid = await imported(...emails.map((email) => rowOf(email)))
    expect(await signedIn('stays@undo.example')).toBe(true)
    const changed = await uuidOf('changed@undo.example')
    const given = { user_uuid: changed, role_code: 'reader', organisation_uuid: globex }
    expect((await machine.post('/profiles', given)).status).toBe(201)
    const counts = { people: 3, removed: 2, signed_in: 1, refused: 0, changed: 1 }
    await nothingOf(async () => {
      const tried = await undoBy(admin, uuid, '?dry_run=true')
      expect(tried.end).toEqual({ kind: 'done', ...counts, dry_run: true, replaced: 0, sign_in_again: false })
    })
    const { end, requestId } = await undoBy(admin, uuid)
    expect(end).toMatchObject({ kind: 'done', ...counts, dry_run: false })
    expect(await Promise.all(emails.map(async (one) => (await uuidOf(one)) !== undefined))).toEqual([
      true,
      false,
      false,
    ])
    const records = await admin.all(`/audit?request_id=${requestId}`)
    expect(records.map(({ kind }) => String(kind)).toSorted()).toEqual([
      'profile.removed',
      'profile.removed',
      'profile.removed',
      'user.removed',
      'user.removed',
    ])
    expect(records).toMatchObject(records.map(() => ({ actor: { kind: 'user', id: users.admin } })))
    await nothingOf(async () => {
      expect((await undoBy(admin, uuid)).end).toMatchObject({ people: 1, removed: 0, signed_in: 1 })
    })
    expect((await admin.get(`/imports/${uuid}`)).json).toMatchObject({ people: 1, signed_in: 1 })
    // A second import of the file brings back who went.
    const again = await importBy(machine, csv(columns, ...emails.map((email) => rowOf(email))))
    expect(again.end).toMatchObject({ imported: 2, already: 1 })
  })

  it('says how many unproved accounts do not come back', async () => {
    const made = await own.post('/users', {
      email: 'unproved@undo.example',
      name: 'Unproved',
      profiles: [{ role_code: 'importer', organisation_uuid: acme }],
    })
    expect(made.status, made.text).toBe(201)
    const uuid = await imported(rowOf('unproved@undo.example'))
    expect((await undoBy(admin, uuid, '?dry_run=true')).end).toMatchObject({ replaced: 1, removed: 1 })
    expect((await undoBy(admin, uuid)).end).toMatchObject({ replaced: 1, removed: 1 })
    expect(await uuidOf('unproved@undo.example')).toBeUndefined()
  })

  it('lets a sign-in win that comes meanwhile', async () => {
    const emails = Array.from({ length: 12 }, (_, n) => `race-${n}@undo.example`)
    const uuid = await imported(...emails.map((email) => rowOf(email)))
    const entering = emails.map(async (email) => await signedIn(email).catch(() => false))
    const undoing = (async () => {
      await Promise.race(entering)
      return await undoBy(admin, uuid)
    })()
    const [{ end }, ...entered] = await Promise.all([undoing, ...entering])
    const there = await Promise.all(emails.map(async (email) => (await uuidOf(email)) !== undefined))
    expect(there).toEqual(entered)
    const stayed = there.filter(Boolean).length
    expect(stayed).toBeGreaterThan(0)
    expect(end).toMatchObject({ people: 12, removed: 12 - stayed, signed_in: stayed, refused: 0 })
  })

  oneDatabase(dialect).it(
    'is refused of whom removing by hand is refused, and goes on with the others',
    async () => {
      const nothing = await machine.post('/roles', { code: 'visitor', name: 'Visitor' })
      expect(nothing.status, nothing.text).toBe(201)
      const rows = [
        ['more@undo.example', 'importer'],
        ['file@undo.example', 'visitor'],
        ['plain@undo.example', 'visitor'],
      ].map(([email, role]) => `${email},Some,${role},acme`)
      const { end } = await importBy(own, csv('email,name,role,organisation', ...rows))
      expect(end).toMatchObject({ imported: 3 })
      const { import_uuid: uuid } = end
      const text = [
        'roles: [{ code: visitor, name: Visitor, permissions: [] }]',
        'organisations: [{ code: acme, name: Acme }]',
        'users: [{ email: file@undo.example, name: Some, profiles: [{ role: visitor, organisation: acme }] }]',
      ].join('\n')
      const planned = await machine.post('/declared/plan', { text, file: 'people.yaml' })
      const { digest } = planned.json
      expect((await machine.post('/declared/apply', { text, file: 'people.yaml', digest })).status).toBe(200)
      const careful = await machineWith(['iam.users.read', 'iam.users.delete'], acme)
      careful.overridesFile = false
      const refused = ['more@undo.example forbidden', 'file@undo.example managed_by_file']
      const tried = await undoBy(careful, uuid, '?dry_run=true')
      expect(tried.refused.toSorted()).toEqual(refused.toSorted())
      const done = await undoBy(careful, uuid)
      expect(done.refused.toSorted()).toEqual(refused.toSorted())
      expect(done.end).toMatchObject({ removed: 1, refused: 2, signed_in: 0 })
      expect(await uuidOf('plain@undo.example')).toBeUndefined()
    },
  )

  it('is refused without the permission, or a recent sign-in', async () => {
    const uuid = await imported(rowOf('late@undo.example'))
    const reads = await machineWith(['iam.users.read', 'iam.users.create', 'iam.profiles.create'], null)
    expect((await reads.get(`/imports/${uuid}`)).status).toBe(200)
    const changes = { client_id: 'admin-web', scope: 'openid service.api' }
    const tokens = await tokensFor(tessera.url, people.admin, { changes })
    tessera.clock.advance(11 * minute)
    const refreshed = await refresh(tessera.url, tokens.refresh_token, { client_id: 'admin-web' })
    const old = new Administrator(tessera.url, tokensOf(refreshed).access_token ?? '')
    // Refusals name people by their addresses.
    const removes = await machineWith(['iam.users.delete'], null)
    const before = await everythingIn(tessera)

    for (const query of ['', '?dry_run=true'])
      expect((await removes.ask('POST', `/imports/${uuid}/undo${query}`)).status).toBe(403)
    for (const query of ['', '?dry_run=true'])
      expect((await reads.ask('POST', `/imports/${uuid}/undo${query}`)).status).toBe(403)
    expect(await refusalOf(undoBy(old, uuid))).toBe('401 insufficient_user_authentication')
    expect((await undoBy(old, uuid, '?dry_run=true')).end).toMatchObject({
      sign_in_again: true,
      removed: 1,
    })
    expect(problemOf(await machineAnew().then((one) => one.post(`/imports/${uuid}/undo`, {})))).toBe(
      '400 invalid_request',
    )
    expect(problemOf(await old.ask('POST', `/imports/${uuid}/undo?dry_run=maybe`))).toBe(
      '400 invalid_request dry_run',
    )
    // A notice of the sign-in is mailed by and by.
    expect(await everythingIn(tessera)).toEqual(before)
    machine = await machineAnew()
    admin = await Administrator.person(tessera.url, people.admin)
    own = await Administrator.person(tessera.url, heads.head)
    expect((await undoBy(machine, uuid)).end).toMatchObject({ removed: 1 })
  })

  it('stops with its sender’s right', async () => {
    // One after the other goes: there is time to end the right meanwhile.
    const many = dialect === 'sqlite' ? 220 : 110
    const uuid = await imported(...Array.from({ length: many }, (_, n) => rowOf(`many-${n}@undo.example`)))
    const leaving = await machine.post('/users', {
      email: 'leaving@acme.example',
      name: 'Leaving',
      password: 'correct horse battery nine',
      profiles: [{ role_code: 'administrator' }],
    })
    const them = await Administrator.person(tessera.url, {
      email: 'leaving@acme.example',
      password: 'correct horse battery nine',
    })
    const going = undoBy(them, uuid)
    const left = async () => Number((await machine.get(`/imports/${uuid}`)).json.people)
    await expect.poll(left, { timeout: 20_000, interval: 10 }).toBeLessThan(many)
    expect((await machine.patch(`/users/${String(leaving.json.uuid)}`, { active: false })).status).toBe(200)
    expect((await going).end).toMatchObject({ kind: 'failed', code: 'invalid_token' })
    const some = await left()
    expect(some).toBeGreaterThan(0)
    expect((await undoBy(machine, uuid)).end).toMatchObject({ people: some, removed: some })
  })

  it('leaves somebody who administers everything', async () => {
    const uuid = await imported(rowOf('last@undo.example', 'administrator', ''), rowOf('other@undo.example'))
    expect((await machine.patch(`/users/${users.admin}`, { active: false })).status).toBe(200)
    const done = await undoBy(machine, uuid)
    expect(done.refused).toEqual(['last@undo.example last_administrator'])
    expect(done.end).toMatchObject({ removed: 1, refused: 1 })
    expect(await signedIn('last@undo.example')).toBe(true)
  })

  async function machineWith(
    permissions: string[],
    organisation_uuid: string | null,
  ): Promise<Administrator> {
    const named = { client_id: `with-${permissions.length}`, client_name: 'Some', type: 'machine' }
    const made = await machine.post('/clients', {
      ...named,
      services: ['iam'],
      permissions,
      organisation_uuid,
    })
    const client_secret = String(made.json.client_secret)
    return new Administrator(
      tessera.url,
      await machineToken(tessera.url, { client_id: named.client_id, client_secret }),
    )
  }

  const machineAnew = async () => await Administrator.machine(tessera.url)
})
