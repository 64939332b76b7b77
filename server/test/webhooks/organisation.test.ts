import { afterAll, beforeAll, expect, it } from 'vitest'
import { Administrator, administrators, globex, startAdministered } from '../administration/support.ts'
import { onBothDatabases } from '../harness/databases.ts'
import { applyChanged, disabled } from '../declared/change.ts'
import type { Tessera } from '../harness/harness.ts'
import { happen, Receiver, subscribe } from './support.ts'

onBothDatabases('the webhook of an organisation that is enabled again', (dialect) => {
  let tessera: Tessera
  let admin: Administrator
  const receiver = new Receiver()
  beforeAll(async () => {
    tessera = await startAdministered(dialect, { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' })
    admin = await Administrator.machine(tessera.url)
    await receiver.listen()
  })
  afterAll(async () => {
    await tessera.close()
    receiver.close()
  })

  const switched = {
    'by the API': async (active: boolean) => {
      expect((await admin.patch(`/organisations/${globex}`, { active })).status).toBe(200)
    },
    'by a file': async (active: boolean) => {
      const edits = active ? [] : [disabled('  - code: globex')]
      await applyChanged(tessera, ...administrators, ...edits)
    },
  }

  it.each(Object.entries(switched))('is sent nothing of what was recorded meanwhile, %s', async (_, set) => {
    // The only one there is: where nobody else is sent anything, records wait.
    const { path, at } = await subscribe(admin, receiver, ['unit.created'], { organisation_uuid: globex })
    await set(false)
    await happen(admin, globex)
    await set(true)
    const code = await happen(admin, globex)
    const [first] = await receiver.got(path, 1)
    expect(first?.body).toContain(`"${code}"`)
    expect((await admin.delete(at)).status).toBe(204)
  })
})
