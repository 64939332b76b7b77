/** Roles, services, permissions and units are found by code and name, whatever the case; what has a uuid, by that. */
import { beforeAll, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  finance,
  globex,
  heads,
  intake,
  problemOf,
  users,
  administeredOn,
} from './support.ts'
import { onEachDatabase } from '../harness/databases.ts'

onEachDatabase('a search', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  let unitHead: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
    unitHead = await Administrator.person(tessera.url, heads.unitHead)
    const made = [
      await admin.post('/services', { code: 'oel', name: 'Ölwerk ÄÖ', audience: 'https://oel.example/api' }),
      await admin.post('/permissions', { code: 'oel.fass.read', description: 'Fässer im ÖLLAGER ansehen' }),
      await admin.post('/roles', { code: 'meister', name: 'Die ÖL-Meisterin', permissions: [] }),
      await admin.post('/units', { organisation_uuid: acme, code: 'lager', name: 'Kleines ÖLLAGER ÄUSSERE' }),
    ]
    for (const one of made) expect(one.status, one.text).toBe(201)
  })

  const found = async (path: string, q: string, { who = admin, limit = 200, more = '' } = {}) =>
    (await who.all(`${path}?q=${encodeURIComponent(q)}${more}`, limit)).map((one) => one.code)
  const within = { more: `&organisation_uuid=${acme}` }

  it.each([
    ['/roles', 'MEIST', 'meister'],
    ['/roles', 'öl', 'meister'],
    ['/roles', 'Die ÖL-m', 'meister'],
    ['/roles', 'Acme Adm', 'acme-administrator'],
    ['/services', 'Öl', 'oel'],
    ['/services', 'äö', 'oel'],
    ['/services', 'OEL', 'oel'],
    ['/services', 'Administration', 'iam'],
    ['/services', 'IAM', 'iam'],
    ['/permissions', 'OEL.F', 'oel.fass.read'],
    ['/permissions', 'fässer', 'oel.fass.read'],
    ['/permissions', 'öllager', 'oel.fass.read'],
    ['/permissions', 'change units', 'iam.units.update'],
    ['/units', 'öllager ä', 'lager'],
    ['/units', 'LAGER', 'lager'],
  ])('of %s for %s finds %s', async (path, q, code) => {
    const all = await found(path, q, path === '/units' ? within : {})
    expect(all).toContain(code)
    expect(all.length).toBeLessThan(4)
  })

  it.each([
    ['/roles', 'eister'],
    ['/roles', '%'],
    ['/roles', 'm_ister'],
    ['/roles', 'meister '.repeat(3)],
    ['/services', 'lwerk'],
    ['/services', 'https'],
    ['/permissions', 'lager'],
    ['/permissions', 'fass.read'],
    ['/units', 'llager'],
  ])('of %s for %s finds nothing', async (path, q) => {
    expect(await found(path, q, path === '/units' ? within : {})).toEqual([])
  })

  it('pages what it found, without repeating or leaving out', async () => {
    for (const [path, q] of [
      ['/permissions', 'R'],
      ['/roles', 'a'],
      ['/services', 's'],
    ] as const) {
      const whole = await found(path, q)
      expect(new Set(whole).size).toBe(whole.length)
      for (const limit of [1, 2, 7]) expect(await found(path, q, { limit })).toEqual(whole)
    }
    expect((await found('/permissions', 'Read', { more: '&service_code=ledger' })).length).toBe(1)
  })

  it('shows nothing that is out of sight', async () => {
    expect(await found('/roles', 'meister', { who: own })).toEqual(['meister'])
    expect(await found('/roles', 'administrator', { who: own })).not.toContain('administrator')
    expect(await found('/services', 'Ledger', { who: own })).toEqual([])
    expect(await found('/permissions', 'fässer', { who: own })).toEqual([])
    expect(await found('/units', 'ÖLLAGER', { who: unitHead })).toEqual([])
  })

  it.each(['/roles', '/services', '/permissions', '/units', '/users', '/organisations', '/clients'])(
    'of %s for nothing, or for what no text is, is refused',
    async (path) => {
      for (const q of ['', '%20', '%00', 'a'.repeat(201), 'a&q=b'])
        expect(problemOf(await own.get(`${path}?q=${q}`)), q).toBe('400 invalid_request q')
    },
  )

  it('for a uuid finds who or what has it, within the reach alone', async () => {
    const ids = async (who: Administrator, path: string) => (await who.all(path, 1)).map((one) => one.uuid)
    for (const q of [users.both, users.both.toUpperCase(), `%20${users.both}%20`]) {
      expect(await ids(admin, `/users?q=${q}`)).toEqual([users.both])
      expect(await ids(own, `/users?q=${q}`)).toEqual([users.both])
      expect(await ids(own, `/users?q=${q}&active=true&organisation_uuid=${acme}`)).toEqual([users.both])
      for (const more of ['&active=false', `&organisation_unit_uuid=${intake}`])
        expect(await ids(own, `/users?q=${q}${more}`)).toEqual([])
      expect(await ids(unitHead, `/users?q=${q}`)).toEqual([])
    }
    expect(await ids(own, `/users?q=${users.nobody}`)).toEqual([])
    expect(await ids(admin, `/users?q=${users.nobody}`)).toEqual([users.nobody])
    expect(await ids(admin, `/users?q=${users.nobody.slice(0, -1)}`)).toEqual([])
    expect(await ids(admin, `/organisations?q=${globex}`)).toEqual([globex])
    expect(await ids(own, `/organisations?q=${globex}`)).toEqual([])
    expect(await ids(own, `/organisations?q=${acme.toUpperCase()}`)).toEqual([acme])
    for (const more of ['', `&organisation_uuid=${acme}`])
      expect(await ids(admin, `/units?q=${finance}${more}`)).toEqual([finance])
    expect(await ids(admin, `/units?q=${finance}&organisation_uuid=${globex}`)).toEqual([])
    expect(await ids(own, `/units?q=${finance.toUpperCase()}`)).toEqual([finance])
    expect(await ids(unitHead, `/units?q=${finance}`)).toEqual([])
  })

  it('for a uuid also finds an address that begins so', async () => {
    const uuid = '7d9f1c52-2f0e-4c53-8d3a-6a1f2f6fffff'
    const { status } = await admin.post('/users', { email: `${uuid}@relay.example`, name: 'Relayed' })
    expect(status).toBe(201)
    expect((await admin.all(`/users?q=${uuid}`)).map((one) => one.name)).toEqual(['Relayed'])
  })
})
