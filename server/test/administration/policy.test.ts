import { beforeAll, expect, it } from 'vitest'
import { onEachDatabase } from '../harness/databases.ts'
import { acme, administeredOn, Administrator, globex } from './support.ts'

/** How strongly people sign in is set as a field of what there is, and loosened by nobody of an organisation. */
onEachDatabase('policies by the administration API', (dialect) => {
  const tessera = administeredOn(dialect)
  let all: Administrator
  let ofAcme: Administrator

  beforeAll(async () => {
    all = await Administrator.machine(tessera.url)
    ofAcme = await Administrator.machine(tessera.url, 'acme-cli')
  })

  const change = (by: Administrator, path: string, policy: unknown) => by.patch(path, { policy })

  it.each([`/organisations/${acme}`, '/roles/importer', '/clients/submissions-web'])(
    'are kept at %s',
    async (path) => {
      const policy = {
        second_factor: 'required',
        grace_days: 7,
        trusted_device_days: 30,
        password_length: 12,
      }
      const changed = await change(all, path, policy)
      expect([changed.status, changed.json.policy]).toEqual([200, policy])
      const { json } = await all.get(path)
      expect(json.policy).toEqual(policy)
      // A merge patch: what it leaves out stays.
      const merged = { ...policy, grace_days: 3 }
      expect((await change(all, path, { grace_days: 3 })).json.policy).toEqual(merged)
      const left = { second_factor: null, grace_days: null, trusted_device_days: null }
      expect((await change(all, path, left)).json.policy).toEqual({ password_length: 12 })
      expect((await change(all, path, null)).json.policy).toBeNull()
    },
  )

  it.each([
    { second_factor: 'sometimes' },
    { grace_days: 31 },
    { grace_days: 1.5 },
    { trusted_device_days: 91 },
    { password_length: 7 },
    { password_length: 65 },
    { more: true },
    [],
    'required',
  ])('are refused: %j', async (policy) => {
    expect((await change(all, '/roles/importer', policy)).status).toBe(400)
  })

  it('are tightened within an organisation, and loosened by the installation alone', async () => {
    const path = `/organisations/${acme}`
    expect((await change(all, path, { second_factor: 'required', grace_days: 3 })).status).toBe(200)
    for (const looser of [
      null,
      { grace_days: null, second_factor: null },
      { second_factor: 'optional' },
      { second_factor: 'required', grace_days: 4 },
      { second_factor: 'passkey', grace_days: 30 },
      { second_factor: 'required', trusted_device_days: 30 },
    ]) {
      const refused = await change(ofAcme, path, looser)
      expect([refused.status, refused.json.error]).toEqual([403, 'forbidden'])
    }
    const stricter = { second_factor: 'passkey', grace_days: 3, password_length: 15 }
    expect((await change(ofAcme, path, stricter)).json.policy).toEqual(stricter)
    expect((await change(ofAcme, path, { ...stricter, password_length: 14 })).status).toBe(403)
    expect((await ofAcme.get(`/organisations/${globex}`)).status).toBe(404)
    const keeper = await Administrator.machine(tessera.url, 'roles-cli')
    const role = '/roles/administrator'
    expect((await change(all, role, { second_factor: 'required' })).status).toBe(200)
    expect((await change(keeper, role, { second_factor: 'optional' })).status).toBe(403)
    expect((await change(all, role, null)).status).toBe(200)
    expect((await change(all, path, null)).status).toBe(200)
  })
})
