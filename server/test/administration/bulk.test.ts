/** Many people changed by one request: what comes of each, and that a dry run tells it before. */
import { beforeAll, expect, it } from 'vitest'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { everythingWritten } from '../harness/states.ts'
import { bulkBy, refusalBy, toldBy, triedBy } from './bulk-support.ts'
import {
  acme,
  Administrator,
  administeredOn,
  finance,
  globex,
  recordsWith,
  tokenOf,
  users,
} from './support.ts'

const role = { role_code: 'importer', organisation_uuid: acme }

onEachDatabase('a bulk change', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect, {
    TESSERA_MAIL_URL: 'smtp://127.0.0.1:1',
    TESSERA_MAIL_FROM: 'Acme <no-reply@acme.example>',
  })
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  let count = 0
  /** Makes many people with a profile by an import, which is quicker; yields their uuids. */
  const addMany = async (many: number, name: string): Promise<string[]> => {
    const rows = Array.from({ length: many }, () => {
      const email = `bulk-${String(++count).padStart(4, '0')}@many.example`
      return JSON.stringify({ email, name, profiles: [{ role: 'importer', organisation: 'acme' }] })
    })
    const made = await admin.post('/imports', { name: 'many.jsonl', text: rows.join('\n') })
    expect(made.status, made.text).toBe(200)
    const found = await admin.all(`/users?q=${name.split(' ')[0]}`)
    expect(found).toHaveLength(many)
    return found.map((one) => String(one.uuid))
  }
  /** Makes people with profiles; yields their uuids. */
  const add = async (many: number, fields: object = {}): Promise<string[]> => {
    const uuids: string[] = []
    for (let each = 0; each < many; each++) {
      const number = String(++count).padStart(4, '0')
      const made = await admin.post('/users', {
        email: `bulk-${number}@many.example`,
        name: `Bulk ${number}`,
        profiles: [role],
        ...fields,
      })
      expect(made.status, made.text).toBe(201)
      uuids.push(String(made.json.uuid))
    }
    return uuids
  }
  const isActive = async (uuid: string) => (await admin.get(`/users/${uuid}`)).json.active
  const rolesOf = async (uuid: string) =>
    (await admin.all(`/profiles?user_uuid=${uuid}`)).map((one) => one.role_code)
  const trailOf = async (requestId: string) => await admin.all(`/audit?request_id=${requestId}`)

  it('disables each once, tells it before, and has one trail', async () => {
    const uuid = await add(3)
    const body = { action: 'disable', people: { uuid } }
    const before = await everythingWritten(tessera)
    const tried = await triedBy(admin, body)
    expect(tried.end).toEqual({
      ...{ kind: 'done', people: 3, changed: 3, already: 0, refused: 0 },
      ...{ dry_run: true, sign_in_again: false },
    })
    expect(await everythingWritten(tessera)).toEqual(before)
    const done = await bulkBy(admin, body)
    expect(done.end).toEqual({ ...tried.end, dry_run: false })
    expect(await Promise.all(uuid.map(isActive))).toEqual([false, false, false])
    const trail = await trailOf(done.requestId)
    expect(trail.map(({ kind }) => kind)).toEqual(Array(3).fill('user.changed'))
    expect(new Set(trail.map((one) => one.user_uuid))).toEqual(new Set(uuid))

    const again = await bulkBy(admin, body)
    expect(again.end).toMatchObject({ people: 3, changed: 0, already: 3, refused: 0 })
    expect(await trailOf(again.requestId)).toEqual([])
    const enabled = await bulkBy(admin, { action: 'enable', people: { uuid } })
    expect(enabled.end).toMatchObject({ changed: 3 })
  })

  it('walks a filter to its end, though who is changed fits it no longer', async () => {
    await addMany(205, 'Walked Person')
    const body = { action: 'disable', people: { q: 'walked', active: true } }
    // The dry run walks as the change itself does.
    if (dialect === 'sqlite')
      expect((await triedBy(admin, body)).end).toMatchObject({ people: 205, changed: 205 })
    const done = await bulkBy(admin, body)
    expect(done.end).toMatchObject({ people: 205, changed: 205, already: 0, refused: 0 })
    expect(done.lines.filter(({ kind }) => kind === 'progress')).toHaveLength(10)
    expect(await admin.all('/users?q=walked&active=true')).toEqual([])
    // Nobody fits it any more.
    expect((await bulkBy(admin, body)).end).toMatchObject({ people: 0, changed: 0 })
  })

  it('takes those who have not signed in since a day, as the list does', async () => {
    await add(2)
    const signed_in_before = '2100-01-01'
    const all = await admin.all(`/users?signed_in_before=${signed_in_before}&active=true`)
    const people = { signed_in_before, active: true }
    expect((await triedBy(admin, { action: 'disable', people })).end).toMatchObject({ people: all.length })
    const both = { action: 'disable', people: { ...people, q: 'person' } }
    const refused = await admin.post('/users/bulk', both)
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.json.errors)).toContain('people.signed_in_before')
  })

  it('gives and ends a role at its place', async () => {
    const [first = '', second = ''] = await add(2)
    const profile = { role_code: 'reader', organisation_uuid: acme, organisation_unit_uuid: finance }
    const give = { action: 'give_role', people: { uuid: [first, second] }, profile }
    expect((await triedBy(admin, give)).end).toMatchObject({ changed: 2 })
    expect((await bulkBy(admin, give)).end).toMatchObject({ changed: 2, already: 0 })
    expect(await rolesOf(first)).toEqual(expect.arrayContaining(['importer', 'reader']))
    expect((await bulkBy(admin, give)).end).toMatchObject({ changed: 0, already: 2 })
    // Both hold it for longer.
    const shorter = { ...give, profile: { ...profile, expires_at: '2099-01-01T00:00:00Z' } }
    expect((await bulkBy(admin, shorter)).end).toMatchObject({ already: 2 })

    const end = { ...give, action: 'end_role' }
    // Neither holds one at another place.
    const elsewhere = { ...end, profile: { role_code: 'reader', organisation_uuid: acme } }
    expect((await bulkBy(admin, elsewhere)).end).toMatchObject({ changed: 0, already: 2 })
    expect((await triedBy(admin, end)).end).toMatchObject({ changed: 2 })
    const ended = await bulkBy(admin, end)
    expect(ended.end).toMatchObject({ changed: 2 })
    expect(await rolesOf(second)).toEqual(['importer'])
    expect((await trailOf(ended.requestId)).map(({ kind }) => kind)).toEqual(Array(2).fill('profile.removed'))
  })

  once.it('refuses to give for longer what somebody holds until an end', async () => {
    const until = { ...role, expires_at: '2098-01-01T00:00:00Z' }
    const uuid = await add(1, { profiles: [until] })
    const give = { action: 'give_role', people: { uuid }, profile: role }
    expect((await triedBy(admin, give)).refused).toEqual([expect.stringMatching(/ conflict$/)])
    expect((await bulkBy(admin, give)).refused).toEqual([expect.stringMatching(/ conflict$/)])
  })

  it('mails a link to who has nothing to sign in by, and to nobody twice', async () => {
    const [without = ''] = await add(1)
    const [off = ''] = await add(1)
    await bulkBy(admin, { action: 'disable', people: { uuid: [off] } })
    const body = { action: 'invite', people: { uuid: [without, users.both, off] } }
    const mails = async () => await admin.all('/mails')
    const before = await mails()
    const tried = await triedBy(admin, body)
    expect(tried.end).toMatchObject({ changed: 1, already: 1, refused: 1 })
    expect(await mails()).toEqual(before)
    const done = await bulkBy(admin, body)
    expect(done.refused).toEqual(tried.refused)
    expect(done.end).toMatchObject({ changed: 1, already: 1, refused: 1 })
    expect(await mails()).toHaveLength(before.length + 1)
    expect((await bulkBy(admin, body)).end).toMatchObject({ changed: 0, already: 2, refused: 1 })
  })

  it('tells of who is not there, and goes on; the same uuid counts once', async () => {
    const [one = ''] = await add(1)
    const nobody = '00000000-0000-4000-8000-00000000dead'
    const body = { action: 'disable', people: { uuid: [nobody, one, one.toUpperCase()] } }
    const done = await bulkBy(admin, body)
    expect(done.refused).toEqual([`${nobody} not_found`])
    expect(done.end).toMatchObject({ people: 2, changed: 1, refused: 1 })
    expect((await bulkBy(admin, { action: 'disable', people: { uuid: [] } })).end).toMatchObject({
      people: 0,
    })
    expect((await bulkBy(admin, { action: 'enable', people: { q: 'nobody is so' } })).end).toMatchObject({
      people: 0,
    })
  })

  once.it('stops with its connection: the rest is unchanged, and the audit whole', async () => {
    const uuid = await addMany(200, 'Stopped Person')
    const stopping = new AbortController()
    const answer = await fetch(`${tessera.url}/admin/v1/users/bulk`, {
      method: 'POST',
      signal: stopping.signal,
      headers: {
        authorization: `Bearer ${await tokenOf(tessera.url, 'admin-cli')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ action: 'disable', people: { uuid } }),
    })
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    await reader?.read()
    stopping.abort()
    await expect(reader?.read()).rejects.toThrow()
    const disabled = async () => (await admin.all('/users?q=stopped&active=false')).length
    await expect
      .poll(async () => {
        const [at, later] = [await disabled(), await disabled()]
        return at === later && at > 0 && at < 200
      })
      .toBe(true)
    const trail = await trailOf(answer.headers.get('x-request-id') ?? '')
    expect(trail).toHaveLength(await disabled())
    const chain = await recordsWith(admin)
    for (const [index, one] of chain.slice(1).entries()) expect(one.previous).toBe(chain[index]?.hash)
    const done = await bulkBy(admin, { action: 'disable', people: { uuid } })
    expect(done.end).toMatchObject({ changed: 200 - trail.length, already: trail.length })
  })

  once.it('ends where what its token is for is disabled meanwhile', async () => {
    const uuid = await addMany(100, 'Revoked Person')
    const made = await admin.post('/clients', {
      ...{ client_id: 'short-lived', client_name: 'Short', type: 'machine', services: ['iam'] },
      permissions: ['iam.*'],
    })
    const basic = Buffer.from(`short-lived:${String(made.json.client_secret)}`).toString('base64')
    const token = await fetch(`${tessera.url}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    const { access_token: bearer } = (await token.json()) as { access_token: string }
    const answer = await fetch(`${tessera.url}/admin/v1/users/bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'disable', people: { uuid } }),
    })
    const off = await admin.patch('/clients/short-lived', { active: false })
    expect(off.status, off.text).toBe(200)
    const told = toldBy(await answer.text())
    expect(told.end).toMatchObject({ kind: 'failed', code: 'invalid_token' })
    expect(told.refused).toEqual([])
    const trail = await trailOf(answer.headers.get('x-request-id') ?? '')
    const disabled = await admin.all('/users?q=revoked&active=false')
    expect(disabled).toHaveLength(trail.length)
    expect(trail.length).toBeLessThan(100)
  })

  const people = { uuid: [] }
  once.it.each<[string, object]>([
    ['400 invalid_request action people', {}],
    ['400 invalid_request action', { action: 'remove', people }],
    ['400 invalid_request people', { action: 'disable', people: {} }],
    ['400 invalid_request people', { action: 'disable', people: { all: true, q: 'x' } }],
    ['400 invalid_request people', { action: 'disable', people: { uuid: [], active: true } }],
    ['400 invalid_request people.all', { action: 'disable', people: { all: false } }],
    ['400 invalid_request people.uuid.0', { action: 'disable', people: { uuid: ['x'] } }],
    [
      '400 invalid_request people.uuid',
      { action: 'disable', people: { uuid: Array(1001).fill(users.both) } },
    ],
    ['400 invalid_request people.active', { action: 'disable', people: { active: 'true' } }],
    ['400 invalid_request people.limit', { action: 'disable', people: { q: 'x', limit: 1 } }],
    ['400 invalid_request people', { action: 'disable', people: 'all' }],
    ['400 invalid_request profile', { action: 'give_role', people }],
    ['400 invalid_request profile', { action: 'disable', people, profile: role }],
    [
      '400 invalid_request profile.expires_at',
      { action: 'end_role', people, profile: { ...role, expires_at: null } },
    ],
    [
      '400 invalid_request profile.role_code',
      { action: 'give_role', people, profile: { role_code: 'none' } },
    ],
    [
      '400 invalid_request profile.organisation_unit_uuid',
      {
        action: 'give_role',
        people,
        profile: { ...role, organisation_uuid: globex, organisation_unit_uuid: finance },
      },
    ],
  ])('answers %s', async (said, body) => {
    expect(await refusalBy(admin, body)).toBe(said)
    expect(await refusalBy(admin, body, '?dry_run=true')).toBe(said)
  })
})
