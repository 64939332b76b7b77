import { beforeAll, describe, expect, it } from 'vitest'
import { authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { changeClient, managePolicy } from '../harness/states.ts'
import { acme, administeredOn, Administrator, globex, problemOf, recordsWith, users } from './support.ts'

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
    // Of places alone.
    { email_change: 'administrator' },
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
    const longer = { second_factor: 'passkey', grace_days: 3, password_length: 15 } as const
    const stricter = { ...longer, email_change: 'administrator' }
    expect((await change(ofAcme, path, stricter)).json.policy).toEqual(stricter)
    for (const looser of [{ password_length: 14 }, { email_change: 'self' }, { email_change: null }])
      expect((await change(ofAcme, path, { ...stricter, ...looser })).status).toBe(403)
    expect((await ofAcme.get(`/organisations/${globex}`)).status).toBe(404)
    const keeper = await Administrator.machine(tessera.url, 'roles-cli')
    const role = '/roles/administrator'
    expect((await change(all, role, { second_factor: 'required' })).status).toBe(200)
    expect((await change(keeper, role, { second_factor: 'optional' })).status).toBe(403)
    expect((await change(all, role, null)).status).toBe(200)
    expect((await change(all, path, null)).status).toBe(200)
  })

  describe('of the length of passwords', () => {
    const set = async (password: string) => await all.patch(`/users/${users.both}`, { password })
    const long = (length: number) => 'quiet harbours at dawn, and gulls above'.slice(0, length)

    it.each([['/roles/bookkeeper'], [`/organisations/${globex}`]])(
      'of %s counts for a new password of who has a profile there',
      async (path) => {
        expect((await change(all, path, { password_length: 20 })).status).toBe(200)
        const refused = await set(long(19))
        expect(problemOf(refused)).toBe('400 invalid_request password')
        expect(refused.text).toContain('It needs at least 20 characters.')
        expect((await set(long(20))).status).toBe(200)
        const other = { email: `length-${path.length}@acme.example`, name: 'Length', password: long(19) }
        const at = { role_code: 'bookkeeper', organisation_uuid: globex }
        expect(problemOf(await all.post('/users', { ...other, profiles: [at] }))).toBe(
          '400 invalid_request password',
        )
        expect((await all.post('/users', other)).status).toBe(201)
        expect((await change(all, path, null)).status).toBe(200)
        expect((await set(long(19))).status).toBe(200)
      },
    )

    it('says nothing of somebody beyond the reach', async () => {
      const path = `/users/${users.nobody}`
      expect((await ofAcme.ask('PATCH', path, { body: { password: 'short one' }, match: '*' })).status).toBe(
        404,
      )
    })
  })

  it.each([
    'Rosalinde',
    'rosalinde1987!',
    '*** ROSALINDE ***',
    'Weatherby-2026',
    'rosalindeweatherby',
    'r.weatherby@harbour-institute.example',
    'harbour-institute',
    '12institute34',
    'Tessera2026!',
  ])('lets nobody have a word of their name, address or the brand as a password: %s', async (password) => {
    const user = { email: 'r.weatherby@harbour-institute.example', name: 'Rosalinde Weatherby' }
    expect(problemOf(await all.post('/users', { ...user, password }))).toBe('400 invalid_request password')
  })

  it('lets a new name be no password either, and more than one word be one', async () => {
    const user = { email: 'own-word@acme.example', name: 'Rosalinde Weatherby' }
    const made = await all.post('/users', { ...user, password: 'rosalinde likes weather' })
    expect(made.status).toBe(201)
    const path = `/users/${String(made.json.uuid)}`
    const both = { name: 'Ottoline Marsh', password: 'ottoline' }
    expect(problemOf(await all.patch(path, both))).toBe('400 invalid_request password')
    expect((await all.patch(path, { ...both, password: 'rosalinde' })).status).toBe(200)
  })

  describe('of the installation', () => {
    const path = '/policy'
    const unset = {
      second_factor: null,
      grace_days: null,
      trusted_device_days: null,
      password_length: null,
      sign_in: null,
      email_change: null,
      self_deletion: null,
      managed_by: null,
    }
    const put = async (by: Administrator, body: unknown, match?: string) =>
      await by.ask('PUT', path, { body, match: match ?? (await all.get(path)).etag })

    it('is set as a whole, on condition of what was read, and counts at once', async () => {
      const { json, etag } = await all.get(path)
      expect(json).toEqual(unset)
      expect(problemOf(await all.ask('PUT', path, { body: {} }))).toBe('428 precondition_required')
      const set = await put(all, { second_factor: 'passkey', password_length: 12 }, etag)
      expect([set.status, set.json]).toEqual([
        200,
        { ...unset, second_factor: 'passkey', password_length: 12 },
      ])
      expect(problemOf(await put(all, {}, etag))).toBe('412 precondition_failed')
      // The same again is no change.
      const again = await put(all, { second_factor: 'passkey', password_length: 12, grace_days: null })
      expect([again.status, again.etag]).toEqual([200, set.etag])
      const visit = await signIn(new TestBrowser(tessera.url), authorizeRequest().path, people.importer)
      expect(new URL(visit.url).pathname).toBe('/sign-in/enrol')
      expect((await put(all, {})).json).toEqual(unset)
      const records = await recordsWith(all, 'installation')
      expect(records.map(({ kind, before, after }) => ({ kind, before, after }))).toEqual([
        {
          kind: 'policy.changed',
          before: { second_factor: null, password_length: null },
          after: { second_factor: 'passkey', password_length: 12 },
        },
        {
          kind: 'policy.changed',
          before: { second_factor: 'passkey', password_length: 12 },
          after: { second_factor: null, password_length: null },
        },
      ])
    })

    it.each([{ second_factor: 'sometimes' }, { grace_days: -1 }, { managed_by: null }, { x: 1 }, [], 'off'])(
      'refuses %j',
      async (body) => {
        expect((await put(all, body)).status).toBe(400)
      },
    )

    it('is loosened by administrators of everything alone, and by no organisation at all', async () => {
      await changeClient(tessera, 'roles-cli', { permissions: '["iam.policy.read","iam.policy.update"]' })
      await changeClient(tessera, 'acme-cli', { permissions: '["iam.policy.read","iam.policy.update"]' })
      await changeClient(tessera, 'onlooker-cli', { permissions: '["iam.policy.read"]' })
      const keeper = await Administrator.machine(tessera.url, 'roles-cli')
      const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
      const mild = { second_factor: 'required', grace_days: 3 }
      for (const by of [ofAcme, onlooker]) expect((await put(by, mild)).status).toBe(403)
      expect((await onlooker.get(path)).json).toEqual(unset)
      expect((await put(keeper, mild)).json).toMatchObject(mild)
      for (const looser of [
        {},
        { second_factor: 'required', grace_days: 4 },
        { second_factor: 'off' },
        { ...mild, self_deletion: true },
      ])
        expect(problemOf(await put(keeper, looser))).toBe('403 forbidden')
      expect((await put(keeper, { second_factor: 'passkey', grace_days: 3 })).status).toBe(200)
      expect((await put(all, {})).json).toEqual(unset)
    })

    it('that a declared file manages is changed by that alone, unless somebody overrides it', async () => {
      await managePolicy(tessera, 'access.yaml')
      all.overridesFile = false
      expect(problemOf(await put(all, { password_length: 15 }))).toBe('409 managed_by_file')
      all.overridesFile = true
      const { json } = await put(all, { password_length: 15 })
      expect(json).toMatchObject({ password_length: 15, managed_by: 'access.yaml' })
      await managePolicy(tessera, null)
      expect((await put(all, {})).json).toEqual(unset)
    })
  })
})
