/** Clients are found by the beginning of their client_id or of any word of their names, whoever wrote them. */
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emailKey } from '../dist/protocol/values.js'
import { up } from '../dist/store/migrations/0011-additive-client-words.js'
import { openStore, type Store } from '../dist/store/open.js'
import { acme, Administrator, globex, problemOf, startAdministered } from './admin-support.ts'
import { onEachDatabase } from './databases.ts'
import type { Tessera } from './harness.ts'
import { dropClientWords } from './words-support.ts'

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
  let tessera: Tessera
  let store: Store
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
    store = await openStore(tessera.databaseUrl)
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
  afterAll(async () => {
    await store.close()
    await tessera.close()
  })

  const found = async (who: Administrator, q: string, { limit = 200, more = '' } = {}) =>
    (await who.all(`/clients?q=${encodeURIComponent(q)}${more}`, limit)).map((one) => one.client_id)

  /** Found by looking at all of them, one after the other. */
  async function expected(q: string, fits: (row: Record<string, unknown>) => boolean = () => true) {
    const rows = await store.db.selectFrom('clients').selectAll().execute()
    return rows
      .filter((row) => fits({ ...row }))
      .flatMap(({ client_id, client_name }) => {
        const name = emailKey(client_name)
        const words = [...name.matchAll(/[^ -]+/g)].map(({ index }) => name.slice(index))
        const [first] = [client_id.toLowerCase(), name, ...words]
          .filter((one) => one.startsWith(emailKey(q)))
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

  describe('of the version before', () => {
    it('are found as soon as they are written', async () => {
      const [before] = await store.db
        .selectFrom('clients')
        .selectAll()
        .where('client_id', '=', 'Zeta.One')
        .execute()
      if (before === undefined) throw new Error('It was made above.')
      const { name_key: _key, keyed_name: _name, ...row } = before
      const old = { ...row, client_id: 'old', client_name: 'Zeta OLD Works' }
      await store.db.insertInto('clients').values(old).execute()
      expect(await found(admin, 'old w')).toEqual(['old'])
      // One that had a key is renamed by a process that knows of none.
      for (const client_name of ['Later ZETA', 'Latest Zeta']) {
        await store.db
          .updateTable('clients')
          .set({ client_name })
          .where('client_id', '=', 'zeta-two')
          .execute()
        expect(await found(admin, 'lat')).toEqual(['zeta-two'])
        expect(await found(admin, 'ärz')).toEqual([])
      }
      await rightly()
    })

    it('are found after the tables were changed', async () => {
      const all = async () =>
        (await store.db.selectFrom('client_words').selectAll().execute())
          .map((one) => JSON.stringify([one.client_id, one.words, one.organisation_uuid]))
          .toSorted()
      const before = await all()
      expect(before.length).toBeGreaterThan(names.length)
      await dropClientWords(store)
      await up(store.db as unknown as Kysely<unknown>, dialect)
      expect(await all()).toEqual(before)
      await rightly()
    })

    it('are read by client in the triggers, however many there are', async () => {
      const source =
        dialect === 'sqlite'
          ? sql<{ sql: string }>`select sql from sqlite_master where name = 'clients_words_update'`
          : sql<{ sql: string }>`select prosrc as sql from pg_proc where proname = 'clients_words_keep'`
      const { rows } = await source.execute(store.db)
      const [, insert = ''] = /(insert into client_words[^;]*);/.exec(rows[0]?.sql ?? '') ?? []
      const statement = sql.raw(insert.replace('new.client_id', "'x'"))
      const plan = await store.db.transaction().execute(async (trx) => {
        if (dialect === 'sqlite')
          return await sql<{ detail: string }>`explain query plan ${statement}`.execute(trx)
        await sql`set local enable_seqscan = off`.execute(trx)
        return await sql<{ 'QUERY PLAN': string }>`explain ${statement}`.execute(trx)
      })
      const text = plan.rows.map((row) => Object.values(row).join(' ')).join('\n')
      expect(text).toMatch(/clients/)
      expect(text).not.toMatch(/SCAN (named|clients)\b|Seq Scan on clients/)
    })
  })
})
