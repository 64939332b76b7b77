import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { type AuditEvent, record, recordAll } from '../../dist/audit/record.js'
import { hashOf } from '../../dist/audit/chain.js'
import type { Store } from '../../dist/database/store.js'
import { openStore } from '../harness/stores.ts'
import { recordsOf } from './support.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'

/** The chain of audit records: what is hashed, and that appends of any number of writers make one chain. */

const itsHash = '82ffd24e2f7686661d6b141510690055a5cf162d1f6b021af5c2c6024b8ecfb3'

/** Of any kind, as other versions may know more of them. */
const event = (kind: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  at: 1_000,
  kind: kind as AuditEvent['kind'],
  ...more,
})

onEachDatabase('the audit', (dialect) => {
  let database: TestDatabase
  let store: Store
  beforeEach(async () => {
    database = await createDatabase(dialect, 'tables')
    store = await openStore(database.url)
    return async () => {
      await store.close()
      await database.remove()
    }
  })
  const rows = () => recordsOf(store)
  const head = () => store.db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow()

  it('keeps all that an event says, and chains it', async () => {
    await record(store, {
      at: 1_700_000_000_000,
      kind: 'user.changed',
      actor: { kind: 'user', id: 'u1', profile_uuid: 'p1', role_code: 'admin', organisation_uuid: 'o1' },
      address: '2001:db8::1',
      requestId: 'r1',
      target: { kind: 'user', id: 'u2' },
      user_uuid: 'u2',
      client_id: 'console',
      sid: 's1',
      organisation_uuid: 'o2',
      before: { name: 'Änne "A"', active: true },
      after: { name: 'Anne', active: false },
      detail: { reason: null, list: ['a', 1] },
    })
    const [row] = await rows()
    expect(row).toEqual({
      sequence: 1,
      waited: dialect === 'postgres' ? 1 : null,
      ...(dialect === 'postgres' && { month: '' }),
      previous: '0'.repeat(64),
      // Worked out by other means: `printf %s '["tessera audit 1",…]' | sha256sum`.
      hash: itsHash,
      // Likewise: of the hash's 64 digits under the key.
      mac: createHmac('sha256', store.auditKey().key.export()).update(itsHash).digest('hex'),
      at: 1_700_000_000_000,
      kind: 'user.changed',
      actor_kind: 'user',
      actor_id: 'u1',
      actor_profile_uuid: 'p1',
      actor_role_code: 'admin',
      actor_organisation_uuid: 'o1',
      address: '2001:db8::1',
      request_id: 'r1',
      target_kind: 'user',
      target_id: 'u2',
      user_uuid: 'u2',
      client_id: 'console',
      sid: 's1',
      organisation_uuid: 'o2',
      before: '{"name":"Änne \\"A\\"","active":true}',
      after: '{"name":"Anne","active":false}',
      detail: '{"reason":null,"list":["a",1]}',
    })
    expect(await head()).toEqual({ name: 'chain', sequence: 1, hash: row?.hash, month: null })
  })

  it('follows each record by the next, several at once too', async () => {
    await record(store, event('a'))
    await recordAll(
      store,
      Array.from({ length: 450 }, (_, index) => event(`b${index}`)),
    )
    await recordAll(store, [])
    await record(store, event('c'))
    const all = await rows()
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1))
    expect(all.map(({ kind }) => kind)).toEqual(['a', ...all.slice(1, -1).map((_, i) => `b${i}`), 'c'])
    for (const [index, row] of all.entries()) {
      expect(row.previous).toBe(all[index - 1]?.hash ?? '0'.repeat(64))
      expect(hashOf(row)).toBe(row.hash)
    }
    expect(await head()).toMatchObject({ sequence: 452, hash: all.at(-1)?.hash })
  })

  it('loses a record together with the change that it tells of', async () => {
    await record(store, event('kept'))
    const failing = store.db.transaction().execute(async (trx) => {
      await record(store, event('lost'), trx)
      throw new Error('the change failed')
    })
    await expect(failing).rejects.toThrow('the change failed')
    await record(store, event('next'))
    const all = await rows()
    expect(all.map(({ sequence, kind }) => [sequence, kind])).toEqual([
      [1, 'kept'],
      [2, 'next'],
    ])
    expect(all[1]?.previous).toBe(all[0]?.hash)
  })

  it('keeps no secret, whoever forgets to leave it out', async () => {
    const secrets = { password_hash: 'h1', private_key: 'h2', deep: [{ secret_hash: 'h3', id: 'kept' }] }
    await record(store, event('x', { before: secrets, after: { ...secrets, secret: null }, detail: secrets }))
    const text = JSON.stringify(await rows())
    expect(text).not.toMatch(/h[123]/)
    expect(text).toContain('kept')
    expect(text).toContain('(changed)')
  })

  it('hashes what the database keeps of text that it would change or refuse', async () => {
    const odd = `a\0b\ud800c ${'😀'.repeat(900)}`
    await record(store, event('x', { target: { kind: 'client', id: odd }, after: { name: odd } }))
    const [row] = await rows()
    expect(row && hashOf(row)).toBe(row?.hash)
    expect(row?.target_id).toMatch(/^a\ufffdb\ufffdc 😀/u)
    expect(row?.target_id?.length).toBeLessThanOrEqual(1000)
    expect(JSON.parse(row?.after ?? '')).toEqual({ name: odd })
  })

  const forged = "(sequence, previous, hash, at, kind, actor_kind) values (1, 'p', 'h', 1, 'forged', 'user')"
  it.each([
    'update audit_records set kind = kind',
    'delete from audit_records where sequence = 1',
    ...(dialect === 'sqlite'
      ? [
          // It removes without asking the trigger that refuses to.
          `insert or replace into audit_records ${forged}`,
          `replace into audit_records ${forged.replace('(1,', "('1',")}`,
          `replace into audit_records ${forged.replace('sequence', '_rowid_')}`,
          "update or replace audit_records set kind = 'forged', sequence = 1 where sequence = 2",
        ]
      : [
          'truncate audit_records',
          'truncate audit_records_first',
          'delete from audit_records_first',
          "update audit_records_first set kind = 'forged'",
          "update audit_records set month = '2030-01'",
          `insert into audit_records ${forged} on conflict (sequence) do update set kind = 'forged'`,
        ]),
  ])('refuses to %s', async (statement) => {
    await record(store, event('a'))
    await record(store, event('b'))
    const before = await rows()
    await expect(sql.raw(statement).execute(store.db)).rejects.toThrow(
      // No constraint of several partitions has a number alone.
      /never changed or removed|no unique or exclusion constraint matching/,
    )
    expect(await rows()).toEqual(before)
  })
})
