/** PATCH in the shapes of Entra and Okta, as their documents and the threads of their users show them. */
import { describe, expect, it } from 'vitest'
import { patched } from '../../src/scim/patch.ts'
import { enterpriseUrn, groups, users } from '../../src/scim/schemas.ts'
import { readValues } from '../../src/scim/values.ts'

const enterprise = { department: 'Engines', manager: { value: 'm-1' } }
const ada = {
  userName: 'ada@acme.example',
  externalId: 'x-1',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  displayName: 'Ada Lovelace',
  active: true,
  emails: [
    { value: 'ada@acme.example', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
  [enterpriseUrn]: enterprise,
}
const [work, home] = ada.emails
const before = readValues(users.attributes, ada)

type Sent = Record<string, unknown>
const body = (Operations: unknown) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})
const userAfter = async (...operations: Sent[]) => {
  const { values } = await patched(users, before, body(operations))
  return JSON.parse(JSON.stringify(values)) as Sent
}
const membersAfter = async (...operations: Sent[]) => {
  const group = readValues(groups.attributes, { displayName: 'Engineers' })
  const { members } = await patched(groups, group, body(operations))
  return { keeps: members.keeps, added: [...members.added], removed: [...members.removed] }
}
const refusal = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => 'taken',
    (error: { scimType?: string }) => error.scimType ?? String(error),
  )

/** Operations, and what they change. Undefined: it goes. */
const corpus: [name: string, operations: Sent[], changes: Sent][] = [
  // Entra
  ['Entra disables', [{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
  ['Entra enables', [{ op: 'Replace', path: 'active', value: 'True' }], {}],
  ['disables without a path', [{ op: 'replace', value: { active: false } }], { active: false }],
  [
    'Entra changes an address by its type',
    [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'a@acme.example' }],
    { emails: [{ ...work, value: 'a@acme.example' }, home] },
  ],
  [
    'Entra adds a number that is not there',
    [{ op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1' }],
    { phoneNumbers: [{ type: 'mobile', value: '+1' }] },
  ],
  [
    'replaces a number that is not there',
    [{ op: 'Replace', path: 'phoneNumbers[type eq "work" and primary eq "True"].value', value: '+1' }],
    { phoneNumbers: [{ type: 'work', primary: true, value: '+1' }] },
  ],
  [
    'Entra fills an address of a place',
    [
      { op: 'Add', path: 'addresses[type eq "work"].formatted', value: 'Here' },
      { op: 'Add', path: 'addresses[type eq "work"].country', value: 'GB' },
    ],
    { addresses: [{ type: 'work', formatted: 'Here', country: 'GB' }] },
  ],
  [
    'Entra sends dotted names without a path',
    [
      {
        op: 'Add',
        value: { displayName: 'A. L.', 'name.givenName': 'A.', [`${enterpriseUrn}:division`]: 'D' },
      },
    ],
    {
      displayName: 'A. L.',
      name: { givenName: 'A.', familyName: 'Lovelace' },
      [enterpriseUrn]: { ...enterprise, division: 'D' },
    },
  ],
  [
    'a name within a path',
    [{ op: 'Replace', path: 'name.familyName', value: 'King' }],
    { name: { givenName: 'Ada', familyName: 'King' } },
  ],
  [
    'the schema before a path',
    [{ op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:name.familyName', value: 'King' }],
    { name: { givenName: 'Ada', familyName: 'King' } },
  ],
  [
    'Entra names a manager as text',
    [{ op: 'Add', path: `${enterpriseUrn}:manager`, value: 'm-2' }],
    { [enterpriseUrn]: { department: 'Engines', manager: { value: 'm-2' } } },
  ],
  [
    'a manager as an object',
    [{ op: 'Replace', path: `${enterpriseUrn}:manager`, value: { value: 'm-2', displayName: 'M' } }],
    { [enterpriseUrn]: { department: 'Engines', manager: { value: 'm-2' } } },
  ],
  [
    'a part of a manager',
    [{ op: 'Replace', path: `${enterpriseUrn}:manager.value`, value: 'm-3' }],
    { [enterpriseUrn]: { department: 'Engines', manager: { value: 'm-3' } } },
  ],
  [
    'a manager goes',
    [{ op: 'Remove', path: `${enterpriseUrn}:manager` }],
    { [enterpriseUrn]: { department: 'Engines' } },
  ],
  [
    'an extension goes with the last of it',
    [
      { op: 'Remove', path: `${enterpriseUrn}:manager` },
      { op: 'Remove', path: `${enterpriseUrn}:department` },
    ],
    { [enterpriseUrn]: undefined },
  ],
  [
    'an extension by its own name',
    [{ op: 'add', path: enterpriseUrn, value: { costCenter: '1' } }],
    { [enterpriseUrn]: { ...enterprise, costCenter: '1' } },
  ],
  // Okta
  [
    'Okta replaces what is within its value',
    [{ op: 'replace', value: { id: 'other', active: false, name: { givenName: 'A' } } }],
    { active: false, name: { givenName: 'A', familyName: 'Lovelace' } },
  ],
  ['a name in another case', [{ op: 'REPLACE', path: 'DISPLAYNAME', value: 'A' }], { displayName: 'A' }],
  [
    'a whole list',
    [{ op: 'replace', path: 'emails', value: [{ value: 'b@acme.example' }] }],
    { emails: [{ value: 'b@acme.example' }] },
  ],
  [
    'one more, which is the primary one',
    [{ op: 'add', path: 'emails', value: { value: 'c@acme.example', primary: true } }],
    {
      emails: [{ ...work, primary: false }, home, { value: 'c@acme.example', primary: true }],
    },
  ],
  [
    'another is the primary one',
    [{ op: 'replace', path: 'emails[type eq "home"].primary', value: true }],
    {
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  ],
  ['what is there is added once', [{ op: 'add', path: 'emails', value: [home] }], {}],
  ['one of a list goes', [{ op: 'remove', path: 'emails[type eq "HOME"]' }], { emails: [work] }],
  [
    'one goes by its value',
    [{ op: 'remove', path: 'emails', value: [{ value: 'ada@home.example' }] }],
    { emails: [work] },
  ],
  ['a list goes', [{ op: 'remove', path: 'emails' }], { emails: undefined }],
  [
    'a part goes',
    [{ op: 'remove', path: 'emails[type eq "work"].primary' }],
    { emails: [{ value: work?.value, type: 'work' }, home] },
  ],
  ['null takes away', [{ op: 'replace', path: 'displayName', value: null }], { displayName: undefined }],
  ['unknown names are left out', [{ op: 'replace', value: { password: 'p', shoeSize: 3 } }], {}],
]

describe('a PATCH of a person', () => {
  it.each(corpus)('%s', async (_name, operations, changes) => {
    const expected = Object.entries({ ...ada, ...changes }).filter(([, value]) => value !== undefined)
    expect(await userAfter(...operations)).toEqual(Object.fromEntries(expected))
  })

  it.each([
    ['an unknown path', { op: 'add', path: 'shoeSize', value: '1' }, 'invalidPath'],
    ['an unknown part', { op: 'add', path: 'name.shoe', value: '1' }, 'invalidPath'],
    ['a filter on what is no list', { op: 'add', path: 'name[givenName eq "A"].familyName' }, 'invalidPath'],
    ['a filter that is none', { op: 'add', path: 'emails[type eq ].value', value: 'x' }, 'invalidFilter'],
    [
      'a filter of another kind',
      { op: 'add', path: 'emails[type co "w"].value', value: 'x' },
      'invalidFilter',
    ],
    [
      'a choice that says no single value',
      { op: 'add', path: 'emails[type eq "a" or type eq "b"].value', value: 'x' },
      'noTarget',
    ],
    ['what nobody sets', { op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    ['a removal of nothing', { op: 'remove' }, 'noTarget'],
    ['another operation', { op: 'move', path: 'active' }, 'invalidSyntax'],
    ['a text that is no flag', { op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
    ['a number', { op: 'replace', path: 'title', value: 7 }, 'invalidValue'],
  ])('is refused: %s', async (_name, operation, type) => {
    expect(await refusal(userAfter({ op: 'replace', path: 'title', value: 'T' }, operation))).toBe(type)
    expect(before).not.toHaveProperty('title')
  })

  it('pollutes no prototype', async () => {
    for (const path of [
      '__proto__.x',
      'constructor.prototype.x',
      'name.__proto__.x',
      'name.constructor',
      'emails[type eq "work"].__proto__',
      '__proto__[type eq "work"].value',
      `${enterpriseUrn}:__proto__`,
      'toString',
    ])
      expect(await refusal(userAfter({ op: 'add', path, value: { x: 'polluted' } })), path).toBe(
        'invalidPath',
      )
    const value = JSON.parse(
      `{"__proto__":{"x":"polluted"},"constructor":{"prototype":{"x":"polluted"}},"__proto__.x":"polluted",
        "name":{"__proto__":{"x":"polluted"}},"emails":[{"value":"e","__proto__":{"x":"polluted"}}]}`,
    ) as object
    for (const op of ['add', 'replace'])
      expect(JSON.stringify(await userAfter({ op, value }))).not.toMatch('polluted')
    expect(({} as Sent).x).toBeUndefined()
    expect((Object.prototype as Sent).x).toBeUndefined()
  })

  it('bears what is deeply nested', async () => {
    const deep = JSON.parse(`${'{"name":'.repeat(5000)}1${'}'.repeat(5000)}`) as Sent
    expect(await userAfter({ op: 'add', value: { name: deep } })).toEqual(ada)
    const path = `emails${'['.repeat(500)}type eq "x"${']'.repeat(500)}`
    expect(await refusal(userAfter({ op: 'add', path, value: 'x' }))).toBe('invalidPath')
    const nested = `emails[${'('.repeat(30)}type eq "x"${')'.repeat(30)}].value`
    expect(await refusal(userAfter({ op: 'add', path: nested, value: 'x' }))).toBe('invalidFilter')
  })
})

describe('a PATCH of a group', () => {
  const id = (value: string) => ({ value })

  it.each<[string, Sent[], object]>([
    [
      'Entra adds people',
      [{ op: 'Add', path: 'members', value: [{ $ref: null, value: 'a' }, id('b')] }],
      { keeps: true, added: ['a', 'b'], removed: [] },
    ],
    [
      'Entra removes people by values',
      [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'a' }] }],
      { keeps: true, added: [], removed: ['a'] },
    ],
    [
      'Okta removes one by a filter',
      [{ op: 'remove', path: 'members[value eq "a"]' }],
      { keeps: true, added: [], removed: ['a'] },
    ],
    ['all go', [{ op: 'remove', path: 'members' }], { keeps: false, added: [], removed: [] }],
    [
      'Okta replaces them',
      [{ op: 'replace', path: 'members', value: [id('a')] }],
      { keeps: false, added: ['a'], removed: [] },
    ],
    [
      'Okta replaces them without a path',
      [{ op: 'replace', value: { displayName: 'E', members: [id('a'), id('a')] } }],
      { keeps: false, added: ['a'], removed: [] },
    ],
    [
      'a person as text',
      [{ op: 'add', path: 'members', value: 'a' }],
      { keeps: true, added: ['a'], removed: [] },
    ],
    [
      'the last operation counts',
      [
        { op: 'add', path: 'members', value: [id('a'), id('b')] },
        { op: 'remove', path: 'members', value: [id('a')] },
        { op: 'add', path: 'members', value: [id('c')] },
        { op: 'remove', path: 'members[value eq "c" or value eq "d"]' },
        { op: 'add', path: 'members', value: [id('d')] },
      ],
      { keeps: true, added: ['b', 'd'], removed: ['a', 'c'] },
    ],
  ])('%s', async (_name, operations, expected) => {
    expect(await membersAfter(...operations)).toEqual(expected)
  })

  it('renames it alone', async () => {
    const group = readValues(groups.attributes, { displayName: 'Engineers' })
    const { values, members } = await patched(
      groups,
      group,
      body([{ op: 'Replace', path: 'displayName', value: 'E' }]),
    )
    expect([values.displayName, members.keeps, members.added.size]).toEqual(['E', true, 0])
  })
})
