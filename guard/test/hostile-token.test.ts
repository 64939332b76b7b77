import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Guard } from '../src/index.ts'
import { type HttpIssuer, reassemble, startIssuer } from './issuer.ts'

/** Whatever stands in the Authorization header, the guard decides: it never throws, and lets in the right token alone. */

let issuer: HttpIssuer
let guard: Guard
let token: string
beforeAll(async () => {
  issuer = await startIssuer()
  guard = issuer.guard()
  token = await issuer.token()
  expect((await guard.authenticate(`Bearer ${token}`)).allowed).toBe(true)
})
afterAll(() => issuer.close())

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

async function refuses(header: string): Promise<void> {
  const decision = await guard.authenticate(header)
  expect(decision.allowed).toBe(false)
  if (decision.allowed) return
  expect(decision.status).toBe(401)
  expect(['no_credential', 'invalid_token']).toContain(decision.reason)
  // RFC 6750 §3: no character that ends the quoted string, whatever was sent.
  expect(decision.headers['www-authenticate']).toMatch(
    /^Bearer( [a-z_]+="[\x20-\x21\x23-\x5B\x5D-\x7E]*",?)*$/,
  )
}

it('refuses a token in which one character was changed, added or taken away', async () => {
  const at = fc.nat({ max: token.length - 1 })
  const character = fc.constantFrom(...base64url, '.', '=', '+', '/', '~')
  await fc.assert(
    fc.asyncProperty(at, character, fc.constantFrom(0, 1, 2), async (index, other, kind) => {
      const rest = token.slice(index + (kind === 1 ? 0 : 1))
      const changed = token.slice(0, index) + (kind === 2 ? '' : other) + rest
      fc.pre(changed !== token)
      await refuses(`Bearer ${changed}`)
    }),
    { numRuns: 500 },
  )
})

it('refuses any header, payload or signature in the place of the right one', async () => {
  const part = fc.oneof(
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    fc.string({ unit: fc.constantFrom(...base64url), maxLength: 400 }),
    fc.constantFrom('', 'e30', 'bnVsbA', 'W10', 'eyJhbGciOiJub25lIn0', 'eyJfX3Byb3RvX18iOnt9fQ'),
  )
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 2 }), part, async (index, other) => {
      const parts = token.split('.')
      fc.pre(parts[index] !== other)
      parts[index] = other
      await refuses(`Bearer ${parts.join('.')}`)
    }),
    { numRuns: 300 },
  )
})

it('refuses claims and header members that were rewritten, under the signature that was', async () => {
  const member = fc.constantFrom(
    'alg',
    'typ',
    'kid',
    'crit',
    'jwk',
    'jku',
    'x5c',
    'b64',
    'zip',
    'iss',
    'aud',
    'exp',
    'sub',
  )
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('none', 'HS256', 'RS256', 'at+jwt', '', null, -1, 1e308),
  )
  await fc.assert(
    fc.asyncProperty(member, value, fc.boolean(), async (name, to, inHeader) => {
      const changed = reassemble(token, { [inHeader ? 'header' : 'payload']: { [name]: to } })
      fc.pre(changed !== token)
      await refuses(`Bearer ${changed}`)
    }),
    { numRuns: 300 },
  )
})

it('refuses whatever else stands in the header', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom('', ' ', ',', '\0', token),
  )
  const scheme = fc.constantFrom(
    '',
    'Bearer',
    'bearer',
    'Basic',
    'Bearer,',
    'Bearer Bearer',
    'Bearer\t',
    'DPoP',
  )
  await fc.assert(
    fc.asyncProperty(scheme, text, text, async (first, one, other) => {
      const header = `${first} ${one} ${other}`
      fc.pre(!/^\s*bearer +\S+\s*$/i.test(header) || !header.includes(token))
      await refuses(header)
    }),
    { numRuns: 300 },
  )
})

it('lets the right token in afterwards as before, and asked for the keys no more often for all that', async () => {
  expect((await guard.authenticate(`Bearer ${token}`)).allowed).toBe(true)
  expect(issuer.keyFetches()).toBeLessThanOrEqual(2)
})
