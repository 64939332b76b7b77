import { describe, expect, it } from 'vitest'
import { authenticationOf, type Proved } from '../../dist/protocol/authentication.js'
import {
  graceEnd,
  policyLacks,
  refusedBy,
  secondFactorValues,
  strictest,
} from '../../dist/protocol/policy.js'

describe('the strictest of policies', () => {
  it('is a password of eight characters where nothing is set', () => {
    expect(strictest([{}])).toEqual({
      secondFactor: 'optional',
      level: '1',
      graceDays: 0,
      trustedDeviceDays: 0,
      passwordLength: 8,
      signIn: 'any',
    })
  })

  it('is the highest level, the fewest days and the longest password', () => {
    const all = [
      { second_factor: 'required', grace_days: 7, trusted_device_days: 30, password_length: 12 },
      { second_factor: 'passkey', grace_days: 3, trusted_device_days: 60 },
      { second_factor: 'off', password_length: 15 },
    ] as const
    const demand = {
      secondFactor: 'passkey',
      level: 'phr',
      graceDays: 3,
      trustedDeviceDays: 30,
      passwordLength: 15,
      signIn: 'any',
    }
    expect(strictest(all)).toEqual(demand)
    expect(strictest(all.toReversed())).toEqual(demand)
  })

  it('adds no days to a demand that names none', () => {
    const demanded = strictest([{ second_factor: 'required' }, { grace_days: 30, trusted_device_days: 90 }])
    expect(demanded).toMatchObject({ level: '2', graceDays: 0, trustedDeviceDays: 0 })
  })

  it('hides the offer where somebody says off and nobody more', () => {
    expect(strictest([{}, { second_factor: 'off' }]).secondFactor).toBe('off')
    expect(strictest([{ second_factor: 'optional' }, { second_factor: 'off' }]).secondFactor).toBe('optional')
  })
})

const day = 24 * 3_600_000
const now = 100 * day
const at = (...proofs: Omit<Proved, 'at'>[]) =>
  authenticationOf(proofs.map((one) => ({ ...one, at: now - day })))
const password = { method: 'password' } as const
const user = { second_factor: 1, enrolment_required: 0, grace_began_at: null } as const

describe('what a second_factor lacks of what was proved', () => {
  const device = { ...password, method: 'trusted_device' } as const
  it.each([
    // off, optional, required, passkey; a trusted device counts for two days here.
    ['a password', at(password), [undefined, undefined, '2', 'phr']],
    ['a password on a trusted device', at(password, device), [undefined, undefined, undefined, 'phr']],
    ['a trusted device alone', at(device), [undefined, undefined, undefined, 'phr']],
    ['a password and a code', at(password, { method: 'totp' }), [undefined, undefined, undefined, 'phr']],
    [
      'a password and a recovery code',
      at(password, { method: 'recovery_code' }),
      [undefined, undefined, undefined, 'phr'],
    ],
    ['a code alone', at({ method: 'totp' }), [undefined, undefined, '2', 'phr']],
    [
      'a password and a security key',
      at(password, { method: 'security_key' }),
      [undefined, undefined, undefined, undefined],
    ],
    ['a security key alone', at({ method: 'security_key' }), [undefined, undefined, '2', 'phr']],
    [
      'a passkey that verified its user',
      at({ method: 'passkey', verified: true }),
      [undefined, undefined, undefined, undefined],
    ],
    [
      'a passkey that did not',
      at({ method: 'passkey', verified: false }),
      [undefined, undefined, '2', 'phr'],
    ],
    [
      'a password and such a passkey',
      at(password, { method: 'passkey', verified: false }),
      [undefined, undefined, undefined, undefined],
    ],
    [
      'more than the tokens say',
      authenticationOf(
        [
          { ...password, at: now },
          { method: 'security_key', at: now },
        ],
        '1',
      ),
      [undefined, undefined, undefined, undefined],
    ],
    [
      'what an earlier version wrote of a password',
      { auth_time: now, acr: 'pwd', amr: '["pwd"]', proofs: '[]' },
      [undefined, undefined, '2', 'phr'],
    ],
  ] as const)('%s', (_words, proven, expected) => {
    const lacks = secondFactorValues.map((second_factor) =>
      policyLacks(strictest([{ second_factor, trusted_device_days: 2 }]), { user, proven }, now),
    )
    expect(lacks).toEqual(expected)
    // Demanded by an administrator: whatever policy says, a second factor.
    const asked = { user: { ...user, enrolment_required: 1 as const }, proven }
    const demanded = policyLacks(strictest([{ second_factor: 'off', trusted_device_days: 2 }]), asked, now)
    expect(demanded).toBe(expected[2])
  })

  it('is not made up by a trusted device whose days are over, or that policy knows no more', () => {
    const asked = { user, proven: at(password, device) }
    for (const trusted_device_days of [0, 1, undefined])
      expect(policyLacks(strictest([{ second_factor: 'required', trusted_device_days }]), asked, now)).toBe(
        '2',
      )
  })
})

describe('grace', () => {
  const demand = strictest([{ second_factor: 'required', grace_days: 3 }])
  const began = (days: number) => ({ ...user, second_factor: 0 as const, grace_began_at: now - days * day })

  it('runs from the first demand to its end, and is none for who has a factor or has to have one', () => {
    expect(graceEnd(demand, began(1), now)).toBe(now + 2 * day)
    expect(graceEnd(demand, began(3), now)).toBeUndefined()
    expect(graceEnd(demand, { ...began(1), second_factor: 1 }, now)).toBeUndefined()
    expect(graceEnd(demand, { ...began(1), enrolment_required: 1 }, now)).toBeUndefined()
    expect(graceEnd(strictest([{ second_factor: 'required' }]), began(1), now)).toBeUndefined()
  })

  it('lets refresh tokens count while it runs, and not before it began', () => {
    const proven = at(password)
    expect(refusedBy(demand, { user: began(1), proven }, now)).toBeUndefined()
    expect(refusedBy(demand, { user: began(3), proven }, now)).toBe('2')
    expect(refusedBy(demand, { user: { ...began(1), grace_began_at: null }, proven }, now)).toBe('2')
  })
})
