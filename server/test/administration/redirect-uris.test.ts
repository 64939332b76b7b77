/** Which redirect URIs can be registered, by the API and by the command; the declared file has its own test. */
import { beforeAll, describe, expect, it } from 'vitest'
import { Administrator, administeredOn, problemOf } from './support.ts'
import { complaintsOf, runHere, ways } from '../cli/command-support.ts'

const portal = {
  client_id: 'portal',
  client_name: 'Portal',
  type: 'public',
  redirect_uris: ['https://portal.example/callback'],
  scope: 'openid',
}

describe('redirect URIs', () => {
  const tessera = administeredOn('sqlite')
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    expect((await admin.post('/clients', portal)).status).toBe(201)
  })

  const changed = async (changes: object) => await admin.patch('/clients/portal', changes)
  const byCommand = async (...options: string[]) =>
    await runHere(['client', 'change', 'portal', ...options], { environment: ways.database(tessera) })

  it.each(['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'co%64e', 's%74ate'])(
    'may not have “%s” in their query, which the answer brings itself',
    async (name) => {
      const decoded = decodeURIComponent(name)
      for (const query of [`?${name}=1`, `?${name}`, `?tenant=1&${name}=`]) {
        const uri = `https://portal.example/callback${query}`
        const made = await admin.post('/clients', { ...portal, client_id: 'other', redirect_uris: [uri] })
        expect(problemOf(made)).toBe('400 invalid_request redirect_uris.0')
        expect(made.text).toContain(`has ${decoded} in its query, which the answer brings itself`)
        expect(problemOf(await changed({ redirect_uris: [uri] }))).toBe('400 invalid_request redirect_uris.0')
      }
      const refused = await byCommand('--redirect-uri', `https://portal.example/?${name}=1`)
      expect(refused.code).toBe(1)
      expect(complaintsOf(refused).join(' ')).toContain(`has ${decoded} in its query`)
    },
  )

  it('may not have them for a native client either', async () => {
    const uri = 'com.example.app:/callback?state=1'
    const native = { ...portal, client_id: 'app', application_type: 'native', redirect_uris: [uri] }
    expect(problemOf(await admin.post('/clients', native))).toBe('400 invalid_request redirect_uris.0')
  })

  it('may not have a state where people come after a sign-out', async () => {
    const refused = await changed({ post_logout_redirect_uris: ['https://portal.example/bye?state=1'] })
    expect(problemOf(refused)).toBe('400 invalid_request post_logout_redirect_uris.0')
    const uri = 'https://portal.example/bye?code=1&error=2'
    expect((await changed({ post_logout_redirect_uris: [uri] })).status).toBe(200)
  })

  it.each(['?tenant=1', '?codes=1&State=2&error-page=3', '?x=code', '/code/state?q=code%3D1'])(
    'may end in %s',
    async (end) => {
      expect((await changed({ redirect_uris: [`https://portal.example${end}`] })).status).toBe(200)
    },
  )

  it('are no rule for other addresses of a client', async () => {
    expect((await changed({ client_uri: 'https://portal.example/?state=1' })).status).toBe(200)
  })

  it('may be of a name below localhost, which is this machine', async () => {
    const uri = 'http://app.localhost:3000/callback'
    const local = await admin.post('/clients', { ...portal, client_id: 'local', redirect_uris: [uri] })
    expect(local.json.allowed_origins).toEqual(['http://app.localhost:3000'])
    expect((await byCommand('--redirect-uri', uri)).code).toBe(0)
    for (const wrong of [
      'http://app.localhost.evil.example/',
      'http://localhost.example/',
      'http://applocalhost/',
    ])
      expect(problemOf(await changed({ redirect_uris: [wrong] }))).toBe('400 invalid_request redirect_uris.0')
  })
})
