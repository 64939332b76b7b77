/** What is changed by one process counts at once on the other. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { acme, Administrator, administrators, intake, problemOf } from './support.ts'
import { authorizeRequest, tokensFor } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { applyChanged } from '../declared/change.ts'
import { Clock } from '../harness/harness.ts'
import { cleanUp } from '../harness/process.ts'
import { introspect, refresh, refusalOf, userinfo } from '../harness/program.ts'
import { startTwoProcesses, type TwoProcesses } from '../cli/two-processes.ts'

afterAll(cleanUp)

onEachDatabase('two processes of the administration API', (dialect) => {
  let both: TwoProcesses
  let first: Administrator
  let second: Administrator
  let person: { tokens: Record<string, string>; user: string; profile: string; unit: string; role: string }
  let organisation: string
  let count = 0
  beforeAll(async () => {
    both = await startTwoProcesses(dialect)
    await applyChanged({ databaseUrl: both.databaseUrl, clock: new Clock() }, ...administrators)
    first = await Administrator.machine(both.first)
    second = await Administrator.machine(both.second)
  })
  afterAll(() => both.close())

  beforeEach(async () => {
    const n = ++count
    const place = await first.post('/organisations', { code: `org-${n}`, name: 'Org' })
    organisation = String(place.json.uuid)
    const unit = await first.post('/units', { organisation_uuid: organisation, code: 'unit', name: 'Unit' })
    const role = `role-${n}`
    await first.post('/roles', {
      code: role,
      name: 'Role',
      permissions: ['submissions-tool.vista-import.read'],
    })
    const email = `person-${n}@new.example`
    const password = 'a passphrase of the new one'
    const profile = {
      role_code: role,
      organisation_uuid: organisation,
      organisation_unit_uuid: unit.json.uuid,
    }
    const made = await first.post('/users', { email, name: 'Person', password, profiles: [profile] })
    const tokens = await tokensFor(both.url, { email, password })
    const [own] = made.json.profiles as { uuid: string }[]
    person = {
      tokens,
      user: String(made.json.uuid),
      profile: own?.uuid ?? '',
      unit: String(unit.json.uuid),
      role,
    }
    // Both have in memory what they keep there.
    for (const url of [both.first, both.second]) {
      expect((await userinfo(url, tokens.access_token)).status).toBe(200)
      expect(await introspect(url, tokens.access_token)).toMatchObject({ active: true })
    }
  })

  const paths = {
    user: () => `/users/${person.user}`,
    profile: () => `/profiles/${person.profile}`,
    role: () => `/roles/${person.role}`,
    organisation: () => `/organisations/${organisation}`,
    unit: () => `/units/${person.unit}`,
  }
  const hasEndedOn = async (url: string) => {
    expect((await userinfo(url, person.tokens.access_token)).status).toBe(401)
    expect(await introspect(url, person.tokens.access_token)).toEqual({ active: false })
    expect(refusalOf(await refresh(url, person.tokens.refresh_token))).toBe('400 invalid_grant')
  }

  const things = ['user', 'role', 'profile', 'organisation', 'unit'] as const
  it.each(dialect === 'sqlite' ? things : things.slice(0, 2))(
    'end at once what a %s gave that is disabled or removed on the other',
    async (thing) => {
      const path = paths[thing]()
      const answer = await first.patch(path, { active: false })
      expect(answer.status).toBe(200)
      await hasEndedOn(both.second)
      expect((await second.patch(path, { active: true })).status).toBe(200)
      await hasEndedOn(both.first)
      expect((await second.delete(path)).status).toBe(204)
      expect(problemOf(await first.get(path))).toBe('404 not_found')
      await hasEndedOn(both.first)
    },
  )

  it('end at once what was removed on the other without being disabled before', async () => {
    expect((await first.delete(paths.role())).status).toBe(204)
    await hasEndedOn(both.second)
    expect((await second.get(paths.profile())).status).toBe(404)
  })

  it('know at once what a role holds, and who administers', async () => {
    const before = await second.post('/profiles', {
      user_uuid: person.user,
      role_code: person.role,
      organisation_uuid: acme,
      organisation_unit_uuid: intake,
    })
    expect(before.status).toBe(201)
    const acmeOnSecond = await Administrator.machine(both.second, 'acme-cli')
    const path = `/profiles/${String(before.json.uuid)}`
    expect((await acmeOnSecond.patch(path, { active: false })).status).toBe(200)
    await first.patch(paths.role(), { permissions: ['ledger.entry.create'] })
    expect(problemOf(await acmeOnSecond.patch(path, { active: true }))).toBe('403 forbidden')
  })

  it('know at once for which client, and with which address, somebody may begin to sign in', async () => {
    const client = '/clients/submissions-web'
    const another = 'http://127.0.0.1:4001/another'
    const begins = async (changes: Record<string, string> = {}) =>
      (await fetch(`${both.second}${authorizeRequest(changes).path}`, { redirect: 'manual' })).status
    expect(await begins()).toBe(303)
    expect((await first.patch(client, { active: false })).status).toBe(200)
    expect(await begins()).toBe(400)
    expect((await first.patch(client, { active: true })).status).toBe(200)
    expect(await begins()).toBe(303)
    expect(await begins({ redirect_uri: another })).toBe(400)
    const { redirect_uris } = (await first.get(client)).json
    const before = redirect_uris as string[]
    expect((await first.patch(client, { redirect_uris: [...before, another] })).status).toBe(200)
    expect(await begins({ redirect_uri: another })).toBe(303)
    expect((await first.patch(client, { redirect_uris: before })).status).toBe(200)
    expect(await begins({ redirect_uri: another })).toBe(400)
  })

  it('answer the same request with the same answer, whichever it reaches', async () => {
    const body = { code: 'once', name: 'Once' }
    const headers = { 'idempotency-key': 'the-key' }
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => first.post('/organisations', body, headers)),
      ...[1, 2, 3].map(() => second.post('/organisations', body, headers)),
    ])
    expect(new Set(answers.map((one) => `${one.status} ${one.text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(answers.filter((one) => one.headers.has('idempotency-replayed'))).toHaveLength(5)
  })

  it('change a thing once when both are asked at once', async () => {
    const { etag } = await first.get(paths.user())
    const answers = await Promise.all(
      [first, second, first, second].map((one, index) =>
        one.ask('PATCH', paths.user(), { body: { name: `Name ${index}` }, match: etag }),
      ),
    )
    expect(answers.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([200, 412, 412, 412])
  })
})
