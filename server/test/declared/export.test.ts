import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { exportDeclared } from '../../dist/declared/export.js'
import { emptyPlan, planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { acme, edited, forEachDatabase, parse } from './support.ts'
import { oneDatabase } from '../harness/databases.ts'
import { clearDeclared, declaredIn } from '../harness/states.ts'
import { installation, quickHash, quickPasswords } from './tree.ts'

const now = 10_000
const settings = { now, ...quickPasswords }
const applyText = (store: Store, text: string, mode?: 'production') =>
  applyDeclared(store, parse(text, mode), settings)
const uuids = {
  importer: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001',
  profile: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101',
}

/** What is generated, what time it was, and what people and the service noted: no part of what a file says. */
const apart = new Set([
  'id',
  'created_at',
  'updated_at',
  'version',
  'last_profile_uuid',
  'declared_password_hash',
  'managed_by',
])
async function stateOf(store: Store): Promise<Record<string, string[]>> {
  const state = Object.entries(await declaredIn(store)).map(([table, texts]) => {
    const rows = texts.map((text) => JSON.parse(text) as object)
    const valid = rows.filter((row) => table !== 'client_secrets' || isValid(row))
    return [table, valid.map((row) => JSON.stringify(withoutApart(row))).sort()] as const
  })
  return Object.fromEntries(state)
}
const isValid = (row: object) => 'expires_at' in row && Number(row.expires_at ?? Infinity) > now
const withoutApart = (row: object) =>
  Object.entries(row)
    .filter(([column]) => !apart.has(column))
    .sort(([a], [b]) => (a < b ? -1 : 1))

/** Exports, applies that where there is nothing, and looks that both are the same and have nothing left to change. */
async function roundTrip(store: Store, empty: Store): Promise<string> {
  const text = await exportDeclared(store, now)
  expect(await planDeclared(store, parse(text, 'production'), settings)).toEqual(emptyPlan())
  await applyText(empty, text, 'production')
  expect(await stateOf(empty)).toEqual(await stateOf(store))
  expect(await exportDeclared(empty, now)).toBe(text)
  return text
}

forEachDatabase((openEmptyStore, dialect) => {
  const once = oneDatabase(dialect)
  describe('an export', () => {
    it('of the reference example gives the same where there was nothing', async () => {
      const store = await openEmptyStore()
      await applyText(store, acme)
      const text = await roundTrip(store, await openEmptyStore())
      expect(text).not.toMatch(/correct horse|development-secret/)
      expect(text).toContain(`password_hash: ${quickHash('correct horse battery one')}\n`)
    })

    once.it('of nothing is a file that says nothing', async () => {
      await roundTrip(await openEmptyStore(), await openEmptyStore())
    })

    it('holds what came by other means than a file', async () => {
      const store = await openEmptyStore()
      await applyText(store, acme)
      const chosen = { password_hash: quickHash('a password of their own choice') }
      await store.db.updateTable('users').set(chosen).where('uuid', '=', uuids.importer).execute()
      const [held] = await store.db
        .selectFrom('profiles')
        .selectAll()
        .where('uuid', '=', uuids.profile)
        .execute()
      if (held === undefined) throw new Error('The example has another profile now.')
      const again = { ...held, uuid: uuids.profile.replace('0d9f', '1d9f'), expires_at: now + 1 }
      await store.db.insertInto('profiles').values(again).execute()
      await store.db
        .updateTable('services')
        .set({ access_token_alg: 'ES256' })
        .where('code', '=', 'ledger')
        .execute()
      const secret = { client_id: 'nightly-import', created_at: 1, limited_reach: 0 as const }
      await store.db
        .insertInto('client_secrets')
        .values([
          { ...secret, id: 'next', secret_hash: 'n'.repeat(43), expires_at: now + 1 },
          { ...secret, id: 'ended', secret_hash: 'e'.repeat(43), expires_at: now },
        ])
        .execute()
      const text = await roundTrip(store, await openEmptyStore())
      expect(text).toContain(chosen.password_hash)
      expect(text).not.toContain('e'.repeat(43))
      expect(text.match(/access_token_alg: .*/g)).toEqual(['access_token_alg: ES256'])

      // Applied where it came from, it leaves alone what a person chooses from then on.
      await applyText(store, text, 'production')
      const later = { password_hash: quickHash('and another one after that') }
      await store.db.updateTable('users').set(later).where('uuid', '=', uuids.importer).execute()
      expect(await planDeclared(store, parse(text, 'production'), settings)).toEqual(emptyPlan())
    })

    // The planner is not told anew of fewer.
    if (dialect === 'postgres')
      it('of a thousand people gives the same where there was nothing', async () => {
        const store = await openEmptyStore()
        const people = Array.from({ length: 1000 }, (_, n) => ({
          email: `person-${n}@acme.example`,
          // What YAML would read as something else, and what needs another line.
          name: ['yes', '# 7', `Person: ${n}`, "- 'quoted'", 'Æther {x}', '0x10'][n % 6],
          password_hash: quickHash(`password of ${n}`),
          profiles: [{ role: 'reader', organisation: 'acme' }],
        }))
        const roles = [{ code: 'reader', name: 'Reader' }]
        const organisations = [{ code: 'acme', name: 'Acme' }]
        await applyText(store, JSON.stringify({ roles, organisations, users: people }), 'production')
        const text = await roundTrip(store, await openEmptyStore())
        expect(text.match(/^ {2}- email: /gm)).toHaveLength(people.length)
        // Its autovacuum would tell PostgreSQL's planner of them minutes later.
        expect(await plannedFor(store, 'users')).toBe(people.length)
      })

    once.it('of more than a file may have is written all the same', async () => {
      const store = await openEmptyStore()
      const permissions = Array.from({ length: 1850 }, (_, n) => ({
        code: `ledger.entry-${n}.read`,
        description: '\u20AC'.repeat(1000),
      }))
      const service = { code: 'ledger', name: 'Ledger', audience: 'https://ledger.example', permissions }
      await applyText(store, JSON.stringify({ services: [service] }))
      const text = await exportDeclared(store, now)
      expect(Buffer.byteLength(text)).toBeGreaterThan(5 * 1024 * 1024)
      expect(parse(text, 'production').services[0]?.permissions).toHaveLength(1850)
    })

    once.it('is refused where no file can hold what is stored', async () => {
      const store = await openEmptyStore()
      await applyText(store, acme)
      await store.db.updateTable('roles').set({ name: '' }).where('code', '=', 'reader').execute()
      await expect(exportDeclared(store, now)).rejects.toThrow(
        /No declared file can hold.*name.*tessera backup/,
      )
    })

    it('of any state gives the same where there was nothing', async () => {
      const [store, empty] = [await openEmptyStore(), await openEmptyStore()]
      const property = fc.asyncProperty(fc.gen(), fc.boolean(), async (g, onTop) => {
        await clearDeclared(store)
        await clearDeclared(empty)
        if (onTop)
          await applyText(store, edited(acme, ['audience: https://ledger', 'audience: https://other']))
        await applyText(store, JSON.stringify(installation(g)))
        await roundTrip(store, empty)
      })
      await fc.assert(property, { numRuns: dialect === 'sqlite' ? 8 : 4 })
    })
  })
})

/** How many rows PostgreSQL believes a table to have. */
async function plannedFor({ db }: Store, table: string): Promise<number> {
  const query = sql<{ rows: number }>`select reltuples as rows from pg_class where relname = ${table}`
  return Number((await query.execute(db)).rows[0]?.rows)
}
