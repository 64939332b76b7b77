/** What would allow somebody something: changes that are ready to be sent, and were tried out. */
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, heads, intake, problemOf, profiles, users } from './support.ts'
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
