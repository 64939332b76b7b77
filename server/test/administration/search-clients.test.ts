/** Clients are found by the beginning of their client_id or of any word of their names. */
import { beforeAll, expect, it } from 'vitest'
import { nameKey } from '../../dist/protocol/values.js'
import { acme, administeredOn, Administrator, globex, problemOf } from './support.ts'
import { onEachDatabase } from '../harness/databases.ts'

const names: [clientId: string, name: string][] = [
  ['Zeta.One', 'Ledger  Reports-ledger'],
  ['zeta-two', 'ÜMLAUT Ärzte'],
  ['zeta-three', '"quoted \\ name" — Ledger'],
  ['zeta_four', '- LEDGER -'],
  ['ledger-zeta', 'zeta ledger zeta'],
  ['five', 'Zeta-Five'],
]
const asked = [
  'zeta',
  'ZETA',
  'ledger',
  'ledger-',
  'l',
  'ümlaut',
  'är',
  '"q',
  '\\',
  '%',
  '_',
  'zeta_',
  'one',
  '-',
]

onEachDatabase('clients', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
    for (const [index, [client_id, client_name]] of names.entries()) {
      const organisation_uuid = [null, acme, globex][index % 3]
      const made = await admin.post('/clients', {
        client_id,
        client_name,
        type: 'machine',
        organisation_uuid,
      })
      expect(made.status, made.text).toBe(201)
    }
  })

  const found = async (who: Administrator, q: string, { limit = 200, more = '' } = {}) =>
    (await who.all(`/clients?q=${encodeURIComponent(q)}${more}`, limit)).map((one) => one.client_id)

  /** Found by looking at all of them, one after the other. */
  async function expected(q: string, fits: (row: Record<string, unknown>) => boolean = () => true) {
    const rows = await admin.all('/clients')
    return rows
      .filter(fits)
      .map((row) => ({ client_id: String(row.client_id), client_name: String(row.client_name) }))
      .flatMap(({ client_id, client_name }) => {
        const name = nameKey(client_name)
        const words = [...name.matchAll(/[^ -]+/g)].map(({ index }) => name.slice(index))
        const [first] = [client_id.toLowerCase(), name, ...words]
          .filter((one) => one.startsWith(nameKey(q)))
          .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        return first === undefined ? [] : [{ client_id, order: Buffer.from(`${first}\0${client_id}`) }]
      })
      .toSorted((a, b) => Buffer.compare(a.order, b.order))
      .map((one) => one.client_id)
  }

  async function rightly() {
    for (const q of asked) {
      for (const limit of [1, 200]) {
        expect(await found(admin, q, { limit }), q).toEqual(await expected(q))
        expect(await found(own, q, { limit }), q).toEqual(
          await expected(q, (row) => row.organisation_uuid === acme),
        )
      }
      expect(await found(admin, q, { more: `&organisation_uuid=${globex}` }), q).toEqual(
        await expected(q, (row) => row.organisation_uuid === globex),
      )
    }
  }

  it('are found by what a look at all of them finds, page by page, within the own reach', async () => {
    await rightly()
    expect(await found(admin, 'zeta')).toHaveLength(6)
    expect(await found(admin, 'eta')).toEqual([])
  })

  it('are not found in another organisation, whatever is asked', async () => {
    expect(await found(own, 'zeta', { more: `&organisation_uuid=${globex}` })).toEqual([])
    const { next_cursor: cursor } = (await admin.get('/clients?q=zeta&limit=1')).json
    const after = await own.get(`/clients?q=zeta&cursor=${String(cursor)}`)
    for (const { organisation_uuid } of after.json.items as { organisation_uuid: string }[])
      expect(organisation_uuid).toBe(acme)
  })

  it('are filtered as well, and a cursor of another list is refused', async () => {
    expect(await found(admin, 'zeta', { more: '&type=public' })).toEqual([])
    await admin.patch('/clients/five', { active: false })
    expect(await found(admin, 'zeta', { more: '&active=false' })).toEqual(['five'])
    expect(await found(admin, 'zeta', { more: '&active=true' })).not.toContain('five')
    const { next_cursor: cursor } = (await admin.get('/clients?limit=1')).json
    expect(problemOf(await admin.get(`/clients?q=zeta&cursor=${String(cursor)}`))).toBe(
      '400 invalid_request cursor',
    )
  })

  it('are found by what they are called now, and where they are now', async () => {
    await admin.patch('/clients/five', { client_name: 'ÉLAN vital' })
    expect(await found(admin, 'élan')).toEqual(['five'])
    expect(await found(admin, 'zeta')).not.toContain('five')
    await admin.patch('/clients/five', { client_name: 'Élan VITAL', organisation_uuid: acme })
    expect(await found(own, 'éla')).toEqual(['five'])
    expect((await admin.delete('/clients/five')).status).toBe(204)
    expect(await found(admin, 'vital')).toEqual([])
    await rightly()
  })
})
