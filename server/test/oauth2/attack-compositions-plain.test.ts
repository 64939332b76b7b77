/** A client of plain OAuth 2.0 together with what a client may do without. */
import { expect, it } from 'vitest'
import { Administrator, administeredOn, problemOf } from '../administration/support.ts'
import { redirectUri } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { must } from './exchange-support.ts'

onOneDatabase('a client of plain OAuth 2.0', (dialect) => {
  const tessera = administeredOn(dialect)

  it('needs PKCE: no ID token has the nonce', async () => {
    const admin = await Administrator.machine(tessera.url)
    const plain = {
      client_name: 'Plain',
      type: 'web',
      redirect_uris: [redirectUri],
      services: ['submissions-tool'],
      require_pkce: false,
    }
    const made = await admin.post('/clients', { ...plain, client_id: 'plain', scope: 'service.api' })
    expect(problemOf(made)).toBe('400 invalid_request require_pkce')
    const body = { ...plain, client_id: 'made-plain', scope: 'openid service.api' }
    must(await admin.post('/clients', body), 201)
    const left = await admin.patch('/clients/made-plain', { scope: 'service.api' })
    expect(problemOf(left)).toBe('400 invalid_request require_pkce')
  })
})
