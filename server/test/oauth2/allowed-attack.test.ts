/** Who may enter an application, as somebody tries who should not, or who administers only a part (decisions 35). */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { entryChanges } from '../../dist/access/entering.js'
import { applicationsWithAddress } from '../../dist/store/own-access.js'
import { watched } from '../harness/stores.ts'
import {
  acme,
  Administrator,
  administeredOn,
  finance,
  globex,
  heads,
  problemOf,
  profiles,
  users,
} from '../administration/support.ts'
import { claimsOf, people, tokensFor } from '../harness/browser.ts'
import { describePlan } from '../../dist/declared/describe.js'
import { applyDeclared } from '../../dist/declared/apply.js'
import { exportDeclared } from '../../dist/declared/export.js'
import { planDeclared } from '../../dist/declared/plan.js'
import { entryListsOf } from '../../dist/store/entry.js'
import { acme as file, edited, forEachDatabase, parse } from '../declared/support.ts'
import { quickPasswords } from '../declared/tree.ts'
import type { Store } from '../../dist/database/store.js'
import {
  addClientsLike,
  addPeopleLike,
  clientRowOf,
  narrowedWhile,
  noteRemoved,
  withWorkMemory,
} from '../harness/states.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import {
  type Answer,
  introspect,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  Visitor,
} from '../harness/program.ts'

const { bothReader: atAcme, bothBookkeeper: atGlobex } = profiles
const web = '/clients/submissions-web'

onEachDatabase('allowed under attack', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const allow = async (allowed: object | null) => {
    const changed = await admin.patch(web, { allowed })
    expect(changed.status, changed.text).toBe(200)
    return changed.json
  }
  beforeEach(async () => {
    await allow(null)
  })

  const narrowed = async (set: object, ask: () => Promise<Answer>) =>
    await narrowedWhile(
      { databaseUrl: tessera.databaseUrl, now: tessera.clock.now() },
      ['submissions-web', set],
      ask,
    )

  describe('a switch of profile beside a narrowing', () => {
    const switching = async () => {
      const tokens = await new Visitor(tessera.url, people.both).tokens({ profile_uuid: atAcme })
      return async () => await refresh(tessera.url, tokens.refresh_token, { profile_uuid: atGlobex })
    }

    it('that gives the client to another organisation is refused', async () => {
      const answer = await narrowed({ organisation_uuid: acme }, await switching())
      await admin.patch(web, { organisation_uuid: null })
      expect(refusalOf(answer)).toBe('400 invalid_grant')
    })

    it('by allowed gives no token of a profile that no longer passes', async () => {
      const answer = await narrowed({ allowed: '{"roles":["reader"]}' }, await switching())
      expect(answer.text).not.toContain('access_token')
    })

    it('by allowed leaves nothing that works again once it is widened', async () => {
      const answer = await narrowed({ allowed: '{"roles":["reader"]}' }, await switching())
      await allow(null)
      if (answer.status !== 200) return
      const tokens = tokensOf(answer)
      expect(claimsOf(tokens.access_token).profile_uuid).toBe(atGlobex)
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
    })
  })

  it('an exchange beside a narrowing gives nothing of a profile that no longer passes', async () => {
    const form = await new Visitor(tessera.url, people.importer).code()
    const answer = await narrowed({ allowed: '{"roles":["reader"]}' }, () => token(tessera.url, form))
    expect(refusalOf(answer)).toBe('400 invalid_grant')
    await allow(null)
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
  })

  onOne.it('is one value, as groups and keys are: a patch says all lists that count', async () => {
    await allow({ roles: ['reader'], organisations: ['acme'] })
    const changed = await admin.patch(web, { allowed: { roles: ['reader', 'bookkeeper'] } })
    expect(changed.json.allowed).toEqual({ roles: ['bookkeeper', 'reader'] })
  })

  describe('a permission that is removed', () => {
    const code = 'ledger.entry.attack'
    const readerPermissions = ['ledger.entry.read', 'submissions-tool.vista-import.read']
    const make = async () => {
      await admin.post('/permissions', { code, description: 'Attack' })
      await admin.patch('/roles/reader', { permissions: [...readerPermissions, code] })
    }

    it('ends the tokens that it let in, also for when the list is gone', async () => {
      await make()
      await allow({ permissions: [code] })
      const tokens = await new Visitor(tessera.url, people.both).tokens()
      await admin.delete(`/permissions/${code}`, '*')
      expect((await introspect(tessera.url, tokens.access_token)).active).toBe(false)
      await allow(null)
      expect((await introspect(tessera.url, tokens.access_token)).active).toBe(false)
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
    })

    it('is told by its dry run to shut people out', async () => {
      await make()
      await allow({ permissions: [code] })
      const { json } = await admin.ask('DELETE', `/permissions/${code}?dry_run=true`, { match: '*' })
      expect(json.enters).toEqual([expect.objectContaining({ client_id: 'submissions-web' })])
      await admin.delete(`/permissions/${code}`, '*')
    })
  })

  it('the audit tells of each client that a removal changes', async () => {
    await admin.post('/roles', { code: 'gone', name: 'Gone', permissions: [] })
    await allow({ roles: ['gone', 'reader'] })
    const before = (await admin.all('/audit?target=submissions-web')).length
    const { etag } = await admin.get(web)
    await admin.delete('/roles/gone', '*')
    expect((await admin.get(web)).etag).not.toBe(etag)
    expect((await admin.all('/audit?target=submissions-web')).length).toBe(before + 1)
  })

  describe('remedies', () => {
    const remediesFor = async (who: Administrator, client: string, user: string, profile: string) => {
      const permission = 'submissions-tool.vista-import.read'
      const asked = `/access/explain?permission=${permission}&user_uuid=${user}&profile_uuid=${profile}&client_id=${client}&include=remedies`
      const { json, text, status } = await who.get(asked)
      expect(status, text).toBe(200)
      return json.remedies as {
        mends: string
        method: string
        path: string
        body: Record<string, unknown>
        allowed: boolean
      }[]
    }

    onOne.it('change something: no list that stays as it is', async () => {
      const allowed = { roles: ['importer', 'reader'], organisations: ['globex'] }
      await allow(allowed)
      const remedies = await remediesFor(admin, 'submissions-web', users.importer, profiles.importer)
      expect(remedies.filter((one) => one.method === 'PATCH').map((one) => one.body)).not.toContainEqual({
        allowed,
      })
    })

    it('name a place where there is one', async () => {
      await admin.post('/organisations', { code: 'shortlived', name: 'Shortlived' })
      await allow({ organisations: ['shortlived'] })
      const [made] = await admin.all('/organisations?q=shortlived')
      await admin.delete(`/organisations/${String(made?.uuid)}`, '*')
      const remedies = await remediesFor(admin, 'submissions-web', users.importer, profiles.importer)
      for (const { body } of remedies) expect(body.organisation_uuid).not.toBe('')
    })

    onOne.it('name a place of the organisation that the client takes', async () => {
      const portal = {
        ...{
          client_id: 'portal-of-finance',
          client_name: 'Portal',
          type: 'public',
          scope: 'openid service.api',
        },
        ...{ services: ['submissions-tool'], permissions: ['submissions-tool.vista-import.read'] },
        ...{ redirect_uris: ['https://portal.example/cb'], organisation_uuid: acme },
      }
      const made = await admin.post('/clients', { ...portal, allowed: { organisations: ['acme/finance'] } })
      expect(made.status, made.text).toBe(201)
      const remedies = await remediesFor(admin, 'portal-of-finance', users.both, atGlobex)
      const given = remedies.filter((one) => one.path === '/profiles')
      expect(given.length).toBeGreaterThan(0)
      for (const { body } of given) expect(body.organisation_unit_uuid).toBe(finance)
    })

    onOne.it('tell an administrator of an organisation of no other', async () => {
      const portal = {
        ...{
          client_id: 'portal-of-acme',
          client_name: 'Portal',
          type: 'public',
          scope: 'openid service.api',
        },
        ...{ services: ['submissions-tool'], permissions: ['submissions-tool.vista-import.read'] },
        ...{ redirect_uris: ['https://portal.example/cb'], organisation_uuid: acme },
      }
      const made = await admin.post('/clients', {
        ...portal,
        allowed: { organisations: ['acme/finance', 'globex'] },
      })
      expect(made.status, made.text).toBe(201)
      const own = await Administrator.person(tessera.url, heads.head)
      const remedies = await remediesFor(own, 'portal-of-acme', users.importer, profiles.importer)
      expect(JSON.stringify(remedies)).not.toContain(globex)
    })
  })

  it('counts who comes in at the organisation that a client is given to', async () => {
    // Of both organisations is somebody who enters before and after.
    const only = { user_uuid: users.nobody, role_code: 'reader', organisation_uuid: globex }
    const { json: given } = await admin.post('/profiles', only)
    const portal = {
      ...{ client_id: 'moving', client_name: 'Portal', type: 'public', scope: 'openid' },
      ...{ redirect_uris: ['https://portal.example/cb'], organisation_uuid: acme },
    }
    expect((await admin.post('/clients', { ...portal, allowed: { organisations: ['acme'] } })).status).toBe(
      201,
    )
    const body = { organisation_uuid: globex, allowed: { organisations: ['globex'] } }
    const { json, text } = await admin.ask('PATCH', '/clients/moving?dry_run=true', { body, match: '*' })
    expect(json.enters, text).toEqual([expect.objectContaining({ let_in: { people: 1, organisations: 1 } })])
    await admin.delete(`/profiles/${String(given.uuid)}`, '*')
  })

  onOne.it('counts nobody at a client that lets nobody in', async () => {
    const body = { allowed: { roles: ['reader'] } }
    const { json } = await admin.ask('PATCH', '/clients/retired-app?dry_run=true', { body, match: '*' })
    expect(json.enters).toEqual([])
  })

  onOne.it(
    'widening a client that asks nobody for consent wants a recent sign-in, as its addresses do',
    async () => {
      await allow({ roles: ['reader'] })
      const as = { changes: { client_id: 'admin-web', scope: 'openid service.api' } }
      const tokens = await tokensFor(tessera.url, people.admin, as)
      tessera.clock.advance(11 * 60_000)
      const refreshed = await refresh(tessera.url, tokens.refresh_token, { client_id: 'admin-web' })
      const old = new Administrator(tessera.url, tokensOf(refreshed).access_token ?? '')
      const other = { redirect_uris: ['https://elsewhere.example/callback'] }
      expect(problemOf(await old.ask('PATCH', web, { body: other, match: '*' }))).toBe(
        '401 insufficient_user_authentication',
      )
      const widened = await old.ask('PATCH', web, { body: { allowed: null }, match: '*' })
      expect(widened.status).toBe(401)
    },
  )
})

forEachDatabase((openEmptyStore) => {
  const settings = { now: 2_000, ...quickPasswords }
  const at = '    client_name: Submissions\n'
  const allowing = (lists: string) => edited(file, [at, `${at}    allowed: {${lists}}\n`])
  const clientOf = (store: Store) => clientRowOf(store, 'submissions-web')

  it('an export lets nobody in elsewhere who is shut out here', async () => {
    const [here, there] = [await openEmptyStore(), await openEmptyStore()]
    await applyDeclared(here, parse(allowing('roles: [reader, importer]')), settings)
    // The role was removed, and another of its code made.
    await noteRemoved(here, 'submissions-web', { roles: ['reader'] })
    const text = await exportDeclared(here, 2_000).catch(() => undefined)
    if (text === undefined) return
    await applyDeclared(there, parse(text), settings)
    expect(entryListsOf(await clientOf(there))).toEqual(entryListsOf(await clientOf(here)))
  })

  it('a plan that removes what a client of others names says so', async () => {
    const store = await openEmptyStore()
    const role = (text: string) =>
      edited(text, ['roles:\n', 'roles:\n  - code: guest\n    name: Guest\n    permissions: []\n'])
    await applyDeclared(store, parse(role(file)), settings)
    await addClientsLike(store, 'submissions-web', [{ client_id: 'others', allowed: '{"roles":["guest"]}' }])
    const plan = await planDeclared(store, parse(file), { ...settings, prune: true })
    expect(plan.changes).toContainEqual(expect.objectContaining({ kind: 'role', action: 'remove' }))
    expect(describePlan(plan)).toContain('others')
  })

  it('a plan that was agreed to is applied, though a profile ran out meanwhile', async () => {
    const store = await openEmptyStore()
    await applyDeclared(store, parse(file), settings)
    await addPeopleLike(store, people.importer.email, 1, { roles: ['importer'], expires_at: 3_000 })
    const next = parse(allowing('roles: [reader]'))
    const expected = await planDeclared(store, next, { ...settings, now: 2_500 })
    const applied = applyDeclared(store, next, { ...settings, now: 4_000, expected })
    await expect(applied.then(() => 'applied')).resolves.toBe('applied')
  })

  it('the home page asks no more often where more applications say who may enter', async () => {
    const store = await openEmptyStore()
    await applyDeclared(store, parse(file), settings)
    const like = {
      client_uri: 'https://x.example/',
      allowed:
        '{"roles":["reader"],"organisations":["acme","acme/finance"],"permissions":["ledger.entry.read"]}',
    }
    const asked = async (): Promise<number> => {
      let count = 0
      await applicationsWithAddress(watched(store, () => count++))
      return count
    }
    const add = async (from: number, to: number) => {
      const ids = Array.from({ length: to - from }, (_, index) => `app-${from + index}`)
      const clients = ids.map((client_id) => ({ ...like, client_id }))
      await addClientsLike(store, 'submissions-web', clients)
    }
    await add(0, 2)
    const few = await asked()
    await add(2, 60)
    expect(await asked()).toBeLessThan(few + 10)
  })

  it('counts many people in time, where what they are compared with is more than memory for one step', {
    timeout: 120_000,
  }, async () => {
    const store = await openEmptyStore()
    await applyDeclared(store, parse(file), settings)
    await addPeopleLike(store, people.importer.email, 20_000, { roles: ['importer', 'reader'] })
    const client = await clientOf(store)
    const after = { ...client, allowed: '{"roles":["reader"]}' }
    const began = performance.now()
    // What the default of 4 MB is for 150,000 people.
    await withWorkMemory(store, '256kB', (trx) => entryChanges(trx, [client], [after], 2_000))
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
