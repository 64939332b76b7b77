/** What a stranger plants by addresses that are refused. */
import { beforeAll, describe, expect, it } from 'vitest'
import { acme, Administrator, administeredOn } from '../administration/support.ts'
import { authorizeRequest } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { changeClient } from '../harness/states.ts'
import { addressMismatch, mismatchCure, registering } from '../../src/protocol/address-mismatch.ts'

onOneDatabase('a refused address of a stranger', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    await changeClient(tessera, 'submissions-web', { managed_by: null })
  })
  const ask = async (changes: Record<string, string>) => {
    tessera.clock.advance(2000)
    const { status } = await fetch(`${tessera.url}${authorizeRequest(changes).path}`, { redirect: 'manual' })
    expect(status).toBe(400)
  }
  const path = '/clients/submissions-web/refused-addresses'
  const items = async (at: string) => (await admin.get(at)).json.items as Record<string, unknown>[]

  it.each(['tessera:api-doc', 'tessera:console', 'tessera:command'])(
    'needs nobody’s attention where the client is %s, which nobody can change',
    async (client_id) => {
      await ask({ client_id, redirect_uri: 'https://evil.example/callback' })
      const found = (await items('/attention')).filter(({ kind }) => kind === 'address_refused')
      expect(found).toEqual([])
    },
  )

  it('is not offered for registration once it was cut off', async () => {
    await ask({ redirect_uri: `http://127.0.0.1:4001/callback?to=${'a'.repeat(2500)}` })
    expect(await items(path)).toEqual([expect.objectContaining({ command: null })])
  })

  it('does not go with a client to another organisation', async () => {
    await ask({ redirect_uri: 'http://127.0.0.1:4001/elsewhere' })
    const changed = await admin.patch('/clients/submissions-web', { organisation_uuid: acme })
    expect([changed.status, changed.json.organisation_uuid]).toEqual([200, acme])
    expect(await items(path)).toEqual([])
  })
})

describe('what is said of an address', () => {
  const registered = {
    client_id: 'app',
    application_type: 'native',
    redirect_uris: ['com.example.app:/cb', 'https://app.example/cb'],
    post_logout_redirect_uris: [],
  } as const

  it.each(['com.examp1e.app:/cb', 'com.evil.app://app.example/cb'])(
    '%s is of another application',
    (came) => {
      const mismatch = addressMismatch(registered, 'redirect_uris', came)
      expect(mismatchCure(mismatch)).toContain('only if it is the application’s own')
    },
  )

  it('names no command for a client that nobody can change', () => {
    const ours = { ...registered, client_id: 'tessera:console' }
    expect(registering(addressMismatch(ours, 'redirect_uris', 'https://app.example/cb/'))).toBeUndefined()
  })
})
