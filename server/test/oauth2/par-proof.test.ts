import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { authorizeRequest, redirectUri } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { machine, refusalOf, token } from '../harness/program.ts'
import { intranet, push } from './par-support.ts'

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

onOneDatabase(
  'a pushed request is taken from a client that proves itself as at the token endpoint',
  (dialect) => {
    const tessera = administeredOn(dialect, { TESSERA_LIMIT_CLIENT_AUTH: '0', TESSERA_LIMIT_AUTHORIZE: '0' })
    let secret: string
    beforeAll(async () => {
      const admin = await Administrator.machine(tessera.url)
      const made = await admin.post('/clients', intranet)
      secret = String(made.json.client_secret)
      for (const [client_id, changes] of [
        ['no-codes', { grant_types: ['refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'] }],
        ['retired', { active: false }],
      ] as const)
        expect(
          (await admin.post('/clients', { ...intranet, client_id, type: 'public', ...changes })).status,
        ).toBe(201)
    })
    const form = () => authorizeRequest({ client_id: 'intranet' }).query
    const asked = async (more: Record<string, string>, headers: Record<string, string> = {}) => {
      const all = form()
      for (const [name, value] of Object.entries(more))
        if (value === '') all.delete(name)
        else all.set(name, value)
      return await push(tessera.url, all, headers)
    }

    it('by a secret in the body, or by Basic with and without client_id', async () => {
      expect((await asked({ client_secret: secret })).status).toBe(201)
      expect((await asked({}, basic('intranet', secret))).status).toBe(201)
      expect((await asked({ client_id: '' }, basic('intranet', secret))).status).toBe(201)
    })

    it.each<[string, string, Record<string, string>]>([
      ['without one', '401 invalid_client', {}],
      ['with a wrong one', '401 invalid_client', { client_secret: 'wrong' }],
      [
        'with a public client’s name and a secret',
        '401 invalid_client',
        { client_id: 'submissions-web', client_secret: 'x' },
      ],
      ['with an unknown name', '401 invalid_client', { client_id: 'nobody' }],
      ['without a name', '400 invalid_request', { client_id: '' }],
      ['by a client that is disabled', '401 invalid_client', { client_id: 'retired' }],
      ['by a machine, which has no redirect_uri', '400 invalid_request', machine],
      ['by a client without the grant', '400 unauthorized_client', { client_id: 'no-codes' }],
    ])('not %s', async (_, refusal, more) => {
      expect(refusalOf(await asked(more))).toBe(refusal)
    })

    it('by an assertion, which counts once here and at the token endpoint together', async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
      const admin = await Administrator.machine(tessera.url)
      const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'own' }] }
      expect((await admin.post('/clients', { ...intranet, client_id: 'signing', jwks })).status).toBe(201)
      const asserted = async (jti: string, aud = tessera.url) => ({
        client_id: 'signing',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await new SignJWT({ iss: 'signing', sub: 'signing', aud, jti })
          .setProtectedHeader({ alg: 'ES256', kid: 'own' })
          .setExpirationTime(Math.floor(tessera.clock.now() / 1000) + 60)
          .sign(privateKey),
      })
      const once = await asserted('one')
      expect((await asked(once)).status).toBe(201)
      expect(refusalOf(await asked(once))).toBe('401 invalid_client')
      const code = { grant_type: 'authorization_code', code: 'none', redirect_uri: redirectUri }
      const verifier = { code_verifier: 'v'.repeat(43) }
      expect(refusalOf(await token(tessera.url, { ...code, ...verifier, ...once }))).toBe(
        '401 invalid_client',
      )
      expect(refusalOf(await asked(await asserted('two', `${tessera.url}/oauth2/par`)))).toBe(
        '401 invalid_client',
      )
      expect(refusalOf(await asked({ ...(await asserted('three')), client_secret: 'x' }))).toBe(
        '400 invalid_request',
      )
    })

    it('not in two ways, nor for another client than its own', async () => {
      expect(refusalOf(await asked({ client_secret: secret }, basic('intranet', secret)))).toBe(
        '400 invalid_request',
      )
      const other = await asked({ client_id: 'submissions-web' }, basic('intranet', secret))
      expect(refusalOf(other)).toBe('400 invalid_request')
      const wrong = await asked({}, basic('intranet', 'wrong'))
      expect(refusalOf(wrong)).toBe('401 invalid_client')
      expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic /)
    })
  },
)
