/** Requests as Entra and Okta send them, and what becomes of people and groups. */
import { beforeAll, describe, expect, it } from 'vitest'
import { enterpriseUrn } from '../../src/scim/schemas.ts'
import { administeredOn } from '../administration/support.ts'
import { onEachDatabase, sampleOn } from '../harness/databases.ts'
import { accountOf, accountWith, acme, type Directory, directoryIn, person } from './support.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
type Sent = Record<string, unknown>

/** What is sent of somebody `name`, what the resource shows then, and what the account is. */
type OfPerson = [what: string, operations: (name: string) => Sent[], shown: Sent, account: Sent]
const replace = (path: string, value: unknown) => ({ op: 'Replace', path, value })

const changes: OfPerson[] = [
  [
    'Entra renames by three operations',
    () => [
      replace('displayName', 'Eva Roe'),
      replace('name.givenName', 'Eva'),
      replace('name.familyName', 'Roe'),
    ],
    { displayName: 'Eva Roe', name: { givenName: 'Eva', familyName: 'Roe' } },
    { name: 'Eva Roe', given_name: 'Eva', family_name: 'Roe' },
  ],
  [
    'Okta renames by one object',
    () => [{ op: 'replace', value: { name: { familyName: 'Roe' }, displayName: 'E. Roe' } }],
    { displayName: 'E. Roe', name: { familyName: 'Roe' } },
    { name: 'E. Roe', family_name: 'Roe' },
  ],
  [
    'a name without a displayName',
    () => [{ op: 'Remove', path: 'displayName' }, replace('name.formatted', 'Eva von Roe')],
    { name: { formatted: 'Eva von Roe' } },
    { name: 'Eva von Roe' },
  ],
  [
    'the schema before a name',
    () => [replace(`${core}:displayName`, 'Eva')],
    { displayName: 'Eva' },
    { name: 'Eva' },
  ],
  [
    'the schema before a part',
    () => [replace(`${core}:name.givenName`, 'Eva')],
    { name: { givenName: 'Eva' } },
    { given_name: 'Eva' },
  ],
  [
    'the schema before a filter',
    (name) => [replace(`${core}:emails[type eq "work"].value`, `${name}-2@new.example`)],
    {},
    { email: '-2@new.example' },
  ],
  [
    'the schema in capitals',
    () => [replace(`${core.toUpperCase()}:DISPLAYNAME`, 'Eva')],
    { displayName: 'Eva' },
    { name: 'Eva' },
  ],
  [
    'the schema in a key without a path',
    () => [{ op: 'Add', value: { [`${core}:displayName`]: 'Eva' } }],
    { displayName: 'Eva' },
    { name: 'Eva' },
  ],
  [
    'an extension by its path',
    () => [{ op: 'Add', path: `${enterpriseUrn}:department`, value: 'Engines' }],
    { [enterpriseUrn]: { department: 'Engines' } },
    {},
  ],
  [
    'an extension by one key',
    () => [{ op: 'Add', value: { [`${enterpriseUrn}:employeeNumber`]: '7' } }],
    { [enterpriseUrn]: { employeeNumber: '7' } },
    {},
  ],
  [
    'an extension as an object',
    () => [{ op: 'replace', value: { [enterpriseUrn]: { costCenter: 'C', organization: 'O' } } }],
    { [enterpriseUrn]: { costCenter: 'C', organization: 'O' } },
    {},
  ],
  [
    'a manager as text, and another',
    () => [
      { op: 'Add', path: `${enterpriseUrn}:manager`, value: 'm-1' },
      replace(`${enterpriseUrn}:manager`, 'm-2'),
    ],
    { [enterpriseUrn]: { manager: { value: 'm-2' } } },
    {},
  ],
  [
    'Entra changes the userName alone',
    () => [replace('userName', 'renamed-upn')],
    { userName: 'renamed-upn' },
    { preferred_username: 'renamed-upn' },
  ],
  [
    'an address within the domains moves',
    (name) => [replace('emails[type eq "work"].value', `moved-${name}@new.example`)],
    {},
    { email: 'moved-' },
  ],
  [
    'an address outside the domains does not',
    (name) => [replace('emails[type eq "work"].value', `${name}@elsewhere.example`)],
    {},
    { email: '@new.example' },
  ],
  [
    'another kind of address is none of the account',
    (name) => [{ op: 'Add', path: 'emails[type eq "home"].value', value: `${name}@home.example` }],
    {},
    { email: '@new.example' },
  ],
  ['a language', () => [{ op: 'Add', path: 'locale', value: 'de' }], { locale: 'de' }, { locale: 'de' }],
  ['Entra disables', () => [replace('active', 'False')], { active: false }, { active: false }],
  [
    'Okta disables',
    () => [{ op: 'replace', value: { active: false } }],
    { active: false },
    { active: false },
  ],
  [
    'Entra disables, and changes its mind',
    () => [replace('active', 'False'), replace('active', 'True')],
    { active: true },
    { active: true },
  ],
]

/** The ways away and back, of a person whom a group gives something. */
type Way = (scim: Directory, one: { id: string; sent: Sent }) => Promise<{ id: string }>
const away: [what: string, way: (scim: Directory, id: string, sent: Sent) => Promise<unknown>][] = [
  ['Entra disables', (scim, id) => scim.patch(`/Users/${id}`, replace('active', 'False'))],
  ['Okta disables', (scim, id) => scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })],
  ['a PUT says so', (scim, id, sent) => scim.put(`/Users/${id}`, { ...sent, active: false })],
]
const back: [what: string, way: Way][] = [
  ['Entra enables', async (scim, { id }) => await scim.patch(`/Users/${id}`, replace('active', 'True'))],
  [
    'Okta enables',
    async (scim, { id }) => await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } }),
  ],
  ['a PUT says so', async (scim, { id, sent }) => await scim.put(`/Users/${id}`, { ...sent, active: true })],
  ['a POST adds them', async (scim, { sent }) => await scim.post('/Users', sent)],
]
const ways = away.flatMap(([one, leave]) => back.map(([other, come]) => [one, other, leave, come] as const))

/** What is pushed of a group whose members are `a` and `b`, and who they are then. */
type Push = [what: string, operations: (ids: readonly [string, string, string]) => Sent[], members: string]
const pushes: Push[] = [
  ['Entra adds one', ([, , c]) => [{ op: 'Add', path: 'members', value: [{ value: c }] }], 'abc'],
  [
    'Entra adds with what is empty',
    ([, , c]) => [{ op: 'Add', path: 'members', value: [{ $ref: null, value: c }] }],
    'abc',
  ],
  [
    'Entra adds each by an operation',
    ([a, , c]) => [a, c].map((value) => ({ op: 'Add', path: 'members', value: [{ value }] })),
    'abc',
  ],
  ['Entra removes by values', ([a]) => [{ op: 'Remove', path: 'members', value: [{ value: a }] }], 'b'],
  ['Entra removes by a filter', ([a]) => [{ op: 'Remove', path: `members[value eq "${a}"]` }], 'b'],
  [
    'Entra removes two by values',
    ([a, b]) => [{ op: 'Remove', path: 'members', value: [{ value: a }, { value: b }] }],
    '',
  ],
  ['Entra renames', () => [replace('displayName', 'Renamed')], 'ab'],
  ['Entra sends the id without a path', () => [{ op: 'Replace', value: { displayName: 'Renamed' } }], 'ab'],
  [
    'Okta adds with names to show',
    ([, , c]) => [{ op: 'add', path: 'members', value: [{ value: c, display: 'c@new.example' }] }],
    'abc',
  ],
  ['Okta removes by a filter', ([, b]) => [{ op: 'remove', path: `members[value eq "${b}"]` }], 'a'],
  [
    'Okta renames by an object with its id',
    () => [{ op: 'replace', value: { id: 'x', displayName: 'Renamed' } }],
    'ab',
  ],
  ['Okta replaces all', ([, , c]) => [{ op: 'replace', path: 'members', value: [{ value: c }] }], 'c'],
  [
    'Okta takes and adds at once',
    ([a, , c]) => [
      { op: 'remove', path: `members[value eq "${a}"]` },
      { op: 'add', path: 'members', value: [{ value: c }] },
    ],
    'bc',
  ],
  ['all go', () => [{ op: 'remove', path: 'members' }], ''],
  ['all are replaced by none', () => [{ op: 'replace', path: 'members', value: [] }], ''],
  [
    'the schema before members',
    ([, , c]) => [
      {
        op: 'add',
        path: 'urn:ietf:params:scim:schemas:core:2.0:Group:members',
        value: [{ value: c }],
      },
    ],
    'abc',
  ],
]

onEachDatabase('requests of providers', (dialect) => {
  const tessera = administeredOn(dialect)
  let scim: Directory
  let group = ''
  let count = 0
  const added = async () => {
    const name = `p${(count += 1)}`
    const sent = person(name)
    return { name, sent, id: (await scim.post('/Users', sent)).id, email: `${name}@new.example` }
  }
  const join = async (value: string) =>
    await scim.patch(`/Groups/${group}`, { op: 'Add', path: 'members', value: [{ value }] })
  beforeAll(async () => {
    const mapping = [{ group: 'g', role: 'importer' }]
    scim = await directoryIn(tessera, { organisation_uuid: acme, domains: ['new.example'], mapping })
    group = (await scim.post('/Groups', { displayName: 'Importers', externalId: 'g' })).id
  })

  describe('about a person', () => {
    it.each(sampleOn(dialect, 3, changes))('%s', async (_what, operations, shown, account) => {
      const { id, name, email } = await added()
      const profiles = (await join(id)).status
      const { uuid } = (await accountOf(tessera, email)) ?? {}
      const { status, json } = await scim.patch(`/Users/${id}`, ...operations(name))
      expect([profiles, status], JSON.stringify(json)).toEqual([204, 200])
      expect(json).toMatchObject(shown)
      const after = await accountWith(tessera, uuid)
      const { email: address, ...others } = account
      expect(after).toMatchObject(others)
      if (address !== undefined) expect(after.email).toContain(address)
    })
  })

  describe('by which somebody leaves and comes back:', () => {
    it.each(dialect === 'sqlite' ? ways : ways.filter((_, index) => index % 5 === 0))(
      '%s, and %s',
      async (_away, _back, leave, come) => {
        const { id, sent, email } = await added()
        await join(id)
        const { uuid } = (await accountOf(tessera, email)) ?? {}
        await leave(scim, id, sent)
        expect(await accountOf(tessera, email)).toMatchObject({ uuid, active: false, profiles: [] })
        expect((await come(scim, { id, sent })).id).toBe(id)
        expect(await accountOf(tessera, email)).toMatchObject({
          ...{ uuid, active: true, profiles: [{ role_code: 'importer' }] },
        })
      },
    )

    it.each([
      ['with the same externalId and address', {}, true],
      ['with the address in capitals', { emails: [{ value: 'CAPITALS' }] }, true],
      ['with another externalId', { externalId: 'another' }, false],
      ['with another address', { emails: [{ value: 'another@new.example' }] }, false],
      ['without an externalId', { externalId: undefined }, false],
    ])('deleted, and added %s', async (_what, more: Sent, returns) => {
      const { id, sent, email } = await added()
      await join(id)
      const { uuid } = (await accountOf(tessera, email)) ?? {}
      await scim.delete(`/Users/${id}`)
      const text = JSON.stringify({ ...sent, ...more }).replace('CAPITALS', email.toUpperCase())
      const again = await scim.ask('POST', '/Users', text)
      expect([again.status, again.id === id]).toEqual([201, false])
      const after = await accountWith(tessera, uuid)
      expect(after).toMatchObject({ uuid, active: returns })
    })
  })

  describe('about a group', () => {
    it.each(sampleOn(dialect, 5, pushes))('%s', async (_what, operations, expected) => {
      const people = [await added(), await added(), await added()] as const
      const ids = [people[0].id, people[1].id, people[2].id] as const
      const members = ids.slice(0, 2).map((value) => ({ value }))
      const made = await scim.post('/Groups', { displayName: 'Pushed', members })
      expect((await scim.patch(`/Groups/${made.id}`, ...operations(ids))).status).toBe(204)
      const { json } = await scim.get(`/Groups/${made.id}`)
      const held = new Set(((json.members ?? []) as { value: string }[]).map(({ value }) => value))
      expect(ids.map((id, index) => (held.has(id) ? 'abc'[index] : '')).join('')).toBe(expected)
    })
  })
})
