/** What would allow somebody something: changes that are ready to be sent, and were tried out. */
import { beforeAll, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  administeredOn,
  globex,
  heads,
  intake,
  problemOf,
  profiles,
  users,
} from './support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { changeClient, everythingIn } from '../harness/states.ts'

const vistaRead = 'submissions-tool.vista-import.read'
const vistaImport = 'submissions-tool.vista-import.create'

interface Remedy {
  mends: string
  method: 'POST' | 'PATCH'
  path: string
  body: Record<string, unknown>
  gives: string[]
  allowed: boolean
  by: string
  refusal: string | null
}

onEachDatabase('remedies', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  let person: string
  let profile: string
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
    const role = { code: 'watcher', name: 'Watcher', permissions: [vistaRead] }
    const wide = { code: 'wide', name: 'Wide', permissions: [vistaImport, vistaRead, 'ledger.entry.read'] }
    for (const one of [role, wide]) expect((await admin.post('/roles', one)).status).toBe(201)
    const made = await admin.post('/users', {
      email: 'asked@acme.example',
      name: 'Asked',
      profiles: [{ role_code: 'watcher', organisation_uuid: acme, organisation_unit_uuid: intake }],
    })
    expect(made.status, made.text).toBe(201)
    person = String(made.json.uuid)
    profile = (made.json.profiles as { uuid: string }[])[0]?.uuid ?? ''
  })

  async function explained(who: Administrator, permission: string, more: Record<string, string> = {}) {
    const query = { permission, user_uuid: person, profile_uuid: profile, include: 'remedies', ...more }
    const { status, json, text } = await who.get(`/access/explain?${new URLSearchParams(query)}`)
    expect(status, text).toBe(200)
    return json as { allowed: boolean; remedies: Remedy[] }
  }
  let made = 0
  const clientOf = async (organisation: string | null, more: object = {}) => {
    const sent = await admin.post('/clients', {
      client_id: `web-${++made}`,
      client_name: 'Web',
      type: 'public',
      redirect_uris: ['https://app.example/callback'],
      scope: 'openid service.api',
      services: ['submissions-tool'],
      ...(organisation !== null && { organisation_uuid: organisation }),
      ...more,
    })
    expect(sent.status, sent.text).toBe(201)
    return String(sent.json.client_id)
  }
  const does = async (who: Administrator, { method, path, body }: Remedy) =>
    await who.ask(method, path, { body, ...(method === 'PATCH' && { match: '*' }) })

  it('begin with the role that gives the least, and change nothing until they are sent', async () => {
    const before = await everythingIn(tessera)
    const { allowed, remedies } = await explained(admin, vistaImport)
    expect(await everythingIn(tessera)).toEqual(before)
    expect(allowed).toBe(false)
    expect(remedies).toHaveLength(3)
    const place = { organisation_uuid: acme, organisation_unit_uuid: intake }
    expect(remedies[0]).toEqual({
      mends: 'role_has_permission',
      method: 'POST',
      path: '/profiles',
      body: { user_uuid: person, role_code: 'importer', ...place },
      gives: [],
      allowed: true,
      by: 'you',
      refusal: null,
    })
    expect(remedies[1]).toMatchObject({ body: { role_code: 'wide' }, gives: ['ledger.entry.read'] })
    expect(remedies.every((one) => one.allowed)).toBe(true)
  })

  it('tell an administrator of a part what they see, and who else can', async () => {
    const { remedies } = await explained(own, vistaImport)
    expect(remedies.map((one) => one.body.role_code)).toEqual(['importer', 'acme-administrator'])
    expect(remedies[0]).toMatchObject({ allowed: true, by: 'you' })
    const unitHead = await Administrator.person(tessera.url, heads.unitHead)
    expect((await explained(unitHead, vistaImport)).remedies[0]).toMatchObject({ allowed: true })

    await changeClient(tessera, 'onlooker-cli', {
      permissions: JSON.stringify(['iam.access.read', 'iam.roles.read']),
    })
    const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
    const [first] = (await explained(onlooker, vistaImport)).remedies
    expect(first).toMatchObject({ allowed: false, by: 'organisation' })
    expect(first?.refusal).toContain('iam.profiles.create')
    await changeClient(tessera, 'onlooker-cli', { permissions: '["iam.access.read"]' })
    expect((await explained(onlooker, vistaImport)).remedies).toEqual([])
    const machine = { permission: vistaRead, client_id: 'nightly-import', include: 'remedies' }
    const { json } = await onlooker.get(`/access/explain?${new URLSearchParams(machine)}`)
    expect([json.allowed, json.remedies]).toEqual([false, []])
  })

  it('mend what is switched off or over, one after the other', async () => {
    expect((await admin.patch(`/users/${person}`, { active: false })).status).toBe(200)
    const past = '2001-01-01T00:00:00Z'
    expect((await admin.patch(`/profiles/${profile}`, { active: false, expires_at: past })).status).toBe(200)
    const { remedies } = await explained(admin, vistaRead)
    expect(remedies.map((one) => one.mends)).toEqual(['user_active', 'profile_active', 'profile_not_expired'])
    for (const one of remedies) expect((await does(admin, one)).status).toBe(200)
    expect(await explained(admin, vistaRead)).toMatchObject({ allowed: true, remedies: [] })
  })

  it('give a machine what it lacks', async () => {
    const machine = { permission: vistaRead, client_id: 'nightly-import', include: 'remedies' }
    const ask = async () => (await admin.get(`/access/explain?${new URLSearchParams(machine)}`)).json
    const [first] = (await ask()).remedies as Remedy[]
    expect(first).toMatchObject({ mends: 'client_allows_permission', path: '/clients/nightly-import' })
    if (first !== undefined) expect((await does(admin, first)).status).toBe(200)
    expect(await ask()).toMatchObject({ allowed: true, remedies: [] })
  })

  it('let somebody in through the client of another organisation', async () => {
    const globexWeb = await clientOf(globex, { scope: 'openid' })
    const { remedies } = await explained(admin, vistaRead, { client_id: globexWeb })
    const place = { organisation_uuid: globex, organisation_unit_uuid: null }
    const [toProfile, toScope] = [remedies[0], remedies.find((one) => 'scope' in one.body)]
    const ofProfiles = remedies.filter((one) => one.path === '/profiles')
    expect(ofProfiles.map((one) => one.body)).toEqual(ofProfiles.map(() => expect.objectContaining(place)))
    expect(toProfile).toMatchObject({
      mends: 'profile_at_client_organisation',
      body: { user_uuid: person, ...place },
      gives: [],
      allowed: true,
    })
    // The client may not ask for the scope, which is the matter of whoever keeps it.
    expect(toScope).toMatchObject({
      mends: 'service_api_requested',
      path: `/clients/${globexWeb}`,
      body: { scope: 'openid service.api' },
      allowed: true,
    })
    if (toProfile === undefined || toScope === undefined) return
    const { json } = await does(admin, toProfile)
    expect((await does(admin, toScope)).status).toBe(200)
    const there = { client_id: globexWeb, profile_uuid: String(json.uuid) }
    expect(await explained(admin, vistaRead, there)).toMatchObject({ allowed: true, remedies: [] })

    // One change for both: the profile's organisation is the client's.
    expect((await admin.patch(`/organisations/${globex}`, { active: false })).status).toBe(200)
    const off = await explained(admin, vistaRead, there)
    expect(off.remedies).toHaveLength(1)
    expect(off.remedies[0]).toMatchObject({ path: `/organisations/${globex}`, body: { active: true } })
    const ofMachine = await admin.get(
      `/access/explain?${new URLSearchParams({ permission: vistaRead, client_id: globexWeb, include: 'remedies' })}`,
    )
    expect((ofMachine.json.remedies as Remedy[]).map((one) => one.path)).toContain(`/organisations/${globex}`)
    for (const one of off.remedies) expect((await does(admin, one)).status).toBe(200)
    expect((await explained(admin, vistaRead, there)).allowed).toBe(true)
  })

  it('leave to the client what it does not ask for', async () => {
    const id = await clientOf(null, { scope: 'openid service.api' })
    const { allowed, remedies } = await explained(admin, vistaRead, { client_id: id, scope: 'openid' })
    expect([allowed, remedies]).toEqual([false, []])
    const more = { client_id: id, scope: 'openid service.api profile' }
    const [first] = (await explained(admin, vistaRead, more)).remedies
    expect(first).toMatchObject({ mends: 'scope_assigned', body: { scope: more.scope } })
  })

  it('lead nobody out of their reach, nor name what is there', async () => {
    const [foreign, acmeWeb] = [
      await clientOf(globex),
      await clientOf(acme, { scope: 'openid', permissions: [vistaRead] }),
    ]
    const ask = async (query: Record<string, string>) => {
      const asked = { permission: vistaRead, include: 'remedies', ...query }
      return await own.get(`/access/explain?${new URLSearchParams(asked)}`)
    }
    const about = { user_uuid: person, profile_uuid: profile }
    expect(problemOf(await ask({ ...about, client_id: foreign }))).toBe('404 not_found')
    const [scope] = (await explained(own, vistaRead, { client_id: acmeWeb })).remedies
    expect(scope).toMatchObject({ body: { scope: 'openid service.api' }, allowed: true, by: 'you' })
    // Without an allow-list it would let through more than they hold.
    const wide = await clientOf(acme, { scope: 'openid', services: ['submissions-tool', 'ledger'] })
    const [beyond] = (await explained(own, vistaRead, { client_id: wide })).remedies
    expect(beyond).toMatchObject({ allowed: false, by: 'installation' })

    expect((await admin.patch(`/users/${users.both}`, { active: false })).status).toBe(200)
    const other = { user_uuid: users.both, profile_uuid: profiles.bothReader }
    const { json, text } = await ask(other)
    expect(json.remedies).toMatchObject([{ mends: 'user_active', allowed: false, by: 'installation' }])
    expect(text).not.toContain(globex)
    expect(text).not.toContain('Globex')
    expect((await admin.patch(`/users/${users.both}`, { active: true })).status).toBe(200)

    expect((await admin.patch(`/units/${intake}`, { active: false })).status).toBe(200)
    expect((await explained(own, vistaRead)).remedies).toMatchObject([
      { path: `/units/${intake}`, body: { active: true }, allowed: true },
    ])
    await changeClient(tessera, 'onlooker-cli', { permissions: '["iam.access.read"]' })
    const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
    expect((await explained(onlooker, vistaRead)).remedies).toMatchObject([
      { path: `/units/${intake}`, allowed: false, by: 'organisation' },
    ])
    expect((await admin.patch(`/units/${intake}`, { active: true })).status).toBe(200)
  })

  it('say what a declared file would take back, and are asked for by name', async () => {
    admin.overridesFile = false
    const query = { permission: vistaRead, user_uuid: users.both, profile_uuid: profiles.bothBookkeeper }
    const { json } = await admin.get(
      `/access/explain?${new URLSearchParams({ ...query, include: 'remedies' })}`,
    )
    admin.overridesFile = true
    const [first] = json.remedies as Remedy[]
    expect(first).toMatchObject({ allowed: false, refusal: expect.stringContaining('declared file') })
    expect((await admin.get(`/access/explain?${new URLSearchParams(query)}`)).json.remedies).toBeUndefined()
    const wrong = await admin.get(`/access/explain?${new URLSearchParams({ ...query, include: 'cures' })}`)
    expect(problemOf(wrong)).toBe('400 invalid_request include')
  })
})
