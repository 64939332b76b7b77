import { describe, expect, it } from 'vitest'
import {
  acrOf,
  amrOf,
  authTimeOf,
  meets,
  type Proved,
  provedOf,
  withProof,
} from '../../dist/protocol/authentication.js'

const password: Proved = { method: 'password', at: 10 }
const totp: Proved = { method: 'totp', at: 20 }
const code: Proved = { method: 'recovery_code', at: 20 }
const key: Proved = { method: 'security_key', at: 30 }
const passkey: Proved = { method: 'passkey', verified: true, at: 40 }
const unverified: Proved = { method: 'passkey', verified: false, at: 40 }
const trusted: Proved = { method: 'trusted_device', at: 5 }

describe('what was proved', () => {
  it.each<[string, Proved[], string, string[], number]>([
    ['a password', [password], '1', ['pwd'], 10],
    ['a password on a trusted device', [password, trusted], '1', ['pwd'], 10],
    ['password and TOTP', [password, totp], '2', ['pwd', 'otp', 'mfa'], 10],
    ['password and recovery code', [password, code], '2', ['pwd', 'otp', 'mfa'], 10],
    ['password and security key', [password, key], 'phr', ['pwd', 'pop', 'mfa'], 10],
    ['password and a passkey without verification', [password, unverified], 'phr', ['pwd', 'pop', 'mfa'], 10],
    ['a passkey that verified its user', [passkey], 'phr', ['pop', 'mfa'], 40],
    [
      'a passkey after a password, on which it does not rest',
      [password, passkey],
      'phr',
      ['pwd', 'pop', 'mfa'],
      40,
    ],
    ['password, TOTP and key', [password, totp, key], 'phr', ['pwd', 'otp', 'pop', 'mfa'], 10],
    // None of these is a sign-in.
    ['a passkey without verification', [unverified], '1', ['pop'], 0],
    ['a code alone', [totp], '1', ['otp'], 0],
    ['a trusted device alone', [trusted], '1', [], 0],
  ])('%s', (_, proofs, acr, amr, at) => {
    expect([acrOf(proofs), amrOf(proofs), authTimeOf(proofs)]).toEqual([acr, amr, at])
  })

  it('is as old as the oldest proof of the level that is claimed', () => {
    const renewed = withProof([totp, { ...password, at: 90 }], passkey)
    expect([authTimeOf(renewed), authTimeOf(renewed, '2'), authTimeOf(renewed, '1')]).toEqual([40, 40, 90])
    expect(authTimeOf(withProof([password, totp], { ...totp, at: 99 }))).toBe(10)
  })

  it('replaces what was proved before by the same method', () => {
    expect(withProof([password, totp], { ...totp, at: 99 })).toEqual([password, { ...totp, at: 99 }])
  })

  it('meets its own level and lower ones; what is unknown meets nothing', () => {
    const met = (['1', '2', 'phr'] as const).flatMap((reached) =>
      (['1', '2', 'phr'] as const).filter((wanted) => meets(reached, wanted)).map((one) => reached + one),
    )
    expect(met).toEqual(['11', '21', '22', 'phr1', 'phr2', 'phrphr'])
    expect([meets('3', '1'), meets('', '1')]).toEqual([false, false])
  })

  it.each([
    ['1', ['pwd']],
    ['2', ['pwd', 'otp', 'mfa']],
    ['phr', ['pwd', 'pop', 'mfa']],
    ['phr', ['pop', 'mfa']],
  ])('of a row without proofs is what it says: %s %j', (acr, amr) => {
    const proofs = provedOf({ proofs: '[]', acr, amr: JSON.stringify(amr), auth_time: 7 })
    expect([acrOf(proofs), amrOf(proofs), authTimeOf(proofs)]).toEqual([acr, amr, 7])
  })
})
