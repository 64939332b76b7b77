/** Groups as providers push them, and what is found of lists. */
import { beforeAll, expect, it } from 'vitest'
import { administeredOn } from '../administration/support.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { accountOf, acme, type Directory, directoryIn, person } from './support.ts'

onEachDatabase('groups of a directory', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let scim: Directory
  const ids: string[] = []
  const members = async (id: string): Promise<string[]> => {
    const { json } = await scim.get(`/Groups/${id}`)
    return ((json.members ?? []) as { value: string }[]).map(({ value }) => value).sort()
  }

  beforeAll(async () => {
    const mapping = [
      { group: 'g-1', role: 'importer' },
      { group: 'Administrators', role: 'reader' },
    ]
    scim = await directoryIn(tessera, { organisation_uuid: acme, domains: ['new.example'], mapping })
    for (const name of ['a', 'b', 'c']) ids.push((await scim.post('/Users', person(name))).id)
  })

  onOne.it('take members in every shape', async () => {
    const [a = '', b = '', c = ''] = ids
    const made = await scim.post('/Groups', {
      displayName: 'One',
      externalId: 'g-1',
      members: [{ value: a }],
    })
    expect([made.status, made.json.members]).toEqual([
      201,
      [{ value: a, $ref: `${tessera.url}/scim/v2/Users/${a}`, type: 'User' }],
    ])
    const { id } = made
    const steps: [object, string[]][] = [
      [{ op: 'Add', path: 'members', value: [{ value: b }, { value: c }, { value: b }] }, [a, b, c]],
      [{ op: 'remove', path: `members[value eq "${b}"]` }, [a, c]],
      [{ op: 'Remove', path: 'members', value: [{ value: a }] }, [c]],
      [{ op: 'remove', path: 'members', value: [{ value: 'nobody' }] }, [c]],
      [{ op: 'replace', path: 'members', value: [{ value: a }, { value: b }] }, [a, b]],
      [{ op: 'replace', value: { id, displayName: 'One' } }, [a, b]],
      [{ op: 'remove', path: 'members' }, []],
    ]
    for (const [operation, expected] of steps) {
      expect((await scim.patch(`/Groups/${id}`, operation)).status).toBe(204)
      expect(await members(id)).toEqual(expected.toSorted())
    }
    const refused = await scim.patch(
      `/Groups/${id}`,
      { op: 'add', path: 'members', value: [{ value: a }] },
      { op: 'add', path: 'members', value: [{ value: 'nobody' }] },
    )
    expect([refused.status, refused.json.scimType, await members(id)]).toEqual([400, 'invalidValue', []])
    expect((await scim.put(`/Groups/${id}`, { displayName: 'One', members: [{ value: c }] })).status).toBe(
      200,
    )
    expect(await members(id)).toEqual([c])
  })

  it('map by id or externalId, never by name', async () => {
    const [a = ''] = ids
    const held = async () => (await accountOf(tessera, 'a@new.example'))?.profiles.map((one) => one.role_code)
    const named = await scim.post('/Groups', { displayName: 'Administrators', members: [{ value: a }] })
    expect(await held()).toEqual([])
    await scim.patch(`/Groups/${named.id}`, { op: 'replace', path: 'externalId', value: 'Administrators' })
    expect(await held()).toEqual(['reader'])
    await scim.patch(`/Groups/${named.id}`, { op: 'replace', path: 'externalId', value: 'others' })
    expect(await held()).toEqual([])
    await scim.patch(`/Groups/${named.id}`, { op: 'replace', path: 'externalId', value: 'Administrators' })
    expect((await scim.delete(`/Groups/${named.id}`)).status).toBe(204)
    expect(await held()).toEqual([])
  })

  it('may have one name, and each has its own externalId', async () => {
    const one = await scim.post('/Groups', { displayName: 'Same', externalId: 's-1' })
    const two = await scim.post('/Groups', { displayName: 'same', externalId: 's-2' })
    expect(await scim.found('/Groups', 'displayName eq "SAME"')).toEqual([one.id, two.id])
    const clash = await scim.post('/Groups', { displayName: 'Third', externalId: 's-1' })
    expect([clash.status, clash.json.scimType]).toEqual([409, 'uniqueness'])
  })

  it('are found as Entra and Okta look for them', async () => {
    const [a = '', b = ''] = ids
    const { id } = await scim.post('/Groups', {
      displayName: 'Found',
      externalId: 'f',
      members: [{ value: a }],
    })
    expect(await scim.found('/Groups', 'externalId eq "f"')).toEqual([id])
    expect(await scim.found('/Groups', 'externalId eq "F"')).toEqual([])
    expect(await scim.found('/Groups', `id eq "${id}" and members eq "${a}"`)).toEqual([id])
    expect(await scim.found('/Groups', `id eq "${id}" and members.value eq "${b}"`)).toEqual([])
    expect(await scim.found('/Groups', `members[value eq "${a}"]`)).toContain(id)
    const { json } = await scim.get(`/Groups/${id}?excludedAttributes=members`)
    expect(json).not.toHaveProperty('members')
    expect(json).toHaveProperty('displayName', 'Found')
  })

  it('and people are found by what stands in the filter', async () => {
    const [a = '', b = '', c = ''] = ids
    const find = (filter: string) => scim.found('/Users', filter)
    expect(await find('emails.value eq "A@new.example"')).toEqual([a])
    expect(await find('emails[type eq "work"].value eq "b@new.example"')).toEqual([b])
    expect(await find('emails[type eq "home"].value eq "b@new.example"')).toEqual([])
    expect(await find('userName eq "a@new.example" or userName eq "c@new.example"')).toEqual([a, c])
    expect(await find('active eq false')).toEqual([])
    expect(await find('active eq "True" and (id eq "1" or userName eq "c@new.example")')).toEqual([c])
    expect(await find('meta.lastModified lt "2001-01-01T00:00:00Z"')).toEqual([])
    expect(await find('meta.lastModified gt "2001-01-01T00:00:00Z"')).toEqual(ids)
    const refused = await scim.get(`/Users?filter=${encodeURIComponent('title co "x"')}`)
    expect([refused.status, refused.json.scimType]).toEqual([400, 'invalidFilter'])
  })

  onOne.it('come in pages', async () => {
    const { json } = await scim.get('/Users?startIndex=2&count=1')
    expect(json).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 })
    expect((json.Resources as { id: string }[]).map(({ id }) => id)).toEqual([ids[1]])
    const none = await scim.get('/Users?count=0&startIndex=-4')
    expect(none.json).toMatchObject({ totalResults: 3, startIndex: 1, itemsPerPage: 0, Resources: [] })
    expect((await scim.get('/Users?startIndex=9')).json).toMatchObject({ totalResults: 3, Resources: [] })
    expect((await scim.get('/Users?count=many')).status).toBe(400)
  })

  it('count in thousands, within the two seconds that a provider waits', async () => {
    const many = await directoryIn(tessera, { organisation_uuid: acme })
    const people = []
    for (let begin = 0; begin < 300; begin += 50)
      people.push(
        ...(await Promise.all(
          Array.from({ length: 50 }, (_, index) => many.post('/Users', { userName: `p${begin + index}` })),
        )),
      )
    const { id } = await many.post('/Groups', { displayName: 'Many' })
    const value = people.map((one) => ({ value: one.id }))
    const begun = Date.now()
    expect((await many.patch(`/Groups/${id}`, { op: 'add', path: 'members', value })).status).toBe(204)
    expect(Date.now() - begun).toBeLessThan(2000)
    expect(((await many.get(`/Groups/${id}`)).json.members as object[]).length).toBe(300)
  })
})
