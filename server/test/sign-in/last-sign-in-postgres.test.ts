import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { passwordProof, startSession } from '../../dist/store/start-session.js'
import { Administrator, administeredOn, users } from '../administration/support.ts'
import { authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { withStore } from '../harness/program.ts'
import { passwordHashOf } from '../harness/states.ts'

const day = 86_400_000
const tessera = administeredOn('postgres')
let database: pg.Client
beforeAll(async () => {
  tessera.clock.stop()
  database = new pg.Client({ connectionString: tessera.databaseUrl })
  await database.connect()
})
afterAll(() => database.end())

const by = async () => await signIn(new TestBrowser(tessera.url), authorizeRequest().path, people.importer)
const lastOf = async () => {
  const admin = await Administrator.machine(tessera.url)
  return (await admin.get(`/users/${users.importer}`)).json.last_sign_in_on
}
const today = () => new Date(tessera.clock.now()).toISOString().slice(0, 10)

it('is written once a day', async () => {
  const written = async () =>
    (
      await database.query<{ xmin: string }>(
        `select xmin from users where uuid = $1 union all select xmin from members where user_uuid = $1`,
        [users.importer],
      )
    ).rows
  await by()
  const before = await written()
  expect(before.length).toBeGreaterThan(1)
  await by()
  expect(await written()).toEqual(before)
})

it('lets first sign-ins of one person come at once, none waiting in a circle', async () => {
  const checked = (await passwordHashOf(tessera, people.importer.email)) ?? ''
  const deadlocks = async () =>
    (
      await database.query<{ deadlocks: string }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      )
    ).rows
  const before = await deadlocks()
  await withStore(tessera, async (store) => {
    for (let times = 0; times < 10; times++) {
      tessera.clock.advance(day)
      const signingIn = {
        ...{ now: tessera.clock.now(), lifetime: 60_000, user_uuid: users.importer },
        proofs: [passwordProof(checked)] as const,
        from: { address: '192.0.2.1', requestId: 'r' },
      }
      const started = await Promise.all(
        Array.from({ length: 4 }, () => startSession(store, undefined, signingIn)),
      )
      for (const one of started) expect(one).toBeDefined()
    }
  })
  expect(await lastOf()).toBe(today())
  expect(await deadlocks()).toEqual(before)
})

it('waits for no administrator who is writing their places', async () => {
  tessera.clock.advance(day)
  await database.query('begin')
  await database.query('delete from members where user_uuid = $1', [users.importer])
  try {
    expect((await by()).location).toBeDefined()
    expect(await lastOf()).toBe(today())
  } finally {
    await database.query('rollback')
  }
})
