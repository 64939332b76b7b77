import fc from 'fast-check'
import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import {
  newRecoveryCodes,
  recoveryCodeOf,
  shownRecoveryCode,
} from '../../dist/identity/factors/recovery-codes.js'
import { matchTotp, totpAddress, totpCodeOf } from '../../dist/identity/factors/totp.js'
import { newTotpSecret, readTotpSecret, type TotpSecret } from '../../dist/protocol/totp-secret.js'

const now = 1_900_000_000_000
const step = now / 30_000 - ((now / 30_000) % 1)

const codeAt = ({ secret, algorithm, digits, period }: TotpSecret, timestamp: number) =>
  new TOTP({ secret, algorithm, digits, period }).generate({ timestamp })

describe('TOTP', () => {
  const ascii = '12345678901234567890'
  const base32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const longer = {
    SHA1: base32,
    SHA256: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA',
    SHA512:
      'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA',
  } as const

  it.each([
    [59, 'SHA1', '94287082'],
    [59, 'SHA256', '46119246'],
    [59, 'SHA512', '90693936'],
    [1_111_111_109, 'SHA1', '07081804'],
    [20_000_000_000, 'SHA256', '77737706'],
    [20_000_000_000, 'SHA512', '47863826'],
  ] as const)('gives what RFC 6238, appendix B says: %i %s', (seconds, algorithm, code) => {
    expect(ascii).toHaveLength(20)
    const kept = { secret: longer[algorithm], algorithm, digits: 8, period: 30 }
    expect(matchTotp(code, kept, seconds * 1000)).toEqual({ step: Math.floor(seconds / 30) })
  })

  it('takes the step before and the one after, and tells a clock that is wrong', () => {
    const kept = newTotpSecret()
    for (let off = -12; off <= 12; off++) {
      const far = Math.abs(off)
      const expected = far <= 1 ? { step: step + off } : far <= 10 ? 'clock' : undefined
      expect(matchTotp(codeAt(kept, now + off * 30_000), kept, now)).toEqual(expected)
    }
  })

  it('has 160 bits, SHA-1, 6 digits and 30 seconds', () => {
    const { secret, ...others } = newTotpSecret()
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(others).toEqual({ algorithm: 'SHA1', digits: 6, period: 30 })
  })

  it('reads digits and spaces alone', () => {
    expect(totpCodeOf(' 123 456\n')).toBe('123456')
    for (const typed of ['12345', '123456789', '12345a', '１２３４５６', '-12345', '1e5000', '']) {
      expect(totpCodeOf(typed)).toBeUndefined()
    }
  })

  it('names the issuer without a colon', () => {
    const address = totpAddress(newTotpSecret(), { issuer: 'Acme: People', label: 'a:b@acme.example' })
    expect(decodeURIComponent(new URL(address).pathname)).toBe('/Acme  People:a b@acme.example')
    expect(new URL(address).searchParams.get('issuer')).toBe('Acme  People')
  })

  it('reads secrets of other systems', () => {
    const plain = { secret: base32, algorithm: 'SHA1', digits: 6, period: 30 }
    expect(readTotpSecret('gezd gnbv gy3t qojq-gezd gnbv gy3t qojq==')).toEqual(plain)
    expect(readTotpSecret(`otpauth://totp/x?secret=${base32}&algorithm=SHA-256&digits=8&period=60`)).toEqual({
      secret: base32,
      algorithm: 'SHA256',
      digits: 8,
      period: 60,
    })
    expect(readTotpSecret(totpAddress(plain as TotpSecret, { issuer: 'Acme', label: 'x' }))).toEqual(plain)
  })

  it.each([
    ['GEZDGNBVGY3TQOJ', 'has less than 80 bits'],
    ['', 'is neither base32 nor an otpauth: address'],
    ['0189'.repeat(8), 'is neither base32 nor an otpauth: address'],
    ['A'.repeat(200), 'has more than 160 characters'],
    [`otpauth://hotp/x?secret=${base32}`, 'is no otpauth://totp address'],
    ['otpauth://totp/x', 'is neither base32 nor an otpauth: address'],
    [
      `otpauth://totp/x?secret=${base32}&algorithm=MD5`,
      'has an algorithm other than SHA1, SHA256 and SHA512',
    ],
    [`otpauth://totp/x?secret=${base32}&digits=4`, 'has other than 6 to 8 digits'],
    [`otpauth://totp/x?secret=${base32}&digits=6.5`, 'has other than 6 to 8 digits'],
    [`otpauth://totp/x?secret=${base32}&period=3600`, 'has a period other than 15 to 60 seconds'],
  ])('refuses %s', (text, problem) => {
    expect(readTotpSecret(text)).toEqual({ problem })
  })
})

describe('a recovery code', () => {
  it('is one of ten, each read however it is typed', () => {
    const codes = newRecoveryCodes()
    expect(codes.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(new Set(codes.map(({ code }) => code)).size).toBe(10)
    for (const one of codes) {
      const shown = shownRecoveryCode(one)
      expect(shown).toMatch(/^(10|[1-9])(-[0-9A-HJKMNP-TV-Z]{4}){4}$/)
      const others = [shown, shown.toLowerCase(), shown.replaceAll('-', ' '), shown.replaceAll('-', '')]
      const alike = shown.replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('-', '–')
      for (const typed of [...others, alike, ` ${shown}\n`]) expect(recoveryCodeOf(typed)).toEqual(one)
    }
  })

  it('is nothing else', () => {
    for (const typed of [
      '',
      '123456',
      '0-K3QF-9XWM-2TRB-HDN4',
      '11-K3QF-9XWM-2TRB-HDN4',
      '7-K3QF-9XWM-2TRB-HDNU',
    ])
      expect(recoveryCodeOf(typed)).toBeUndefined()
    fc.assert(
      fc.property(fc.string(), (typed) => {
        const read = recoveryCodeOf(typed)
        if (read !== undefined) expect(recoveryCodeOf(shownRecoveryCode(read))).toEqual(read)
      }),
    )
  })
})
