/** A failover to a standby that lagged: what was acknowledged is lost, which is noticed, and all from before ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Running } from '../../dist/server.js'
import { machineToken, refresh, refusalOf, token, userinfo, Visitor } from '../harness/program.ts'
import { post } from '../harness/browser.ts'
import { pause } from '../harness/process.ts'
import { ask, caughtUp, type Cluster, serveOn, startCluster, until } from './cluster.ts'
import { askForMachine, expectUnavailable, readiness, readyAgain } from './fails.ts'

describe('a failover that loses what was acknowledged', () => {
  let cluster: Cluster
  let services: Running[] = []
  beforeAll(async () => {
    cluster = await startCluster()
    services = [await serveOn(cluster.url), await serveOn(cluster.url)]
  })
  afterAll(async () => {
    for (const service of services) await service.close()
    await cluster.stop()
  })
  const url = () => services[0]?.url ?? ''
  const revoke = (refreshToken = '') =>
    post(`${url()}/oauth2/revoke`, { client_id: 'submissions-web', token: refreshToken })

  it('brings nothing back to life that had ended, at any process', async () => {
    const visitor = new Visitor(url())
    const [revoked, kept] = [await visitor.tokens(), await visitor.tokens()]
    const used = await visitor.code()
    const machine = await machineToken(url())
    await caughtUp(cluster)
    cluster.lag()
    expect((await revoke(revoked.refresh_token)).status).toBe(200)
    expect((await token(url(), used)).status).toBe(200)
    // A mark follows what was acknowledged, beside the requests.
    await pause(1000)
    await cluster.failOver()
    for (const service of services) await readyAgain(service.url)
    // The loss was answered before anything else was.
    for (const [name, one] of Object.entries({ revoked, kept })) {
      expect(refusalOf(await refresh(url(), one.refresh_token)), name).toBe('400 invalid_grant')
      expect((await userinfo(url(), one.access_token)).status, name).toBe(401)
    }
    expect(refusalOf(await token(url(), used))).toBe('400 invalid_grant')
    expect((await userinfo(url(), machine)).status).toBe(401)
    await expect(visitor.code()).rejects.toThrow('Sign in to')
  })

  it('is recorded once, whichever process was first', async () => {
    const read = () =>
      ask(cluster.standby, "select actor_kind, detail from audit_records where kind = 'database.lost'")
    // A record waits for a moment before it is linked.
    await until('it is linked', async () => (await read()).length > 0)
    const records = await read()
    expect(records).toEqual([{ actor_kind: 'service', detail: '{"sessions":1,"families":2}' }])
  })

  it('lets people sign in again', async () => {
    const { refresh_token: again } = await new Visitor(url()).tokens()
    expect((await refresh(url(), again)).status).toBe(200)
  })

  it('never uses the old primary again: neither beside the new one nor without it', async () => {
    await cluster.primary.startAgain()
    expect(await ask(cluster.primary, 'select pg_is_in_recovery() as standby')).toEqual([{ standby: false }])
    const before = await ask(cluster.primary, 'select count(*) from audit_records')
    for (let times = 0; times < 5; times++) await new Visitor(url()).tokens()
    await cluster.standby.kill()
    // Longer than the looks are apart.
    for (const began = performance.now(); performance.now() - began < 1500; await pause(100)) {
      expectUnavailable(await askForMachine(url()))
      expect((await readiness(url())).status).toBe(503)
    }
    await cluster.standby.startAgain()
    await readyAgain(url())
    expect((await askForMachine(url())).status).toBe(200)
    expect(await ask(cluster.primary, 'select count(*) from audit_records')).toEqual(before)
  })
})
