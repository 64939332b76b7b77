import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { closeMonth } from '../../dist/audit/months.js'
import { record } from '../../dist/audit/record.js'
import { migrate } from '../../dist/database/migrate.js'
import * as baseline from '../../dist/database/migrations/0001-baseline.js'
import * as months from '../../dist/database/migrations/0003-additive-audit-months.js'
import * as recordMonth from '../../dist/database/migrations/0009-additive-audit-record-month.js'
import * as recordMonthChecked from '../../dist/database/migrations/0010-additive-audit-record-month-checked.js'
import * as auditPartitions from '../../dist/database/migrations/0011-additive-audit-partitions.js'
import { openPostgres } from '../../dist/database/postgres.js'
import { replaceAuditKey } from '../../dist/keys/audit-key.js'
import { createDatabase, type TestDatabase } from '../harness/databases.ts'
import { allLinked, openStore, testKeeper } from '../harness/stores.ts'

/** On PostgreSQL the records of each month are a partition, for a service that need not own the tables. */
describe('partitions of audit records', () => {
  let database: TestDatabase
  let owner: pg.Client
  /** Who serves: roles are of the whole server. */
  let role: string
  const begin = async (content: 'empty' | 'tables') => {
    database = await createDatabase('postgres', content)
    owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    await owner.query(`create role ${role} login`)
  }
  beforeEach(() => {
    role = `serves_${randomBytes(6).toString('hex')}`
  })
  afterEach(async () => {
    await owner.query(`drop owned by ${role}; drop role ${role}`)
    await owner.end()
    await database.remove()
  })
  const asRole = () => Object.assign(new URL(database.url), { username: role }).toString()
  const rowsOf = async (text: string) => (await owner.query(text)).rows

  it('take over a table that there is, as it lies on the disk, with its rights', async () => {
    await begin('empty')
    const opened = openPostgres(database.url, { pool: 1, connectTimeout: 60_000, statementTimeout: 60_000 })
    const inOne = async (up: (db: Kysely<unknown>) => Promise<void>) =>
      await opened.db.transaction().execute(async (trx) => await up(trx as unknown as Kysely<unknown>))
    try {
      await inOne((db) => baseline.up(db, 'postgres', testKeeper))
      await inOne((db) => months.up(db, 'postgres'))
      await owner.query(`insert into audit_records (sequence, previous, hash, at, kind, actor_kind)
        select n, '', '', n, 'sign_out', 'service' from generate_series(1, 1000) as n`)
      await owner.query(`alter default privileges grant all on tables to ${role}`)
      await owner.query(`grant select, insert on audit_records to ${role}`)
      const files = `select string_agg(pg_relation_filenode(indexrelid)::text, ',' order by indexrelid) as indexes,
        pg_relation_filenode(indrelid) as heap from pg_index where indrelid = $1::regclass group by indrelid`
      const filesOf = async (table: string) => (await owner.query(files, [table])).rows
      const before = await filesOf('audit_records')
      for (const { up } of [recordMonth, recordMonthChecked, auditPartitions])
        await inOne((db) => up(db, 'postgres'))
      expect(await filesOf('audit_records_first')).toEqual(before)
      expect(
        await rowsOf('select count(*)::int as count, max(sequence)::int as last from audit_records'),
      ).toEqual([{ count: 1000, last: 1000 }])
      const rights = await rowsOf(`select privilege_type as one from pg_class, aclexplode(relacl)
        where oid = 'audit_records'::regclass and grantee = '${role}'::regrole order by 1`)
      expect(rights).toEqual([{ one: 'INSERT' }, { one: 'SELECT' }])
      for (const table of ['audit_records', 'audit_records_first'])
        for (const change of [`delete from ${table}`, `update ${table} set kind = ''`, `truncate ${table}`])
          await expect(owner.query(change)).rejects.toThrow(/never changed or removed/)
    } finally {
      await opened.close()
    }
  })

  it('get an index that comes later, also where its making was interrupted', async () => {
    await begin('tables')
    const store = await openStore(database.url)
    try {
      for (const month of ['2030-01', '2030-02']) await closeMonth(store, Date.parse(month))
      const index = 'audit_records_request_id'
      const made = '(request_id, at, sequence) where request_id is not null'
      await owner.query(`drop index ${index};
        create index ${index} on only audit_records ${made};
        create index audit_records_2030_01_request_id on audit_records_2030_01 ${made};
        update pg_index set indisvalid = false
          where indexrelid = 'audit_records_2030_01_request_id'::regclass;
        delete from kysely_migration where name like '0022-%'`)
      expect(await migrate(store, () => undefined)).toEqual(['0022-additive-audit-requests'])
      // Of the months that there are, and of one that begins.
      await closeMonth(store, Date.parse('2030-03'))
      const indexes = await rowsOf(`select indrelid::regclass::text as of, indisvalid as valid from pg_index
        where pg_get_indexdef(indexrelid) like '%(request_id%' order by 1`)
      const names = ['', '_2030_01', '_2030_02', '_2030_03', '_first']
      expect(indexes).toEqual(names.map((name) => ({ of: `audit_records${name}`, valid: true })))
    } finally {
      await store.close()
    }
  })

  it('are made when nobody holds the table, and until then records go on in the month before', async () => {
    await begin('tables')
    const store = await openStore(database.url)
    const lies =
      'select sequence, month, tableoid::regclass::text as lies from audit_records order by sequence'
    try {
      await closeMonth(store, Date.parse('2030-10'))
      await owner.query('begin; lock table audit_records in share update exclusive mode')
      await expect(closeMonth(store, Date.parse('2030-11'))).rejects.toMatchObject({ code: '55P03' })
      await record(store, { at: Date.parse('2030-11'), kind: 'sign_out' })
      await allLinked(store)
      await owner.query('rollback')
      await closeMonth(store, Date.parse('2030-11'))
      await record(store, { at: Date.parse('2030-11'), kind: 'sign_out' })
      await replaceAuditKey(store, { now: Date.parse('2030-11'), by: { actor: { kind: 'service' } } })
      expect(await rowsOf(lies)).toEqual([
        { sequence: 1, month: '2030-10', lies: 'audit_records_2030_10' },
        { sequence: 2, month: '2030-11', lies: 'audit_records_2030_11' },
        { sequence: 3, month: '2030-11', lies: 'audit_records_2030_11' },
      ])
    } finally {
      await store.close()
    }
  })

  it('are made for a role that owns nothing, which can remove no record', async () => {
    await begin('tables')
    await owner.query(`grant select, insert, update, delete on all tables in schema public to ${role}`)
    await owner.query(`grant usage on all sequences in schema public to ${role}`)
    await owner.query(`revoke update, delete on audit_records from ${role}`)
    const store = await openStore(asRole())
    try {
      for (const month of ['2030-10', '2030-11']) {
        await closeMonth(store, Date.parse(month))
        await record(store, { at: Date.parse(month), kind: 'sign_out' })
        await allLinked(store)
      }
      expect(
        await rowsOf('select month, tableoid::regclass::text as lies from audit_records order by sequence'),
      ).toEqual([
        { month: '2030-10', lies: 'audit_records_2030_10' },
        { month: '2030-11', lies: 'audit_records_2030_11' },
      ])
      for (const change of [
        'delete from audit_records',
        'drop table audit_records_2030_10',
        'alter table audit_records detach partition audit_records_2030_10',
      ])
        await expect(sql.raw(change).execute(store.db)).rejects.toThrow(/permission denied|must be owner/)
      // With a table of its own that says what is archived.
      await owner.query(`grant delete on audit_records to ${role}`)
      const client = new pg.Client({ connectionString: asRole() })
      await client.connect()
      await client.query('create temp table audit_months (archived_at bigint, last bigint)')
      await client.query('insert into audit_months values (1, 1000)')
      await expect(client.query('delete from audit_records')).rejects.toThrow(/never changed or removed/)
      await client.end()
      for (const wrong of ["'2030-1'", "'x'); drop table users; --'"])
        await expect(sql`update audit_head set month = ${wrong}`.execute(store.db)).rejects.toThrow(
          /audit_head.month is no month/,
        )
    } finally {
      await store.close()
    }
  })
})
