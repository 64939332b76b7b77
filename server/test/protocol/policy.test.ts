import { describe, expect, it } from 'vitest'
import { strictest } from '../../dist/protocol/policy.js'

describe('the strictest of policies', () => {
  it('is a password of eight characters where nothing is set', () => {
    expect(strictest([{}])).toEqual({
      secondFactor: 'optional',
      level: '1',
      graceDays: 0,
      trustedDeviceDays: 0,
      passwordLength: 8,
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
