/** The audit by the administration API: lists, and events as they come. */
import { parse } from 'csv-parse/sync'
import { beforeAll, expect, it } from 'vitest'
import { record } from '../../dist/audit/record.js'
import {
  acme,
  Administrator,
  globex,
  heads,
  problemOf,
  startAdministered,
  tokenOf,
  users,
  administeredOn,
} from './support.ts'
import { people, post, profilesOfBoth, tokensFor } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { withStore } from '../harness/program.ts'

type Item = Record<string, unknown> & { sequence: number; kind: string }

onEachDatabase('the audit by the administration API', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })

  const rename = (name: string, who = own) =>
    who.ask('PATCH', `/organisations/${acme}`, { body: { name }, match: '*' })
  const records = async (query: string, who = admin, limit = 200) =>
    (await who.all(`/audit${query}`, limit)) as Item[]

  it('is listed newest first, page by page, by every filter', async () => {
    const from = new Date(tessera.clock.now()).toISOString()
    for (const name of ['One', 'Two', 'Three']) expect((await rename(name)).status).toBe(200)
    const found = await records(`?target=${acme}&kind=organisation.changed&from=${from}`)
    expect(found.map((one) => (one.after as { name: string }).name)).toEqual(['Three', 'Two', 'One'])
    expect(found[0]).toMatchObject({
      actor: { kind: 'client', id: 'acme-cli', organisation_uuid: acme },
      target: { kind: 'organisation', id: acme },
      organisation_uuid: acme,
      before: { name: 'Two' },
    })
    expect(await records(`?target=${acme}&kind=organisation.changed&from=${from}`, admin, 1)).toEqual(found)
    expect(await records(`?target=${acme}&kind=organisation.changed&to=${from}`)).toEqual([])
    expect(await records('?to=1970-01-01')).toEqual([])
    expect(await records('?from=1970-01-01&to=1970-01-01T00:00:00Z')).toEqual([])
    expect((await records('?actor=acme-cli')).length).toBeGreaterThanOrEqual(3)
    expect(await records(`?actor=nobody`)).toEqual([])
  })

  it('tells what went with an organisation, a unit, a role or a person that is removed: each with what it was', async () => {
    const made = async (path: string, body: object) => {
      const answer = await admin.post(path, body)
      expect(answer.status, answer.text).toBe(201)
      return answer.json as { uuid: string }
    }
    const { uuid } = await made('/organisations', { code: 'soon-gone', name: 'Soon gone' })
    const unit = await made('/units', { organisation_uuid: uuid, code: 'one', name: 'One' })
    const others = []
    for (const code of ['two', 'three'])
      others.push(await made('/units', { organisation_uuid: uuid, code, name: code }))
    const hook = { url: 'https://hooks.acme.example/', kinds: ['user.*'], organisation_uuid: uuid }
    const webhook = await made('/webhooks', hook)
    await made('/roles', { code: 'soon-gone', name: 'Soon gone', permissions: [] })
    const client = {
      type: 'machine',
      client_name: 'Soon gone',
      scope: 'service.api',
      organisation_uuid: uuid,
    }
    for (const client_id of ['soon-gone', 'soon-gone-too'])
      await made('/clients', { client_id, services: ['ledger'], permissions: [], ...client })
    const profiles = [
      { role_code: 'soon-gone', organisation_uuid: acme },
      { role_code: 'importer', organisation_uuid: acme },
      { role_code: 'importer', organisation_uuid: uuid },
      { role_code: 'importer', organisation_uuid: uuid, organisation_unit_uuid: unit.uuid },
    ]
    const person = await made('/users', { email: 'stays@acme.example', name: 'Stays', profiles })
    const held = (await admin.all(`/profiles?user_uuid=${person.uuid}`)) as Item[]
    expect(held).toHaveLength(4)
    for (const path of [
      '/roles/soon-gone',
      `/units/${unit.uuid}`,
      `/organisations/${uuid}`,
      `/users/${person.uuid}`,
    ])
      expect((await admin.ask('DELETE', path)).status).toBe(204)

    const told = async (target: string, kind: string) => (await records(`?target=${target}&kind=${kind}`))[0]
    expect((await told('soon-gone', 'role.removed'))?.detail).toEqual({ removed_with: { profiles: 1 } })
    expect((await told(unit.uuid, 'unit.removed'))?.detail).toEqual({ removed_with: { profiles: 1 } })
    expect((await told(uuid, 'organisation.removed'))?.detail).toEqual({
      removed_with: { profiles: 1, units: 2 },
    })
    expect((await told(person.uuid, 'user.removed'))?.detail).toEqual({ removed_with: { profiles: 1 } })
    expect(await told('soon-gone', 'client.removed')).toMatchObject({
      actor: { id: 'admin-cli' },
      organisation_uuid: uuid,
      before: { client_id: 'soon-gone', client_name: 'Soon gone' },
    })
    expect(await told('soon-gone', 'client.removed')).not.toHaveProperty('detail')
    expect(await told('soon-gone-too', 'client.removed')).toBeDefined()

    // Each went with another thing, and is told of once, with all that it was, in the same transaction.
    const removals = ['role.removed', 'unit.removed', 'organisation.removed', 'user.removed']
    const requests = await Promise.all(
      ['soon-gone', unit.uuid, uuid, person.uuid].map(async (target, index) => {
        return (await told(target, removals[index] ?? ''))?.request_id
      }),
    )
    expect(new Set(requests).size).toBe(4)
    const goneWith = (one: Item) => {
      if (one.role_code === 'soon-gone') return requests[0]
      if (one.organisation_unit_uuid !== null) return requests[1]
      return one.organisation_uuid === uuid ? requests[2] : requests[3]
    }
    for (const one of held) {
      const [record, ...more] = await records(`?target=${String(one.uuid)}&kind=profile.removed`)
      expect(more).toEqual([])
      expect(record).toMatchObject({
        actor: { id: 'admin-cli' },
        request_id: goneWith(one),
        user_uuid: person.uuid,
        organisation_uuid: one.organisation_uuid,
        before: one,
      })
      expect(record).not.toHaveProperty('after')
    }
    for (const one of others)
      expect(await told(one.uuid, 'unit.removed')).toMatchObject({
        request_id: requests[2],
        organisation_uuid: uuid,
        before: one,
      })
    expect(await told(webhook.uuid, 'webhook.removed')).toMatchObject({
      request_id: requests[2],
      organisation_uuid: uuid,
      before: hook,
    })
    // Whoever administers an organisation sees what was taken from its people, and of nobody else.
    const seen = await records(`?user_uuid=${person.uuid}&kind=profile.removed`, own)
    expect(seen.map((one) => (one.before as Item).organisation_uuid)).toEqual([acme, acme])
  })

  it('tells what went with a service or a permission: from which roles and clients as well', async () => {
    const codes = ['soon.one.read', 'soon.two.read', 'soon.three.read']
    await admin.post('/services', { code: 'soon', name: 'Soon', audience: 'https://soon.acme.example' })
    for (const code of codes) {
      const answer = await admin.post('/permissions', {
        code,
        description: `For ${code}`,
      })
      expect(answer.status, answer.text).toBe(201)
    }
    const permissions = [...codes, 'ledger.entry.read'].sort()
    await admin.post('/roles', { code: 'soon-less', name: 'Soon less', permissions })
    const machineClient = { type: 'machine', client_name: 'Soon less', scope: 'service.api' }
    const services = ['ledger', 'soon']
    const client = { client_id: 'soon-less', services, permissions, ...machineClient }
    const answer = await admin.post('/clients', client)
    expect(answer.status, answer.text).toBe(201)
    const without = (...gone: string[]) => permissions.filter((one) => !gone.includes(one))
    const last = async (target: string, kind: string) => (await records(`?target=${target}&kind=${kind}`))[0]

    expect((await admin.ask('DELETE', '/permissions/soon.one.read')).status).toBe(204)
    const permission = await last('soon.one.read', 'permission.removed')
    const request_id = permission?.request_id
    const [before, after] = [{ permissions }, { permissions: without('soon.one.read') }]
    for (const kind of ['role', 'client'])
      expect(await last('soon-less', `${kind}.changed`)).toMatchObject({ request_id, before, after })
    expect((await last('soon-less', 'client.changed'))?.after).toEqual(after)

    expect((await admin.ask('DELETE', '/services/soon')).status).toBe(204)
    const service = await last('soon', 'service.removed')
    const together = { request_id: service?.request_id }
    for (const code of ['soon.two.read', 'soon.three.read'])
      expect(await last(code, 'permission.removed')).toMatchObject({
        ...together,
        before: { code, description: `For ${code}` },
      })
    expect(await last('soon-less', 'role.changed')).toMatchObject({
      ...together,
      before: after,
      after: { permissions: ['ledger.entry.read'] },
    })
    expect(await last('soon-less', 'client.changed')).toMatchObject({
      ...together,
      before: { ...after, services },
      after: { permissions: ['ledger.entry.read'], services: ['ledger'] },
    })
    const role = await admin.get('/roles/soon-less')
    expect(role.json).toMatchObject({ permissions: ['ledger.entry.read'] })
  })

  it('tells by the person all that concerns them: how they were made, changed, disabled and removed as well', async () => {
    const profiles = [{ role_code: 'importer', organisation_uuid: acme }]
    const made = await admin.post('/users', { email: 'told@acme.example', name: 'Told', profiles })
    const { uuid } = made.json as { uuid: string }
    for (const change of [{ password: 'another-correct-horse' }, { active: false }]) {
      expect((await admin.ask('PATCH', `/users/${uuid}`, { body: change, match: '*' })).status).toBe(200)
    }
    expect((await admin.ask('DELETE', `/users/${uuid}`)).status).toBe(204)
    const told = (await records(`?user_uuid=${uuid}`)).toSorted((one, other) => one.sequence - other.sequence)
    const kinds = [
      'user.created',
      'profile.created',
      'user.changed',
      'user.changed',
      'profile.removed',
      'user.removed',
    ]
    expect(told.map(({ kind }) => kind)).toEqual(kinds)
    expect(told.every((one) => one.user_uuid === uuid)).toBe(true)
    expect(told[1]).toMatchObject({
      actor: { id: 'admin-cli' },
      organisation_uuid: acme,
      after: { role_code: 'importer' },
    })
  })

  it.each([
    ['?from=yesterday', '400 invalid_request from'],
    ['?cursor=x', '400 invalid_request cursor'],
    ['?who=me', '400 invalid_request who'],
    ['?limit=1000', '400 invalid_request limit'],
  ])('refuses %s', async (query, problem) => {
    expect(problemOf(await admin.get(`/audit${query}`))).toBe(problem)
  })

  it('is that of the own organisation alone, and of no unit', async () => {
    await admin.ask('PATCH', `/organisations/${globex}`, { body: { name: 'Other' }, match: '*' })
    await admin.post('/roles', { code: 'of-everybody', name: 'Of everybody' })
    expect((await records('')).some((one) => one.organisation_uuid === globex)).toBe(true)
    const seen = await records('', own)
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.every((one) => one.organisation_uuid === acme)).toBe(true)
    for (const query of [
      `?organisation_uuid=${globex}`,
      `?target=${globex}`,
      '?target=of-everybody',
      `?user_uuid=${users.admin}`,
    ]) {
      expect(await records(query, own)).toEqual([])
    }
    const unitHead = await Administrator.person(tessera.url, heads.unitHead)
    expect(problemOf(await unitHead.get('/audit'))).toBe('403 forbidden')
    expect(problemOf(await unitHead.get('/audit/stream'))).toBe('403 forbidden')
  })

  it('tells an organisation how its people sign in, and nothing of who belongs elsewhere too', async () => {
    const attempts = async (who: { email: string; password: string }, profile?: string) => {
      const choice = profile === undefined ? {} : { profile }
      await tokensFor(tessera.url, who, choice)
      await expect(tokensFor(tessera.url, { ...who, password: 'wrong' }, choice)).rejects.toThrow()
    }
    await attempts(people.importer)
    await attempts(people.both, profilesOfBoth.reader)
    const signedIn = async (user: string, who = own) =>
      (await records(`?user_uuid=${user}`, who, 1))
        .map((one) => one.kind)
        .filter((kind) => /^sign|^session/.test(kind))
    // Of another organisation, from when they belonged there.
    const earlier = { user_uuid: users.importer, organisation_uuid: globex }
    await withStore(tessera, (store) =>
      record(store, { at: tessera.clock.now(), kind: 'session.ended', ...earlier }),
    )
    expect(await signedIn(users.importer)).toEqual(['sign_in.failed', 'sign_in.succeeded'])
    expect(await signedIn(users.both)).toEqual([])
    expect(await signedIn(users.both, admin)).toEqual(['sign_in.failed', 'sign_in.succeeded'])
    // By name alone: a list of everybody's would be one of those who belong elsewhere too.
    expect((await records('?kind=sign_in.failed', own)).length).toBe(0)
    for (const query of [
      `?user_uuid=${users.importer}&organisation_uuid=${globex}`,
      `?user_uuid=${users.importer}&organisation_uuid=${acme}&kind=sign_in.failed`,
      `?actor=${users.importer}`,
    ]) {
      expect(await records(query, own)).toEqual([])
    }
    const elsewhere = { user_uuid: users.importer, role_code: 'bookkeeper', organisation_uuid: globex }
    const { json } = await admin.post('/profiles', elsewhere)
    expect(await signedIn(users.importer)).toEqual([])
    expect((await admin.delete(`/profiles/${String(json.uuid)}`, '*')).status).toBe(204)
    expect(await signedIn(users.importer)).toHaveLength(2)
  })

  /** Events as they come; `stop` ends the connection. */
  async function listen(token: string, headers: Record<string, string> = {}, query = '') {
    const stopping = new AbortController()
    const response = await fetch(`${tessera.url}/admin/v1/audit/stream${query}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: stopping.signal,
    })
    const seen: Item[] = []
    const read = async () => {
      let text = ''
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString()
        const parts = text.split('\n\n')
        text = parts.pop() ?? ''
        for (const part of parts) {
          const [, id, data = ''] = /^id: (\d+)\ndata: (.*)$/.exec(part) ?? []
          if (id === undefined) continue
          const one = JSON.parse(data) as Item
          expect(one.sequence).toBe(Number(id))
          seen.push(one)
        }
      }
    }
    const ended = read().catch(() => undefined)
    return { response, seen, ended, stop: () => stopping.abort() }
  }
  const until = async (reached: () => boolean) => {
    for (let tries = 0; !reached() && tries < 1200; tries++) await new Promise((done) => setTimeout(done, 50))
    expect(reached()).toBe(true)
  }

  it('is read by the request and by the number of a record, within the own reach', async () => {
    const renamed = await rename('By request')
    const request = String(renamed.headers.get('x-request-id'))
    const [one, ...more] = await records(`?request_id=${request}`)
    expect(more).toEqual([])
    expect(one).toMatchObject({ kind: 'organisation.changed', request_id: request })
    expect(await records(`?request_id=${request}`, own)).toEqual([one])
    expect(await records(`?request_id=${request}&kind=user.changed`)).toEqual([])
    expect(await records('?request_id=nothing')).toEqual([])
    const path = `/audit/${one?.sequence}`
    for (const who of [admin, own]) expect((await who.get(path)).json).toEqual(one)

    const other = await admin.ask('PATCH', `/organisations/${globex}`, {
      body: { name: 'Other' },
      match: '*',
    })
    const [far] = await records(`?request_id=${String(other.headers.get('x-request-id'))}`)
    expect(await records(`?request_id=${String(far?.request_id)}`, own)).toEqual([])
    const unknown = await own.get('/audit/999999999')
    for (const text of [far?.sequence, 0, 'x', '1'.repeat(16), '1%202'])
      expect((await own.get(`/audit/${text}`)).json).toEqual(unknown.json)
    expect(problemOf(unknown)).toBe('404 not_found')

    // How somebody of Acme alone signed in, as the list with user_uuid shows it; and of nobody else.
    await tokensFor(tessera.url, people.importer, {})
    await tokensFor(tessera.url, people.both, { profile: profilesOfBoth.reader })
    for (const [user, status] of [
      [users.importer, 200],
      [users.both, 404],
    ] as const) {
      const [signedIn] = await records(`?user_uuid=${user}&kind=sign_in.succeeded`)
      expect((await own.get(`/audit/${signedIn?.sequence}`)).status).toBe(status)
    }
    const unitHead = await Administrator.person(tessera.url, heads.unitHead)
    for (const sequence of [one?.sequence, 999_999_999])
      expect(problemOf(await unitHead.get(`/audit/${sequence}`))).toBe('403 forbidden')
  })

  it('is given as a file: every record that the list has', async () => {
    for (const who of [admin, own]) {
      const query = '?kind=organisation.changed'
      const all = await records(query, who)
      expect(all.length).toBeGreaterThan(1)
      const lines = await who.get(`/audit${query}&format=jsonl&limit=1`)
      expect(lines.headers.get('content-type')).toBe('application/jsonl')
      expect(lines.headers.get('content-disposition')).toBe('attachment; filename="audit.jsonl"')
      expect(
        lines.text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
      ).toEqual(all)
      const rows = parse((await who.get(`/audit${query}&format=csv`)).text, { columns: true })
      expect(
        (rows as Record<string, string>[]).map((row) => [row.sequence, row['actor.id'], row.after]),
      ).toEqual(all.map((one) => [String(one.sequence), (one.actor as Item).id, JSON.stringify(one.after)]))
    }
    // More than the page of a list can be.
    const several = (await admin.get('/audit?format=jsonl')).text.trimEnd().split('\n')
    expect(several.length).toBeGreaterThanOrEqual((await records('')).length)
    const unitHead = await Administrator.person(tessera.url, heads.unitHead)
    expect(problemOf(await unitHead.get('/audit?format=csv'))).toBe('403 forbidden')
  })

  it('is followed as it comes, and goes on after the last event that was seen', async () => {
    const token = await tokenOf(tessera.url, 'acme-cli')
    const stream = await listen(token)
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
    expect(stream.response.headers.get('cache-control')).toBe('no-store')
    await admin.post('/roles', { code: 'not-theirs', name: 'Not theirs' })
    await rename('Four')
    await until(() => stream.seen.length === 1)
    stream.stop()
    await rename('Five')
    await rename('Six')
    const last = String(stream.seen[0]?.sequence)
    const again = await listen(token, { 'last-event-id': last })
    await until(() => again.seen.length === 2)
    expect(again.seen.map((one) => (one.after as { name: string }).name)).toEqual(['Five', 'Six'])
    again.stop()
    const wrong = await fetch(`${tessera.url}/admin/v1/audit/stream`, {
      headers: { authorization: `Bearer ${token}`, 'last-event-id': 'x' },
    })
    expect(wrong.status).toBe(400)
  })

  once.it('ends with the token that reads it', async () => {
    const token = await tokenOf(tessera.url, 'onlooker-cli')
    const revoked = await listen(token)
    expect(revoked.response.status).toBe(200)
    const credentials = { client_id: 'onlooker-cli', client_secret: 'onlooker-cli-development-secret' }
    await post(`${tessera.url}/oauth2/revoke`, { ...credentials, token })
    await revoked.ended
    await rename('Seven')
    expect(revoked.seen.filter((one) => one.kind === 'organisation.changed')).toEqual([])

    const expiring = await listen(await tokenOf(tessera.url, 'onlooker-cli'))
    tessera.clock.advance(901_000)
    await expiring.ended
  })

  once.it('is cut off when the service stops, which waits for no listener', async () => {
    const other = await startAdministered(dialect)
    const response = await fetch(`${other.url}/admin/v1/audit/stream`, {
      headers: { authorization: `Bearer ${await tokenOf(other.url, 'onlooker-cli')}` },
    })
    expect(response.status).toBe(200)
    const began = performance.now()
    await other.close()
    expect(performance.now() - began).toBeLessThan(7000)
    await response.text().catch(() => undefined)
  })
})
