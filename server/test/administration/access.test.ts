/** Who can do what, and why: the answers, and that they agree with what tokens really carry. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  finance,
  globex,
  heads,
  intake,
  problemOf,
  profiles,
  users,
  administeredOn,
} from './support.ts'
import { claimsOf, people, profilesOfBoth, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { token } from '../harness/program.ts'

const vistaImport = 'submissions-tool.vista-import.create'
const vistaRead = 'submissions-tool.vista-import.read'
const entryRead = 'ledger.entry.read'

const headProfile = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0501'
const unitHeadProfile = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0601'

type Item = Record<string, unknown>

onEachDatabase('the questions of access', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })

  const holders = async (who: Administrator, query: string, limit = 200) =>
    (await who.all(`/access?${query}`, limit)).map((one) => String(one.profile_uuid ?? one.client_id))
  const explain = async (query: Record<string, string>, who = admin) =>
    await who.get(`/access/explain?${new URLSearchParams(query)}`)

  describe('who holds a permission', () => {
    it('is answered with the profile and the role, and machines after people', async () => {
      const items = await admin.all(`/access?permission=${vistaImport}`)
      expect(items.find((one) => one.profile_uuid === profiles.importer)).toEqual({
        kind: 'user',
        user_uuid: users.importer,
        email: people.importer.email,
        name: 'Acme Importer',
        profile_uuid: profiles.importer,
        role_code: 'importer',
        organisation_uuid: acme,
        organisation_unit_uuid: intake,
        expires_at: null,
      })
      expect(items.find((one) => one.client_id === 'nightly-import')).toEqual({
        kind: 'client',
        client_id: 'nightly-import',
        client_name: 'Nightly import',
        organisation_uuid: acme,
      })
      const kinds = items.map((one) => one.kind)
      expect(kinds).toEqual(kinds.toSorted((a, b) => (a === b ? 0 : a === 'user' ? -1 : 1)))
    })

    it('knows the wildcard of the built-in service', async () => {
      const found = await holders(admin, 'permission=iam.roles.delete')
      expect(found).toEqual(expect.arrayContaining([profiles.admin, 'admin-cli', 'roles-cli']))
      expect(found).not.toContain('onlooker-cli')
    })

    it('is narrowed to an organisation, by its uuid or its code', async () => {
      expect(await holders(admin, `permission=${entryRead}`)).toEqual(
        expect.arrayContaining([profilesOfBoth.bookkeeper, profilesOfBoth.reader, 'ledger-report']),
      )
      for (const organisation of [globex, globex.toUpperCase(), 'globex']) {
        expect(await holders(admin, `permission=${entryRead}&organisation=${organisation}`)).toEqual([
          profilesOfBoth.bookkeeper,
          'ledger-report',
          'roles-cli',
        ])
      }
      expect(await holders(admin, `permission=${entryRead}&organisation=nowhere`)).toEqual([])
    })

    it('counts who can do it in an organisation by a profile, or as a machine, of none', async () => {
      const query = 'permission=iam.users.read&organisation=globex'
      const found = await holders(admin, query)
      expect(found).toEqual(expect.arrayContaining([profiles.admin, 'admin-cli', 'roles-cli']))
      expect(found).not.toContain('acme-cli')
      expect(found).not.toContain(headProfile)
      const atAcme = await holders(admin, 'permission=iam.users.read&organisation=acme')
      expect(atAcme).toEqual(
        expect.arrayContaining([profiles.admin, headProfile, unitHeadProfile, 'admin-cli', 'acme-cli']),
      )
      // Whoever administers an organisation does not learn who administers all of them.
      const seen = await holders(own, 'permission=iam.users.read&organisation=acme')
      expect(seen.toSorted()).toEqual([headProfile, unitHeadProfile, 'acme-cli'].toSorted())
      for (const limit of [1, 2, 3]) {
        expect(await holders(admin, query, limit)).toEqual(found)
        expect(await holders(admin, 'permission=iam.users.read&organisation=acme', limit)).toEqual(atAcme)
      }
    })

    it('is narrowed to a unit: those above it, at it and below it', async () => {
      const users = 'permission=iam.users.read'
      const desk = await admin.post('/units', {
        organisation_uuid: acme,
        parent_uuid: intake,
        code: 'access-desk',
        name: 'Desk',
      })
      const at = (unit: unknown, more = '') => `${users}&organisation_unit_uuid=${String(unit)}${more}`
      const over = [profiles.admin, headProfile, 'admin-cli', 'acme-cli', 'roles-cli']
      for (const unit of [intake, intake.toUpperCase(), desk.json.uuid]) {
        const found = await holders(admin, at(unit))
        expect(found.toSorted()).toEqual([...over, unitHeadProfile].toSorted())
        for (const limit of [1, 2, 3]) expect(await holders(admin, at(unit), limit)).toEqual(found)
      }
      expect((await holders(admin, at(finance))).toSorted()).toEqual(over.toSorted())
      expect(await holders(admin, at(intake, '&organisation=acme'))).toContain(unitHeadProfile)
      expect(await holders(admin, at(intake, '&organisation=globex'))).toEqual([])
      expect(await holders(admin, at(acme))).toEqual([])
      expect((await holders(own, at(finance))).toSorted()).toEqual([headProfile, 'acme-cli'].toSorted())
      const unitHead = await Administrator.person(tessera.url, heads.unitHead)
      for (const query of [users, at(intake), at(desk.json.uuid, '&organisation=acme')])
        expect(await holders(unitHead, query)).toEqual([unitHeadProfile])
      for (const query of [at(finance), `${users}&organisation=globex`])
        expect(await holders(unitHead, query)).toEqual([])
      expect((await admin.delete(`/units/${String(desk.json.uuid)}`)).status).toBe(204)
    })

    it('pages without repeating or leaving out', async () => {
      const query = `permission=iam.users.read`
      const whole = await holders(admin, query)
      expect(whole.length).toBeGreaterThan(5)
      for (const limit of [1, 2, 3]) expect(await holders(admin, query, limit)).toEqual(whole)
    })

    it('leaves out who can not use it now', async () => {
      const query = `permission=${vistaImport}&organisation=acme`
      const inUse = { active: true }
      const gone: [path: string, off: object, on: object][] = [
        [`/users/${users.importer}`, { active: false }, inUse],
        [`/profiles/${profiles.importer}`, { active: false }, inUse],
        [`/profiles/${profiles.importer}`, { expires_at: '2020-01-01T00:00:00Z' }, { expires_at: null }],
        ['/roles/importer', { active: false }, inUse],
        [`/units/${intake}`, { active: false }, inUse],
        [`/organisations/${acme}`, { active: false }, inUse],
      ]
      for (const [path, off, on] of gone) {
        expect((await admin.patch(path, off)).status).toBe(200)
        expect(await holders(admin, query), path).not.toContain(profiles.importer)
        expect((await admin.patch(path, on)).status).toBe(200)
        expect(await holders(admin, query), path).toContain(profiles.importer)
      }
      // Its tokens ended with the organisation.
      own = await Administrator.machine(tessera.url, 'acme-cli')
    })

    it('is answered within the own reach alone', async () => {
      const found = await holders(own, `permission=${vistaRead}`)
      expect(found).toContain(profilesOfBoth.reader)
      const items = await own.all(`/access?permission=iam.users.read`)
      expect(items.length).toBeGreaterThan(0)
      expect(items.every((one) => one.organisation_uuid === acme)).toBe(true)
      expect(await holders(own, `permission=${vistaRead}&organisation=globex`)).toEqual([])
      expect(await holders(own, `permission=${vistaRead}&organisation=${globex}`)).toEqual([])
    })

    it('has the chain of each beside, as an explanation has it', async () => {
      for (const who of [admin, own]) {
        const path = '/access?permission=iam.users.read'
        for (const { chain, ...one } of await who.all(`${path}&include=chain,names`, 3)) {
          const about =
            one.kind === 'user'
              ? { user_uuid: String(one.user_uuid), profile_uuid: String(one.profile_uuid) }
              : { client_id: String(one.client_id) }
          const { json } = await explain({ permission: 'iam.users.read', ...about }, who)
          expect(json).toMatchObject({ allowed: true, chain })
          expect((chain as Item[]).length).toBeGreaterThan(4)
        }
        expect((await who.all(path)).filter((one) => 'chain' in one)).toEqual([])
      }
      expect(problemOf(await admin.get(`/access?permission=${vistaRead}&include=all`))).toBe(
        '400 invalid_request include',
      )
    })

    once.it('is given as a file, all of it, in which no name is computed', async () => {
      const before = String((await admin.get(`/users/${users.both}`)).json.name)
      const names = {
        '=HYPERLINK("https://evil.example")': `'=HYPERLINK("https://evil.example")`,
        '+1': "'+1",
        '-1': "'-1",
        '@a': "'@a",
        '\uff1d1': "'\uff1d1",
        // Where a comma is the decimal sign, the spreadsheet divides at semicolons, whatever is quoted.
        'Al;=1+1': "Al;'=1+1",
        'Al;"@a"; -1': `Al;"'@a"; '-1`,
        'a,"b" c': 'a,"b" c',
        'Al;b-c': 'Al;b-c',
        Ünïcode: 'Ünïcode',
      }
      for (const [name, told] of Object.entries(names)) {
        expect((await admin.patch(`/users/${users.both}`, { name })).status).toBe(200)
        for (const who of [admin, own]) {
          const path = `/access?permission=${vistaRead}&format=csv`
          const { status, headers, text } = await who.get(`${path}&limit=1`)
          expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
            200,
            'text/csv; charset=utf-8',
            'attachment; filename="access.csv"',
          ])
          const rows = parse(text, { columns: true }) as Record<string, string>[]
          expect(rows.map((row) => row.profile_uuid || row.client_id)).toEqual(
            await holders(who, `permission=${vistaRead}`),
          )
          const reader = rows.find((row) => row.profile_uuid === profilesOfBoth.reader)
          expect(reader?.name).toBe(told)
          expect(reader).toMatchObject({ role_code: 'reader', organisation_name: 'Acme Institute' })
        }
      }
      await admin.patch(`/users/${users.both}`, { name: before })
      for (const query of ['format=xml', 'format=csv&cursor=x'])
        expect(problemOf(await admin.get(`/access?permission=${vistaRead}&${query}`))).toMatch(
          /^400 invalid_request (format|cursor)$/,
        )
      expect(problemOf(await own.get(`/access?permission=${entryRead}&format=csv`))).toBe(
        '400 invalid_request permission',
      )
    })

    once.it.each([
      ['', '400 invalid_request permission'],
      ['permission=ledger', '400 invalid_request permission'],
      ['permission=ledger.entry.burn', '400 invalid_request permission'],
      [`permission=${vistaRead}&cursor=x`, '400 invalid_request cursor'],
      [
        `permission=${vistaRead}&cursor=${Buffer.from('["a"]').toString('base64url')}`,
        '400 invalid_request cursor',
      ],
      [`permission=${vistaRead}&limit=0`, '400 invalid_request limit'],
      [`permission=${vistaRead}&organisation_unit_uuid=intake`, '400 invalid_request organisation_unit_uuid'],
      [`permission=${vistaRead}&role=x`, '400 invalid_request role'],
    ])('refuses ?%s', async (query, problem) => {
      expect(problemOf(await admin.get(`/access?${query}`))).toBe(problem)
    })

    once.it('is not answered about a permission that is out of sight', async () => {
      expect(problemOf(await own.get(`/access?permission=${entryRead}`))).toBe(
        '400 invalid_request permission',
      )
      const unknown = await own.get('/access?permission=ledger.entry.burn')
      const hidden = await own.get(`/access?permission=${entryRead}`)
      expect(hidden.json).toEqual(unknown.json)
    })
  })

  describe('what somebody may do', () => {
    it('is told by profile and role, with why', async () => {
      const { status, json } = await admin.get(`/users/${users.both}/access`)
      expect(status).toBe(200)
      const found = json.profiles as Item[]
      expect(found.map((one) => one.profile_uuid)).toEqual([profilesOfBoth.reader, profilesOfBoth.bookkeeper])
      expect(found[0]).toMatchObject({
        role_code: 'reader',
        usable: true,
        permissions: [entryRead, vistaRead],
        complete: true,
      })
    })

    it('shows the profiles within the reach, and of their permissions those that one holds oneself', async () => {
      const { json } = await own.get(`/users/${users.both}/access`)
      expect(json.profiles).toEqual([
        expect.objectContaining({
          profile_uuid: profilesOfBoth.reader,
          permissions: [vistaRead],
          complete: false,
        }),
      ])
    })

    once.it('is a 404 for who is out of reach, or nobody', async () => {
      expect(problemOf(await own.get(`/users/${users.admin}/access`))).toBe('404 not_found')
      expect(problemOf(await own.get(`/users/${globex}/access`))).toBe('404 not_found')
      expect(problemOf(await admin.get('/users/x/access'))).toBe('404 not_found')
    })
  })

  describe('an explanation', () => {
    const person = {
      user_uuid: users.importer,
      profile_uuid: profiles.importer,
      client_id: 'submissions-web',
    }

    it('tells the whole chain of what is allowed', async () => {
      const { json } = await explain({ ...person, permission: vistaImport, scope: 'openid service.api' })
      expect(json.allowed).toBe(true)
      expect(json.would_grant).toEqual([])
      expect((json.chain as Item[]).map((one) => one.check)).toEqual([
        'permission_exists',
        'user_active',
        'profile_active',
        'profile_not_expired',
        'role_active',
        'organisation_active',
        'unit_active',
        'role_has_permission',
        'client_active',
        'client_grant',
        'service_assigned',
        'client_allows_permission',
        'scope_assigned',
        'service_api_requested',
      ])
    })

    once.it('names every link that is missing, and what would grant it', async () => {
      const { json } = await explain({ ...person, permission: entryRead, scope: 'openid' })
      expect(json.allowed).toBe(false)
      const missing = (json.chain as Item[]).filter((one) => one.holds === false).map((one) => one.check)
      expect(missing).toEqual(['role_has_permission', 'service_assigned', 'service_api_requested'])
      expect(json.would_grant).toEqual([
        'Add ledger.entry.read to the role importer, or give them a profile with a role that includes it.',
        'Assign the service ledger to the client submissions-web.',
        'Ask for the scope service.api.',
      ])
    })

    it('is given of a machine, and of a person without a client', async () => {
      const machine = await explain({ client_id: 'nightly-import', permission: vistaImport })
      expect(machine.json.allowed).toBe(true)
      const other = await explain({ client_id: 'nightly-import', permission: vistaRead })
      expect(other.json.would_grant).toEqual([
        `Add ${vistaRead} to the permissions of the client nightly-import.`,
      ])
      const alone = await explain({
        user_uuid: users.importer,
        profile_uuid: profiles.importer,
        permission: vistaImport,
      })
      expect(alone.json.allowed).toBe(true)
      expect((await explain({ client_id: 'submissions-web', permission: vistaImport })).json.allowed).toBe(
        false,
      )
    })

    once.it('of a permission that does not exist says so', async () => {
      const { json } = await explain({ ...person, permission: 'ledger.entry.burn' })
      expect(json.allowed).toBe(false)
      expect((json.chain as Item[])[0]).toMatchObject({ check: 'permission_exists', holds: false })
    })

    once.it.each<[Record<string, string>, string]>([
      [{ permission: vistaImport }, '400 invalid_request user_uuid'],
      [{ permission: vistaImport, user_uuid: users.importer }, '400 invalid_request profile_uuid'],
      [
        { permission: vistaImport, user_uuid: 'x', profile_uuid: profiles.importer },
        '400 invalid_request user_uuid',
      ],
      [
        { ...{ permission: vistaImport }, client_id: 'nightly-import', scope: 'everything' },
        '400 invalid_request scope',
      ],
      [{ permission: vistaImport, client_id: 'no-such-client' }, '404 not_found'],
      [{ permission: vistaImport, user_uuid: users.importer, profile_uuid: profiles.admin }, '404 not_found'],
      [{ permission: vistaImport, user_uuid: globex, profile_uuid: profiles.admin }, '404 not_found'],
    ])('refuses %j', async (query, problem) => {
      expect(problemOf(await explain(query))).toBe(problem)
    })

    once.it.each<[Record<string, string>, string]>([
      [{ permission: vistaImport, user_uuid: users.admin, profile_uuid: profiles.admin }, '404 not_found'],
      [
        { permission: vistaRead, user_uuid: users.both, profile_uuid: profilesOfBoth.bookkeeper },
        '404 not_found',
      ],
      [{ permission: vistaImport, client_id: 'ledger-report' }, '404 not_found'],
      [{ permission: vistaImport, ...person }, '404 not_found'],
      [{ permission: entryRead, client_id: 'nightly-import' }, '400 invalid_request permission'],
    ])('is not given beyond the own reach: %j', async (query, problem) => {
      expect(problemOf(await explain(query, own))).toBe(problem)
    })
  })
})

/** What is drawn for each try. */
const mostly = fc.integer({ min: 0, max: 11 }).map((one) => one > 0)
const scopes = fc.constantFrom(
  'openid service.api',
  'openid',
  'openid email service.api',
  'service.api',
  'openid profile',
)
const permissions = fc.constantFrom(vistaImport, vistaRead, entryRead, 'ledger.entry.create')
const services = fc.subarray(['submissions-tool', 'ledger'], { minLength: 1 })
const list = fc.subarray([vistaImport, vistaRead, entryRead])
const state = fc.record({
  user: mostly,
  profile: mostly,
  expired: fc.integer({ min: 0, max: 11 }).map((one) => one === 0),
  role: mostly,
  organisation: mostly,
  unit: mostly,
  given: fc.subarray([vistaRead, entryRead, vistaImport], { minLength: 1 }),
  client: mostly,
  clientOrganisation: fc.boolean(),
  services,
  list: fc.option(list, { nil: null }),
  clientScope: fc.constantFrom('openid email profile service.api', 'openid service.api', 'openid'),
})

const everythingOn = {
  user: true,
  profile: true,
  expired: false,
  role: true,
  organisation: true,
  unit: true,
  given: [vistaRead],
  client: true,
  clientOrganisation: true,
  services: ['submissions-tool'],
  list: [vistaRead],
  clientScope: 'openid service.api',
} satisfies typeof state extends fc.Arbitrary<infer T> ? T : never

onEachDatabase('explanations and tokens', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const set = async (path: string, body: object) => {
    const { status, text } = await admin.patch(path, body)
    expect(status, text).toBe(200)
  }

  const numRuns = dialect === 'sqlite' ? 25 : 8

  it('agree for people, whatever is disabled, expired, assigned or asked for', async () => {
    let allowed = 0
    await fc.assert(
      fc.asyncProperty(state, scopes, permissions, async (drawn, scope, permission) => {
        await set(`/users/${users.both}`, { active: drawn.user })
        await set(`/roles/reader`, { active: drawn.role, permissions: drawn.given })
        await set(`/profiles/${profilesOfBoth.reader}`, {
          active: drawn.profile,
          expires_at: drawn.expired ? '2020-01-01T00:00:00Z' : null,
        })
        await set(`/organisations/${acme}`, { active: drawn.organisation })
        await set(`/units/${finance}`, { active: drawn.unit })
        await set('/clients/submissions-web', {
          active: drawn.client,
          services: drawn.services,
          permissions: drawn.list,
          organisation_uuid: drawn.clientOrganisation ? acme : null,
          scope: drawn.clientScope,
        })
        const query = {
          permission,
          user_uuid: users.both,
          profile_uuid: profilesOfBoth.reader,
          client_id: 'submissions-web',
          scope,
        }
        const { status, json } = await admin.get(`/access/explain?${new URLSearchParams(query)}`)
        expect(status).toBe(200)
        const claims = await tokensFor(tessera.url, people.both, {
          changes: { scope, profile_uuid: profilesOfBoth.reader },
          browser: new TestBrowser(tessera.url),
        }).then(
          ({ access_token }) => claimsOf(access_token),
          () => undefined,
        )
        // With the profile out of use they may be signed in under their other one.
        const asked = claims?.profile_uuid === profilesOfBoth.reader
        const carried = asked ? ((claims?.permissions ?? []) as string[]) : []
        expect([json.allowed, json.chain]).toEqual([carried.includes(permission), json.chain])
        expect((json.would_grant as unknown[]).length === 0).toBe(json.allowed)
        if (json.allowed === true) allowed++
      }),
      { numRuns, examples: [[everythingOn, 'openid service.api', vistaRead]] },
    )
    expect(allowed).toBeGreaterThan(0)
  })

  it('agree for machines', async () => {
    let allowed = 0
    await fc.assert(
      fc.asyncProperty(
        fc.record({ client: mostly, organisation: mostly, services, list }),
        fc.constantFrom(undefined, 'service.api', 'openid'),
        permissions,
        async (drawn, scope, permission) => {
          await set(`/organisations/${acme}`, { active: drawn.organisation })
          // A machine lists nothing of other services.
          const listed = drawn.list.filter((one) => drawn.services.some((code) => one.startsWith(`${code}.`)))
          const { client: active, services: of } = drawn
          await set('/clients/nightly-import', { active, services: of, permissions: listed })
          const asked = scope === undefined ? {} : { scope }
          const query = new URLSearchParams({ permission, client_id: 'nightly-import', ...asked })
          const { json } = await admin.get(`/access/explain?${query}`)
          const answer = await token(tessera.url, {
            grant_type: 'client_credentials',
            client_id: 'nightly-import',
            client_secret: 'nightly-import-development-secret',
            ...asked,
          })
          const claims = answer.status === 200 ? claimsOf(String(answer.json.access_token)) : {}
          const carried: string[] = (claims.permissions ?? []) as string[]
          expect(json.allowed).toBe(carried.includes(permission))
          const holders = await admin.all(`/access?permission=${permission}`)
          const isListed = holders.some((one) => one.client_id === 'nightly-import')
          if (scope !== 'openid') expect(isListed).toBe(carried.includes(permission))
          if (json.allowed === true) allowed++
        },
      ),
      {
        numRuns,
        // One at least that is allowed.
        examples: [
          [
            { client: true, organisation: true, services: ['submissions-tool'], list: [vistaRead] },
            'service.api',
            vistaRead,
          ],
        ],
      },
    )
    expect(allowed).toBeGreaterThan(0)
  })
})
