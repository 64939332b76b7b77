import { describe, expect, it } from 'vitest'
import { describeAccess } from '../src/declared/describe-access.ts'
import { describePlan } from '../src/declared/describe.ts'
import { planDeclared } from '../src/declared/plan.ts'
import { iamPermissions } from '../src/protocol/permission.ts'
import type { Store } from '../src/store/open.ts'
import { acme, apply, edited, everything, forEachDatabase, parse, passwords } from './declared-support.ts'

const importerUuid = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001'
const bothUuid = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0002'
const importer = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101'
const reader = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0201'
const bookkeeper = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0202'

const plan = (store: Store, text: string, now = 2_000) =>
  planDeclared(store, parse(text), { now, verifyPassword: passwords.verifyPassword })

/** A browser session of each user, and a token family of each profile at each client that acts for people. */
async function signEverybodyIn(store: Store): Promise<void> {
  const proof = { auth_time: 1, acr: 'pwd', amr: '["pwd"]' }
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

forEachDatabase((openEmptyStore) => {
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

    it('is empty for an unchanged file', async () => {
      const store = await openAcme()
      const planned = await plan(store, acme)
      expect(planned).toEqual({ changes: [], access: { users: [], clients: [] } })
      expect(describePlan(planned)).toBe('Nothing to change: everything already is as the file says.')
    })

    it('is plain JSON without passwords or secrets', async () => {
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

    it('tells fields with what they were and what they become', async () => {
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

    it('reads well', async () => {
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
  })

  it('the effect on access is told in numbers first', async () => {
    const person = (email: string, organisation: string | null, gains: string[], loses: string[] = []) => ({
      email,
      role: 'r',
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
        { client_id: 'one', gains: [], loses: ['t.a.read'] },
        { client_id: 'two', gains: [], loses: ['t.a.read'] },
      ],
    }
    expect(describeAccess(access).split('\n\n')[0]).toBe(`The access of 4 users and 2 clients changes
  2 users in 2 organisations gain t.a.read, t.b.read
  1 user in 1 organisation loses t.c.read
  1 user gains iam.*
  1 user in 1 organisation gains iam.users.read
  2 clients lose t.a.read`)
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
            role: 'reader',
            organisation: 'acme',
            unit: 'finance',
            gains: [],
            loses: ['ledger.entry.read'],
          },
        ],
        clients: [],
      })
    })

    it.each<[what: string, edits: [string, string][], users: string[], clients: string[]]>([
      [
        'a disabled user',
        [['    name: Acme Both', '    active: false\n    name: Acme Both']],
        ['both@acme.example reader -2', 'both@acme.example bookkeeper -2'],
        [],
      ],
      [
        'a disabled role',
        [['name: Bookkeeper', 'name: Bookkeeper\n    active: false']],
        ['both@acme.example bookkeeper -2'],
        [],
      ],
      [
        'a disabled organisation',
        [['name: Acme Institute', 'name: Acme Institute\n    active: false']],
        ['importer@acme.example importer -2', 'both@acme.example reader -2'],
        ['nightly-import -1'],
      ],
      [
        'a disabled unit',
        [['name: Finance', 'name: Finance\n        active: false']],
        ['both@acme.example reader -2'],
        [],
      ],
      [
        'an expired profile',
        [['role: bookkeeper', 'role: bookkeeper\n        expires_at: 1970-01-01']],
        ['both@acme.example bookkeeper -2'],
        [],
      ],
      ['another role', [['role: reader', 'role: importer']], ['both@acme.example importer +1-1'], []],
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
      expect(access.users.map((one) => `${one.email} ${one.role} ${sizes(one)}`).sort()).toEqual(users.sort())
      expect(access.clients.map((one) => `${one.client_id} ${sizes(one)}`)).toEqual(clients)
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
        'a client of a disabled organisation',
        [
          ['client_name: Partner portal', 'client_name: Partner portal\n    organisation: globex'],
          ['name: Globex', 'name: Globex\n    active: false'],
        ],
        [],
        {
          ...all('client_disabled', 'partner-portal 0101', 'partner-portal 0201', 'partner-portal 0202'),
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
  1 user in 1 organisation gains ledger.entry.read
  1 user in 1 organisation loses submissions-tool.vista-import.create
  1 client loses ledger.entry.read

One by one
  importer@acme.example as importer at acme/intake
      gains ledger.entry.read
      loses submissions-tool.vista-import.create
  client ledger-report
      loses ledger.entry.read`
