import { beforeAll, beforeEach, expect, it } from 'vitest'
import { passwordProof, startSession } from '../../dist/store/start-session.js'
import { acme, Administrator, administeredOn, users } from '../administration/support.ts'
import { authorizeRequest, formOn, people, signIn, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { withStore } from '../harness/program.ts'
import { refresh, tokensOf } from '../harness/program.ts'
import { auditOf, changeUser, passwordHashOf } from '../harness/states.ts'
import { atSecondFactor, codeOf, importEnrolled, personOf, wrongCode } from './factor-support.ts'
import { asked, credentialOf } from './passkey-support.ts'

const day = 86_400_000
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

onEachDatabase('the day of the last sign-in', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    tessera.clock.stop()
    await importEnrolled(tessera, ['second'])
  })
  beforeEach(async () => {
    // Each test begins on another day.
    tessera.clock.advance(2 * day)
    admin = await Administrator.machine(tessera.url)
  })
  const today = () => dayOf(tessera.clock.now())
  const read = async (uuid: string) => {
    admin = await Administrator.machine(tessera.url)
    return await admin.get(`/users/${uuid}`)
  }
  const lastOf = async (uuid: string) => (await read(uuid)).json.last_sign_in_on
  const found = async (q: string) => {
    const { json } = await admin.get(`/users?q=${encodeURIComponent(q)}`)
    return (json.items as { uuid: string; last_sign_in_on: string | null }[])[0]
  }
  const by = async (person: { email: string; password: string }) =>
    await signIn(new TestBrowser(tessera.url), authorizeRequest().path, person)

  it('is null until somebody signs in, and then that day: in the list, of one, and in their own data', async () => {
    expect(await lastOf(users.nobody)).toBeNull()
    const before = await read(users.importer)
    await by(people.importer)
    const after = await read(users.importer)
    expect(after.json).toEqual({ ...before.json, last_sign_in_on: today() })
    expect(after.etag).toBe(before.etag)
    expect(await found(people.importer.email)).toMatchObject({ last_sign_in_on: today() })
    expect(await auditOf(tessera, { target: users.importer, kind: 'user.changed' })).toEqual([])
    const own = new TestBrowser(tessera.url)
    await own.submit(await own.open('/account/data'), people.importer)
    const page = await own.open('/account/data')
    const file = await own.submit(page, formOn(page).hidden)
    expect(JSON.parse(file.body)).toMatchObject({ person: { lastSignInOn: today() } })
  })

  it('moves with the first sign-in of the next day, and never back', async () => {
    await by(people.importer)
    const first = today()
    tessera.clock.advance(day)
    expect(await lastOf(users.importer)).toBe(first)
    await by(people.importer)
    expect(await lastOf(users.importer)).toBe(today())
    await changeUser(tessera, people.importer.email, { last_sign_in_on: '2999-01-01' })
    await by(people.importer)
    expect(await lastOf(users.importer)).toBe('2999-01-01')
    await changeUser(tessera, people.importer.email, { last_sign_in_on: '' })
  })

  it('is that of a passkey, and of a new sign-in over another person’s', async () => {
    const passkey = await credentialOf(tessera, people.both)
    tessera.clock.advance(day)
    const browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
    expect(await lastOf(users.importer)).toBe(today())
    const page = await browser.open(authorizeRequest({ prompt: 'login' }).path)
    const { options, form } = await asked(browser, page)
    await browser.submit(page, form(passkey.get(options)))
    expect(await lastOf(users.both)).toBe(today())
  })

  it('waits for the second factor where one is due', async () => {
    const uuid = (await found('second'))?.uuid ?? ''
    const browser = new TestBrowser(tessera.url)
    const page = await atSecondFactor(browser, personOf('second'))
    await browser.submit(page, { code: wrongCode(tessera) })
    expect(await lastOf(uuid)).toBeNull()
    await browser.submit(page, { code: codeOf(tessera) })
    expect(await lastOf(uuid)).toBe(today())
  })

  it('is not that of a wrong password, of somebody disabled meanwhile, of a refresh or of a visit', async () => {
    const tokens = await tokensFor(tessera.url, people.importer)
    const browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
    const before = today()
    tessera.clock.advance(day)
    await by({ ...people.importer, password: 'another one of nine lives' })
    await browser.open(authorizeRequest({ prompt: 'none' }).path)
    expect(tokensOf(await refresh(tessera.url, tokens.refresh_token ?? '')).access_token).toBeDefined()
    const checked = (await passwordHashOf(tessera, people.importer.email)) ?? ''
    await changeUser(tessera, people.importer.email, { active: 0 })
    const started = await withStore(tessera, (store) =>
      startSession(store, undefined, beginning([passwordProof(checked)])),
    )
    await changeUser(tessera, people.importer.email, { active: 1 })
    expect(started).toBeUndefined()
    expect(await lastOf(users.importer)).toBe(before)
  })

  const beginning = (proofs: [ReturnType<typeof passwordProof>]) => ({
    ...{ now: tessera.clock.now(), lifetime: 60_000, user_uuid: users.importer, proofs },
    from: { address: '192.0.2.1', requestId: 'r' },
  })

  it('can not be set', async () => {
    const { status, text } = await admin.patch(`/users/${users.importer}`, { last_sign_in_on: today() })
    expect([status, text]).toEqual([400, expect.stringContaining('last_sign_in_on')])
  })

  it('stays where the person gets another profile, and is told at its place', async () => {
    await by(people.importer)
    const profile = { user_uuid: users.importer, role_code: 'reader', organisation_uuid: acme }
    const given = await admin.post('/profiles', profile)
    expect(given.status).toBe(201)
    expect(await lastOf(users.importer)).toBe(today())
    await admin.delete(`/profiles/${String(given.json.uuid)}`, given.etag)
  })
})
