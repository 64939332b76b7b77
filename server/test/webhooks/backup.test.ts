import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Administrator, startAdministered } from '../administration/support.ts'
import type { Tessera } from '../harness/harness.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { shortenTimers } from '../harness/timers.ts'
import { becomes, happen, Receiver, subscribe } from './support.ts'

// The look for what is due.
shortenTimers({ 500: 50 })

const settings = { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' }
const receiver = new Receiver()
let tessera: Tessera
let other: Tessera
beforeAll(async () => {
  tessera = await startAdministered('sqlite', settings)
  tessera.clock.stop()
  other = await startAdministered('sqlite', settings)
  await receiver.listen()
})
afterAll(async () => {
  await tessera.close()
  await other.close()
  receiver.close()
  await cleanUp()
})

const command = async (commandLine: string[], { databaseUrl }: Tessera) =>
  expect(await run(commandLine, { environment: { TESSERA_DATABASE_URL: databaseUrl } })).toMatchObject({
    code: 0,
  })

it('a restore sends nothing again that arrived, and all that had not', async () => {
  const file = join(temporaryFolder(), 'monday.sqlite')
  const admin = await Administrator.machine(tessera.url)
  const { path, at } = await subscribe(admin, receiver, ['unit.created'])
  await happen(admin)
  await receiver.got(path, 1)
  await becomes(admin, at, { state: 'delivered' })
  receiver.answers.set(path, 500)
  await happen(admin)
  await becomes(admin, at, { attempts: 1, last_status: 500 })
  await command(['backup', file], tessera)
  receiver.answers.delete(path)
  await happen(admin)
  await receiver.got(path, 3)
  await becomes(admin, at, { state: 'delivered' })
  await command(['restore', file, '--yes'], tessera)
  tessera.clock.advance(6000)
  // The second, at last, and what happens from now on.
  await receiver.got(path, 4)
  await happen(await Administrator.machine(tessera.url))
  await receiver.got(path, 5)
  await wait(500)
  const ids = receiver.at(path).map(({ id }) => id)
  expect(ids[3]).toBe(ids[1])
  expect(new Set(ids).size).toBe(4)

  // Where other things happened, records have other numbers, and only new ones are sent.
  await happen(await Administrator.machine(other.url))
  await command(['restore', file, '--yes'], other)
  await wait(500)
  expect(receiver.at(path)).toHaveLength(5)
  const code = await happen(await Administrator.machine(other.url))
  const got = await receiver.got(path, 6)
  expect(got[5]?.body).toContain(code)
})
