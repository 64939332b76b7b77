import { readFileSync } from 'node:fs'
import { allLinked } from '../harness/stores.ts'
import { type Kysely, sql } from 'kysely'
import { closeMonth } from '../../dist/audit/months.js'
import { type AuditEvent, record, recordAll } from '../../dist/audit/record.js'
import { hashOf } from '../../dist/audit/chain.js'
import { followAudit as follow } from '../../dist/audit/read.js'
import { type AuditRecordRow, contentColumns } from '../../dist/database/schema-audit.js'
import { type DialectName, dialectOf } from '../../dist/database/dialect.js'
import type { Store } from '../../dist/database/store.js'
import type { Schema } from '../../dist/database/schema.js'

/** Records of everyday life, written by the product, a minute apart from 2030-03-17T17:46:40Z on. */
export async function writeRecords(store: Store, many = 12): Promise<AuditRecordRow[]> {
  const events = Array.from(
    { length: many },
    (_, index): AuditEvent => ({
      at: 1_900_000_000_000 + index * 60_000,
      kind: index % 3 === 0 ? 'sign_in.failed' : 'user.changed',
      actor: {
        kind: 'user',
        id: `actor-${index % 4}`,
        profile_uuid: 'p',
        role_code: 'r',
        organisation_uuid: 'o',
      },
      address: '192.0.2.1',
      requestId: `request-${index}`,
      target: { kind: 'user', id: `target-${index % 5}` },
      user_uuid: `target-${index % 5}`,
      client_id: 'console',
      sid: 's',
      organisation_uuid: `organisation-${index % 2}`,
      before: { name: `before ${index}` },
      after: { name: `after ${index}` },
      detail: { index },
    }),
  )
  await recordAll(store, events)
  return await recordsOf(store)
}

export async function recordsOf(store: Store): Promise<AuditRecordRow[]> {
  await allLinked(store)
  return await store.db.selectFrom('audit_records').selectAll().orderBy('sequence').execute()
}

export const monthTimes = {
  october: Date.parse('2030-10-05'),
  november: Date.parse('2030-11-05'),
  december: Date.parse('2030-12-05'),
  january: Date.parse('2031-01-05'),
}

/** One millisecond after the other. */
export async function addRecords(store: Store, at: number, many: number): Promise<void> {
  for (let n = 0; n < many; n++) await record(store, { at: at + n, kind: 'user.changed', detail: { n } })
  await allLinked(store)
}

/** Three records in October, two in November, one in December, which is open. */
export async function writeMonths(store: Store): Promise<void> {
  const { october, november, december } = monthTimes
  for (const [at, many] of [
    [october, 3],
    [november, 2],
    [december, 1],
  ] as const) {
    await closeMonth(store, at)
    await addRecords(store, at, many)
  }
}

/** The records that were added after a sequence, those that wait among them. */
export async function followAudit(...of: Parameters<typeof follow>): ReturnType<typeof follow> {
  await allLinked(of[0])
  return await follow(...of)
}

export const triggersOf = {
  sqlite: ['update', 'delete', 'replace'].map((change) => `audit_records_no_${change}`),
  postgres: [
    'audit_records_no_change',
    'audit_records_no_truncate',
    'audit_waiting_no_change',
    'audit_waiting_no_loss',
  ],
}

/** What docs/audit.md says to make the triggers again. */
const statements = (() => {
  const text = readFileSync(new URL('../../../docs/audit.md', import.meta.url), 'utf8')
  const [, after = ''] = text.split('\n## The triggers\n')
  const blocks = [...after.matchAll(/```sql\n(.*?)```/gs)].map(([, block = '']) => block)
  const [sqlite = '', postgres = ''] = blocks.map((block) => block.trimEnd())
  return { sqlite: sqlite.split(/(?<=end;)\n/), postgres: postgres.split(/(?<=;)\n/) }
})()

/** What somebody does who has the password of the database: the triggers go first. */
export class Intruder {
  readonly db: Kysely<Schema>
  readonly #dialect: DialectName

  constructor(store: Store) {
    this.#dialect = dialectOf(store.db)
    this.db = store.db
  }

  async dropTriggers(names = triggersOf[this.#dialect]): Promise<void> {
    const on = (name: string) => (this.#dialect === 'sqlite' ? '' : ` on ${/^audit_[a-z]+/.exec(name)?.[0]}`)
    for (const name of names) await sql.raw(`drop trigger if exists ${name}${on(name)}`).execute(this.db)
  }

  /** As docs/audit.md says. */
  async makeTriggers(): Promise<void> {
    await this.dropTriggers()
    for (const statement of statements[this.#dialect]) await sql.raw(statement).execute(this.db)
  }

  /** Begins the audit anew, whatever was done to it. */
  async clear(): Promise<void> {
    for (const table of ['audit_records', 'audit_head'] as const) await this.db.deleteFrom(table).execute()
    const head = { name: 'chain', sequence: 0, hash: '0'.repeat(64) }
    await this.db.insertInto('audit_head').values(head).execute()
  }

  async set(sequence: number, values: Partial<AuditRecordRow>): Promise<void> {
    await this.db.updateTable('audit_records').set(values).where('sequence', '=', sequence).execute()
  }

  async remove(...sequences: number[]): Promise<void> {
    await this.db.deleteFrom('audit_records').where('sequence', 'in', sequences).execute()
  }

  /** Exchanges two records but for their numbers. */
  async swap(one: AuditRecordRow, other: AuditRecordRow): Promise<void> {
    const { sequence: a, ...ofOne } = one
    const { sequence: b, ...ofOther } = other
    await this.set(a, ofOther)
    await this.set(b, ofOne)
  }

  /** Moves every record from this one on by so many places. */
  async shift(rows: readonly AuditRecordRow[], by: number): Promise<void> {
    const inOrder = by > 0 ? rows.toReversed() : rows
    for (const { sequence } of inOrder) await this.set(sequence, { sequence: sequence + by })
  }

  async insert(row: AuditRecordRow): Promise<void> {
    await this.db.insertInto('audit_records').values(row).execute()
  }

  async moveHead(to: { sequence: number; hash: string }): Promise<void> {
    await this.db
      .updateTable('audit_head')
      .set({ sequence: to.sequence, hash: to.hash })
      .where('name', '=', 'chain')
      .execute()
  }

  /** Changes a record and writes its hash anew; with `throughout` also all that follow, and the head. */
  async rewrite(
    rows: readonly AuditRecordRow[],
    sequence: number,
    values: Partial<AuditRecordRow>,
    { throughout = false } = {},
  ): Promise<void> {
    let previous: string | undefined
    for (const row of rows.filter((one) => one.sequence >= sequence)) {
      const changed = {
        ...row,
        previous: previous ?? row.previous,
        ...(row.sequence === sequence && values),
      }
      previous = hashOf(changed)
      await this.set(row.sequence, { ...changed, hash: previous })
      if (!throughout) return
      await this.moveHead({ sequence: row.sequence, hash: previous })
    }
  }
}

export { contentColumns, hashOf }
