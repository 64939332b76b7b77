import { afterAll, beforeAll, expect, it } from 'vitest'
import { startSession } from '../dist/store/start-session.js'
import { countAttempt } from '../dist/store/throttles.js'
import { people } from './browser.ts'
import { onEachDatabase } from './databases.ts'
import { startTessera, type Tessera } from './harness.ts'
import { withStore } from './program.ts'

/** Checking a password takes a while, and what ends sessions must not be outrun by one that is about to begin. */
onEachDatabase('a session that is about to begin', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startTessera(dialect)
  })
  afterAll(() => tessera.close())

  const begin = async (meanwhile: { password_hash?: string; active?: 0 | 1 }) =>
    await withStore(tessera, async (store) => {
      const ours = store.db.selectFrom('users').selectAll().where('email', '=', people.importer.email)
      const { uuid, password_hash: checked } = await ours.executeTakeFirstOrThrow()
      const change = (values: object) =>
        store.db.updateTable('users').set(values).where('uuid', '=', uuid).execute()
      if (Object.keys(meanwhile).length > 0) await change(meanwhile)
      const now = tessera.clock.now()
      const proof = { authTime: now, acr: '1', amr: ['pwd'], now, lifetime: 60_000 }
      const started = await startSession(store, undefined, {
        ...proof,
        userUuid: uuid,
        passwordHash: checked ?? '',
        from: { address: '192.0.2.1', requestId: 'r', clientId: 'submissions-web' },
      })
      await change({ password_hash: checked, active: 1 })
      return started
    })
  const sessions = async () =>
    (await withStore(tessera, ({ db }) => db.selectFrom('sessions').select('sid').execute())).length

  it.each([
    ['the password changed while it was checked', { password_hash: 'another' }],
    ['the person was disabled while it was checked', { active: 0 as const }],
  ])('does not, when %s', async (_, meanwhile) => {
    const before = await sessions()
    expect(await begin(meanwhile)).toBeUndefined()
    expect(await sessions()).toBe(before)
  })

  it('and attempts that are being counted do not wait for one another in a circle', async () => {
    await withStore(tessera, async (store) => {
      const ours = store.db.selectFrom('users').selectAll().where('email', '=', people.importer.email)
      const { uuid, password_hash: checked } = await ours.executeTakeFirstOrThrow()
      // The account's own count, and that of an address which others share.
      const [own, address] = [
        { key: 'account', free: 1000 },
        { key: 'address', free: 1000 },
      ]
      const now = tessera.clock.now()
      const signIn = {
        ...{ authTime: now, acr: '1', amr: ['pwd'], now, lifetime: 60_000 },
        userUuid: uuid,
        passwordHash: checked ?? '',
        from: { address: '192.0.2.1', requestId: 'r', clientId: 'submissions-web' },
        settled: { own, shared: [address] },
      }
      const one = async () => {
        for (let times = 0; times < 25; times++) {
          expect(await countAttempt(store, [address, own], now)).toHaveLength(2)
          expect(await startSession(store, undefined, signIn)).toBeDefined()
        }
      }
      await Promise.all([one(), one(), one(), one()])
    })
  })

  it('begins when nothing changed', async () => {
    expect(await begin({})).toBeDefined()
  })
})
