/** Lists of what is asked for by uuid: names for many at once, within the reach of who asks. */
import { randomUUID } from 'node:crypto'
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

onEachDatabase('lists by uuid', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const found = async (who: Administrator, path: string, uuids: readonly string[], more = '', limit = 200) =>
    (await who.all(`${path}?uuid=${uuids.join(',')}${more}`, limit)).map((one) => one.uuid)

  it('hold these alone, in the order of the list, page by page', async () => {
    for (const limit of [1, 200]) {
      // By address, code, and code.
      const people = [users.nobody, users.admin, users.both]
      expect(await found(admin, '/users', people, '', limit)).toEqual([users.admin, users.both, users.nobody])
      expect(await found(admin, '/organisations', [globex, acme], '', limit)).toEqual([acme, globex])
      expect(await found(admin, '/units', [intake, finance], '', limit)).toEqual([finance, intake])
    }
    expect(await found(admin, '/users', [users.both.toUpperCase(), users.both])).toEqual([users.both])
    expect(await found(admin, '/users', [randomUUID()])).toEqual([])
  })

  it('are narrowed further by the other parameters', async () => {
    const people = [users.importer, users.nobody]
    expect(await found(admin, '/users', people, `&organisation_uuid=${acme}`)).toEqual([users.importer])
    expect(await found(admin, '/users', people, '&q=nobody')).toEqual([users.nobody])
    // By the beginning of the name, and by a later word of it.
    expect(await found(admin, '/users', [users.both], '&q=acme')).toEqual([users.both])
    expect(await found(admin, '/users', [users.both], '&q=both')).toEqual([users.both])
    expect(await found(admin, '/users', [users.both], '&q=importer')).toEqual([])
    expect(await found(admin, '/users', people, `&organisation_uuid=${acme}&q=importer`)).toEqual([
      users.importer,
    ])
    expect(await found(admin, '/organisations', [acme], '&q=institute')).toEqual([acme])
    expect(await found(admin, '/organisations', [acme], '&q=globex')).toEqual([])
    expect(await found(admin, '/users', people, '&active=false')).toEqual([])
  })

  it('hold nothing beyond the reach of who asks', async () => {
    const own = await Administrator.machine(tessera.url, 'acme-cli')
    const people = Object.values(users)
    expect(await found(own, '/users', people)).toEqual([users.both, users.importer])
    expect(await found(own, '/users', people, '&q=acme')).toEqual([users.both, users.importer])
    expect(await found(own, '/organisations', [acme, globex])).toEqual([acme])
    const unitHead = await Administrator.person(tessera.url, heads.unitHead)
    expect(await found(unitHead, '/users', people)).toEqual([users.importer])
    expect(await found(unitHead, '/units', [intake, finance])).toEqual([intake])
    expect(await found(unitHead, '/organisations', [acme, globex])).toEqual([acme])
  })

  it('of profiles hold those of several users, as far as they are within the reach', async () => {
    const of = `user_uuid=${users.importer},${users.both}`
    const roles = async (who: Administrator) =>
      (await who.all(`/profiles?${of}`, 1)).map((one) => String(one.role_code)).sort()
    expect(await roles(admin)).toEqual(['bookkeeper', 'importer', 'reader'])
    const own = await Administrator.machine(tessera.url, 'acme-cli')
    for (const who of [own, await Administrator.person(tessera.url, heads.unitHead)]) {
      const seen = await who.all(`/profiles?${of}`)
      expect(seen.length).toBeGreaterThan(0)
      expect(seen.every((one) => one.organisation_uuid === acme)).toBe(true)
      expect(seen.length).toBeLessThan(3)
    }
  })

  it.each([
    ['nothing', ''],
    ['no uuid', 'acme'],
    ['a comma too many', `${acme},`],
    ['a space', `${acme}, ${globex}`],
    ['more than a hundred', Array.from({ length: 101 }, () => acme).join()],
    ['far more', 'a'.repeat(4000)],
  ])('refuse %s', async (_, text) => {
    for (const path of ['/users', '/organisations', '/units'])
      expect(problemOf(await admin.get(`${path}?uuid=${encodeURIComponent(text)}`)), path).toBe(
        '400 invalid_request uuid',
      )
  })

  it('take a hundred', async () => {
    const many = Array.from({ length: 99 }, () => randomUUID())
    expect(await found(admin, '/users', [...many, users.both])).toEqual([users.both])
  })
})
