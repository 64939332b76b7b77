import { beforeAll, describe, expect, it } from 'vitest'
import { createGuard, type Guard, type GuardOptions } from '../src/index.ts'
import { createTestIssuer, type TestClaims, type TestIssuer } from '../src/testing.ts'

const audience = 'https://submissions.acme.example/api'
const permission = 'submissions-tool.vista-import.create'

/** `typ` tells access tokens from ID tokens. Where a service takes JWT for both, what they hold does. */
let issuer: TestIssuer
let usual: Guard
let lenient: Guard
beforeAll(async () => {
  issuer = await createTestIssuer({ audience })
  usual = createGuard(issuer.guardOptions)
  lenient = createGuard({ ...issuer.guardOptions, acceptTypJwt: true })
})

const check = async (guard: Guard, token: string) => {
  const decision = await guard.check(`Bearer ${token}`, permission)
  return decision.allowed ? 'allowed' : `${decision.status} ${decision.body.error_description}`
}
const typed = async (typ: unknown, claims: TestClaims = {}) =>
  await issuer.token({ permissions: [permission], ...claims }, { typ })

describe('an access token whose typ is JWT', () => {
  it('is refused as delivered, and accepted when told', async () => {
    expect(await check(usual, await typed('JWT'))).toBe('401 The token is not an access token')
    expect(await check(lenient, await typed('JWT'))).toBe('allowed')
    for (const guard of [usual, lenient]) expect(await check(guard, await typed('at+jwt'))).toBe('allowed')
  })

  it('is accepted by no text that looks like true or false', () => {
    for (const acceptTypJwt of ['true', 'false', 1, 0, null]) {
      const options = { ...issuer.guardOptions, acceptTypJwt } as unknown as GuardOptions
      expect(() => createGuard(options)).toThrow(/^Guard option acceptTypJwt: /)
    }
  })

  it.each([
    undefined,
    '',
    'jwt+at',
    'logout+jwt',
    'secevent+jwt',
    'JWT+at',
    'jwt',
    ' JWT',
    ['JWT'],
    { typ: 'JWT' },
  ])('does not make %o one', async (typ) => {
    expect(await check(lenient, await typed(typ))).toBe('401 The token is not an access token')
  })

  it.each<[string, TestClaims]>([
    ['as it is', {}],
    ['that holds the permission', { permissions: [permission] }],
    ['for a client that is called like the service', { aud: audience, permissions: [permission] }],
    ['for client and service', { aud: ['test-client', audience], permissions: [permission] }],
    ['without a nonce', { aud: audience, nonce: undefined, client_id: undefined }],
    ['with the hash of an access token', { aud: audience, nonce: undefined, at_hash: 'x' }],
    ['with the hash of a code', { aud: audience, nonce: undefined, c_hash: 'x' }],
    ['for an authorized party', { aud: audience, nonce: undefined, azp: 'test-client' }],
  ])('does not let in an ID token %s', async (_what, claims) => {
    const token = await issuer.idToken({ permissions: [permission], ...claims })
    for (const guard of [usual, lenient])
      expect(await check(guard, token)).toBe('401 The token is not an access token')
  })

  it.each<[string, TestClaims, RegExp]>([
    ['for another audience', { aud: 'https://other.test/api' }, /another audience/],
    ['for a client', { aud: 'test-client' }, /another audience/],
    ['without jti', { jti: undefined }, /lacks a claim/],
    ['of another issuer', { iss: 'https://other.test' }, /another issuer/],
    ['bound to a key', { cnf: { jkt: 'x' } }, /bound to a key/],
  ])('is checked like any other: %s', async (_what, claims, told) => {
    expect(await check(lenient, await typed('JWT', claims))).toMatch(told)
  })
})
