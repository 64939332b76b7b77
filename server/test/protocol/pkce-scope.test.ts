import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProtocolError } from '../../dist/protocol/errors.js'
import { isCodeChallenge, verifierMatches } from '../../dist/protocol/pkce.js'
import { parseScope, scopesOf, supportedScopes } from '../../dist/protocol/scope.js'
import { anyText } from './any-text.ts'

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

describe('PKCE', () => {
  it('matches the example of RFC 7636, appendix B', () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
    expect(verifierMatches(verifier, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')).toBe(true)
  })

  it('matches every well-formed verifier and its own challenge alone', () => {
    const unreserved = fc.constantFrom(
      ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~',
    )
    const verifier = fc.string({ unit: unreserved, minLength: 43, maxLength: 128 })
    fc.assert(
      fc.property(verifier, verifier, (one, two) => {
        expect(isCodeChallenge(challengeOf(one))).toBe(true)
        expect(verifierMatches(one, challengeOf(one))).toBe(true)
        expect(verifierMatches(one, challengeOf(two))).toBe(one === two)
        expect(verifierMatches(challengeOf(one), challengeOf(one))).toBe(false)
      }),
    )
  })

  it.each([
    '',
    'a'.repeat(42),
    'a'.repeat(129),
    `${'a'.repeat(42)}+`,
    `${'a'.repeat(42)} `,
    `${'a'.repeat(43)}\n`,
    `${'a'.repeat(42)}ü`,
  ])('never matches the malformed verifier “%s”', (verifier) =>
    expect(verifierMatches(verifier, challengeOf(verifier))).toBe(false),
  )

  it.each([
    '',
    'a'.repeat(42),
    'a'.repeat(44),
    `${'a'.repeat(42)}=`,
    `${'a'.repeat(42)}+`,
    `${'a'.repeat(43)}\n`,
    `\n${'a'.repeat(43)}`,
  ])('takes no challenge “%s”', (challenge) => expect(isCodeChallenge(challenge)).toBe(false))
})

describe('scope', () => {
  it('is read as a set, in the order sent', () => {
    expect(parseScope('profile  openid profile ', supportedScopes)).toEqual(['profile', 'openid'])
    expect(parseScope('', supportedScopes)).toEqual([])
  })

  it('is refused as a whole when one value is unknown or not assigned', () => {
    const values = fc.array(fc.oneof(fc.constantFrom(...supportedScopes), fc.string()), { maxLength: 6 })
    fc.assert(
      fc.property(values, fc.subarray([...supportedScopes]), (requested, allowed) => {
        const words = requested
          .join(' ')
          .split(' ')
          .filter((one) => one !== '')
        const fine = words.every((one) => (allowed as string[]).includes(one))
        if (fine) expect(new Set(parseScope(requested.join(' '), allowed))).toEqual(new Set(words))
        else expect(() => parseScope(requested.join(' '), allowed)).toThrow(ProtocolError)
      }),
    )
  })

  it.each([
    'openid\tprofile',
    'openid,profile',
    'openid+profile',
    'OPENID',
    'openid\n',
    'openid\u00a0',
    '__proto__',
    'constructor',
  ])('is not “%s”', (scope) => expect(() => parseScope(scope, supportedScopes)).toThrow(/invalid_scope/))

  it('shows a foreign value only in characters that a description may hold', () => {
    fc.assert(
      fc.property(anyText(1, 200), (value) => {
        fc.pre(!value.includes(' '))
        try {
          parseScope(value, [])
        } catch (error) {
          // RFC 6749 §5.2
          expect((error as ProtocolError).description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]{1,120}$/)
        }
      }),
    )
  })

  it('that was stored is read without what is no longer known', () => {
    expect(scopesOf('openid gone email')).toEqual(['openid', 'email'])
    expect(scopesOf('')).toEqual([])
  })
})
