import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Store } from '../../dist/database/store.js'
import { endEverything } from '../../dist/store/ending-all.js'
import { type LinkPurpose, makeLink, readLink, takeLink, withdrawLink } from '../../dist/store/links.js'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { openStore } from '../harness/stores.ts'

const now = Date.UTC(2030, 0, 1)
const hour = 3_600_000

onEachDatabase('links', (dialect) => {
  let database: TestDatabase
  let stores: [Store, Store]
  beforeAll(async () => {
    database = await createDatabase(dialect, 'acme')
    stores = [await openStore(database.url), await openStore(database.url)]
  })
  afterAll(async () => {
    for (const store of stores) await store.close()
    await database.remove()
  })

  const made = async (subject: string, purpose: LinkPurpose = 'password_reset', user_uuid?: string) =>
    await stores[0].db
      .transaction()
      .execute((trx) =>
        makeLink(trx, { purpose, subject, user_uuid, data: { to: subject }, expiresAt: now + hour, now }),
      )
  const read = (text: string, { purpose = 'password_reset' as LinkPurpose, at = now } = {}) =>
    readLink(stores[0].db, purpose, text, at)
  const taken = async (text: string, { purpose = 'password_reset' as LinkPurpose, at = now, by = 0 } = {}) =>
    await (stores[by] ?? stores[0]).db.transaction().execute((trx) => takeLink(trx, purpose, text, at))

  it('are looked at any number of times, and used once', async () => {
    const text = await made('once')
    expect(text).toMatch(/^[\w-]{43}$/)
    const link = {
      subject: 'once',
      user_uuid: undefined,
      data: { to: 'once' },
      createdAt: now,
      expiresAt: now + hour,
    }
    expect([await read(text), await read(text)]).toEqual([link, link])
    expect(await taken(text)).toEqual(link)
    expect([await taken(text), await read(text)]).toEqual([undefined, undefined])
  })

  it('are used by one of many that come at once, from two processes', async () => {
    const text = await made('raced')
    const all = await Promise.all([0, 1, 0, 1, 0, 1].map((by) => taken(text, { by })))
    expect(all.filter((one) => one !== undefined)).toHaveLength(1)
  })

  it('count for their purpose, and until their end alone', async () => {
    const text = await made('asked')
    for (const refused of [{ purpose: 'notice' as const }, { at: now + hour }]) {
      expect(await read(text, refused)).toBeUndefined()
      expect(await taken(text, refused)).toBeUndefined()
    }
    for (const other of ['', 'x', `${text}=`, text.toUpperCase()]) expect(await taken(other)).toBeUndefined()
    expect(await taken(text, { at: now + hour - 1 })).toBeDefined()
  })

  it('give way to a newer one of the same purpose and subject alone', async () => {
    const older = await made('replaced')
    const [other, purpose] = [await made('other'), await made('replaced', 'notice')]
    const newer = await made('replaced')
    expect(await taken(older)).toBeUndefined()
    expect(await taken(newer)).toBeDefined()
    expect(await taken(other)).toBeDefined()
    expect(await taken(purpose, { purpose: 'notice' })).toBeDefined()
  })

  it('come back when the verb that uses them fails, and end when they are withdrawn', async () => {
    const text = await made('failed')
    const failing = stores[0].db.transaction().execute(async (trx) => {
      await takeLink(trx, 'password_reset', text, now)
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    expect(await read(text)).toBeDefined()
    await stores[0].db.transaction().execute((trx) => withdrawLink(trx, 'password_reset', 'failed'))
    expect(await taken(text)).toBeUndefined()
  })

  it('are kept as a hash', async () => {
    const text = await made('hidden')
    const rows = await stores[0].db.selectFrom('links').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(text)
  })

  it('go with their person, and when the database was put back to an earlier state', async () => {
    const { db } = stores[0]
    const [user] = await db.selectFrom('users').select('uuid').orderBy('uuid').execute()
    const [theirs, rest] = [await made('theirs', 'notice', user?.uuid), await made('rest')]
    await db
      .deleteFrom('users')
      .where('uuid', '=', user?.uuid ?? '')
      .execute()
    expect(await taken(theirs, { purpose: 'notice' })).toBeUndefined()
    await db.transaction().execute((trx) => endEverything(trx, { now, reason: 'restored' }))
    expect(await taken(rest)).toBeUndefined()
  })
})
