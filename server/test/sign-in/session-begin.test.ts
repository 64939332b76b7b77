import { describe, expect, it } from 'vitest'
import { together } from '../../dist/database/steps.js'
import { credentialsOf } from '../../dist/store/credentials.js'
import { provedBefore } from '../../dist/store/proved-before.js'
import { passwordProof, startSession } from '../../dist/store/start-session.js'
import { countAttempt, uncountAttempt } from '../../dist/store/throttles.js'
import { people } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { withStore } from '../harness/program.ts'
import { changeUser, countOf, endOf, passwordHashOf } from '../harness/states.ts'
import { users } from '../administration/support.ts'
import { credentialOf } from './passkey-support.ts'

/** Checking a password takes a while, and what ends sessions must not be outrun by one that is about to begin. */
onEachDatabase('a session that is about to begin', (dialect) => {
  const tessera = tesseraOn(dialect)

  const begin = async (meanwhile: { password_hash?: string; active?: 0 | 1 }) =>
    await withStore(tessera, async (store) => {
      const checked = await passwordHashOf(tessera, people.importer.email)
      await changeUser(tessera, people.importer.email, { active: 1, ...meanwhile })
      const now = tessera.clock.now()
      const started = await startSession(store, undefined, {
        ...{ now, lifetime: 60_000 },
        user_uuid: users.importer,
        proofs: [passwordProof(checked ?? '')],
        from: { address: '192.0.2.1', requestId: 'r', client_id: 'submissions-web' },
      })
      await changeUser(tessera, people.importer.email, { password_hash: checked ?? null, active: 1 })
      return started
    })
  const sessions = () => countOf(tessera, 'sessions')

  describe('by a passkey that a link has just added', () => {
    const linked = async (meanwhile?: { reason: string; later: number }) => {
      await credentialOf(tessera, people.both)
      return await withStore(tessera, async (store) => {
        const key = (await credentialsOf(store, users.both)).at(-1)?.id ?? ''
        const now = tessera.clock.now()
        // What the link itself ends is of the same moment, and leaves its passkey.
        await endOf(tessera, users.both, { reason: 'proved', now, kept: [key] })
        const { reason, later } = meanwhile ?? { reason: undefined, later: 0 }
        if (reason !== undefined) await endOf(tessera, users.both, { reason, now: now + later })
        return await startSession(store, undefined, {
          ...{ now, lifetime: 60_000 },
          user_uuid: users.both,
          proofs: [provedBefore({ method: 'passkey', credential: key, verified: true }, now)],
          from: { address: '192.0.2.1', requestId: 'r' },
        })
      })
    }

    it('begins where nothing happened meanwhile', async () => {
      expect(await linked()).toBeDefined()
    })

    it.each([
      ['a file adopted the account', { reason: 'adopted', later: 1 }],
      ['a file adopted the account in the same millisecond', { reason: 'adopted', later: 0 }],
      ['it was freed from a theft', { reason: 'stolen', later: 1 }],
      ['somebody else set its password', { reason: 'password_changed', later: 1 }],
      ['its factors ended', { reason: 'factors_ended', later: 0 }],
    ])('begins not when %s meanwhile', async (_, meanwhile) => {
      const before = await sessions()
      expect(await linked(meanwhile)).toBeUndefined()
      expect(await sessions()).toBe(before)
    })
  })

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
      const checked = await passwordHashOf(tessera, people.importer.email)
      // The account's own count, and that of an address which others share.
      const [own, address] = [
        { key: 'account', free: 1000 },
        { key: 'address', free: 1000 },
      ]
      const now = tessera.clock.now()
      const signIn = {
        ...{ now, lifetime: 60_000 },
        user_uuid: users.importer,
        proofs: [passwordProof(checked ?? '')] as const,
        from: { address: '192.0.2.1', requestId: 'r', client_id: 'submissions-web' },
      }
      const one = async () => {
        for (let times = 0; times < 25; times++) {
          const [counted] = await countAttempt(store, [address, own], now, () => together())
          if ('retryAfter' in counted) throw new Error('An attempt was refused.')
          const settled = { own: counted[1], shared: counted.slice(0, 1) }
          expect(await startSession(store, undefined, { ...signIn, settled })).toBeDefined()
        }
      }
      await Promise.all([one(), one(), one(), one()])
    })
  })

  it('takes back what its own attempt counted, and no delay that another one began beside it', async () => {
    await withStore(tessera, async (store) => {
      const throttles = [{ key: `address ${dialect}`, free: 2 }]
      const now = tessera.clock.now()
      const count = async (at = now) => (await countAttempt(store, throttles, at, () => together()))[0]
      const right = await count()
      // A wrong one beside it reaches the limit.
      expect(await count()).toMatchObject([{ failures: 2, delay: 5000 }])
      if ('retryAfter' in right) throw new Error('The first attempt was refused.')
      await uncountAttempt(store, right)
      expect(await count()).toEqual({ retryAfter: 5000 })
      // It was the wrong one's own doing: taken back, it is gone.
      expect(await count(now + 5000)).toMatchObject([{ failures: 2 }])
    })
  })

  it.each([
    ['of the same moment', 0],
    ['of a moment before', 1],
  ])('counts by neither of two what a delay %s refuses by one', async (name, later) => {
    await withStore(tessera, async (store) => {
      const now = tessera.clock.now()
      const count = async (at: number, ...throttles: { key: string; free: number }[]) =>
        (await countAttempt(store, throttles, at, () => together()))[0]
      const [delayed, free] = [
        { key: `delayed ${name}`, free: 1 },
        { key: `free ${name}`, free: 9 },
      ]
      expect(await count(now, delayed, free)).toMatchObject([{ delay: 5000 }, { failures: 1, delay: 0 }])
      const retryAfter = 5000 - later
      expect(await count(now + later, delayed, free)).toEqual({ retryAfter })
      expect(await count(now + later, free, delayed)).toEqual({ retryAfter })
      expect(await count(now + 1, free)).toMatchObject([{ failures: 2 }])
    })
  })

  it('begins when nothing changed', async () => {
    expect(await begin({})).toBeDefined()
  })
})
