import { afterAll, beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn, ownerOf } from '../administration/support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { DocumentServer } from '../harness/document-server.ts'
import { newAddress, registration } from './client-document-support.ts'

onOneDatabase('holes of clients that are documents', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' })
  let host: DocumentServer
  beforeAll(async () => {
    host = await DocumentServer.start()
  })
  afterAll(async () => await host.close())

  it('are fetched for nobody who may not register them', async () => {
    const owner = await ownerOf(tessera.url, await Administrator.machine(tessera.url))
    const answer = await owner.post('/clients', registration(newAddress(host)))
    expect([answer.status, host.asked]).toEqual([403, 0])
  })
})
