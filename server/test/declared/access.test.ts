import { describe, expect, it } from 'vitest'
import { allLinked } from '../harness/stores.ts'
import { describeAccess } from '../../dist/declared/describe-access.js'
import { describePlan } from '../../dist/declared/describe.js'
import { planDeclared } from '../../dist/declared/plan.js'
import { iamPermissions } from '../../dist/protocol/permission.js'
import type { Store } from '../../dist/database/store.js'
import { everythingOf as everything } from '../harness/states.ts'
import { acme, apply, edited, forEachDatabase, parse, passwords } from './support.ts'
import { oneDatabase } from '../harness/databases.ts'

const importerUuid = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001'
const bothUuid = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0002'
const importer = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101'
const reader = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0201'
const bookkeeper = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0202'

const head = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0901'

/** As people write it. */
const placeOf = ({ organisation, unit }: { organisation: string | null; unit?: string | null }) =>
  organisation === null ? 'everywhere' : `${organisation}${typeof unit === 'string' ? `/${unit}` : ''}`

const plan = (store: Store, text: string, now = 2_000) =>
  planDeclared(store, parse(text), { now, verifyPassword: passwords.verifyPassword })

/** A browser session of each user, and a token family of each profile at each client that acts for people. */
async function signEverybodyIn(store: Store): Promise<void> {
  const proof = { auth_time: 1, acr: 'pwd', proofs: '[]', amr: '["pwd"]' }
  const times = { created_at: 1, expires_at: 9_000_000 }
  for (const user_uuid of [importerUuid, bothUuid]) {
    const row = {
      ...proof,
      ...times,
      user_uuid,
      sid: `sid ${user_uuid}`,
      cookie_hash: user_uuid,
      last_seen_at: 1,
    }
    await store.db
      .insertInto('sessions')
      .values({ ...row, ended_at: null })
      .execute()
  }
  const held = [
    [importerUuid, importer],
    [bothUuid, reader],
    [bothUuid, bookkeeper],
  ] as const
  for (const client_id of ['submissions-web', 'partner-portal']) {
    for (const [user_uuid, profile_uuid] of held) {
      const id = `${client_id} ${profile_uuid.slice(-4)}`
      const hashes = { family_hash: id, current_hash: id, predecessors: '[]' }
      const ends = { last_used_at: 1, idle_expires_at: 9_000_000, revoked_at: null, revoked_reason: null }
      const row = { ...proof, ...times, ...hashes, ...ends, id, client_id, user_uuid, profile_uuid }
      await store.db
        .insertInto('token_families')
        .values({ ...row, sid: `sid ${user_uuid}`, scope: 'openid', resource: null })
        .execute()
    }
  }
}

async function ended(store: Store): Promise<{ sessions: string[]; families: Record<string, string | null> }> {
  const sessions = await store.db.selectFrom('sessions').selectAll().where('ended_at', '=', 2_000).execute()
  const families = await store.db
    .selectFrom('token_families')
    .selectAll()
    .where('revoked_at', '=', 2_000)
    .orderBy('id')
    .execute()
  return {
    sessions: sessions.map((row) => row.user_uuid),
    families: Object.fromEntries(families.map((row) => [row.id, row.revoked_reason])),
  }
}

forEachDatabase((openEmptyStore, dialect) => {
  const once = oneDatabase(dialect)
  const openAcme = async () => {
    const store = await openEmptyStore()
    await apply(store, acme)
    return store
  }

  describe('a plan', () => {
    it('changes nothing, and tells what the application then does', async () => {
      const store = await openEmptyStore()
      const before = await everything(store)
      const planned = await plan(store, acme, 1_000)
      expect(await everything(store)).toEqual(before)
      expect(await apply(store, acme)).toEqual(planned)
    })

    once.it('is empty for an unchanged file', async () => {
      const store = await openAcme()
      const planned = await plan(store, acme)
      expect(planned).toEqual({ changes: [], access: { users: [], clients: [] } })
      expect(describePlan(planned)).toBe('Nothing to change: everything already is as the file says.')
    })

    once.it('is plain JSON without passwords or secrets', async () => {
      const store = await openAcme()
      const text = edited(
        acme,
        ['battery one', 'battery five'],
        ['nightly-import-development-secret', 'another secret'],
      )
      const planned = await plan(store, text)
      expect(JSON.parse(JSON.stringify(planned))).toEqual(planned)
      expect(planned.changes).toEqual([
        {
          kind: 'user',
          action: 'change',
          id: 'importer@acme.example',
          fields: [{ field: 'password', hidden: true }],
        },
        {
          kind: 'client',
          action: 'change',
          id: 'nightly-import',
          fields: [{ field: 'client_secret', hidden: true }],
        },
      ])
      expect(JSON.stringify(planned) + describePlan(planned)).not.toMatch(/battery|another|hash of/)
    })

    once.it('tells fields with what they were and what they become', async () => {
      const store = await openAcme()
      const planned = await plan(store, edited(acme, ['name: Globex', 'name: Globex Ltd\n    active: false']))
      expect(planned.changes).toEqual([
        {
          kind: 'organisation',
          action: 'change',
          id: 'globex',
          fields: [
            { field: 'name', before: 'Globex', after: 'Globex Ltd' },
            { field: 'active', before: true, after: false },
          ],
        },
      ])
    })

    once.it('reads well', async () => {
      const store = await openAcme()
      const text = edited(
        acme,
        [
          '[submissions-tool.vista-import.create, submissions-tool.vista-import.read]',
          '[submissions-tool.vista-import.read, ledger.entry.read]',
        ],
        ['    permissions: [ledger.entry.read]\n', '    permissions: []\n'],
        ['    active: false', '    active: true'],
      )
      expect(describePlan(await plan(store, text))).toBe(reads)
    })

    once.it('counts a client once that loses at one place and gains at another', async () => {
      const store = await openAcme()
      const edit = (text: string) => text.replace('create]\n    organisation: acme', 'create]')
      const said = describePlan(await plan(store, edit(acme)))
      expect(said).toContain('The access of 0 users and 1 client changes\n')
      expect(said).toContain('  1 client gains submissions-tool.vista-import.create everywhere\n')
    })
  })

  once.it('the effect on access is told in numbers first', async () => {
    const person = (email: string, organisation: string | null, gains: string[], loses: string[] = []) => ({
      email,
      organisation,
      unit: null,
      gains,
      loses,
    })
    const access = {
      users: [
        person('a@x.example', 'acme', ['t.a.read', 't.b.read']),
        person('a@x.example', 'globex', ['t.a.read', 't.b.read'], ['t.c.read']),
        person('b@x.example', 'acme', ['t.a.read', 't.b.read']),
        person('c@x.example', null, [...iamPermissions]),
        person('d@x.example', 'acme', ['iam.users.read']),
      ],
      clients: [
        { client_id: 'one', organisation: null, gains: [], loses: ['t.a.read'] },
        { client_id: 'two', organisation: null, gains: [], loses: ['t.a.read'] },
      ],
    }
    expect(describeAccess(access).split('\n\n')[0]).toBe(`The access of 4 users and 2 clients changes
  2 users gain t.a.read, t.b.read in 2 organisations
  1 user loses t.c.read in globex
  1 user gains iam.* everywhere
  1 user gains iam.users.read in acme
  2 clients lose t.a.read everywhere`)
  })

  describe('the effect on access', () => {
    it('reaches people whom the file does not name, by their role', async () => {
      const store = await openAcme()
      const roles = edited(acme.slice(0, acme.indexOf('organisations:')), [', ledger.entry.read]', ']'])
      const { access } = await plan(store, roles)
      expect(access).toEqual({
        users: [
          {
            email: 'both@acme.example',
            organisation: 'acme',
            unit: 'finance',
            gains: [],
            loses: ['ledger.entry.read'],
          },
        ],
        clients: [],
      })
    })

    once.it.each<[what: string, edits: [string, string][], users: string[], clients: string[]]>([
      [
        'a disabled user',
        [['    name: Acme Both', '    active: false\n    name: Acme Both']],
        ['both@acme.example acme/finance -2', 'both@acme.example globex -2'],
        [],
      ],
      [
        'a disabled role',
        [['name: Bookkeeper', 'name: Bookkeeper\n    active: false']],
        ['both@acme.example globex -2'],
        [],
      ],
      [
        'a disabled organisation',
        [['name: Acme Institute', 'name: Acme Institute\n    active: false']],
        ['importer@acme.example acme/intake -2', 'both@acme.example acme/finance -2'],
        ['nightly-import -1'],
      ],
      [
        'a disabled unit',
        [['name: Finance', 'name: Finance\n        active: false']],
        ['both@acme.example acme/finance -2'],
        [],
      ],
      [
        'an expired profile',
        [['role: bookkeeper', 'role: bookkeeper\n        expires_at: 1970-01-01']],
        ['both@acme.example globex -2'],
        [],
      ],
      ['another role', [['role: reader', 'role: importer']], ['both@acme.example acme/finance +1-1'], []],
      [
        'a disabled client',
        [['client_name: Submissions', 'client_name: Submissions\n    active: false']],
        [],
        ['submissions-web -3'],
      ],
      [
        'an allow-list',
        [
          [
            'services: [submissions-tool]',
            'services: [submissions-tool]\n    permissions: [submissions-tool.vista-import.read]',
          ],
        ],
        [],
        ['submissions-web -2'],
      ],
      [
        'a service more',
        [['services: [submissions-tool]', 'services: [submissions-tool, ledger, iam]']],
        [],
        // Two of the ledger, and all that administers.
        [`submissions-web +${2 + iamPermissions.length}`],
      ],
      [
        "a machine's permission more",
        [
          [
            'permissions: [submissions-tool.vista-import.create]\n    org',
            'permissions: [submissions-tool.vista-import.create, submissions-tool.vista-import.read]\n    org',
          ],
        ],
        [],
        ['nightly-import +1'],
      ],
    ])('of %s', async (_, edits, users, clients) => {
      const store = await openAcme()
      const { access } = await plan(store, edited(acme, ...edits))
      const sizes = (one: { gains: string[]; loses: string[] }) =>
        `${one.gains.length > 0 ? `+${one.gains.length}` : ''}${one.loses.length > 0 ? `-${one.loses.length}` : ''}`
      const told = access.users.map((one) => `${one.email} ${placeOf(one)} ${sizes(one)}`)
      expect(told.sort()).toEqual(users.sort())
      expect(access.clients.map((one) => `${one.client_id} ${sizes(one)}`)).toEqual(clients)
    })
  })

  describe('the effect of being elsewhere is told', () => {
    const placed = edited(
      acme,
      ['roles:\n', 'roles:\n  - code: head\n    name: Head\n    permissions: [iam.users.update]\n'],
      [
        '        name: Finance',
        '        name: Finance\n      - code: desk\n        name: Desk\n        parent: finance',
      ],
      [
        'users:\n',
        `users:
  - email: head@acme.example
    name: Head
    profiles:
      - uuid: ${head}
        role: head
        organisation: acme
        unit: intake
`,
      ],
    )
    const at = '        organisation: acme\n        unit: intake\n'
    const machine = 'permissions: [submissions-tool.vista-import.create]\n    organisation: acme'

    once.it.each<[what: string, edits: [string, string][], told: string[]]>([
      [
        'a profile loses its organisation',
        [[at, '']],
        ['head@acme.example everywhere +1', 'head@acme.example acme/intake -1'],
      ],
      [
        'a profile comes to be at another organisation',
        [[at, '        organisation: globex\n']],
        ['head@acme.example globex +1', 'head@acme.example acme/intake -1'],
      ],
      [
        'a profile comes to be at another unit',
        [[at, '        organisation: acme\n        unit: finance\n']],
        ['head@acme.example acme/finance +1', 'head@acme.example acme/intake -1'],
      ],
      [
        'a profile loses its unit',
        [[at, '        organisation: acme\n']],
        ['head@acme.example acme +1', 'head@acme.example acme/intake -1'],
      ],
      [
        'a unit, with what is below it, goes below another',
        [['name: Finance', 'name: Finance\n        parent: intake']],
        ['head@acme.example acme/finance +1', 'importer@acme.example acme/finance +2'],
      ],
      [
        'a unit goes below one that is new',
        [
          [
            'name: Finance',
            'name: Finance\n        parent: new\n      - code: new\n        name: New\n        parent: intake',
          ],
        ],
        ['head@acme.example acme/finance +1', 'importer@acme.example acme/finance +2'],
      ],
      ['a unit goes below one at which nobody may do anything', [['parent: empty', 'parent: retired']], []],
      [
        'a machine loses its organisation',
        [[machine, 'permissions: [submissions-tool.vista-import.create]']],
        ['nightly-import everywhere +1', 'nightly-import acme -1'],
      ],
      [
        'a machine comes to be of another organisation',
        [[machine, machine.replace('acme', 'globex')]],
        ['nightly-import globex +1', 'nightly-import acme -1'],
      ],
      ['another role of the same permissions', [['role: head', 'role: second']], []],
    ])('%s', async (_, edits, told) => {
      const store = await openEmptyStore()
      const more = 'roles:\n  - code: second\n    name: Second\n    permissions: [iam.users.update]\n'
      const retired =
        '        name: Finance\n      - code: retired\n        name: Retired\n      - code: empty\n        name: Empty\n      - code: last\n        name: Last\n        parent: empty'
      const text = edited(placed, ['roles:\n', more], ['        name: Finance', retired])
      await apply(store, text)
      const planned = await plan(store, edited(text, ...edits))
      const size = ({ gains, loses }: { gains: string[]; loses: string[] }) =>
        [...gains.map(() => 1), ...loses.map(() => -1)].reduce((sum, one) => sum + one, 0)
      const signed = (one: { gains: string[]; loses: string[] }) => (size(one) > 0 ? '+' : '') + size(one)
      const all = [
        ...planned.access.users.map((one) => `${one.email} ${placeOf(one)} ${signed(one)}`),
        ...planned.access.clients.map((one) => `${one.client_id} ${placeOf(one)} ${signed(one)}`),
      ]
      expect(all.sort()).toEqual(told.toSorted())
      const nobody = describePlan(planned).includes("Nobody's access changes.")
      expect(nobody).toBe(told.length === 0)
    })

    it('to those above it as well whom the file does not name, where it was and where it comes to be', async () => {
      const store = await openEmptyStore()
      await apply(store, placed)
      const places = edited(placed.slice(0, placed.indexOf('users:')), [
        '        parent: finance',
        '        parent: intake',
      ])
      const { access } = await plan(store, places)
      expect(
        access.users.map((one) => `${one.email} ${placeOf(one)} ${one.gains.length} ${one.loses.length}`),
      ).toEqual([
        'both@acme.example acme/desk 0 2',
        'head@acme.example acme/desk 1 0',
        'importer@acme.example acme/desk 2 0',
      ])
    })
  })

  describe('what becomes unusable ends at once', () => {
    const all = (reason: string, ...ids: string[]) => Object.fromEntries(ids.sort().map((id) => [id, reason]))
    const cases: [
      what: string,
      edits: [string, string][],
      sessions: string[],
      families: Record<string, string>,
    ][] = [
      ['nothing, by another name', [['name: Acme Both', 'name: Acme Two']], [], {}],
      [
        'a disabled user',
        [['    name: Acme Both', '    active: false\n    name: Acme Both']],
        [bothUuid],
        all(
          'user_disabled',
          'submissions-web 0201',
          'submissions-web 0202',
          'partner-portal 0201',
          'partner-portal 0202',
        ),
      ],
      [
        'another password',
        [['battery two', 'battery five']],
        [bothUuid],
        all(
          'password_changed',
          'submissions-web 0201',
          'submissions-web 0202',
          'partner-portal 0201',
          'partner-portal 0202',
        ),
      ],
      [
        'a disabled client',
        [['client_name: Partner portal', 'client_name: Partner portal\n    active: false']],
        [],
        all('client_disabled', 'partner-portal 0101', 'partner-portal 0201', 'partner-portal 0202'),
      ],
      [
        'a client that is given to a disabled organisation',
        [
          ['client_name: Partner portal', 'client_name: Partner portal\n    organisation: globex'],
          ['name: Globex', 'name: Globex\n    active: false'],
        ],
        [],
        {
          ...all('client_moved', 'partner-portal 0101', 'partner-portal 0201', 'partner-portal 0202'),
          ...all('profile_disabled', 'submissions-web 0202'),
        },
      ],
      [
        'a disabled role',
        [['name: Reader', 'name: Reader\n    active: false']],
        [],
        all('profile_disabled', 'partner-portal 0201', 'submissions-web 0201'),
      ],
      [
        'a disabled unit',
        [['name: Intake', 'name: Intake\n        active: false']],
        [],
        all('profile_disabled', 'partner-portal 0101', 'submissions-web 0101'),
      ],
      [
        'a disabled profile',
        [['role: reader', 'role: reader\n        active: false']],
        [],
        all('profile_disabled', 'partner-portal 0201', 'submissions-web 0201'),
      ],
      [
        'a removed profile',
        [[`      - uuid: ${bookkeeper}\n        role: bookkeeper\n        organisation: globex\n`, '']],
        [],
        all('profile_disabled', 'partner-portal 0202', 'submissions-web 0202'),
      ],
    ]

    it.each(cases)('%s', async (_, edits, sessions, families) => {
      const store = await openAcme()
      await signEverybodyIn(store)
      await apply(store, edited(acme, ...edits), 2_000)
      expect(await ended(store)).toEqual({ sessions, families })
      await tellsHowMany(store, sessions, families)
    })

    it('a profile whose end had come, also when the file lifts it', async () => {
      const store = await openEmptyStore()
      const ending = 'role: bookkeeper\n        expires_at: 1970-01-01T00:00:01.500Z'
      await apply(store, edited(acme, ['role: bookkeeper', ending]))
      await signEverybodyIn(store)
      await apply(store, acme, 2_000)
      const families = all('profile_disabled', 'partner-portal 0202', 'submissions-web 0202')
      expect(await ended(store)).toEqual({ sessions: [], families })
      await tellsHowMany(store, [], families)
    })

    async function tellsHowMany(store: Store, sessions: readonly string[], families: object): Promise<void> {
      await allLinked(store)
      const records = await store.db
        .selectFrom('audit_records')
        .select('detail')
        .where('kind', '=', 'declared.applied')
        .orderBy('sequence', 'desc')
        .limit(1)
        .execute()
      expect(JSON.parse(records[0]?.detail ?? '')).toMatchObject({
        sessions_ended: sessions.length,
        token_families_revoked: Object.keys(families).length,
      })
    }
  })
})

const reads = `3 changes: 0 new, 3 changed, 0 removed.

Roles
  ~ importer
      permissions: + ledger.entry.read, - submissions-tool.vista-import.create

Clients
  ~ ledger-report
      permissions: - ledger.entry.read
  ~ retired-app
      active: false -> true

The access of 1 user and 1 client changes
  1 user gains ledger.entry.read in acme/intake
  1 user loses submissions-tool.vista-import.create in acme/intake
  1 client loses ledger.entry.read everywhere

One by one
  importer@acme.example in acme/intake
      gains ledger.entry.read
      loses submissions-tool.vista-import.create
  client ledger-report everywhere
      loses ledger.entry.read`
