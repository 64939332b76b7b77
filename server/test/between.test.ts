import type { Kysely } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { waitForExchanges } from '../dist/store/exchange-lock.js'
import { hashSecret } from '../dist/store/identifier.js'
import { onEachDatabase } from './databases.ts'
import { startTessera, type Tessera } from './harness.ts'
import { type Answer, refresh, refusalOf, token, tokensOf, Visitor, withStore } from './program.ts'

type Transaction = Parameters<typeof waitForExchanges>[0]
type Table =
  | 'users'
  | 'profiles'
  | 'roles'
  | 'organisations'
  | 'units'
  | 'clients'
  | 'sessions'
  | 'token_families'

const importer = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001'
const profile = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101'
const acme = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01'
const intake = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a02'
const globex = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1b01'

/** What another transaction commits after a request looked, and before it writes: who writes looks again. */
onEachDatabase('what is committed between the look and the write', (dialect) => {
  let tessera: Tessera
  let visitor: Visitor
  beforeAll(async () => {
    tessera = await startTessera(dialect)
    visitor = new Visitor(tessera.url)
  })
  afterAll(() => tessera.close())

  const set = async (
    db: Transaction,
    [table, key, id, values]: [Table, string, string, Record<string, unknown>],
  ) =>
    await (db as unknown as Kysely<Record<string, Record<string, unknown>>>)
      .updateTable(table)
      .set(values)
      .where(key, '=', id)
      .execute()

  /**
   * Asks while a transaction holds what the request will write, lets it look, and commits `change` then. A machine that
   * was too busy for it to look in time is given more time: `looked` tells by the answer.
   */
  async function between(
    ask: () => Promise<() => Promise<Answer>>,
    hold: (trx: Transaction) => Promise<unknown>,
    change: (trx: Transaction) => Promise<unknown>,
    looked: (answer: Answer) => boolean,
    restore: () => Promise<unknown>,
  ): Promise<Answer> {
    for (let pause = 60; ; pause *= 4) {
      const request = await ask()
      const answer = await withStore(tessera, async ({ db }) => {
        let asked: Promise<Answer> | undefined
        await db.transaction().execute(async (trx) => {
          await hold(trx)
          asked = request()
          await new Promise((resolve) => setTimeout(resolve, pause))
          await change(trx)
        })
        return await asked
      })
      await restore()
      if (answer === undefined) throw new Error('Nothing was asked.')
      if (looked(answer) || pause > 4000) return answer
    }
  }

  const undone: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const undo of undone.splice(0)) await undo()
  })

  it.each<[string, Table, string, string, Record<string, unknown>, Record<string, unknown>]>([
    ['session ended', 'sessions', 'user_uuid', importer, { ended_at: 1 }, { ended_at: null }],
    ['user was disabled', 'users', 'uuid', importer, { active: 0 }, { active: 1 }],
    ['client was disabled', 'clients', 'client_id', 'submissions-web', { active: 0 }, { active: 1 }],
    ['profile was disabled', 'profiles', 'uuid', profile, { active: 0 }, { active: 1 }],
    ['profile expired', 'profiles', 'uuid', profile, { expires_at: 1 }, { expires_at: null }],
    ['role was disabled', 'roles', 'code', 'importer', { active: 0 }, { active: 1 }],
    ['organisation was disabled', 'organisations', 'uuid', acme, { active: 0 }, { active: 1 }],
    ['unit was disabled', 'units', 'uuid', intake, { active: 0 }, { active: 1 }],
    [
      'organisation of the client was disabled',
      'organisations',
      'uuid',
      globex,
      { active: 0 },
      { active: 1 },
    ],
  ])('an exchange whose %s gives nothing', async (_, table, key, id, values, before) => {
    const ofGlobex = (organisation_uuid: string | null) =>
      withStore(tessera, ({ db }) =>
        set(db, ['clients', 'client_id', 'submissions-web', { organisation_uuid }]),
      )
    if (id === globex) {
      await ofGlobex(globex)
      undone.push(() => ofGlobex(null))
    }
    const refused = await between(
      async () => {
        const form = await visitor.code()
        return () => token(tessera.url, form)
      },
      waitForExchanges,
      (trx) => set(trx, [table, key, id, values]),
      ({ status, json }) => status === 200 || String(json.error_description).includes('meanwhile'),
      () => withStore(tessera, ({ db }) => set(db, [table, key, id, before])),
    )
    expect(refusalOf(refused)).toBe('400 invalid_grant')
    expect(refused.json.error_description).toContain('meanwhile')
  })

  /** The family of a token, until its transaction ends. */
  const holdFamily = (id: string) => (trx: Transaction) =>
    trx
      .selectFrom('token_families')
      .select('id')
      .where('id', '=', id)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .execute()

  it.each<[string, boolean, boolean, Record<string, unknown>]>([
    ['a refresh whose family was revoked', false, false, { revoked_at: 1, revoked_reason: 'a test' }],
    ['a refresh whose family ran out', false, false, { idle_expires_at: 1 }],
    ['a refresh beside another, whose family was revoked', false, true, { revoked_at: 1 }],
    ['a refresh beside another, whose family ran out', false, true, { idle_expires_at: 1 }],
    ['a retry under another profile, whose family was revoked', true, false, { revoked_at: 1 }],
  ])('%s gives nothing', async (_, isRetry, isBesideAnother, values) => {
    const { refresh_token: presented = '' } = await visitor.tokens()
    const [id = '', , secret = ''] = presented.split('.')
    if (isRetry) tokensOf(await refresh(tessera.url, presented))
    const predecessor = { hash: hashSecret(secret), salt: 'salt', at: tessera.clock.now() }
    const replaced = { current_hash: 'another', predecessors: JSON.stringify([predecessor]) }
    const refused = await between(
      async () => () => refresh(tessera.url, presented, isRetry ? { profile_uuid: profile } : {}),
      holdFamily(id),
      (trx) => set(trx, ['token_families', 'id', id, { ...values, ...(isBesideAnother && replaced) }]),
      () => true,
      async () => undefined,
    )
    expect(refusalOf(refused)).toBe('400 invalid_grant')
  })
})
