/** Second factors, trusted devices and demands, by whoever administers a person. */
import { hashSync } from '@node-rs/argon2'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  globex,
  heads,
  problemOf,
  recordsWith,
  users,
  administeredOn,
} from './support.ts'
import { answerOf, authorizeRequest, post, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { cleanUp } from '../harness/process.ts'
import { refresh, refusalOf, userinfo } from '../harness/program.ts'
import { auditOf, changeClient, giveBesideFactors, suspendFactors } from '../harness/states.ts'
import { atSecondFactor, codeOf, importEnrolled, personOf, wrongCode } from '../sign-in/factor-support.ts'

afterAll(cleanUp)

const nowhere = '99999999-9999-4999-8999-999999999999'
const names = ['plain', 'elsewhere', 'mighty', 'gone', 'codes', 'twice', 'locked'] as const
type Name = (typeof names)[number]

onEachDatabase('second factors, administered', (dialect) => {
  const tessera = administeredOn(dialect, {
    TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
    TESSERA_LIMIT_SIGN_IN_ACCOUNT: '2',
  })
  let admin: Administrator
  let own: Administrator
  let head: Administrator
  const uuids = new Map<string, string>()
  const uuidOf = (name: Name) => uuids.get(name) ?? nowhere

  beforeAll(async () => {
    // Codes count for half a minute, which a slow machine spends by itself.
    tessera.clock.stop()
    await importEnrolled(tessera, names, 'importer')
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
    head = await Administrator.person(tessera.url, heads.head)
    for (const name of names) {
      const { json } = await admin.get(`/users?q=${personOf(name).email}`)
      uuids.set(name, String((json.items as { uuid: string }[])[0]?.uuid))
    }
    // What is disabled can be enabled again.
    const bookkeeper = { role_code: 'bookkeeper', organisation_uuid: globex, active: false }
    const mighty = { role_code: 'administrator', organisation_uuid: acme }
    for (const body of [
      { ...bookkeeper, user_uuid: uuidOf('elsewhere') },
      { ...mighty, user_uuid: uuidOf('mighty') },
    ])
      expect((await admin.post('/profiles', body)).status).toBe(201)
  })

  const factorsOf = (name: Name, who = admin) => who.all(`/users/${uuidOf(name)}/factors`)
  const idOf = async (name: Name) => String((await factorsOf(name))[0]?.id)
  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  const nextStep = () => tessera.clock.advance(30_000)

  /** Everything that makes somebody's sign-in weaker. */
  async function weaken(who: Administrator, uuid: string, id: string): Promise<string[]> {
    return await Promise.all([
      who.delete(`/users/${uuid}/factors/${id}`).then(problemOf),
      who.delete(`/users/${uuid}/factors`).then(problemOf),
      who.post(`/users/${uuid}/unlock`, {}).then(problemOf),
    ])
  }
  const all = (answer: string) => [answer, answer, answer]

  async function exchange(visit: Visit, verifier: string) {
    return await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: 'http://127.0.0.1:4001/callback',
      code: answerOf(visit).code ?? '',
      code_verifier: verifier,
    })
  }

  it('are shown to who reaches the person, without what they are proved by', async () => {
    const [factor, ...more] = await factorsOf('plain', own)
    expect(more).toEqual([])
    expect(Object.keys(factor ?? {}).sort()).toEqual(
      ['backup_state', 'created_at', 'id', 'kind', 'last_used_at', 'name', 'suspended_at'].sort(),
    )
    expect(factor).toMatchObject({ kind: 'totp', backup_state: null, suspended_at: null, last_used_at: null })
    expect(await factorsOf('elsewhere', own)).toHaveLength(1)
    const unitHead = await Administrator.person(tessera.url, heads.unitHead)
    for (const [who, uuid] of [
      [own, users.admin],
      [unitHead, uuidOf('plain')],
      [admin, nowhere],
      [admin, 'x'],
    ] as const) {
      for (const what of ['factors', 'trusted-devices']) {
        expect(problemOf(await who.get(`/users/${uuid}/${what}`))).toBe('404 not_found')
        expect(problemOf(await who.delete(`/users/${uuid}/${what}`))).toBe('404 not_found')
      }
      expect(problemOf(await who.post(`/users/${uuid}/unlock`, {}))).toBe('404 not_found')
    }
  })

  it('stay where the person holds more than the administrator, here or elsewhere', async () => {
    for (const name of ['elsewhere', 'mighty'] as const) {
      for (const who of [own, head]) {
        expect(await weaken(who, uuidOf(name), await idOf(name))).toEqual(all('403 forbidden'))
        expect(problemOf(await who.delete(`/users/${uuidOf(name)}/trusted-devices`))).toBe('403 forbidden')
        // Neither half of taking the account over.
        for (const body of [{ password: 'another long password' }, { enrolment_required: true }])
          expect(problemOf(await who.patch(`/users/${uuidOf(name)}`, body))).toBe('403 forbidden')
      }
      expect(await factorsOf(name)).toHaveLength(1)
    }
  })

  it('stay where a machine may remove factors and holds nothing of what the person holds', async () => {
    await changeClient(tessera, 'roles-cli', { permissions: '["iam.factors.delete"]' })
    const lesser = await Administrator.machine(tessera.url, 'roles-cli')
    expect(await weaken(lesser, uuidOf('plain'), await idOf('plain'))).toEqual(all('403 forbidden'))
    expect(await factorsOf('plain')).toHaveLength(1)
  })

  it('are nobody’s own to remove, unlock or excuse here, whatever they hold', async () => {
    const [uuid] = (await admin.all(`/users?q=${heads.head.email}`)).map((one) => String(one.uuid))
    expect(await weaken(head, String(uuid), '0'.repeat(32))).toEqual(all('403 forbidden'))
    const { text } = await head.delete(`/users/${String(uuid)}/factors`)
    expect(text).toContain('/account/sign-in')
    const demand = (who: Administrator, demanded: boolean) =>
      who.patch(`/users/${String(uuid)}`, { enrolment_required: demanded })
    expect((await demand(head, true)).json.enrolment_required).toBe(true)
    expect(problemOf(await demand(head, false))).toBe('403 forbidden')
    expect((await demand(own, false)).json.enrolment_required).toBe(false)
  })

  it('are those of the person in the path alone', async () => {
    const other = await idOf('twice')
    for (const id of [other, '0'.repeat(32), 'x'])
      expect(problemOf(await admin.delete(`/users/${uuidOf('plain')}/factors/${id}`))).toBe('404 not_found')
    expect(await idOf('twice')).toBe(other)
  })

  it('end with what rests on them, also in the middle of a sign-in', async () => {
    const [used, unused] = [authorizeRequest(), authorizeRequest()]
    const one = new TestBrowser(tessera.url)
    const first = await one.submit(await one.open(used.path), personOf('gone'))
    const { json: tokens } = await exchange(await one.submit(first, { code: codeOf(tessera) }), used.verifier)
    expect((await userinfo(tessera.url, String(tokens.access_token))).status).toBe(200)
    const kept = await one.open(unused.path)
    const waiting = new TestBrowser(tessera.url)
    const page = await atSecondFactor(waiting, personOf('gone'))
    expect(pathOf(page)).toBe('/sign-in/second-factor')

    const id = await idOf('gone')
    expect((await own.delete(`/users/${uuidOf('gone')}/factors/${id}`)).status).toBe(204)
    expect(await factorsOf('gone')).toEqual([])
    expect((await userinfo(tessera.url, String(tokens.access_token))).status).toBe(401)
    expect(refusalOf(await refresh(tessera.url, String(tokens.refresh_token)))).toContain('invalid_grant')
    expect(refusalOf(await exchange(kept, unused.verifier))).toContain('invalid_grant')
    const silent = await one.open(authorizeRequest({ prompt: 'none' }).path)
    expect(answerOf(silent)).toMatchObject({ error: 'login_required' })
    // There is nothing more to ask that sign-in for.
    nextStep()
    expect(answerOf(await waiting.submit(page, { code: codeOf(tessera) })).code).toBeDefined()

    const removed = (await recordsWith(admin, id)).filter(({ kind }) => kind === 'factor.removed')
    expect(removed).toMatchObject([
      {
        actor: { kind: 'client', id: 'acme-cli' },
        user_uuid: uuidOf('gone'),
        organisation_uuid: acme,
        detail: { kind: 'totp' },
      },
    ])
    expect(problemOf(await own.delete(`/users/${uuidOf('gone')}/factors/${id}`))).toBe('404 not_found')
    expect((await own.delete(`/users/${uuidOf('gone')}/factors`)).status).toBe(204)
  })

  it('go all at once with the recovery codes, the trusted devices, and the sessions that rest on those', async () => {
    const code = 'K3QF9XWM2TRBHDN4'
    const hash = hashSync(code, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
    await giveBesideFactors(tessera, uuidOf('codes'), [hash])
    const devices = `/users/${uuidOf('codes')}/trusted-devices`
    expect(await own.all(devices)).toEqual([
      {
        label: 'Firefox on Linux',
        proved_at: '1970-01-01T00:00:00.001Z',
        last_used_at: '1970-01-01T00:00:00.001Z',
      },
    ])
    const request = authorizeRequest()
    const one = new TestBrowser(tessera.url)
    const page = await one.submit(await one.open(request.path), personOf('codes'))
    const other = await one.open(`${new URL(page.url).pathname}${new URL(page.url).search}&with=recovery`)
    const { json: tokens } = await exchange(
      await one.submit(other, { with: 'recovery', recovery_code: `1-${code}` }),
      request.verifier,
    )
    expect((await userinfo(tessera.url, String(tokens.access_token))).status).toBe(200)
    expect((await own.delete(`/users/${uuidOf('codes')}/factors`)).status).toBe(204)
    expect((await userinfo(tessera.url, String(tokens.access_token))).status).toBe(401)
    expect(await own.all(devices)).toEqual([])
    const removed = await auditOf(tessera, { kind: 'trusted_device.removed' })
    expect(removed.map(({ detail }) => detail?.reason)).toEqual(['factor_removed'])
  })

  it('are removed once of two who do it at the same time', async () => {
    const path = `/users/${uuidOf('twice')}/factors/${await idOf('twice')}`
    const answers = await Promise.all([admin.delete(path), own.delete(path)])
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 404])
  })

  it('that are suspended, and codes and passwords that were wrong, are forgotten by an unlock', async () => {
    const person = personOf('locked')
    const one = new TestBrowser(tessera.url)
    const page = await atSecondFactor(one, person)
    for (let wrong = 0; wrong < 5; wrong++) await one.submitOnce(page, { code: wrongCode(tessera) })
    expect((await one.submitOnce(page, { code: codeOf(tessera) })).status).toBe(429)
    await suspendFactors(tessera, uuidOf('locked'))
    const wrong = { ...person, password: 'a wrong password' }
    const guess = async (typed: typeof person) =>
      (await signIn(new TestBrowser(tessera.url), authorizeRequest().path, typed)).status
    expect([await guess(wrong), await guess(wrong), await guess(person)]).toEqual([400, 400, 429])
    expect((await factorsOf('locked'))[0]?.suspended_at).not.toBeNull()

    const unlock = async () => (await own.post(`/users/${uuidOf('locked')}/unlock`, {})).status
    expect(await unlock()).toBe(204)
    expect((await factorsOf('locked'))[0]?.suspended_at).toBeNull()
    const again = new TestBrowser(tessera.url)
    const done = await again.submit(await atSecondFactor(again, person), { code: codeOf(tessera) })
    expect(answerOf(done).code).toBeDefined()
    expect(await unlock()).toBe(204)
    const records = (await recordsWith(admin, uuidOf('locked'))).filter((r) => r.kind === 'user.unlocked')
    expect(records).toMatchObject([
      { actor: { id: 'acme-cli' }, organisation_uuid: acme, detail: { factors: 1, counts: 2 } },
    ])
  })

  it('are demanded of a person, also of one whom a declared file manages, which says nothing of it', async () => {
    const managed = await Administrator.machine(tessera.url)
    managed.overridesFile = false
    const path = `/users/${users.importer}`
    expect((await managed.patch(path, { enrolment_required: true })).json).toMatchObject({
      enrolment_required: true,
      managed_by: 'acme.yaml',
    })
    const records = await recordsWith(admin, users.importer)
    expect(records.at(-1)).toMatchObject({
      kind: 'user.changed',
      before: { enrolment_required: false },
      after: { enrolment_required: true },
    })
    expect((await managed.patch(path, { enrolment_required: false })).json.enrolment_required).toBe(false)
    const profiles = [{ role_code: 'importer', organisation_uuid: acme }]
    const made = { email: 'new@factors.example', name: 'New', profiles, enrolment_required: true }
    expect((await own.post('/users', made)).json).toMatchObject({ enrolment_required: true })
    const wrong = await own.patch(path, { enrolment_required: null })
    expect(problemOf(wrong)).toBe('400 invalid_request enrolment_required')
  })
})
