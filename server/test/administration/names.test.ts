/** What an answer mentions by uuid has its name beside it, as far as the caller may read it. */
import { beforeAll, expect, it } from 'vitest'
import {
  acme,
  administeredOn,
  Administrator,
  finance,
  globex,
  heads,
  intake,
  problemOf,
  users,
} from './support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { changeClient } from '../harness/states.ts'

onEachDatabase('include=names', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  let unitHead: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
    unitHead = await Administrator.person(tessera.url, heads.unitHead)
  })
  const namesOf = async (who: Administrator, path: string) => {
    const { status, json, text } = await who.get(`${path}${path.includes('?') ? '&' : '?'}include=names`)
    expect(status, text).toBe(200)
    return json.names as Record<string, { kind: string; name: string; email?: string; code?: string }>
  }

  it('names the people, organisations and units of a list, and no others', async () => {
    const names = await namesOf(admin, '/profiles?limit=200')
    expect(names[users.importer]).toEqual({
      kind: 'user',
      name: 'Acme Importer',
      email: 'importer@acme.example',
    })
    expect(names[acme]).toEqual({ kind: 'organisation', name: 'Acme Institute', code: 'acme' })
    expect(names[intake]).toMatchObject({ kind: 'unit', code: 'intake' })
    expect(names[users.nobody]).toBeUndefined()
    expect((await admin.get('/profiles')).json.names).toBeUndefined()
    expect(await namesOf(admin, '/keys')).toEqual({})
  })

  it('names actors and targets of the audit, and what changed', async () => {
    const made = await admin.post('/units', { organisation_uuid: acme, code: 'named', name: 'Named Unit' })
    const moved = await admin.patch(`/units/${String(made.json.uuid)}`, { parent_uuid: finance })
    expect(moved.status, moved.text).toBe(200)
    const names = await namesOf(admin, `/audit?target=${String(made.json.uuid)}`)
    expect(names[String(made.json.uuid)]).toMatchObject({ kind: 'unit', code: 'named' })
    expect(names[finance]).toMatchObject({ kind: 'unit', code: 'finance' })
    expect(names[acme]).toMatchObject({ code: 'acme' })
  })

  it('tells nobody the name of what is out of their reach', async () => {
    // Somebody of the installation acts in Acme, which reads the record of it.
    const operator = await Administrator.person(tessera.url, {
      email: 'admin@acme.example',
      password: 'correct horse battery four',
    })
    const acted = await operator.post('/units', { organisation_uuid: acme, code: 'seen', name: 'Seen' })
    expect(acted.status, acted.text).toBe(201)
    const audit = `/audit?target=${String(acted.json.uuid)}`
    expect((await namesOf(admin, audit))[users.admin]).toMatchObject({ name: 'Acme Admin' })
    const seen = await namesOf(own, audit)
    expect(seen[users.admin]).toBeUndefined()
    expect(seen[acme]).toMatchObject({ code: 'acme' })

    const ofOwn = await namesOf(own, '/profiles?limit=200')
    expect(Object.keys(ofOwn)).not.toContain(globex)
    expect(ofOwn[users.importer]).toMatchObject({ kind: 'user' })
    const ofUnit = await namesOf(unitHead, '/profiles?limit=200')
    expect(Object.keys(ofUnit)).not.toContain(finance)
    expect(ofUnit[intake]).toMatchObject({ kind: 'unit' })
  })

  it('needs the permission to read what it names', async () => {
    await changeClient(tessera, 'onlooker-cli', { permissions: '["iam.audit.read","iam.profiles.read"]' })
    const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
    expect(await namesOf(onlooker, '/profiles?limit=200')).toEqual({})
    await changeClient(tessera, 'onlooker-cli', { permissions: '["iam.profiles.read","iam.units.read"]' })
    const kinds = Object.values(await namesOf(onlooker, '/profiles?limit=200')).map((one) => one.kind)
    expect(new Set(kinds)).toEqual(new Set(['unit']))
  })

  it('refuses what it does not know', async () => {
    for (const include of ['', 'name', 'names,chain', 'names&include=names'])
      expect(problemOf(await admin.get(`/users?include=${include}`))).toBe('400 invalid_request include')
  })
})
