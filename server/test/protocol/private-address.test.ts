import { describe, expect, it } from 'vitest'
import { kindPatternProblem, wantsKind } from '../../dist/protocol/event-kinds.js'
import { isPrivateAddress } from '../../dist/protocol/private-address.js'
import { webhookUrlProblem } from '../../dist/protocol/webhook-url.js'

describe('an address is private', () => {
  it.each([
    '0.0.0.0',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.8',
    '192.168.255.255',
    '198.18.0.1',
    '198.19.255.255',
    '203.0.113.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '100::1',
    'fc00::1',
    'fdff:ffff::1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    '3fff::1',
    '[::1]',
    'nothing',
    '1.2.3',
    '256.1.1.1',
    '',
  ])('%s', (address) => expect(isPrivateAddress(address)).toBe(true))

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '2a00:1450:4001:80b::200e',
    '[2606:4700::1111]',
  ])('%s is not', (address) => expect(isPrivateAddress(address)).toBe(false))
})

describe('the address of a webhook', () => {
  it.each(['https://hooks.example.com/x?y=1', 'https://hooks.example.com:8443/', 'https://1.1.1.1/'])(
    'is right: %s',
    (url) => expect(webhookUrlProblem(url, false)).toBeUndefined(),
  )
  it.each(['http://127.0.0.1:4003/', 'http://localhost/', 'https://10.0.0.1/', 'http://receiver/'])(
    'is right where private ones are allowed: %s',
    (url) => {
      expect(webhookUrlProblem(url, true)).toBeUndefined()
      expect(webhookUrlProblem(url, false)).toBeDefined()
    },
  )
  it.each(['http://1.1.1.1/', 'ftp://10.0.0.1/', 'https://u@10.0.0.1/', 'javascript:0', 'x'])(
    'is wrong even then: %s',
    (url) => expect(webhookUrlProblem(url, true)).toBeDefined(),
  )
})

describe('a pattern of kinds', () => {
  it.each([
    ['*', 'sign_out', true],
    ['user.*', 'user.created', true],
    ['user.*', 'user_agent.created', false],
    ['sign_in.*', 'sign_in.failed', true],
    ['sign_in.*', 'sign_out', false],
    ['user.created', 'user.created', true],
    ['user.created', 'user.changed', false],
  ])('%s and %s: %s', (pattern, kind, wanted) => {
    expect(kindPatternProblem(pattern)).toBeUndefined()
    expect(wantsKind(['unit.removed', pattern], kind)).toBe(wanted)
  })
})
