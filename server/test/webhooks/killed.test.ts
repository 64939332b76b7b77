/** A process that is killed while it sends, as by a power cut: what it had begun comes again after the next start. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { start } from '../../dist/server.js'
import { Administrator, administrators } from '../administration/support.ts'
import { createDatabase, onBothDatabases, type TestDatabase } from '../harness/databases.ts'
import { applyChanged } from '../declared/change.ts'
import { Clock } from '../harness/harness.ts'
import { cleanUp, pause, Serving } from '../harness/process.ts'
import { testSettings } from '../harness/settings.ts'
import { deliveriesOf, happen, Receiver, subscribe, verified } from './support.ts'

afterAll(cleanUp)

onBothDatabases('webhooks of a process that is killed', (dialect) => {
  let database: TestDatabase
  const clock = new Clock()
  const receiver = new Receiver()
  beforeAll(async () => {
    database = await createDatabase(dialect)
    await applyChanged({ databaseUrl: database.url, clock }, ...administrators)
    await receiver.listen()
  })
  afterAll(async () => {
    receiver.close()
    await database.remove()
  })

  it('are all sent after the next start, what was under way when its time is over', async () => {
    const environment = {
      TESSERA_DATABASE_URL: database.url,
      TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true',
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
    }
    const killed = await Serving.start(environment)
    const before = await Administrator.machine(killed.url)
    const { path, at, secret } = await subscribe(before, receiver, ['unit.created'])
    receiver.answers.set(path, 'hang')
    const codes = [await happen(before)]
    const [first] = await receiver.got(path, 1)
    // In the middle of the attempt, and at once after something else was acknowledged.
    codes.push(await happen(before))
    expect((await killed.stop('SIGKILL')).code).toBeNull()
    receiver.answers.delete(path)

    const next = await start({ ...testSettings(environment), host: 'localhost' }, { now: clock.now })
    const admin = await Administrator.machine(next.url)
    // Another process could be sending it still.
    await pause(1200)
    expect(receiver.at(path).filter(({ id }) => id === first?.id)).toHaveLength(1)
    expect(await deliveriesOf(admin, at)).toContainEqual(
      expect.objectContaining({ id: first?.id, state: 'pending', attempts: 1 }),
    )
    clock.advance(31_000)
    const delivered = [{ state: 'delivered' }, { state: 'delivered' }]
    await vi.waitFor(async () => expect(await deliveriesOf(admin, at)).toMatchObject(delivered), 60_000)
    const got = receiver.at(path)
    const [again] = got.filter(({ id }) => id === first?.id).slice(1)
    expect(again?.body).toBe(first?.body)
    const sent = got.map((one) => verified(secret, one).data.after as { code: string })
    expect(new Set(sent.map(({ code }) => code))).toEqual(new Set(codes))
    await next.close()
  })
})
