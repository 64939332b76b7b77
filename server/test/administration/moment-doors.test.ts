/** Moments of the past, whichever door the changes came by; and those that the audit does not tell. */
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, intake, problemOf, users } from './support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { archiveUntil, recordEvent, settledAudit } from '../harness/states.ts'
import { accountOf, directoryIn, person } from '../scim/support.ts'

interface Remembered {
  at: string
  uuid: string
  told: object
}

onEachDatabase('moments of the past', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })

  const time = () => new Date(tessera.clock.now()).toISOString()
  /** Links say when an account was proved, and by whom it was made, which are no records. */
  async function told(uuid: string, at?: string): Promise<object> {
    const { status, json, text } = await admin.get(
      `/users/${uuid}/access${at === undefined ? '' : `?at=${at}`}`,
    )
    expect([200, 404], text).toContain(status)
    if (status === 404) return { status }
    const held = json.profiles as { permissions: string[]; chain: { check: string; holds: boolean }[] }[]
    return {
      active: json.active,
      profiles: held.map((one) => ({
        ...one,
        permissions: one.permissions.toSorted(),
        chain: one.chain.map(({ check, holds }) => [check, holds]),
      })),
    }
  }
  async function remember(kept: Remembered[], uuid: string, work: () => Promise<unknown>): Promise<void> {
    await work()
    kept.push({ at: time(), uuid, told: await told(uuid) })
    tessera.clock.advance(1000)
  }
  async function asRemembered(kept: readonly Remembered[]): Promise<void> {
    for (const { at, uuid, told: then } of kept) expect(await told(uuid, at), at).toEqual(then)
  }

  it('are told where a directory provisions, sends away and is removed', async () => {
    const mapping = [
      { group: 'g-import', role: 'importer', unit: 'intake' },
      { group: 'g-read', role: 'reader' },
    ]
    const scim = await directoryIn(tessera, { organisation_uuid: acme, domains: ['new.example'], mapping })
    const group = async (externalId: string) =>
      (await scim.post('/Groups', { displayName: externalId, externalId })).id
    const [importers, readers] = [await group('g-import'), await group('g-read')]
    const before = time()
    tessera.clock.advance(1000)
    const { id } = await scim.post('/Users', person('mo'))
    const uuid = (await accountOf(tessera, 'mo@new.example'))?.uuid ?? ''
    const join = (to: string, op = 'add') =>
      scim.patch(`/Groups/${to}`, { op, path: 'members', value: [{ value: id }] })
    const active = (value: string) => scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value })
    const kept: Remembered[] = [{ at: before, uuid, told: { status: 404 } }]
    const by = (work: () => Promise<unknown>) => remember(kept, uuid, work)
    await by(() => join(importers))
    await by(() => join(readers))
    await by(() => join(importers, 'remove'))
    await by(() =>
      admin.post('/profiles', { user_uuid: uuid, role_code: 'importer', organisation_uuid: acme }),
    )
    await by(() => active('False'))
    await by(() => admin.patch(`/units/${intake}`, { active: false }))
    await by(() => active('True'))
    await by(() => join(importers))
    await by(() => admin.patch(`/units/${intake}`, { active: true }))
    await by(() => active('False'))
    await by(() => admin.patch(`/users/${uuid}`, { active: true }))
    await by(() => admin.delete(`/directories/${scim.uuid}`))
    await by(() => admin.delete(`/users/${uuid}`))
    await asRemembered(kept)
    expect(kept.map((one) => JSON.stringify(one.told).includes('"person_not_suspended",false'))).toContain(
      true,
    )
  })

  it('are told of profiles that waited for a proof', async () => {
    const permissions = ['submissions-tool.vista-import.read']
    expect((await admin.post('/roles', { code: 'growing', name: 'Growing', permissions })).status).toBe(201)
    const profiles = [{ role_code: 'growing', organisation_uuid: acme }]
    const body = { email: 'unproved@acme.example', name: 'Unproved', profiles }
    const { json: made, text } = await own.post('/users', body)
    const uuid = String(made.uuid)
    expect(made.uuid, text).toBeTypeOf('string')
    const kept: Remembered[] = []
    const by = (work: () => Promise<unknown>) => remember(kept, uuid, work)
    const grows = (more: string[]) =>
      admin.patch('/roles/growing', { permissions: [...permissions, ...more] })
    await by(() => grows([]))
    await by(() => grows(['ledger.entry.read']))
    await by(() => grows([]))
    await by(() => grows(['ledger.entry.read']))
    await by(() => admin.delete('/roles/growing'))
    await asRemembered(kept)
    expect(kept.map((one) => JSON.stringify(one.told).includes('"account_proved",false'))).toEqual([
      ...[false, true, false, true, false],
    ])
  })

  it('are refused where the database was restored, and where months were archived', async () => {
    const path = (at: string) => `/users/${users.importer}/access?at=${at}`
    const known = time()
    expect((await admin.get(path(known))).status).toBe(200)
    tessera.clock.advance(1000)
    await admin.patch(`/users/${users.nobody}`, { name: 'Before' })
    tessera.clock.advance(1000)
    const lost = time()
    tessera.clock.advance(1000)
    const restored = time()
    await recordEvent(tessera, { at: Date.parse(restored), kind: 'database.restored' })
    await settledAudit(tessera)
    const refused = await admin.get(path(lost))
    expect(problemOf(refused)).toBe('409 conflict at')
    expect(refused.json.detail).toContain(restored)
    tessera.clock.advance(1000)
    for (const at of [known, restored, time()]) expect((await admin.get(path(at))).status, at).toBe(200)

    await archiveUntil(tessera, tessera.clock.now())
    const gone = await admin.get(path(known))
    expect(problemOf(gone)).toBe('409 conflict at')
    const next = /from (\S+) on/.exec(String(gone.json.detail))?.[1] ?? ''
    expect(next.slice(7)).toBe('-01T00:00:00.000Z')
  })
})
