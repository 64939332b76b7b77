/** A failover to a synchronous standby under load: everything acknowledged is there, and nothing counts twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Running } from '../../dist/server.js'
import { post } from '../harness/browser.ts'
import { refresh, refusalOf, token, Visitor } from '../harness/program.ts'
import { ask, type Cluster, serveOn, startCluster, until } from './cluster.ts'
import { readyAgain } from './fails.ts'

describe('a failover to a synchronous standby', () => {
  let cluster: Cluster
  let service: Running
  beforeAll(async () => {
    cluster = await startCluster({ synchronous: true })
    service = await serveOn(cluster.url)
  })
  afterAll(async () => {
    await service.close()
    await cluster.stop()
  })

  it('loses nothing that was acknowledged, and ends nobody’s tokens', async () => {
    const load = new Load(service.url)
    const people = [new Visitor(service.url), new Visitor(service.url)]
    // Signed in before, so that the load is codes and refreshes.
    for (const person of people) await load.once(person)
    const running = people.map((person) => load.run(person))
    await until('something is acknowledged', async () => load.used.length >= 8)
    await cluster.failOver()
    await readyAgain(service.url)
    const after = load.used.length
    await until('it goes on', async () => load.used.length >= after + 4)
    load.ends = true
    await Promise.all(running)
    expect(load.surprises).toEqual([])
    for (const exchange of load.used)
      expect(refusalOf(await token(service.url, exchange))).toBe('400 invalid_grant')
    expect(await ask(cluster.standby, "select kind from audit_records where kind = 'database.lost'")).toEqual(
      [],
    )
    expect(
      await ask(cluster.standby, "select 1 from revisions where name = 'generation' and value = 0"),
    ).toHaveLength(1)
  })
})

/** People who get codes, exchange, refresh and revoke, and keep what was acknowledged. */
class Load {
  ends = false
  /** Codes whose exchange was acknowledged. */
  readonly used: Record<string, string>[] = []
  readonly surprises: string[] = []
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async run(person: Visitor): Promise<void> {
    while (!this.ends)
      // While there is no primary codes can't be had.
      await this.once(person).catch((error: unknown) => {
        if (!/Not a redirect but 503|error=temporarily_unavailable/.test(String(error)))
          this.surprises.push(String(error))
      })
  }

  async once(person: Visitor): Promise<void> {
    const code = await person.code()
    const exchanged = await token(this.#url, code)
    this.#expect('exchange', exchanged.status, [200])
    if (exchanged.status !== 200) return
    this.used.push(code)
    const { refresh_token: first } = exchanged.json as Record<string, string>
    const refreshed = await refresh(this.#url, first)
    this.#expect('refresh', refreshed.status, [200])
    if (refreshed.status !== 200) return
    const { refresh_token: second } = refreshed.json as Record<string, string>
    const form = { client_id: 'submissions-web', token: second ?? '' }
    const revoked = await post(`${this.#url}/oauth2/revoke`, form)
    this.#expect('revoke', revoked.status, [200])
    if (revoked.status !== 200) return
    const again = await refresh(this.#url, second)
    this.#expect('refresh of a revoked token', again.status, [400])
  }

  #expect(what: string, status: number, statuses: readonly number[]): void {
    if (![...statuses, 503].includes(status)) this.surprises.push(`${what}: ${status}`)
  }
}
