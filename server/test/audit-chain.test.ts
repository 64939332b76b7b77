import { sql } from 'kysely'
import { beforeEach, expect, it, vi } from 'vitest'
import { type AuditEvent, record, recordAll } from '../dist/store/audit.js'
import { hashOf } from '../dist/store/audit-chain.js'
import { openStore, type Store } from '../dist/store/open.js'
import { createDatabase, onEachDatabase, type TestDatabase } from './databases.ts'
import { startTessera } from './harness.ts'
import { makeOlderTables } from './older-tables.ts'

/** The chain of audit records: what is hashed, and that appends of any number of writers make one chain. */

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
  const rows = () => store.db.selectFrom('audit_records').selectAll().orderBy('sequence').execute()
  const head = () => store.db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow()

  it('keeps all that an event says, and chains it', async () => {
    await record(store, {
      at: 1_700_000_000_000,
      kind: 'user.changed',
      actor: { kind: 'user', id: 'u1', profileUuid: 'p1', roleCode: 'admin', organisationUuid: 'o1' },
      address: '2001:db8::1',
      requestId: 'r1',
      target: { kind: 'user', id: 'u2' },
      userUuid: 'u2',
      clientId: 'console',
      sid: 's1',
      organisationUuid: 'o2',
      before: { name: 'Änne "A"', active: true },
      after: { name: 'Anne', active: false },
      detail: { reason: null, list: ['a', 1] },
    })
    const [row] = await rows()
    expect(row).toEqual({
      sequence: 1,
      previous: '0'.repeat(64),
      // Worked out by other means: `printf %s '["tessera audit 1",…]' | sha256sum`.
      hash: '82ffd24e2f7686661d6b141510690055a5cf162d1f6b021af5c2c6024b8ecfb3',
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
    expect(await head()).toEqual({ name: 'chain', sequence: 1, hash: row?.hash })
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
          `insert into audit_records ${forged} on conflict (sequence) do update set kind = 'forged'`,
        ]),
  ])('refuses to %s', async (statement) => {
    await record(store, event('a'))
    await record(store, event('b'))
    const before = await rows()
    await expect(sql.raw(statement).execute(store.db)).rejects.toThrow(/never changed or removed/)
    expect(await rows()).toEqual(before)
  })

  it('takes records of the version before into the chain, each once, in their order', async () => {
    await record(store, event('first'))
    const earlier = Array.from({ length: 1100 }, (_, index) => ({
      at: 5_000 + index,
      kind: 'code.replayed',
      user_uuid: `u${index}`,
      client_id: 'c',
      sid: null,
      address: null,
      request_id: null,
      detail: '{"a":1}',
    }))
    for (let start = 0; start < earlier.length; start += 100)
      await store.db
        .insertInto('audit')
        .values(earlier.slice(start, start + 100))
        .execute()
    const others = await Promise.all([1, 2, 3].map(() => openStore(database.url)))
    await Promise.all(others.map((other) => other.close()))
    const all = await rows()
    expect(all.slice(1).map(({ user_uuid }) => user_uuid)).toEqual(earlier.map(({ user_uuid }) => user_uuid))
    expect(all[1]).toMatchObject({ ...earlier[0], sequence: 2, actor_kind: 'service', before: null })
    for (const row of all) expect(hashOf(row)).toBe(row.hash)
    expect(await store.db.selectFrom('audit').selectAll().execute()).toEqual([])
  })

  it('begins with what a database of the version before holds', async () => {
    const old = await createDatabase(dialect, 'empty')
    const earlier = { at: 7, kind: 'declared.applied', user_uuid: null, client_id: null, sid: null }
    const recorded = { ...earlier, address: null, request_id: null, detail: '{"user_create": 2}' }
    await makeOlderTables(old.url, 1, (db) => db.insertInto('audit').values(recorded).execute())
    const migrated = await openStore(old.url)
    const [row, ...more] = await migrated.db.selectFrom('audit_records').selectAll().execute()
    expect(more).toEqual([])
    expect(row).toMatchObject({ ...earlier, sequence: 1, detail: '{"user_create":2}' })
    expect(row?.hash).toBe(row && hashOf(row))
    expect(await migrated.db.selectFrom('audit_head').selectAll().execute()).toMatchObject([
      { sequence: 1, hash: row?.hash },
    ])
    await migrated.close()
    await old.remove()
  })
})

onEachDatabase('a service beside one of the version before', (dialect) => {
  it('takes what that one records into the chain within a minute', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const tessera = await startTessera(dialect)
    const store = await openStore(tessera.databaseUrl)
    try {
      const nothing = { user_uuid: null, client_id: null, sid: null, address: null, request_id: null }
      await store.db
        .insertInto('audit')
        .values({ at: 1, kind: 'code.replayed', ...nothing, detail: '{}' })
        .execute()
      const chained = () => store.db.selectFrom('audit_records').select('kind').where('at', '=', 1).execute()
      expect(await chained()).toEqual([])
      await vi.advanceTimersByTimeAsync(60_000)
      for (let waited = 0; (await chained()).length === 0 && waited < 2000; waited++)
        await new Promise((resolve) => setTimeout(resolve, 25))
      expect(await chained()).toEqual([{ kind: 'code.replayed' }])
    } finally {
      vi.useRealTimers()
      await store.close()
      await tessera.close()
    }
  })
})
