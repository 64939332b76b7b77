/** Directories, and the tokens by which they provision. */
import { beforeAll, expect, it } from 'vitest'
import { onEachDatabase } from '../harness/databases.ts'
import { everythingKept } from '../harness/states.ts'
import { acme, Administrator, administeredOn, globex, ownerOf, problemOf, recordsWith } from './support.ts'

const day = 24 * 3_600_000
const after = (days: number) => new Date(Date.now() + days * day).toISOString()

onEachDatabase('directories', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let owner: Administrator
  let head: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    owner = await ownerOf(tessera.url, admin)
    head = await Administrator.machine(tessera.url, 'acme-cli')
  })
  const scim = { code: 'scim', name: 'Acme', organisation_uuid: acme }
  const made = async (body: object, by = admin): Promise<string> => {
    const answer = await by.post('/directories', body)
    expect(answer.status, answer.text).toBe(201)
    return String(answer.json.uuid)
  }

  it('are of whoever could give what they give, and what is held in the organisation', async () => {
    const refused = async (body: object, by = owner) =>
      problemOf(await by.post('/directories', { ...scim, ...body }))
    expect(await refused({}, head)).toBe('403 forbidden')
    expect(await refused({ organisation_uuid: globex })).toBe('400 invalid_request organisation_uuid')
    expect(await refused({ organisation_uuid: undefined })).toBe('400 invalid_request organisation_uuid')
    expect(await refused({ subject: 'email' })).toBe('400 invalid_request subject')
    const rule = (role: string, by: object = { group: 'g' }) => ({ mapping: [{ ...by, role }] })
    expect(await refused(rule('administrator'))).toBe('403 forbidden mapping.0.role_code')
    expect(await refused(rule('importer', { claim: 'c', equals: 'e' }))).toBe(
      '400 invalid_request mapping.0.claim',
    )
    const uuid = await made({ ...scim, ...rule('importer') }, owner)
    expect(await refused({})).toBe('409 conflict code')
    for (const body of [{ active: false }, { subject: 'externalId' }, { mapping: [] }])
      expect(problemOf(await head.patch(`/directories/${uuid}`, body))).toBe('403 forbidden')
    expect((await head.patch(`/directories/${uuid}`, { name: 'Renamed' })).status).toBe(200)
    expect(problemOf(await head.delete(`/directories/${uuid}`))).toBe('403 forbidden')
    expect((await owner.delete(`/directories/${uuid}`)).status).toBe(204)
  })

  it('have two tokens at once, each shown once and kept as a hash', async () => {
    const uuid = await made({ ...scim, code: 'tokens' }, owner)
    const path = `/directories/${uuid}/tokens`
    const add = async (days: number, by = owner) => await by.post(path, { expires_at: after(days) })
    expect(problemOf(await add(-1))).toBe('400 invalid_request expires_at')
    expect(problemOf(await add(800))).toBe('400 invalid_request expires_at')
    expect(problemOf(await owner.post(path, {}))).toBe('400 invalid_request expires_at')
    expect(problemOf(await add(30, head))).toBe('403 forbidden')
    const key = { 'idempotency-key': 'one-token' }
    const body = { expires_at: after(30) }
    const first = await owner.post(path, body, key)
    const again = await owner.post(path, body, key)
    expect([first.status, again.json]).toEqual([201, { ...first.json, token: undefined }])
    const token = String(first.json.token)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect((await add(60)).status).toBe(201)
    expect(problemOf(await add(60))).toBe('409 conflict')
    const [kept, audit] = [await everythingKept(tessera), JSON.stringify(await recordsWith(admin, uuid))]
    for (const text of [kept, audit, (await owner.get(path)).text]) expect(text).not.toContain(token)
    expect(await owner.all(path)).toHaveLength(2)
    const one = `${path}/${String(first.json.id)}`
    expect((await head.delete(one)).status).toBe(204)
    expect(problemOf(await owner.delete(one))).toBe('404 not_found')
    expect((await add(60)).status).toBe(201)
  })

  it('of another organisation are as if they were not there', async () => {
    const uuid = await made({ ...scim, code: 'theirs', organisation_uuid: globex })
    const { json: token } = await admin.post(`/directories/${uuid}/tokens`, { expires_at: after(30) })
    expect(problemOf(await owner.get(`/directories/${uuid}`))).toBe('404 not_found')
    expect(problemOf(await owner.get(`/directories/${uuid}/tokens`))).toBe('404 not_found')
    expect(problemOf(await owner.post(`/directories/${uuid}/tokens`, { expires_at: after(30) }))).toBe(
      '404 not_found',
    )
    expect(problemOf(await owner.delete(`/directories/${uuid}/tokens/${String(token.id)}`))).toBe(
      '404 not_found',
    )
    expect(problemOf(await owner.delete(`/directories/${uuid}`))).toBe('404 not_found')
    expect(await owner.all(`/directories?organisation_uuid=${globex}`)).toEqual([])
  })
})
