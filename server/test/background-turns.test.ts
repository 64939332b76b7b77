import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chainEarlier } from '../dist/store/audit-earlier.js'
import { recordAll } from '../dist/store/audit.js'
import { openStore, type Store } from '../dist/store/open.js'
import { Administrator, startAdministered } from './admin-support.ts'
import type { Tessera } from './harness.ts'

/** An embedded database answers within a turn of the event loop: who asks it on and on lets nobody else have one. */
describe('while the background has much to do, others are answered', () => {
  let tessera: Tessera
  let store: Store
  beforeAll(async () => {
    tessera = await startAdministered('sqlite')
    store = await openStore(tessera.databaseUrl)
  })
  afterAll(async () => {
    await store.close()
    await tessera.close()
  })

  it('looking for what webhooks are sent, as after an import', async () => {
    const admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/webhooks', {
      url: 'https://webhooks.acme.example',
      kinds: ['role.removed'],
    })
    expect(made.status).toBe(201)
    const position = async () =>
      (await store.db.selectFrom('webhook_outbox').select('position').executeTakeFirstOrThrow()).position
    const many = 6000
    const event = { at: tessera.clock.now(), kind: 'audit.exported' } as const
    await recordAll(
      store,
      Array.from({ length: many }, () => event),
    )
    let seen = await position()
    const end = seen + many / 2
    let most = 0
    while (seen < end) {
      await nextTurn()
      const now = await position()
      most = Math.max(most, now - seen)
      seen = now
    }
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(1000)
  })

  it('chaining what the version before recorded', async () => {
    const earlier = { at: tessera.clock.now(), kind: 'audit.exported', detail: '{}' }
    for (let count = 0; count < 6; count++)
      await store.db
        .insertInto('audit')
        .values(Array.from({ length: 500 }, () => earlier))
        .execute()
    let turns = 0
    let over = false
    const turn = () => {
      turns++
      if (!over) setImmediate(turn)
    }
    setImmediate(turn)
    await chainEarlier(store)
    over = true
    expect(turns).toBeGreaterThanOrEqual(5)
  })
})
