/** What is wrong with a value is said in words of ours, and the same of each field that has the rule. */
import { describe, expect, it } from 'vitest'
import { checkedBy } from '../../dist/catalogue/check.js'
import { client } from '../../dist/catalogue/client.js'
import { invitation } from '../../dist/catalogue/invitation.js'
import { brandingBody, installationPolicyBody } from '../../dist/catalogue/json.js'
import { organisation } from '../../dist/catalogue/organisation.js'
import { permission } from '../../dist/catalogue/permission.js'
import { profile } from '../../dist/catalogue/profile.js'
import { role } from '../../dist/catalogue/role.js'
import { newBody } from '../../dist/catalogue/schemas.js'
import { service } from '../../dist/catalogue/service.js'
import { unit } from '../../dist/catalogue/unit.js'
import { user } from '../../dist/catalogue/user.js'
import { webhook } from '../../dist/catalogue/webhook.js'

const bodies = {
  user: newBody(user),
  client: newBody(client),
  invitation: newBody(invitation),
  organisation: newBody(organisation),
  permission: newBody(permission),
  profile: newBody(profile),
  role: newBody(role),
  service: newBody(service),
  unit: newBody(unit),
  webhook: newBody(webhook),
  branding: brandingBody,
  policy: installationPolicyBody,
}

const rule = { name: 'team', value: 'x'.repeat(501), in: [] }
const wrong: unknown[] = [
  ...[
    undefined,
    null,
    '',
    ' ',
    'x'.repeat(5000),
    'a\nb',
    '\u202E',
    7,
    -1,
    0,
    1.5,
    1e12,
    true,
    {},
    [],
    [7],
    [''],
  ],
  ...[Array.from({ length: 600 }, (_, index) => `x${index}`), ['x', 'x'], [{}], { keys: [] }, { x: 1 }],
  ...[[rule], [{ ...rule, value: {}, in: ['id_token', 'id_token', 'id_token'] }]],
  ...[
    { from: 'map', map: { '!': ['x'] } },
    { from: 'map', map: { reader: Array(30).fill('x') } },
  ],
  ...[
    { second_factor: 'maybe', grace_days: -1, password_length: 1.5 },
    { grace_days: 1e6, password_length: 1 },
  ],
]

describe.each(Object.entries(bodies))('of a %s', (_, body) => {
  it('each field is refused in words of ours', () => {
    const found: string[] = []
    for (const field of Object.keys(body.shape)) {
      for (const value of wrong) {
        for (const { field: at, detail } of checkedBy(body, { [field]: value }).problems ?? [])
          if (at.startsWith(field)) found.push(detail)
      }
    }
    expect(found.length).toBeGreaterThan(Object.keys(body.shape).length)
    expect(found.filter((one) => !/^(It|Two of them|Something|A|An) [^\n]*\.$/.test(one))).toEqual([])
    expect(found.filter((one) => /too (big|small)|invalid|expected|received|>=|<=/i.test(one))).toEqual([])
  })
})

it('one rule has one sentence', () => {
  const long = 'x'.repeat(5000)
  const detailOf = (body: (typeof bodies)[keyof typeof bodies], field: string, value: unknown) =>
    checkedBy(body, { [field]: value }).problems?.find((one) => one.field === field)?.detail
  const names = [
    [bodies.user, 'name'],
    [bodies.user, 'given_name'],
    [bodies.organisation, 'name'],
    [bodies.role, 'name'],
    [bodies.client, 'client_name'],
  ] as const
  for (const [body, field] of names)
    expect(detailOf(body, field, long)).toBe('It is longer than 200 characters.')
  expect(detailOf(bodies.user, 'picture', `https://x.example/${long}`)).toBe(
    'It is longer than 2000 characters.',
  )
  const code = /^It is no code: .* at most 60/
  for (const value of [long, 'A', ''])
    for (const body of [bodies.organisation, bodies.unit, bodies.role, bodies.service])
      expect(detailOf(body, 'code', value)).toMatch(code)
})
