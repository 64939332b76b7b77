import { afterAll, beforeAll, expect, it } from 'vitest'
import { pastRecords } from '../../dist/administration/past-records.js'
import { countedRecords } from '../../dist/audit/counted.js'
import { closeMonth } from '../../dist/audit/months.js'
import { type AuditFilter, followAudit, listAudit } from '../../dist/audit/read.js'
import { recordsAfter } from '../../dist/audit/verification.js'
import { ChainCheck, verifyAudit } from '../../dist/audit/verify.js'
import type { Store } from '../../dist/database/store.js'
import { acme } from '../administration/support.ts'
import { openStore } from '../harness/stores.ts'
import { writeRecords } from './support.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { plansOf as plansIn } from '../database/plans-support.ts'

/** However many records there are, a page of them is read from an index, in its order: nothing is scanned or sorted. */
onEachDatabase('reading the audit', (dialect) => {
  let database: TestDatabase
  let store: Store
  beforeAll(async () => {
    database = await createDatabase(dialect)
    store = await openStore(database.url)
    // Of two months, which are partitions on PostgreSQL.
    for (const month of ['2030-03', '2030-04']) {
      await closeMonth(store, Date.parse(month))
      await writeRecords(store, 1000)
    }
  })
  afterAll(async () => {
    await store.close()
    await database.remove()
  })

  const plansOf = async (verb: (store: Store) => Promise<unknown>) => await plansIn(store, verb)
  const scanned = /\bSCAN\b(?! audit_records USING INDEX)|TEMP B-TREE|Seq Scan|\bSort\b(?! Key)/
  /** The tables of one row each. */
  const plansOfRecords = (plans: string[]) => plans.filter((plan) => plan.includes('audit_records'))

  /** What an index is called in each partition. */
  const inPartitions = (index: string): RegExp[] =>
    dialect === 'sqlite'
      ? [new RegExp(`${index}\\b`)]
      : ['2030_03', '2030_04'].map(
          (month) => new RegExp(`${index.replace('records_', `records_${month}_`)}(_at)?_sequence_idx\\b`),
        )

  const one: [AuditFilter, index: string][] = [
    [{}, 'audit_records_at'],
    [{ from: 1, to: 2_000_000_000_000 }, 'audit_records_at'],
    [{ actor: 'actor-1' }, 'audit_records_actor_id'],
    [{ target: 'target-1' }, 'audit_records_target_id'],
    [{ user: 'target-1', from: 1 }, 'audit_records_user_uuid'],
    [{ request: 'request-1' }, 'audit_records_request_id'],
    [{ organisation: 'organisation-1' }, 'audit_records_organisation_uuid'],
    [{ user: 'target-1', organisation: 'organisation-1', signingIn: true }, 'audit_records_user_uuid'],
    [{ kind: 'user.changed', to: 2_000_000_000_000 }, 'audit_records_kind'],
  ]
  const past: [Parameters<typeof pastRecords>[1], index: string][] = [
    [
      { column: 'user_uuid', ids: ['target-1'], kinds: ['user.changed'], since: 1 },
      'audit_records_user_uuid',
    ],
    [{ column: 'target_id', ids: ['target-1'], kinds: ['user.changed'] }, 'audit_records_target_id'],
    [
      { column: 'organisation_uuid', ids: ['organisation-1'], kinds: ['unit.removed'], since: 1 },
      'audit_records_organisation_uuid',
    ],
  ]
  it.each(past)('of what somebody could do before, by %j', async (asked, index) => {
    const plans = plansOfRecords(await plansOf((spied) => pastRecords(spied.db, asked)))
    expect(plans.length).toBeGreaterThan(0)
    for (const name of inPartitions(index)) expect(plans.at(-1)).toMatch(name)
  })

  it.each(one)('by %j', async (filter, index) => {
    for (const before of [undefined, 1500]) {
      const plans = plansOfRecords(await plansOf((spied) => listAudit(spied, filter, { before, limit: 50 })))
      expect(plans.length).toBeGreaterThan(0)
      for (const name of inPartitions(index)) expect(plans.at(-1)).toMatch(name)
      for (const plan of plans) expect(plan).not.toMatch(scanned)
    }
  })

  it('by several at once, in the order of one of them', async () => {
    const filter = { actor: 'actor-1', kind: 'user.changed', organisation: 'organisation-1', from: 1 }
    const plans = plansOfRecords(await plansOf((spied) => listAudit(spied, filter, { limit: 50 })))
    expect(plans).toHaveLength(1)
    expect(plans[0]).toMatch(/audit_records_\w*(actor_id|kind|organisation_uuid)/)
    expect(plans[0]).not.toMatch(scanned)
  })

  it('to follow it, and to check it', async () => {
    const followed = await plansOf((spied) => followAudit(spied, {}, { after: 1000, limit: 50 }))
    const checked = await plansOf((spied) =>
      verifyAudit(spied, new ChainCheck(() => undefined), () => undefined),
    )
    expect(plansOfRecords(followed)).toHaveLength(1)
    expect(plansOfRecords(followed)[0]).not.toMatch(scanned)
    for (const after of [0, 1000, 1999]) {
      const [plan] = plansOfRecords(await plansOf((spied) => recordsAfter(spied, after)))
      expect(plan).toMatch(/audit_records/)
      expect(plan).not.toMatch(scanned)
    }
    expect(plansOfRecords(checked).length).toBeGreaterThanOrEqual(3)
    // All of it is read, from its beginning: in its own order.
    for (const plan of plansOfRecords(checked))
      expect(plan).not.toMatch(/TEMP B-TREE|Seq Scan|\bSort\b(?! Key)/)
  })

  it.each([{}, { client: 'submissions-web' }, { organisation: acme }])(
    'to count sign-ins of %j',
    async (of) => {
      const asked = { kind: 'sign_in.failed', from: 0, to: 2_000_000_000_001, step: 3_600_000_000 } as const
      const nowhere = { client: undefined, organisation: undefined }
      const plans = await plansOf((spied) => countedRecords(spied, { ...asked, ...nowhere, ...of }))
      const [plan = ''] = plansOfRecords(plans)
      expect(plan).toMatch(
        /audit_counts_pk\b|sqlite_autoindex_audit_counts_1 \(client_id=\? AND kind=\? AND hour/,
      )
      for (const number of ['03', '04'])
        expect(plan).toMatch(new RegExp(`audit_records_2030_${number}_pkey|INTEGER PRIMARY KEY \\(rowid>`))
      for (const name of inPartitions('audit_records_kind')) expect(plan).toMatch(name)
      expect(plan).not.toMatch(/SCAN (audit|clients)|Seq Scan on (audit|clients)/)
    },
  )
})
