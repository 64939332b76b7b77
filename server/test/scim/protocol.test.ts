/** Tokens, discovery, errors, versions and what is shown: the shape of SCIM's HTTP. */
import { beforeAll, expect, it } from 'vitest'
import { administeredOn } from '../administration/support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { makeDirectory, switchDirectory } from '../harness/states.ts'
import { acme, Directory, person } from './support.ts'

onOneDatabase('the protocol of directories', (dialect) => {
  const tessera = administeredOn(dialect)
  let made: Awaited<ReturnType<typeof makeDirectory>>
  let scim: Directory

  beforeAll(async () => {
    made = await makeDirectory(tessera, { organisation_uuid: acme })
    scim = new Directory(tessera, await made.token())
  })

  it('takes two tokens, and none that is expired, unknown or of a disabled directory', async () => {
    const short = new Directory(tessera, await made.token(1000))
    expect((await short.get('/Users')).status).toBe(200)
    expect((await scim.get('/Users')).status).toBe(200)
    tessera.clock.advance(2000)
    const refused = [short, new Directory(tessera, 'x'.repeat(43)), new Directory(tessera, '')]
    for (const directory of refused)
      for (const path of ['/Users', '/Schemas', '/nothing']) {
        const { status, headers, json } = await directory.get(path)
        expect([status, headers.get('www-authenticate'), json.status]).toEqual([401, 'Bearer', '401'])
      }
    await switchDirectory(tessera, made.uuid, 0)
    expect((await scim.get('/Users')).status).toBe(401)
    await switchDirectory(tessera, made.uuid, 1)
    expect((await scim.get('/Users')).status).toBe(200)
  })

  it('describes itself', async () => {
    const config = await scim.get('/ServiceProviderConfig')
    expect(config.headers.get('content-type')).toMatch(/^application\/scim\+json\b/)
    expect(config.json).toMatchObject({ patch: { supported: true }, bulk: { supported: false } })
    const types = (await scim.get('/ResourceTypes')).json
    expect(types).toMatchObject({ totalResults: 2, Resources: [{ id: 'User' }, { id: 'Group' }] })
    const list = (await scim.get('/Schemas')).json
    for (const { id } of list.Resources as { id: string }[])
      expect((await scim.get(`/Schemas/${id}`)).id).toBe(id)
    expect((await scim.get('/Schemas/urn:none')).status).toBe(404)
    expect((await scim.get('/Schemas?filter=id%20pr')).status).toBe(403)
  })

  it('refuses in its own shape', async () => {
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error']
    const cases: [Promise<{ status: number; json: object }>, number, string | undefined][] = [
      [scim.get('/Nothing'), 404, undefined],
      [scim.ask('POST', '/Bulk', {}), 501, undefined],
      [scim.get('/Me'), 501, undefined],
      [scim.get(''), 501, undefined],
      [scim.get('/'), 501, undefined],
      [scim.post('/Schemas', {}), 405, undefined],
      [scim.delete('/Users'), 405, undefined],
      [scim.post('/Users', '{"userName":'), 400, 'invalidSyntax'],
      [scim.post('/Users', '[]'), 400, 'invalidSyntax'],
      [scim.post('/Users', `${'['.repeat(100_000)}`), 400, 'invalidSyntax'],
      [scim.post('/Users', {}), 400, 'invalidValue'],
      [scim.post('/Users', { userName: ' ' }), 400, 'invalidValue'],
      [scim.post('/Users', { userName: 'u\0' }), 400, 'invalidValue'],
      [scim.post('/Users', { userName: 'u'.repeat(400) }), 400, 'invalidValue'],
      [scim.ask('POST', '/Users', 'x', { 'content-type': 'text/plain' }), 415, undefined],
      [scim.post('/Users', { userName: 'u'.repeat(1024 * 1024) }), 413, undefined],
    ]
    for (const [asked, status, scimType] of cases) {
      const { json, ...answer } = await asked
      expect(answer.status).toBe(status)
      expect(json).toMatchObject({ schemas, status: String(status), ...(scimType && { scimType }) })
    }
  })

  it('has versions', async () => {
    const { id, headers } = await scim.post('/Users', person('v'))
    expect(headers.get('etag')).toBe('W/"1"')
    expect((await scim.get(`/Users/${id}`, { 'if-none-match': 'W/"1"' })).status).toBe(304)
    const off = { Operations: [{ op: 'replace', path: 'active', value: false }] }
    const changed = await scim.ask('PATCH', `/Users/${id}`, off, { 'if-match': 'W/"1"' })
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, 'W/"2"'])
    expect((await scim.ask('PATCH', `/Users/${id}`, off, { 'if-match': 'W/"1"' })).status).toBe(412)
    const again = await scim.ask('PATCH', `/Users/${id}`, off)
    expect([again.status, again.headers.get('etag')]).toEqual([200, 'W/"2"'])
    // What says nothing of it brings nobody back.
    const { active: _, ...rest } = person('v')
    expect((await scim.put(`/Users/${id}`, rest)).json.active).toBe(false)
  })

  it('shows what is asked for', async () => {
    const { id } = await scim.post('/Users', person('w', { title: 'T' }))
    const shown = async (query: string) => Object.keys((await scim.get(`/Users/${id}?${query}`)).json)
    expect(await shown('attributes=userName,emails.value')).toEqual(['schemas', 'id', 'userName', 'emails'])
    expect((await scim.get(`/Users/${id}?attributes=emails.value`)).json.emails).toEqual([
      { value: 'w@new.example' },
    ])
    expect(await shown('attributes=urn:ietf:params:scim:schemas:core:2.0:User:TITLE')).toEqual([
      ...['schemas', 'id', 'title'],
    ])
    expect(await shown('excludedAttributes=emails,name,meta,id,externalId')).toEqual([
      ...['schemas', 'id', 'active', 'userName', 'displayName', 'title'],
    ])
    expect((await scim.get(`/Users/${id}?attributes=a&excludedAttributes=b`)).status).toBe(400)
  })

  it('takes no pollution in', async () => {
    const { id } = await scim.post(
      '/Users',
      '{"userName":"polluted","__proto__":{"title":"x"},"name":{"__proto__":{"title":"x"}}}',
    )
    for (const path of ['__proto__.title', 'constructor.prototype.title']) {
      const { status, json } = await scim.patch(`/Users/${id}`, { op: 'add', path, value: 'x' })
      expect([status, json.scimType]).toEqual([400, 'invalidPath'])
    }
    expect((await scim.get(`/Users/${id}`)).json).not.toHaveProperty('title')
  })
})
