import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { claimsOf, post } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { introspect, userinfo, Visitor } from '../harness/program.ts'
import { privateKeyOf } from '../harness/states.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const mine = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Signs as the service does, by a key of one's own. */
function forged(header: object, claims: object, key = mine.privateKey): string {
  const input = `${part(header)}.${part(claims)}`
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
}

onOneDatabase('a forged access token', (dialect) => {
  const tessera = tesseraOn(dialect)
  let real: string
  let header: Record<string, unknown>
  let claims: Record<string, unknown>
  let publicKey: ReturnType<typeof createPublicKey>
  beforeAll(async () => {
    real = (await new Visitor(tessera.url).tokens()).access_token ?? ''
    header = JSON.parse(Buffer.from(real.split('.')[0] ?? '', 'base64url').toString())
    claims = claimsOf(real)
    const { keys } = (await (await fetch(`${tessera.url}/oauth2/jwks`)).json()) as {
      keys: import('node:crypto').JsonWebKey[]
    }
    publicKey = createPublicKey({ key: keys[0] ?? {}, format: 'jwk' })
  })

  async function notActive(token: string) {
    expect((await userinfo(tessera.url, token)).json.error).toBe('invalid_token')
    expect(await introspect(tessera.url, token)).toEqual({ active: false })
  }
  /** Refused everywhere where an access token is read, and revoking it is no news. */
  async function refused(token: string) {
    await notActive(token)
    const revoked = await post(`${tessera.url}/oauth2/revoke`, { client_id: 'submissions-web', token })
    expect(revoked.status).toBe(200)
    expect((await userinfo(tessera.url, real)).status).toBe(200)
  }

  it.each(['none', 'None', 'NONE', 'nOnE'])('with alg %s', async (alg) => {
    await refused(`${part({ ...header, alg })}.${part(claims)}.`)
    await refused(`${part({ ...header, alg })}.${real.split('.')[1]}.${real.split('.')[2]}`)
  })

  it('with HS256 over the public key, as PEM, DER or modulus', async () => {
    const spki = { type: 'spki' as const }
    const secrets = [
      publicKey.export({ ...spki, format: 'pem' }),
      publicKey.export({ ...spki, format: 'der' }),
      Buffer.from(publicKey.export({ format: 'jwk' }).n ?? '', 'base64url'),
      '',
    ]
    for (const secret of secrets) {
      const input = `${part({ ...header, alg: 'HS256' })}.${part(claims)}`
      await refused(`${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`)
    }
  })

  it('with a key of one’s own, under a known, an unknown or no kid', async () => {
    await refused(forged(header, claims))
    await refused(forged({ ...header, kid: 'unknown' }, claims))
    await refused(forged({ ...header, kid: '__proto__' }, claims))
    await refused(forged({ ...header, kid: `' or 1=1 --` }, claims))
    await refused(forged({ alg: 'RS256', typ: 'at+jwt' }, claims))
  })

  it('that brings its own key in the header', async () => {
    const jwk = mine.publicKey.export({ format: 'jwk' })
    await refused(forged({ ...header, jwk }, claims))
    await refused(forged({ ...header, jku: 'http://127.0.0.1:1/jwks', kid: 'x' }, claims))
    await refused(forged({ ...header, x5u: 'http://127.0.0.1:1/x5u', crit: ['x5u'] }, claims))
  })

  it('with a changed payload, header or signature', async () => {
    const [h, p, s] = real.split('.')
    await refused(`${h}.${part({ ...claims, sub: 'somebody' })}.${s}`)
    await refused(`${h}.${part({ ...claims, exp: 9_999_999_999 })}.${s}`)
    await refused(`${part({ ...header, typ: 'JWT' })}.${p}.${s}`)
    const flipped = s?.startsWith('A') ? `B${s.slice(1)}` : `A${s?.slice(1)}`
    await refused(`${h}.${p}.${flipped}`)
    await refused(`${h}.${p}.`)
    await refused(`${h}.${p}`)
  })

  it('in another spelling of the same bytes', async () => {
    const [h, p, s] = real.split('.')
    await refused(`${h}.${p}.${s}=`)
    await refused(`${h}.${p}.${s}AA`)
    await refused(`${h}.${p}.${s}.${s}`)
    await refused(`${h}=.${p}.${s}`)
  })

  it('with claims that the service never makes, although the key were right', async () => {
    const key = await privateKeyOf(tessera, String(header.kid))
    // The method works: a token like the real one is taken.
    expect((await userinfo(tessera.url, forged(header, claims, key))).status).toBe(200)

    // By client_id alone an access token that is a JWT differs from an ID token.
    await notActive(forged({ ...header, typ: 'JWT' }, { ...claims, client_id: undefined }, key))
    await notActive(forged({ ...header, typ: 'logout+jwt' }, claims, key))
    await notActive(forged({ ...header, typ: 'application/at+jwt;x' }, claims, key))
    await notActive(forged({ alg: 'RS256', kid: header.kid }, claims, key))
    await notActive(forged(header, { ...claims, iss: 'https://other.example' }, key))
    await notActive(forged(header, { ...claims, iss: `${tessera.url}/` }, key))
    await notActive(forged(header, { ...claims, exp: Math.floor(Date.now() / 1000) - 1 }, key))
    await notActive(forged(header, { ...claims, exp: '9999999999' }, key))
    await notActive(forged(header, { ...claims, sub: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0004' }, key))
    await notActive(forged(header, { ...claims, sid: 'another' }, key))
    await notActive(forged(header, { ...claims, jti: 'no family' }, key))
    await notActive(forged(header, { ...claims, jti: undefined }, key))
    await notActive(forged(header, { ...claims, profile_uuid: 'another' }, key))
    await notActive(forged(header, { ...claims, client_id: 'nobody' }, key))
  })
})
