import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordAll } from '../../dist/audit/record.js'
import type { Store } from '../../dist/database/store.js'
import { openStore } from '../harness/stores.ts'
import { Administrator, startAdministered } from '../administration/support.ts'
import type { Tessera } from '../harness/harness.ts'
import { outboxPosition } from '../harness/states.ts'

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
    const position = () => outboxPosition(store)
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
})
