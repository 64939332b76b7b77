import { describe, expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { describePlan } from '../../dist/declared/describe.js'
import { parseDeclared } from '../../dist/declared/format.js'
import { emptyPlan, planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { everythingOf as everything } from '../harness/states.ts'
import { acme, edited, forEachDatabase, passwords } from './support.ts'

const now = 2_000
const settings = { now, ...passwords }
const parsed = (text: string, file = 'access.yaml') => parseDeclared(text, { file, mode: 'development' })
const apply = (
  store: Store,
  text: string,
  { file, prune = false }: { file?: string; prune?: boolean } = {},
) => applyDeclared(store, parsed(text, file), { ...settings, prune })
const plan = (store: Store, text: string, prune: boolean) =>
  planDeclared(store, parsed(text), { ...settings, prune })

const uuids = {
  both: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0002',
  admin: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0004',
  reader: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0201',
}
const between = (from: string, to: string) => acme.slice(acme.indexOf(from), acme.indexOf(to))
/** The example without a person, an organisation, two roles, a service and the clients of it. */
const smaller = edited(
  acme,
  [between('  - code: ledger\n', '\nroles:'), ''],
  [between('  - code: reader\n', '  - code: administrator'), ''],
  [between('  - code: globex\n', '\nusers:'), ''],
  [between('  - email: both@', '  - email: nobody@'), ''],
  [between('  - client_id: partner-portal', '  - client_id: nightly-import'), ''],
  [between('  - client_id: ledger-report', '  - client_id: retired-app'), ''],
)

/** What somebody made by other means. */
async function madeByHand(store: Store): Promise<void> {
  const { db } = store
  const service = { code: 'by-hand', name: 'By hand', audience: 'https://by-hand.example' }
  await db
    .insertInto('services')
    .values({ ...service, access_token_alg: 'RS256', access_token_typ: 'at+jwt' })
    .execute()
  await db.insertInto('roles').values({ code: 'by-hand', name: 'By hand', active: 1 }).execute()
  const organisation = { uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1c01', code: 'by-hand', name: 'By hand' }
  await db
    .insertInto('organisations')
    .values({ ...organisation, active: 1 })
    .execute()
  const [user] = await db.selectFrom('users').selectAll().where('uuid', '=', uuids.both).execute()
  const [client] = await db
    .selectFrom('clients')
    .selectAll()
    .where('client_id', '=', 'partner-portal')
    .execute()
  if (user === undefined || client === undefined) throw new Error('The example has others now.')
  const email = 'by-hand@acme.example'
  const uuid = uuids.both.replace('0002', '0009')
  await db
    .insertInto('users')
    .values({ ...user, uuid, email, email_key: email, managed_by: null })
    .execute()
  await db
    .insertInto('clients')
    .values({ ...client, client_id: 'by-hand', managed_by: null })
    .execute()
}

const managed = ['services', 'roles', 'organisations', 'users', 'clients'] as const
async function marksOf(store: Store): Promise<string[]> {
  const marks: string[] = []
  for (const table of managed) {
    const rows: { managed_by: string | null }[] = await store.db.selectFrom(table).selectAll().execute()
    marks.push(...new Set(rows.map((row) => `${table} ${row.managed_by}`)))
  }
  return marks
}
const rowsOf = async (store: Store, table: 'users' | 'roles' | 'clients' | 'services' | 'organisations') =>
  (await everything(store))[table]?.filter((row) => row.includes('by-hand'))

async function signIn(store: Store): Promise<void> {
  const proof = {
    auth_time: 1,
    acr: 'pwd',
    proofs: '[]',
    amr: '["pwd"]',
    created_at: 1,
    expires_at: 9_000_000,
  }
  const session = {
    ...proof,
    user_uuid: uuids.both,
    sid: 'sid',
    cookie_hash: 'c',
    last_seen_at: 1,
    ended_at: null,
  }
  await store.db.insertInto('sessions').values(session).execute()
  const hashes = { family_hash: 'f', current_hash: 'f', predecessors: '[]' }
  const ends = { last_used_at: 1, idle_expires_at: 9_000_000, revoked_at: null, revoked_reason: null }
  const held = { id: 'f', client_id: 'submissions-web', user_uuid: uuids.both, profile_uuid: uuids.reader }
  await store.db
    .insertInto('token_families')
    .values({ ...proof, ...hashes, ...ends, ...held, sid: 'sid', scope: 'openid', resource: null })
    .execute()
  const consent = { user_uuid: uuids.admin, client_id: 'partner-portal', scope: 'openid', granted_at: 1 }
  await store.db.insertInto('consents').values(consent).execute()
}

forEachDatabase((openEmptyStore) => {
  const openAcme = async () => {
    const store = await openEmptyStore()
    await apply(store, acme)
    return store
  }

  describe('what a file manages', () => {
    it('is what it names, and nothing that others made', async () => {
      const store = await openAcme()
      await madeByHand(store)
      expect(await marksOf(store)).toEqual(
        expect.arrayContaining(managed.flatMap((table) => [`${table} access.yaml`, `${table} null`])),
      )
    })

    it('is marked when nothing else changes, once, and said to be adopted', async () => {
      const store = await openAcme()
      for (const table of managed) await store.db.updateTable(table).set({ managed_by: null }).execute()
      const planned = await plan(store, acme, false)
      expect(planned).toMatchObject(emptyPlan())
      expect(planned.adopts).toContainEqual({
        kind: 'user',
        id: 'importer@acme.example',
        made_by: 'the service',
        made_at: '1970-01-01T00:00:02.000Z',
        managed_by: null,
        // The file names the password.
        keeps: [],
        loses: [],
      })
      expect(await marksOf(store)).toEqual(managed.map((table) => `${table} null`))
      const versions = () =>
        store.db.selectFrom('roles').select(['code', 'version']).orderBy('code').execute()
      const before = await versions()
      expect(await apply(store, acme, { file: '/elsewhere/access.yaml' })).toEqual(planned)
      expect(await marksOf(store)).toEqual(managed.map((table) => `${table} access.yaml`))
      expect(await versions()).toEqual(before)
      const settled = await everything(store)
      await apply(store, acme)
      expect(await everything(store)).toEqual(settled)
    })

    it('is told when the file names it no more, and stays without --prune', async () => {
      const store = await openAcme()
      const planned = await plan(store, smaller, false)
      expect(planned.changes).toEqual([])
      expect(planned.unnamed?.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
        'service ledger',
        'role bookkeeper',
        'role reader',
        'organisation globex',
        'user both@acme.example',
        'client ledger-report',
        'client partner-portal',
      ])
      expect(describePlan(planned)).toMatch(/^Nothing to change.*\n\nNo longer in the file.*--prune/)
      const before = await everything(store)
      expect(await apply(store, smaller)).toEqual(planned)
      expect(await everything(store)).toEqual(before)
    })
  })

  describe('pruning', () => {
    it('removes what the file names no more, ends what people had by it, and touches nothing else', async () => {
      const store = await openAcme()
      await signIn(store)
      await madeByHand(store)
      const byHand = await Promise.all(managed.map((table) => rowsOf(store, table)))
      const planned = await plan(store, smaller, true)
      expect(planned.changes.every((change) => change.pruned)).toBe(true)
      expect(planned.changes.map(({ kind, action, id }) => `${kind} ${action} ${id}`).sort()).toEqual([
        'client remove ledger-report',
        'client remove partner-portal',
        'organisation change globex',
        'permission remove ledger.entry.create',
        'permission remove ledger.entry.read',
        'profile remove both@acme.example as bookkeeper at globex',
        'profile remove both@acme.example as reader at acme/finance',
        'role remove bookkeeper',
        'role remove reader',
        'service remove ledger',
        'user change both@acme.example',
      ])
      expect(describePlan(planned)).toContain('  - ledger-report (no longer in the file)\n')
      expect(planned.access.users.map(({ email, loses }) => [email, loses.length])).toEqual([
        ['both@acme.example', 2],
        ['both@acme.example', 2],
      ])
      expect(planned.access.clients).toEqual([
        { client_id: 'ledger-report', organisation: null, gains: [], loses: ['ledger.entry.read'] },
      ])
      expect(await apply(store, smaller, { prune: true })).toEqual(planned)

      const { db } = store
      const user = await db.selectFrom('users').selectAll().where('uuid', '=', uuids.both).executeTakeFirst()
      expect(user).toMatchObject({ active: 0, managed_by: null })
      const { sessions = [], token_families: families = [] } = await everything(store)
      expect(sessions.map((row) => JSON.parse(row) as object)).toMatchObject([{ ended_at: now }])
      expect(families.map((row) => JSON.parse(row) as object)).toMatchObject([{ revoked_at: now }])
      expect(await db.selectFrom('consents').selectAll().execute()).toEqual([])
      expect(await Promise.all(managed.map((table) => rowsOf(store, table)))).toEqual(byHand)
      expect(await plan(store, smaller, true)).toEqual(emptyPlan())
      // Named again, they are back; the person too, as the one who they were.
      await apply(store, acme)
      const back = await db.selectFrom('users').selectAll().where('uuid', '=', uuids.both).executeTakeFirst()
      expect(back).toMatchObject({ active: 1, managed_by: 'access.yaml' })
    })

    it('leaves alone what another file manages', async () => {
      const store = await openAcme()
      const before = await everything(store)
      await apply(store, smaller, { file: 'other.yaml', prune: true })
      const after = await everything(store)
      for (const table of ['clients', 'roles', 'users', 'profiles']) {
        expect(after[table]?.length).toBe(before[table]?.length)
      }
    })

    it('disables a role that somebody holds whom the file does not manage', async () => {
      const store = await openAcme()
      await store.db.updateTable('users').set({ managed_by: null }).where('uuid', '=', uuids.both).execute()
      const planned = await plan(store, smaller, true)
      expect(planned.changes.filter(({ kind, pruned }) => kind === 'role' && pruned)).toMatchObject([
        { action: 'change', id: 'bookkeeper' },
        { action: 'change', id: 'reader' },
      ])
      expect(await apply(store, smaller, { prune: true })).toEqual(planned)
      const roles = await store.db.selectFrom('roles').selectAll().where('code', '=', 'reader').execute()
      expect(roles).toMatchObject([{ active: 0, managed_by: null }])
      expect(await plan(store, smaller, true)).toEqual(emptyPlan())
    })

    it('takes a service from clients that the file does not manage', async () => {
      const store = await openAcme()
      const mark = { managed_by: null }
      await store.db.updateTable('clients').set(mark).where('client_id', '=', 'ledger-report').execute()
      await apply(store, smaller, { prune: true })
      const rows = await store.db
        .selectFrom('clients')
        .selectAll()
        .where('client_id', '=', 'ledger-report')
        .execute()
      expect(rows).toMatchObject([{ services: '[]', permissions: '[]', active: 1 }])
    })

    it('never takes the last administrator away', async () => {
      const store = await openAcme()
      const before = await everything(store)
      const without = edited(acme, [between('  - email: admin@', '\nclients:'), ''])
      await expect(apply(store, without, { prune: true })).rejects.toThrow(/Nobody would be left/)
      await expect(plan(store, without, true)).rejects.toThrow(/Nobody would be left/)
      expect((await plan(store, without, false)).changes).toEqual([])
      expect(await everything(store)).toEqual(before)
    })

    it('gives the audience of a service that goes to the one that takes its place', async () => {
      const store = await openAcme()
      const renamed = acme.replaceAll(/\bledger(\.entry|$|\])/gm, 'books$1')
      await expect(apply(store, renamed)).rejects.toThrow(/is that of the service "ledger"/)
      const { changes } = await plan(store, renamed, true)
      await apply(store, renamed, { prune: true })
      const services = await store.db.selectFrom('services').select(['code', 'audience']).execute()
      expect(services).toContainEqual({ code: 'books', audience: 'https://ledger.acme.example/api' })
      expect(services.map((one) => one.code)).not.toContain('ledger')
      expect(changes.filter((one) => one.kind === 'service').map((one) => `${one.action} ${one.id}`)).toEqual(
        ['create books', 'remove ledger'],
      )
      expect(await plan(store, renamed, true)).toEqual(emptyPlan())
    })
  })
})
