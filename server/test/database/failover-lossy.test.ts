/** A failover to a standby that lagged: what was acknowledged is lost, which is noticed, and all from before ends. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Running } from '../../dist/server.js'
import { machineToken, refresh, refusalOf, token, userinfo, Visitor } from '../harness/program.ts'
import { post } from '../harness/browser.ts'
import type { OwnServer } from '../harness/postgres.ts'
import { cleanUp, pause, run } from '../harness/process.ts'
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
    // Nothing comes after it.
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
    const records = (await read()).map(({ actor_kind, detail }) => ({
      actor_kind,
      detail: JSON.parse(String(detail)) as { record?: number },
    }))
    // The loss is noticed by the place in the log, or by a record of the audit that is gone: whichever is looked at first.
    const record = records[0]?.detail.record
    const detail = { sessions: 1, families: 2, ...(record !== undefined && { record: expect.any(Number) }) }
    expect(records).toEqual([{ actor_kind: 'service', detail }])
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

describe('a failover that loses only what a process does again by itself', () => {
  let cluster: Cluster
  let service: Running
  beforeAll(async () => {
    cluster = await startCluster()
    service = await serveOn(cluster.url)
  })
  afterAll(async () => {
    await service.close()
    await cluster.stop()
  })

  const holdingTheChain = 'begin; select 1 from audit_head for update'
  const connected = async (server: OwnServer) => {
    const client = new pg.Client({ connectionString: `${server.url}/postgres` })
    // A server is killed.
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  it('ends nobody’s tokens', async () => {
    const notices = (server: OwnServer) => ask(server, "select user_uuid from mails where kind = 'notice'")
    const begun = () => ask(cluster.primary, "select position from webhook_outbox where name = 'notices'")
    await until('notices follow the audit', async () => (await begun()).length === 1)
    const { refresh_token: kept } = await new Visitor(service.url).tokens()
    const holder = await connected(cluster.primary)
    await holder.query(holdingTheChain)
    const used = await new Visitor(service.url).code()
    expect((await token(service.url, used)).status).toBe(200)
    await caughtUp(cluster)
    cluster.lag()
    await holder.query('commit')
    const waiting = () => ask(cluster.primary, 'select number from audit_waiting')
    await until('the records are linked', async () => (await waiting()).length === 0)
    // The second sign-in was from a new browser.
    await until('the notice is written', async () => (await notices(cluster.primary)).length === 1)
    // So that the process has seen the end of the chain; without that it has less to take for a loss.
    await pause(1500)
    const slow = await connected(cluster.standby)
    await cluster.failOver()
    // The records wait there again, for longer than a reader waits for them.
    await slow.query(holdingTheChain)
    await readyAgain(service.url)
    expect((await refresh(service.url, kept)).status).toBe(200)
    expect(refusalOf(await token(service.url, used))).toBe('400 invalid_grant')
    await pause(2500)
    await slow.end()
    // Looks go on, and find nothing missing.
    await pause(1500)
    expect(await ask(cluster.standby, "select value from revisions where name = 'generation'")).toEqual([
      { value: 0 },
    ])
    await until('the notice is written again', async () => (await notices(cluster.standby)).length === 1)
  })
})

describe('a lossy failover with TESSERA_DATABASE_LOSS=stop', () => {
  let cluster: Cluster
  let service: Running
  beforeAll(async () => {
    cluster = await startCluster()
    service = await serveOn(cluster.url, { TESSERA_DATABASE_LOSS: 'stop' })
  })
  afterAll(async () => {
    await service.close()
    await cluster.stop()
    await cleanUp()
  })
  const recorded = (kind: string) =>
    ask(cluster.standby, `select actor_kind from audit_records where kind = '${kind}'`)

  it('changes nothing, and answers nothing until tessera restored was run', async () => {
    const { refresh_token: before } = await new Visitor(service.url).tokens()
    await caughtUp(cluster)
    cluster.lag()
    await new Visitor(service.url).tokens()
    await cluster.failOver()
    const problem = 'the database has lost what was acknowledged'
    await until('it is noticed', async () => (await readiness(service.url)).problem === problem)
    expectUnavailable(await refresh(service.url, before))
    expect(await recorded('database.lost')).toEqual([])
    const environment = { TESSERA_DATABASE_URL: cluster.url }
    expect(await run(['restored', '--yes'], { environment })).toMatchObject({ code: 0, stderr: '' })
    await readyAgain(service.url)
    expect(refusalOf(await refresh(service.url, before))).toBe('400 invalid_grant')
    expect((await askForMachine(service.url)).status).toBe(200)
    await until('it is linked', async () => (await recorded('database.restored')).length === 1)
  })
})
