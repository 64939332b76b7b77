/** What a directory makes of people: accounts, profiles, and their ends. */
import { beforeAll, describe, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { auditOf } from '../harness/states.ts'
import { accountOf, acme, Directory, directoryIn, globex, person } from './support.ts'

const mapping = [{ group: 'g-import', role: 'importer', unit: 'intake' }]

onEachDatabase('people of a directory', (dialect) => {
  const tessera = administeredOn(dialect)
  let scim: Directory
  let admin: Administrator
  let group: string
  const codesOf = async (email: string) =>
    (await accountOf(tessera, email))?.profiles.map(({ role_code }) => role_code)
  const join = async (id: string) =>
    await scim.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: id }] })

  beforeAll(async () => {
    scim = await directoryIn(tessera, { organisation_uuid: acme, domains: ['new.example'], mapping })
    admin = await Administrator.machine(tessera.url)
    group = (await scim.post('/Groups', { displayName: 'Importers', externalId: 'g-import' })).id
  })

  it('gives an account within the domains, with what the groups give', async () => {
    const made = await scim.post('/Users', person('ada'))
    expect([made.status, made.headers.get('location')]).toEqual([
      201,
      `${tessera.url}/scim/v2/Users/${made.id}`,
    ])
    expect(await accountOf(tessera, 'ada@new.example')).toMatchObject({
      ...{ name: 'ada Doe', active: true, has_password: false, profiles: [] },
    })
    await join(made.id)
    expect(await codesOf('ada@new.example')).toEqual(['importer'])
    await scim.patch(`/Groups/${group}`, { op: 'Remove', path: 'members', value: [{ value: made.id }] })
    expect(await codesOf('ada@new.example')).toEqual([])
    const kinds = (await auditOf(tessera, {})).map(({ kind }) => kind)
    expect(kinds).toEqual(
      expect.arrayContaining(['person.provisioned', 'profile.mapped', 'profile.unmapped']),
    )
  })

  it('renames, and moves to another address within the domains', async () => {
    const { id } = await scim.post('/Users', person('eve'))
    await join(id)
    const { uuid = '' } = (await accountOf(tessera, 'eve@new.example')) ?? {}
    const changed = await scim.patch(
      `/Users/${id}`,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'eva@new.example' },
      { op: 'Replace', value: { displayName: 'Eva Roe', userName: 'eva@new.example' } },
    )
    expect([changed.status, changed.json.displayName]).toEqual([200, 'Eva Roe'])
    expect(await accountOf(tessera, 'eva@new.example')).toMatchObject({ uuid, name: 'Eva Roe' })
    expect(await scim.found('/Users', 'userName eq "eve@new.example"')).toEqual([])
    expect(await scim.found('/Users', 'userName eq "EVA@new.example"')).toEqual([id])
  })

  it('lets somebody leave and return, with the same id where they were merely inactive', async () => {
    const sent = person('bo')
    const { id } = await scim.post('/Users', sent)
    await join(id)
    const { uuid = '' } = (await accountOf(tessera, 'bo@new.example')) ?? {}
    await admin.patch(`/users/${uuid}`, { password: 'a password of theirs' })
    await scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })
    expect(await accountOf(tessera, 'bo@new.example')).toMatchObject({ uuid, active: false, profiles: [] })
    const back = await scim.post('/Users', sent)
    expect([back.status, back.id]).toEqual([201, id])
    expect(await accountOf(tessera, 'bo@new.example')).toMatchObject({
      ...{ uuid, active: true, has_password: false, profiles: [{ role_code: 'importer' }] },
    })
  })

  it('lets somebody return who was deleted, by externalId and address', async () => {
    const sent = person('cy')
    const { id } = await scim.post('/Users', sent)
    await join(id)
    const { uuid = '' } = (await accountOf(tessera, 'cy@new.example')) ?? {}
    expect((await scim.delete(`/Users/${id}`)).status).toBe(204)
    expect((await scim.get(`/Users/${id}`)).status).toBe(404)
    expect((await scim.delete(`/Users/${id}`)).status).toBe(404)
    expect((await scim.get(`/Groups/${group}`)).text).not.toContain(id)
    expect(await accountOf(tessera, 'cy@new.example')).toMatchObject({ active: false, profiles: [] })
    const another = await scim.post('/Users', { ...sent, externalId: 'another', userName: 'another' })
    expect([another.status, (await accountOf(tessera, 'cy@new.example'))?.active]).toEqual([201, false])
    const back = await scim.post('/Users', sent)
    expect([back.status, back.id === id]).toEqual([201, false])
    expect(await accountOf(tessera, 'cy@new.example')).toMatchObject({
      ...{ uuid, active: true, profiles: [{ role_code: 'importer' }] },
    })
  })

  it('ends no account that has a profile elsewhere, and nothing of it there', async () => {
    const { id } = await scim.post('/Users', person('di'))
    await join(id)
    const { uuid = '' } = (await accountOf(tessera, 'di@new.example')) ?? {}
    await admin.patch(`/users/${uuid}`, { password: 'a password of theirs' })
    const elsewhere = { user_uuid: uuid, role_code: 'reader', organisation_uuid: globex }
    expect((await admin.post('/profiles', elsewhere)).text).toContain('reader')
    await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false, displayName: 'Taken' } })
    expect(await accountOf(tessera, 'di@new.example')).toMatchObject({
      ...{ active: true, name: 'di Doe', profiles: [{ role_code: 'reader' }] },
    })
  })

  it('shows the same of a foreign address, a known and a new one, and takes nobody over', async () => {
    const shapes = []
    for (const address of ['admin@acme.example', 'both@acme.example', 'unknown@acme.example']) {
      const sent = person('x', { userName: address, emails: [{ value: address }] })
      const { status, json, id } = await scim.post('/Users', sent)
      await join(id)
      shapes.push([status, Object.keys(json), Object.keys(json.meta as object)])
    }
    expect(shapes[0]?.[0]).toBe(201)
    expect(shapes[1]).toEqual(shapes[0])
    expect(shapes[2]).toEqual(shapes[0])
    expect(await codesOf('admin@acme.example')).toEqual(['administrator'])
    expect(await accountOf(tessera, 'unknown@acme.example')).toBeUndefined()
  })

  it('waits for a foreign account within the domains', async () => {
    await admin.post('/users', { email: 'fay@new.example', name: 'Fay' })
    const { status, id } = await scim.post('/Users', person('fay'))
    expect(status).toBe(201)
    await join(id)
    expect(await codesOf('fay@new.example')).toEqual([])
    await scim.delete(`/Users/${id}`)
    expect(await accountOf(tessera, 'fay@new.example')).toMatchObject({ name: 'Fay', active: true })
  })

  it('has each userName and externalId once', async () => {
    const sent = person('gil')
    const { id } = await scim.post('/Users', sent)
    const same = await scim.post('/Users', { ...sent, userName: 'GIL@new.example', externalId: 'other' })
    expect([same.status, same.json.scimType]).toEqual([409, 'uniqueness'])
    const other = await scim.post('/Users', { ...person('hal'), externalId: sent.externalId })
    expect([other.status, other.json.scimType]).toEqual([409, 'uniqueness'])
    const { id: hal } = await scim.post('/Users', person('hal'))
    const renamed = await scim.patch(`/Users/${hal}`, {
      op: 'replace',
      path: 'userName',
      value: sent.userName,
    })
    expect([renamed.status, renamed.json.scimType]).toEqual([409, 'uniqueness'])
    expect((await scim.get(`/Users/${id}`)).json).toMatchObject(sent)
  })

  it('sees only its own', async () => {
    const { id } = await scim.post('/Users', person('ike'))
    const foreign = await directoryIn(tessera, { organisation_uuid: globex, mapping })
    for (const answer of [
      await foreign.get(`/Users/${id}`),
      await foreign.put(`/Users/${id}`, person('ike')),
      await foreign.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
      await foreign.delete(`/Users/${id}`),
      await foreign.patch(`/Groups/${group}`, { op: 'remove', path: 'members' }),
      await foreign.delete(`/Groups/${group}`),
    ])
      expect([answer.status, answer.json.status]).toEqual([404, '404'])
    const stolen = await foreign.post('/Groups', { displayName: 'G', members: [{ value: id }] })
    expect([stolen.status, stolen.json.scimType]).toEqual([400, 'invalidValue'])
    expect(await foreign.found('/Users', `id eq "${id}"`)).toEqual([])
    expect((await foreign.get('/Users')).json.totalResults).toBe(0)
    expect(
      (await foreign.post('/Users', person('ike', { emails: [{ value: 'ike@new.example' }] }))).status,
    ).toBe(201)
    expect((await accountOf(tessera, 'ike@new.example'))?.active).toBe(true)
  })

  describe('two at once', () => {
    it('make one account, and one resource', async () => {
      const sent = person('jo')
      const all = await Promise.all([scim.post('/Users', sent), scim.post('/Users', sent)])
      expect(all.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409])
    })
  })
})
