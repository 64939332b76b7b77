/** Which host of PostgreSQL is used: several in the address, or one address that leads to another server by now. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Running } from '../../dist/server.js'
import { refresh, tokensOf, userinfo, Visitor } from '../harness/program.ts'
import { post } from '../harness/browser.ts'
import {
  type Before,
  ask,
  caughtUp,
  type Cluster,
  serveOn,
  startBefore,
  startCluster,
  until,
} from './cluster.ts'
import { readiness, readyAgain } from './fails.ts'

describe('PostgreSQL with a standby', () => {
  let cluster: Cluster
  let before: Before
  let service: Running
  beforeAll(async () => {
    // So that the standby has what was acknowledged, whenever it is promoted.
    cluster = await startCluster({ synchronous: true })
    before = await startBefore(cluster.primary)
    service = await serveOn(`postgres://postgres@127.0.0.1:${before.port}/postgres`)
  })
  afterAll(async () => {
    await service.close()
    await before.stop()
    await cluster.stop()
  })

  it('is not ready where it can’t be written', async () => {
    await caughtUp(cluster)
    const onStandby = await serveOn(`${cluster.standby.url}/postgres`, { TESSERA_DECLARED: '' })
    expect(await readiness(onStandby.url)).toEqual({ status: 503, problem: 'the database takes no writes' })
    await onStandby.close()
    expect(await readiness(service.url)).toEqual({ status: 200, problem: undefined })
  })

  it('refuses to start where a host that can be written is asked for and there is none', async () => {
    const only = `${cluster.standby.url}/postgres?target_session_attrs=read-write`
    await expect(serveOn(only)).rejects.toThrow(/TESSERA_DATABASE_URL \(the database takes no writes\)/)
    const closed = new URL(cluster.standby.url).host
    const several = `postgres://postgres@${closed},${closed}/postgres`
    await expect(serveOn(several)).rejects.toThrow(/none of the hosts in TESSERA_DATABASE_URL answers/)
  })

  it('leaves the old primary, which still answers, when the address leads to another that was promoted', async () => {
    const visitor = new Visitor(service.url)
    const [revoked, kept] = [await visitor.tokens(), await visitor.tokens()]
    await caughtUp(cluster)
    await ask(cluster.standby, 'select pg_promote()')
    before.to = cluster.standby
    // Connections to the old one are open and work: the process has to leave them.
    await until(
      'it is used',
      async () => (await onPrimary()) === 0 && (await readiness(service.url)).status === 200,
    )
    const form = { client_id: 'submissions-web', token: revoked.refresh_token ?? '' }
    expect((await post(`${service.url}/oauth2/revoke`, form)).status).toBe(200)
    expect((await userinfo(service.url, revoked.access_token)).status).toBe(401)
    expect(tokensOf(await refresh(service.url, kept.refresh_token))).toHaveProperty('access_token')
  })

  it('answers nothing from the old primary, when the address leads there again', async () => {
    before.to = cluster.primary
    await cluster.standby.kill()
    await until('it looked', async () => /old primary/.test(String((await readiness(service.url)).problem)))
    await cluster.standby.startAgain()
    before.to = cluster.standby
    await readyAgain(service.url)
  })

  /** Connections that the service has to the old primary; not those it left at a commit that waits for a standby. */
  async function onPrimary(): Promise<number> {
    const rows = await ask(
      cluster.primary,
      "select pid from pg_stat_activity where application_name = 'tessera' and wait_event is distinct from 'SyncRep'",
    )
    return rows.length
  }
})
