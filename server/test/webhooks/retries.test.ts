import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { reencryptAll } from '../../dist/background/reencrypt.js'
import { encryptedSecret, openedSecret } from '../../dist/webhooks/secret.js'
import { start } from '../../dist/server.js'
import { openStore } from '../harness/stores.ts'
import { claimDelivery, handBack } from '../../dist/webhooks/deliveries.js'
import { Administrator, startAdministered } from '../administration/support.ts'
import { onBothDatabases, oneDatabase } from '../harness/databases.ts'
import { collectGarbage } from '../harness/garbage.ts'
import type { Tessera } from '../harness/harness.ts'
import { withStore } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { shortenTimers } from '../harness/timers.ts'
import { changeDeliveries, changeWebhookSecret, keptOfWebhook } from '../harness/states.ts'
import { becomes, deliveriesOf, happen, Receiver, settledFor, subscribe } from './support.ts'

// The look for what is due, and the end of an attempt.
shortenTimers({ 500: 50, 10_000: 3000 })

const settings = { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' }

onBothDatabases('webhooks that do not arrive at once', (dialect) => {
  const onOne = oneDatabase(dialect)
  let tessera: Tessera
  let admin: Administrator
  const receiver = new Receiver()
  beforeAll(async () => {
    tessera = await startAdministered(dialect, settings)
    tessera.clock.stop()
    admin = await Administrator.machine(tessera.url)
    await receiver.listen()
  })
  afterAll(async () => {
    await tessera.close()
    receiver.close()
  })

  const settled = settledFor(receiver, () => admin)

  it('try again with the same id until it arrives', async () => {
    const { path, at, secret } = await subscribe(admin, receiver, ['unit.created'])
    receiver.answers.set(path, 500)
    await happen(admin)
    const failed = await becomes(admin, at, { attempts: 1, last_status: 500 })
    expect(failed).toMatchObject({ state: 'pending', last_error: 'The answer was 500.' })
    const delay = Date.parse(failed.next_at ?? '') - tessera.clock.now()
    expect(delay).toBeGreaterThan(3500)
    expect(delay).toBeLessThan(5500)
    receiver.answers.delete(path)
    await settled()
    expect(receiver.at(path)).toHaveLength(1)
    tessera.clock.advance(5600)
    const [first, second] = await receiver.got(path, 2)
    if (first === undefined || second === undefined) return expect.unreachable()
    expect(second.id).toBe(first.id)
    expect(second.body).toBe(first.body)
    const at2 = Number(second.headers['webhook-timestamp'])
    expect(at2).toBeGreaterThan(Number(first.headers['webhook-timestamp']))
    expect(new Webhook(secret).sign(second.id, new Date(at2 * 1000), second.body)).toBe(
      second.headers['webhook-signature'],
    )
    await becomes(admin, at, { state: 'delivered', attempts: 2 })
  })

  onOne.it('fail when nothing is answered in ten seconds', async () => {
    const { path, at } = await subscribe(admin, receiver, ['unit.created'])
    receiver.answers.set(path, 'hang')
    await happen(admin)
    await receiver.got(path, 1)
    collectGarbage()
    const failed = await becomes(admin, at, { attempts: 1, last_error: 'There was no answer in time.' })
    expect(failed).toMatchObject({ state: 'pending', last_status: null })
    expect((await admin.delete(at)).status).toBe(204)
  })

  it('wait ever longer, and give up after the tenth attempt; a replay begins anew', async () => {
    const { path, at, uuid } = await subscribe(admin, receiver, ['unit.created'])
    receiver.answers.set(path, 302)
    await happen(admin)
    await becomes(admin, at, { attempts: 1, last_status: 302 })
    const hours = ({ next_at }: { next_at: string | null }) =>
      (Date.parse(next_at ?? '') - tessera.clock.now()) / 3_600_000
    /** As if so many had failed before the next one. */
    const after = async (attempts: number) => {
      await changeDeliveries(tessera, uuid, { attempts, next_at: tessera.clock.now() })
      return await vi.waitFor(
        async () => {
          const one = await becomes(admin, at, { attempts: attempts + 1 })
          // While it is under way it is due when its lease ends.
          expect(one.state === 'dead' || hours(one) > 1).toBe(true)
          return one
        },
        { timeout: 60_000, interval: 50 },
      )
    }
    const fifth = hours(await after(4))
    expect(fifth).toBeGreaterThan(4.9)
    expect(fifth).toBeLessThan(5.6)
    await after(9)
    const dead = await becomes(admin, at, { state: 'dead' })
    expect(dead).toMatchObject({ attempts: 10, next_at: null, last_status: 302 })
    expect(await deliveriesOf(admin, at, 'dead')).toEqual([dead])
    expect(await deliveriesOf(admin, at, 'pending')).toEqual([])
    // Redirects are not followed.
    expect(receiver.at('/elsewhere')).toEqual([])

    receiver.answers.delete(path)
    const sent = receiver.at(path).length
    const replayed = await admin.post(`${at}/deliveries/${dead.id}/replay`, {})
    expect(replayed.status).toBe(201)
    expect(replayed.json).toMatchObject({ id: dead.id, state: 'pending', attempts: 0 })
    const got = await receiver.got(path, sent + 1)
    expect(new Set(got.map(({ id }) => id))).toEqual(new Set([dead.id]))
    await becomes(admin, at, { state: 'delivered', attempts: 1 })
    const [told] = (await admin.get(`/audit?kind=webhook_delivery.replayed&target=${uuid}`)).json
      .items as object[]
    expect(told).toMatchObject({ actor: { id: 'admin-cli' }, detail: { delivery: dead.id } })
  })

  it('are disabled by a receiver that is gone', async () => {
    const { path, at, uuid } = await subscribe(admin, receiver, ['unit.created'])
    receiver.answers.set(path, 410)
    await happen(admin)
    await becomes(admin, at, { state: 'dead', attempts: 1, last_status: 410 })
    await vi.waitFor(async () => expect((await admin.get(at)).json.active).toBe(false), 60_000)
    const [told] = (await admin.get(`/audit?kind=webhook.changed&target=${uuid}`)).json.items as object[]
    expect(told).toMatchObject({ actor: { kind: 'service' }, after: { active: false } })
    await happen(admin)
    await settled()
    expect(receiver.at(path)).toHaveLength(1)
  })

  it('are taken over from a process that ended while it sent', async () => {
    const { path, at, uuid } = await subscribe(admin, receiver, ['unit.created'])
    receiver.answers.set(path, 500)
    await happen(admin)
    await becomes(admin, at, { attempts: 1, last_status: 500 })
    receiver.answers.delete(path)
    // Another process takes it as soon as it is due again, and is no more.
    const due = tessera.clock.now() + 6000
    await withStore(tessera, async (store) => {
      const claimed = await claimDelivery(store, uuid, { now: due, until: due + 30_000 })
      expect(claimed?.attempt).toBe(2)
    })
    tessera.clock.advance(7000)
    await settled()
    expect(receiver.at(path)).toHaveLength(1)
    tessera.clock.advance(30_000)
    await receiver.got(path, 2)
    await becomes(admin, at, { state: 'delivered', attempts: 3 })
  })

  it('are claimed by one of many at the same time', async () => {
    const { path, uuid, at } = await subscribe(admin, receiver, ['unit.created'])
    receiver.answers.set(path, 503)
    await happen(admin)
    await becomes(admin, at, { attempts: 1, last_status: 503 })
    // Due in a time that has come for these alone.
    const now = tessera.clock.now() + 60_000
    const stores = await Promise.all([openStore(tessera.databaseUrl), openStore(tessera.databaseUrl)])
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        claimDelivery(stores[n % 2] ?? expect.unreachable(), uuid, { now, until: now + 30_000 }),
      ),
    )
    const claimed = claims.filter((one) => one !== undefined)
    expect(claimed).toHaveLength(1)
    // Only whoever has it gives it back.
    for (const one of claimed) await handBack(stores[0], { ...one, attempt: one.attempt - 1 }, 0)
    expect(await deliveriesOf(admin, at)).toMatchObject([{ attempts: 2 }])
    await Promise.all(stores.map((store) => store.close()))
  })

  it('are sent nothing while disabled, then what waited, and nothing when removed', async () => {
    const { path, at, uuid } = await subscribe(admin, receiver, ['unit.created'])
    receiver.answers.set(path, 500)
    await happen(admin)
    await becomes(admin, at, { attempts: 1, last_status: 500 })
    expect((await admin.patch(at, { active: false })).status).toBe(200)
    receiver.answers.delete(path)
    tessera.clock.advance(6000)
    await happen(admin)
    await settled()
    expect(receiver.at(path)).toHaveLength(1)
    expect((await admin.post(`${at}/test`, {})).json.error).toBe('conflict')
    await admin.patch(at, { active: true })
    const got = await receiver.got(path, 2)
    expect(new Set(got.map(({ id }) => id)).size).toBe(1)

    receiver.answers.set(path, 500)
    await happen(admin)
    await receiver.got(path, 3)
    expect((await admin.delete(at)).status).toBe(204)
    receiver.answers.delete(path)
    tessera.clock.advance(6000)
    await settled()
    expect(receiver.at(path)).toHaveLength(3)
    expect(await keptOfWebhook(tessera, uuid)).toBe(0)
  })

  onOne.it(
    'wait while their secret is under one that is lost, which is told by the webhook, and go on with another',
    async () => {
      const { path, at, uuid } = await subscribe(admin, receiver, ['unit.created'])
      const [old] = (await admin.get(at)).json.secrets as { id: string }[]
      const row = {
        id: old?.id ?? '',
        webhook_uuid: uuid,
        secret: encryptedSecret('x', old?.id ?? '', 'lost'),
      }
      await changeWebhookSecret(tessera, row.id, row.secret)
      await happen(admin)
      await wait(500)
      await becomes(admin, at, { state: 'pending', attempts: 0 })
      const told = `A secret of the webhook ${uuid} .* keys reencrypt.* webhook secret add.* webhook secret remove`
      expect(() => openedSecret(row, ['another'])).toThrow(new RegExp(told))
      expect((await admin.post(`${at}/secrets`, {})).status).toBe(201)
      expect((await admin.delete(`${at}/secrets/${row.id}`)).status).toBe(204)
      expect(receiver.at(path)).toEqual([])
      tessera.clock.advance(5 * 60_000)
      await receiver.got(path, 1)
    },
  )

  it('go on when TESSERA_SECRET was changed, by the processes that know it', async () => {
    const next = 'another-secret-of-the-tests-9876543210'
    const previous = testSettings({}).secret
    const { path, secret, at } = await subscribe(admin, receiver, ['unit.created'])
    const done = await withStore(tessera, (store) =>
      reencryptAll(store, { secret: next, previousSecret: previous }, { now: tessera.clock.now(), by: {} }),
    )
    expect(done.webhookSecrets).toBeGreaterThan(1)
    await happen(admin)
    await wait(500)
    // The one that does not know it has sent nothing, and counts no attempt.
    await becomes(admin, at, { state: 'pending', attempts: 0 })
    expect(receiver.at(path)).toEqual([])
    const changed = testSettings({
      TESSERA_DATABASE_URL: tessera.databaseUrl,
      ...settings,
      TESSERA_SECRET: next,
    })
    const second = await start({ ...changed, host: 'localhost' }, { now: tessera.clock.now })
    const [got] = await receiver.got(path, 1)
    const { 'webhook-timestamp': seconds, 'webhook-signature': sent } = got?.headers ?? {}
    expect(sent).toBe(
      new Webhook(secret).sign(got?.id ?? '', new Date(Number(seconds) * 1000), got?.body ?? ''),
    )
    await second.close()
  })
})
