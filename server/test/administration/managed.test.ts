/** What a declared file manages changes by the file, or when somebody asks for it. */
import { beforeAll, expect, it } from 'vitest'
import { parseDeclared } from '../../dist/declared/format.js'
import { planDeclared } from '../../dist/declared/plan.js'
import {
  acme,
  Administrator,
  administrators,
  intake,
  problemOf,
  profiles,
  recordsWith,
  users,
  administeredOn,
} from './support.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { applyChanged } from '../declared/change.ts'
import { acme as reference, edited } from '../declared/support.ts'
import { withStore } from '../harness/program.ts'
import { everythingIn } from '../harness/states.ts'

const declared = parseDeclared(edited(reference, ...administrators), {
  file: 'acme.yaml',
  mode: 'development',
})
/** As it is planned by somebody who can't check passwords: none is said to be another. */
const passwords = { hashPassword: async () => '', verifyPassword: async () => true }

const vista = 'submissions-tool.vista-import'
const partsOf = {
  profile: { user_uuid: users.nobody, role_code: 'reader', organisation_uuid: acme },
  unit: { organisation_uuid: acme, code: 'annexe', name: 'Annexe' },
  permission: { code: `${vista}.archive`, description: 'Archive' },
}

/** Every route that can change something managed, and how the plan names what it did. */
const changes: [method: string, path: string, body: object | undefined, planned: string][] = [
  ['PATCH', '/services/ledger', { name: 'Other' }, 'service change ledger'],
  ['PATCH', `/permissions/${vista}.read`, { description: 'Other' }, `permission change ${vista}.read`],
  ['PATCH', '/roles/reader', { name: 'Other' }, 'role change reader'],
  ['PATCH', '/roles/reader', { permissions: [] }, 'role change reader'],
  ['PATCH', `/organisations/${acme}`, { name: 'Other' }, 'organisation change acme'],
  ['PATCH', `/units/${intake}`, { name: 'Other' }, 'unit change acme/intake'],
  ['PATCH', `/users/${users.nobody}`, { locale: 'sv' }, 'user change nobody@acme.example'],
  ['PATCH', `/users/${users.nobody}`, { active: false }, 'user change nobody@acme.example'],
  ['PATCH', `/profiles/${profiles.importer}`, { active: false }, 'profile change importer@acme.example'],
  ['PATCH', '/clients/ledger-report', { client_name: 'Other' }, 'client change ledger-report'],
  ['POST', '/profiles', partsOf.profile, 'profile remove nobody@acme.example'],
  ['POST', '/units', partsOf.unit, 'unit change acme/annexe'],
  ['POST', '/permissions', partsOf.permission, `permission remove ${vista}.archive`],
  ['DELETE', `/permissions/${vista}.read`, undefined, `permission create ${vista}.read`],
  ['DELETE', `/profiles/${profiles.importer}`, undefined, 'profile create importer@acme.example'],
  ['DELETE', `/units/${intake}`, undefined, 'unit create acme/intake'],
  ['DELETE', '/services/ledger', undefined, 'service create ledger'],
  ['DELETE', '/roles/reader', undefined, 'role create reader'],
  ['DELETE', `/users/${users.nobody}`, undefined, 'user create nobody@acme.example'],
  ['DELETE', '/clients/ledger-report', undefined, 'client create ledger-report'],
  ['DELETE', `/organisations/${acme}`, undefined, 'organisation create acme'],
]

onEachDatabase('what a declared file manages', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let overriding: Administrator
  beforeAll(async () => {
    overriding = await Administrator.machine(tessera.url)
    admin = await Administrator.machine(tessera.url)
    admin.overridesFile = false
  })

  /** The differences that the next application would take back, without the profile's place. */
  const drift = () =>
    withStore(tessera, async (store) => {
      const plan = await planDeclared(store, declared, { now: tessera.clock.now(), ...passwords })
      return plan.changes.map(({ kind, action, id }) => `${kind} ${action} ${id.replace(/ as .*/, '')}`)
    })
  const send = (one: Administrator, method: string, path: string, body: object | undefined) =>
    one.ask(method, path, { ...(body !== undefined && { body }), ...(method === 'PATCH' && { match: '*' }) })

  once.it.each(changes)(
    'is not changed by %s %s %j: nothing is written or recorded',
    async (method, path, body) => {
      const before = await everythingIn(tessera)
      const answer = await send(admin, method, path, body)
      expect(problemOf(answer)).toBe('409 managed_by_file')
      expect(answer.json.detail).toMatch(/"acme\.yaml" manages .*apply it.*Tessera-Managed: override/)
      expect(await everythingIn(tessera)).toEqual(before)
    },
  )

  once.it('is as the file says after all those refusals', async () => {
    expect(await drift()).toEqual([])
  })

  it('changes when it is asked for; the plan shows it, the audit says so, the file takes it back', async () => {
    for (const [method, path, body, planned] of changes) {
      const answer = await send(overriding, method, path, body)
      expect([200, 201, 204], answer.text).toContain(answer.status)
      expect((await recordsWith(overriding)).at(-1)?.detail).toMatchObject({ overridden_file: 'acme.yaml' })
      expect(await drift(), `${method} ${path}`).toContain(planned)
    }
    await applyChanged(tessera, ...administrators)
    expect(await drift()).toEqual([])
  })

  it('goes with no organisation that others made, unless that is asked for', async () => {
    const made = await admin.post('/organisations', { code: 'others', name: 'Others' })
    const organisation_uuid = String(made.json.uuid)
    const moved = await overriding.patch('/clients/ledger-report', { organisation_uuid })
    expect(moved.status, moved.text).toBe(200)
    const path = `/organisations/${organisation_uuid}`
    expect(problemOf(await admin.delete(path))).toBe('409 managed_by_file')
    expect((await admin.get('/clients/ledger-report')).status).toBe(200)
    expect((await overriding.delete(path)).status).toBe(204)
    await applyChanged(tessera, ...administrators)
    expect(await drift()).toEqual([])
  })

  it('is shown with the file that manages it, what others made is not', async () => {
    const paths = ['/services/ledger', '/roles/reader', `/organisations/${acme}`, '/clients/admin-web']
    for (const path of [...paths, `/users/${users.both}`]) {
      expect((await admin.get(path)).json.managed_by, path).toBe('acme.yaml')
    }
    expect((await admin.get('/services/iam')).json.managed_by).toBe(null)
    const made = await admin.post('/roles', { code: 'by-hand', name: 'By hand' })
    expect(made.json.managed_by).toBe(null)
  })

  it('leaves what others made to everybody, also where it refers to something managed', async () => {
    const profile = { role_code: 'reader', organisation_uuid: acme }
    const user = await admin.post('/users', { email: 'free@acme.example', name: 'Free', profiles: [profile] })
    const path = `/users/${String(user.json.uuid)}`
    expect((await admin.patch(path, { name: 'Freer' })).status).toBe(200)
    const client = { client_id: 'free', client_name: 'Free', type: 'machine', organisation_uuid: acme }
    expect((await admin.post('/clients', client)).status).toBe(201)
    expect((await admin.patch('/clients/free', { client_name: 'Freer' })).status).toBe(200)
    expect((await admin.delete('/clients/free')).status).toBe(204)
    expect((await admin.delete(path)).status).toBe(204)
    expect(await drift()).toEqual([])
  })

  once.it('is not a password alone, a secret, a session or a consent', async () => {
    const path = `/users/${users.both}`
    expect((await admin.patch(path, { password: 'a passphrase of their own' })).status).toBe(200)
    expect((await admin.patch(path, { password: 'another passphrase', picture: null })).status).toBe(200)
    expect(
      problemOf(await send(admin, 'PATCH', path, { password: 'a third passphrase', locale: 'sv' })),
    ).toBe('409 managed_by_file')
    expect((await admin.delete(`${path}/sessions`)).status).toBe(204)
    const secret = await admin.post('/clients/admin-cli/secrets', {})
    expect(secret.status).toBe(201)
    expect((await admin.delete(`/clients/admin-cli/secrets/${String(secret.json.id)}`)).status).toBe(204)
    expect(await drift()).toEqual([])
  })

  once.it('keeps the other refusals before its own, and answers no change as before', async () => {
    const path = `/users/${users.nobody}`
    const stale = await admin.ask('PATCH', path, { body: { name: 'x' }, match: '"999"' })
    expect(problemOf(stale)).toBe('412 precondition_failed')
    const own = await Administrator.machine(tessera.url, 'acme-cli')
    own.overridesFile = false
    expect(problemOf(await send(own, 'PATCH', `/users/${users.admin}`, { name: 'x' }))).toBe('404 not_found')
    const { json } = await admin.get(path)
    expect((await send(admin, 'PATCH', path, { name: json.name })).status).toBe(200)
  })

  once.it.each(['yes', 'OVERRIDE', '', 'override, override'])(
    'refuses Tessera-Managed: %j',
    async (value) => {
      const headers = { 'tessera-managed': value }
      const answer = await admin.ask('DELETE', `/users/${users.nobody}`, { headers })
      expect(problemOf(answer)).toBe('400 invalid_request')
    },
  )

  once.it('gives nobody more than they may', async () => {
    const own = await Administrator.machine(tessera.url, 'acme-cli')
    expect(problemOf(await send(own, 'DELETE', '/roles/reader', undefined))).toBe('403 forbidden')
  })

  it('keeps no answer of what was refused for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'managed' }
    expect(problemOf(await admin.post('/units', partsOf.unit, headers))).toBe('409 managed_by_file')
    expect((await overriding.post('/units', partsOf.unit, headers)).status).toBe(201)
  })
})
