/** Somebody always administers the whole installation. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Administrator, problemOf, profiles, startAdministered, users } from './support.ts'
import { people } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'

onEachDatabase('the last administrator', (dialect) => {
  let tessera: Tessera
  let admin: Administrator
  let machine: Administrator
  beforeEach(async () => {
    tessera = await startAdministered(dialect)
    admin = await Administrator.person(tessera.url, people.admin)
    machine = await Administrator.machine(tessera.url)
  })
  afterEach(() => tessera.close())

  const ways: [method: string, path: string, body?: object][] = [
    ['PATCH', `/users/${users.admin}`, { active: false }],
    ['DELETE', `/users/${users.admin}`],
    ['PATCH', `/profiles/${profiles.admin}`, { active: false }],
    ['PATCH', `/profiles/${profiles.admin}`, { role_code: 'importer' }],
    ['PATCH', `/profiles/${profiles.admin}`, { expires_at: '2020-01-01T00:00:00Z' }],
    ['PATCH', `/profiles/${profiles.admin}`, { expires_at: '2100-01-01T00:00:00Z' }],
    ['DELETE', `/profiles/${profiles.admin}`],
    ['PATCH', '/roles/administrator', { active: false }],
    ['PATCH', '/roles/administrator', { permissions: ['iam.users.read'] }],
    ['DELETE', '/roles/administrator'],
  ]
  const go = async (who: Administrator, [method, path, body]: (typeof ways)[number]) =>
    await who.ask(method, path, { match: '*', ...(body !== undefined && { body }) })
  const another = async (name = 'second') => {
    const body = {
      email: `${name}@acme.example`,
      name,
      password: 'a passphrase of the second',
      profiles: [{ role_code: 'administrator' }],
    }
    const made = await machine.post('/users', body)
    const [profile] = made.json.profiles as { uuid: string }[]
    const second = await Administrator.person(tessera.url, body)
    return { user: String(made.json.uuid), profile: profile?.uuid ?? '', second }
  }
  /** People who hold all of iam over the whole installation now. */
  const administrators = async () => {
    const holders = await machine.all('/access?permission=iam.users.delete')
    return holders.filter((one) => one.role_code === 'administrator')
  }

  it('can’t be taken away, by themself or by a machine, and nothing changes', async () => {
    for (const way of ways) {
      for (const who of [admin, machine]) {
        expect(problemOf(await go(who, way)), JSON.stringify(way)).toBe('409 last_administrator')
      }
    }
    expect((await admin.get(`/users/${users.admin}`)).json.active).toBe(true)
    expect(await administrators()).toHaveLength(1)
  })

  it('may go when there is another who can be one now', async () => {
    const { profile } = await another()
    expect((await machine.patch(`/profiles/${profile}`, { active: false })).status).toBe(200)
    expect(problemOf(await go(admin, ['DELETE', `/users/${users.admin}`]))).toBe('409 last_administrator')
    expect((await machine.patch(`/profiles/${profile}`, { active: true })).status).toBe(200)
    expect((await go(admin, ['DELETE', `/users/${users.admin}`])).status).toBe(204)
    expect(problemOf(await machine.patch(`/profiles/${profile}`, { active: false }))).toBe(
      '409 last_administrator',
    )
  })

  it('is not somebody of an organisation, or with less than all of iam', async () => {
    await machine.post('/profiles', {
      user_uuid: users.importer,
      role_code: 'administrator',
      organisation_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01',
    })
    await machine.post('/roles', {
      code: 'most',
      name: 'Most',
      permissions: ['iam.users.read', 'iam.users.update'],
    })
    await machine.post('/profiles', { user_uuid: users.both, role_code: 'most' })
    expect(problemOf(await go(admin, ['DELETE', `/users/${users.admin}`]))).toBe('409 last_administrator')
  })

  it('of two who remove one another at once, one stays', async () => {
    const { user, second } = await another()
    const answers = await Promise.all([
      go(admin, ['DELETE', `/users/${user}`]),
      go(second, ['DELETE', `/users/${users.admin}`]),
    ])
    expect(answers.filter((one) => one.status === 204)).toHaveLength(1)
    const [refused] = answers.filter((one) => one.status !== 204)
    // Whoever comes second was removed, or is the last.
    expect([401, 409]).toContain(refused?.status)
    expect(await administrators()).toHaveLength(1)
  })

  it('who is removed has nothing left to remove another with, though a third stays', async () => {
    await another('third')
    const { user, second } = await another()
    const answers = await Promise.all([
      go(admin, ['DELETE', `/users/${user}`]),
      go(second, ['DELETE', `/users/${users.admin}`]),
    ])
    expect(answers.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([204, 401])
    expect(await administrators()).toHaveLength(2)
  })

  it('of two who disable themselves at once, one stays', async () => {
    const { user, second } = await another()
    const answers = await Promise.all([
      go(admin, ['PATCH', `/users/${users.admin}`, { active: false }]),
      go(second, ['PATCH', `/users/${user}`, { active: false }]),
    ])
    expect(answers.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(await administrators()).toHaveLength(1)
  })
})
