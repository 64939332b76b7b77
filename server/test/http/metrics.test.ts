import { renameSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { version } from '../../dist/protocol/version.js'
import { Administrator, startAdministered, tokenOf } from '../administration/support.ts'
import { people, profilesOfBoth } from '../harness/browser.ts'
import { askAndCut, cutWithinBody, type Way, ways } from './cut-off-support.ts'
import { type Dialect, onEachDatabase, onOneDatabase } from '../harness/databases.ts'
import { duringTests, startTessera } from '../harness/harness.ts'
import { freePort } from '../harness/process.ts'
import { machine, refresh, token, Visitor } from '../harness/program.ts'
import { postMail, whileUnlinked } from '../harness/states.ts'
import { trySignIn, wrong } from '../identity/throttling-support.ts'
import { becomes, type Delivery, Receiver, subscribe } from '../webhooks/support.ts'

/** A service with metrics, and what they say. */
function metricsOn(dialect: Dialect, settings: Record<string, string> = {}) {
  let address: string
  const tessera = duringTests(async () => {
    const port = await freePort()
    address = `http://localhost:${port}`
    return await startAdministered(dialect, {
      TESSERA_METRICS_PORT: String(port),
      TESSERA_LIMIT_SIGN_IN_ACCOUNT: '1',
      TESSERA_LIMIT_HASHING: '1',
      TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true',
      ...settings,
    })
  })
  const ask = (path: string, init?: RequestInit) => fetch(`${address}${path}`, init)
  const read = async () => await (await ask('/metrics')).text()
  /** The value of a series by its name and labels, in whatever order they stand. */
  async function valueOf(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
    const line = (await read()).split('\n').find((one) => {
      const [, series = '', inner = ''] = /^(\w+)(?:\{(.*)\})? /.exec(one) ?? []
      return (
        series === name && Object.entries(labels).every(([key, value]) => inner.includes(`${key}="${value}"`))
      )
    })
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')))
  }
  return { tessera, ask, read, valueOf }
}

onOneDatabase('metrics', (dialect) => {
  const { tessera, ask, read, valueOf } = metricsOn(dialect)

  it('are served on a port of their own, and nothing else is', async () => {
    const answer = await ask('/metrics')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    await answer.text()
    for (const path of ['/', '/oauth2/token', '/health/ready', '/metrics/', '/metrics?x']) {
      expect((await ask(path)).status).toBe(404)
    }
    expect((await ask('/metrics', { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${tessera.url}/metrics`)).status).toBe(404)
  })

  it('count requests by method, route and status, with their duration, and never by what was sent', async () => {
    for (let times = 0; times < 3; times++)
      await token(tessera.url, { grant_type: 'client_credentials', ...machine })
    await fetch(`${tessera.url}/nowhere/secret-4711?query-4711`)
    const labels = { method: 'POST', route: '/oauth2/token', status: '200' }
    const name = 'tessera_http_request_duration_seconds'
    expect(await valueOf(`${name}_count`, labels)).toBe(3)
    expect(await valueOf(`${name}_bucket`, { ...labels, le: '+Inf' })).toBe(3)
    expect(await valueOf(`${name}_sum`, labels)).toBeGreaterThan(0)
    expect(await valueOf(`${name}_count`, { route: 'unmatched', status: '404' })).toBeGreaterThanOrEqual(1)
    expect(await read()).not.toMatch(/(secret|query)-4711/)
  })

  it('count requests whose connection was cut before they were answered', async () => {
    const name = 'tessera_http_request_duration_seconds_count'
    const labels = { method: 'GET', route: '/api/doc.json' }
    const answered = async () => (await valueOf(name, { ...labels, status: '200' })) ?? 0
    const before = await answered()
    const asked = await askAndCut(tessera.url)
    await vi.waitFor(async () => {
      const cut = (await valueOf(name, { ...labels, status: '499' })) ?? 0
      expect(cut).toBeGreaterThan(0)
      expect(cut + (await answered()) - before).toBe(asked)
    }, 60_000)
  })

  it('count no refusal where the connection was cut within a body', async () => {
    const labels = { method: 'POST', route: '/admin/v1/users', status: '499' }
    const cut = async () => (await valueOf('tessera_http_request_duration_seconds_count', labels)) ?? 0
    const headers = [
      `Authorization: Bearer ${await tokenOf(tessera.url, 'admin-cli')}`,
      'Content-Type: application/json',
    ]
    await Promise.all(
      (Object.keys(ways) as Way[]).flatMap((way) => [
        cutWithinBody(`${tessera.url}/oauth2/token`, way),
        cutWithinBody(`${tessera.url}/admin/v1/users`, way, headers),
      ]),
    )
    await vi.waitFor(async () => expect(await cut()).toBe(3), 60_000)
    expect(await valueOf('tessera_refusals_total', { error: 'temporarily_unavailable' })).toBeUndefined()
    expect(await valueOf('tessera_refusals_total', { error: 'invalid_request' })).toBeUndefined()
  })

  it('count tokens by grant, sign-ins by outcome, and refusals by error', async () => {
    const visitor = new Visitor(tessera.url, people.both)
    const tokens = await visitor.tokens({ profile_uuid: profilesOfBoth.reader })
    await refresh(tessera.url, tokens.refresh_token)
    await refresh(tessera.url, 'no token')
    await token(tessera.url, { grant_type: 'client_credentials', ...machine, client_secret: 'wrong' })
    for (let times = 0; times < 3; times++) await trySignIn(tessera.url, wrong(people.admin))
    await Promise.all(
      Array.from({ length: 6 }, (_, n) => trySignIn(tessera.url, wrong({ email: `n${n}@acme.example` }))),
    )
    expect(await valueOf('tessera_tokens_total', { grant: 'authorization_code' })).toBe(1)
    expect(await valueOf('tessera_tokens_total', { grant: 'refresh_token' })).toBe(1)
    expect(await valueOf('tessera_tokens_total', { grant: 'client_credentials' })).toBeGreaterThanOrEqual(3)
    for (const outcome of ['right', 'wrong', 'throttled', 'busy'])
      expect([outcome, await valueOf('tessera_sign_ins_total', { outcome })]).toEqual([
        outcome,
        expect.any(Number),
      ])
    for (const error of ['invalid_grant', 'invalid_client'])
      expect(await valueOf('tessera_refusals_total', { error })).toBe(1)
  })

  it('count the attempts to deliver a webhook by what came of them', async () => {
    const receiver = new Receiver()
    await receiver.listen()
    const admin = await Administrator.machine(tessera.url)
    const counts = async () =>
      await Promise.all(
        ['delivered', 'dead', 'failed'].map(
          async (outcome) => (await valueOf('tessera_webhook_attempts_total', { outcome })) ?? 0,
        ),
      )
    const answered = async (answer: number, expected: Partial<Delivery>) => {
      const { path, at } = await subscribe(admin, receiver, ['role.removed'])
      receiver.answers.set(path, answer)
      await admin.post(`${at}/test`, {})
      await becomes(admin, at, { last_status: answer, ...expected })
    }
    expect(await counts()).toEqual([0, 0, 0])
    await answered(204, { state: 'delivered' })
    await vi.waitFor(async () => expect(await counts()).toEqual([1, 0, 0]), 60_000)
    // Whoever is gone is asked no more.
    await answered(410, { state: 'dead' })
    await vi.waitFor(async () => expect(await counts()).toEqual([1, 1, 0]), 60_000)
    // It goes on, after 5 seconds.
    await answered(500, { state: 'pending' })
    await vi.waitFor(async () => expect((await counts())[2]).toBeGreaterThanOrEqual(1), 60_000)
    expect((await counts()).slice(0, 2)).toEqual([1, 1])
    expect(await valueOf('tessera_webhook_deliveries_waiting')).toBe(1)
    expect(await read()).not.toContain('/receiver-')
    receiver.close()
  })

  it('tell whether the process can do its work', async () => {
    const file = tessera.databaseUrl.replace('sqlite:', '')
    const becomes = async (ready: number) =>
      await vi.waitFor(async () => expect(await valueOf('tessera_ready')).toBe(ready), 60_000)
    await becomes(1)
    renameSync(file, `${file}-away`)
    await becomes(0)
    renameSync(`${file}-away`, file)
    await becomes(1)
  })

  it('are not there without the setting', async () => {
    const without = await startTessera(dialect)
    expect((await fetch(`${without.url}/metrics`)).status).toBe(404)
    await without.close()
  })
})

onEachDatabase('metrics', (dialect) => {
  const { tessera, valueOf } = metricsOn(dialect)

  it('tell of the database, the queue of password checks, the keys and the event loop', async () => {
    expect(await valueOf('tessera_database_connections')).toBeGreaterThanOrEqual(1)
    for (const name of [
      'tessera_database_connections_idle',
      'tessera_database_waiting',
      'tessera_hashing_queue',
    ])
      expect([name, await valueOf(name)]).toEqual([name, expect.any(Number)])
    for (const name of ['webhook_deliveries', 'mails', 'logout_notices'])
      expect([name, await valueOf(`tessera_${name}_waiting`)]).toEqual([name, 0])
    expect(await valueOf('tessera_ready')).toBe(1)
    expect(await valueOf('tessera_build_info', { version })).toBe(1)
    expect(await valueOf('tessera_signing_keys_published')).toBe(2)
    expect(await valueOf('tessera_signing_key_rotation_seconds')).toBe(7_776_000)
    const before = (await valueOf('tessera_signing_key_age_seconds')) ?? NaN
    tessera.clock.advance(3_600_000)
    expect((await valueOf('tessera_signing_key_age_seconds')) ?? NaN).toBeGreaterThanOrEqual(before + 3600)
    expect(await valueOf('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
    expect(await valueOf('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  })

  it('tell of no delay where a webhook is disabled', async () => {
    const admin = await Administrator.machine(tessera.url)
    const receiver = new Receiver()
    await receiver.listen()
    const { path, at } = await subscribe(admin, receiver, ['role.removed'])
    receiver.answers.set(path, 500)
    await admin.post(`${at}/test`, {})
    await becomes(admin, at, { last_status: 500 })
    expect((await admin.patch(at, { active: false })).status).toBe(200)
    tessera.clock.advance(600_000)
    expect(await valueOf('tessera_webhook_deliveries_waiting')).toBe(1)
    expect(await valueOf('tessera_queue_delay_seconds', { queue: 'webhooks' })).toBe(0)
    receiver.close()
  })

  it('tell how many audit records wait to be linked', async () => {
    const waiting = async () => await valueOf('tessera_audit_waiting')
    if (dialect === 'postgres')
      await whileUnlinked(tessera, async () => expect(await waiting()).toBeGreaterThanOrEqual(1))
    await vi.waitFor(async () => expect(await waiting()).toBe(0), 60_000)
  })
})

onOneDatabase('metrics', (dialect) => {
  // Nobody sends mails here: in development they would be shown, within half a second.
  const noMail = { TESSERA_MODE: 'production', TESSERA_ISSUER: 'https://id.acme.example' }
  const { tessera, valueOf } = metricsOn(dialect, noMail)

  it('tell how many mails wait, and since when the first is due', async () => {
    const now = tessera.clock.now()
    await postMail(tessera, {
      kind: 'password_reset',
      data: { minutes: 30 },
      locale: undefined,
      link: { path: '/reset', purpose: 'password_reset' },
      to: { address: 'somebody@acme.example', name: 'Somebody' },
      now,
      expiresAt: now + 7_200_000,
    })
    expect(await valueOf('tessera_mails_waiting')).toBe(1)
    const delay = async (queue: string) => await valueOf('tessera_queue_delay_seconds', { queue })
    expect(await delay('mails')).toBeLessThan(600)
    tessera.clock.advance(600_000)
    expect(await delay('mails')).toBeGreaterThanOrEqual(600)
    for (const queue of ['webhooks', 'logout_notices'])
      expect([queue, await delay(queue)]).toEqual([queue, 0])
  })
})
