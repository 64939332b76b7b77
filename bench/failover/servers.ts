/** A primary of PostgreSQL and its standby, which take turns on two ports. */
import { ask, type Before, startBefore, until } from '../../server/test/database/cluster.ts'
import { type OwnServer, startOwnPostgres, startStandby } from '../../server/test/harness/postgres.ts'

export class Servers {
  primary: OwnServer
  #standby: OwnServer
  readonly #synchronous: boolean
  /** One address that leads to the primary. */
  readonly before: Before
  /** As TESSERA_DATABASE_URL names both. */
  readonly url: string

  private constructor(primary: OwnServer, standby: OwnServer, before: Before, synchronous: boolean) {
    this.primary = primary
    this.#standby = standby
    this.before = before
    this.#synchronous = synchronous
    const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',')
    this.url = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`
  }

  static async start(synchronous: boolean): Promise<Servers> {
    const primary = await startOwnPostgres()
    const standby = await startStandby(primary, 'standby')
    const servers = new Servers(primary, standby, await startBefore(primary), synchronous)
    await servers.#streams()
    return servers
  }

  /** From now on the standby hears nothing. */
  lag(): void {
    this.primary.signal('SIGSTOP', 'walsender')
  }

  /** Kills the primary, and promotes the standby; yields when it was promoted. */
  async failOver(): Promise<number> {
    await this.primary.kill()
    await ask(this.#standby, 'select pg_promote()')
    const promoted = performance.now()
    const gone = this.primary
    this.primary = this.#standby
    this.#standby = gone
    this.before.to = this.primary
    return promoted
  }

  /** Makes a standby anew where the killed one was. */
  async rebuild(): Promise<void> {
    const { port } = new URL(this.#standby.url)
    await this.#standby.stop()
    this.#standby = await startStandby(this.primary, 'standby', Number(port))
    await this.#streams()
  }

  async stop(): Promise<void> {
    await this.before.stop()
    await Promise.all([this.primary.stop(), this.#standby.stop()])
  }

  async #streams(): Promise<void> {
    if (this.#synchronous) {
      await ask(this.primary, "alter system set synchronous_standby_names = 'standby'")
      await ask(this.primary, 'select pg_reload_conf()')
    }
    await until('the standby streams', async () => {
      const [row] = await ask(this.primary, 'select sync_state from pg_stat_replication')
      return row?.sync_state === (this.#synchronous ? 'sync' : 'async')
    })
  }
}
