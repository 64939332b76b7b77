/** Whose a domain is: claimed by anybody, given by the installation alone. */
import { beforeAll, expect, it } from 'vitest'
import { onEachDatabase } from '../harness/databases.ts'
import { acme, Administrator, administeredOn, globex, ownerOf, problemOf, recordsWith } from './support.ts'

onEachDatabase('domains', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let owner: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    owner = await ownerOf(tessera.url, admin)
  })
  const claim = async (name: string, organisation_uuid: string, by = admin, more = {}) =>
    await by.post('/domains', { name, organisation_uuid, ...more })
  const holds = async (uuid: unknown) => (await admin.get(`/domains/${String(uuid)}`)).json.holds

  it('are claimed with a record of their own, which counts for nothing by itself', async () => {
    const [own, other] = [await claim('Acme.Example', acme, owner), await claim('acme.example', globex)]
    expect(own.json).toMatchObject({ name: 'acme.example', given: false, holds: false, proved_at: null })
    expect(own.json.token).toMatch(/^tessera-domain=[\w-]{43}$/)
    // Claiming what another has claimed tells nothing, and its record is another.
    expect(other.status).toBe(201)
    expect(other.json.token).not.toBe(own.json.token)
    expect(problemOf(await claim('acme.example', acme, owner))).toBe('409 conflict name')
    expect(JSON.stringify(await owner.all('/domains'))).not.toContain(globex)
    for (const name of ['acme', 'a b.example', '*.acme.example', `${'a'.repeat(260)}.example`])
      expect(problemOf(await claim(name, acme, owner)), name).toBe('400 invalid_request name')
  })

  it('are given, moved and taken by whoever administers everything', async () => {
    const by = { given: true }
    expect(problemOf(await claim('given.example', acme, owner, by))).toBe('403 forbidden')
    const own = await claim('given.example', acme, owner)
    const path = `/domains/${String(own.json.uuid)}`
    expect(problemOf(await owner.patch(path, by))).toBe('403 forbidden')
    for (const set of [{ holds: true }, { token: 'x' }, { organisation_uuid: globex }, { name: 'x.example' }])
      expect(problemOf(await admin.patch(path, set))).toMatch(/^400 invalid_request/)
    expect((await admin.patch(path, by)).json).toMatchObject({ given: true, holds: true })
    expect(problemOf(await owner.patch(path, { given: false }))).toBe('403 forbidden')
    expect(problemOf(await owner.delete(path))).toBe('403 forbidden')
    const other = await claim('given.example', globex, admin, by)
    expect([await holds(own.json.uuid), await holds(other.json.uuid)]).toEqual([false, true])
    const told = await recordsWith(admin, String(own.json.uuid))
    expect(told.map((one) => one.kind)).toEqual(['domain.created', 'domain.changed', 'domain.changed'])
    expect((await admin.patch(`/domains/${String(other.json.uuid)}`, { given: false })).json.holds).toBe(
      false,
    )
  })

  it('are of no disabled organisation, and go with a removed one', async () => {
    const { json: made } = await admin.post('/organisations', { code: 'short', name: 'Short' })
    const uuid = String(made.uuid)
    const { json: one } = await claim('short.example', uuid, admin, { given: true })
    await admin.patch(`/organisations/${uuid}`, { active: false })
    expect(await holds(one.uuid)).toBe(false)
    await admin.patch(`/organisations/${uuid}`, { active: true })
    expect(await holds(one.uuid)).toBe(true)
    await admin.patch(`/organisations/${uuid}`, { active: false })
    const { json: next } = await claim('short.example', globex, admin, { given: true })
    await admin.patch(`/organisations/${uuid}`, { active: true })
    expect([await holds(one.uuid), await holds(next.uuid)]).toEqual([false, true])
    expect((await admin.delete(`/organisations/${uuid}`)).status).toBe(204)
    expect(problemOf(await admin.get(`/domains/${String(one.uuid)}`))).toBe('404 not_found')
    expect((await recordsWith(admin, String(one.uuid))).at(-1)?.kind).toBe('domain.removed')
  })

  it('of another organisation are as if they were not there', async () => {
    const { json: other } = await claim('globex.example', globex)
    const path = `/domains/${String(other.uuid)}`
    expect(problemOf(await owner.get(path))).toBe('404 not_found')
    expect(problemOf(await owner.ask('PATCH', path, { body: { given: true }, match: '*' }))).toBe(
      '404 not_found',
    )
    expect(problemOf(await owner.delete(path))).toBe('404 not_found')
    expect(problemOf(await claim('x.example', globex, owner))).toBe('400 invalid_request organisation_uuid')
    const [name, list] = ['globex.example', await owner.all('/domains?name=globex.example')]
    expect([name, list]).toEqual([name, []])
  })
})
