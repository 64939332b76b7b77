/** A primary of PostgreSQL and a standby that streams from it, and services on them. */
import { connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { type Running, start } from '../../dist/server.js'
import { startFilledPostgres } from '../harness/filled-postgres.ts'
import { type OwnServer, startStandby } from '../harness/postgres.ts'
import { pause } from '../harness/process.ts'
import { testSettings } from '../harness/settings.ts'

const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname

export interface Cluster {
  primary: OwnServer
  standby: OwnServer
  /** Both, as TESSERA_DATABASE_URL names several hosts. */
  url: string
  /** From now on nothing that the primary commits reaches the standby. */
  lag(): void
  /** The primary's machine is gone; the standby takes its place. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

/** `synchronous`: a commit is acknowledged when the standby has it. */
export async function startCluster({ synchronous = false } = {}): Promise<Cluster> {
  const primary = await startFilledPostgres()
  const standby = await startStandby(primary, 'standby')
  if (synchronous) {
    await ask(primary, "alter system set synchronous_standby_names = 'standby'")
    await ask(primary, 'select pg_reload_conf()')
  }
  await until('the standby streams', async () => {
    const [row] = await ask(primary, 'select sync_state from pg_stat_replication')
    return row?.sync_state === (synchronous ? 'sync' : 'async')
  })
  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',')
  return {
    primary,
    standby,
    url: `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`,
    lag: () => primary.signal('SIGSTOP', 'walsender'),
    async failOver() {
      await primary.kill()
      await ask(standby, 'select pg_promote()')
    },
    async stop() {
      await Promise.all([primary.stop(), standby.stop()])
    },
  }
}

/** Waits until all that the primary has committed is on the standby. */
export async function caughtUp({ primary }: Cluster): Promise<void> {
  // What was committed without waiting for the disk is sent when that is flushed, as by the next commit that waits.
  await ask(primary, 'select pg_current_xact_id()')
  await until('the standby has caught up', async () => {
    const [row] = await ask(
      primary,
      'select replay_lsn >= pg_current_wal_flush_lsn() as has from pg_stat_replication',
    )
    return row?.has === true
  })
}

/** A service on it, with the reference file applied. */
export async function serveOn(url: string, settings: Record<string, string> = {}): Promise<Running> {
  const limits = { TESSERA_LIMIT_AUTHORIZE: '0', TESSERA_LIMIT_GRANTS: '0' }
  const service = testSettings({ TESSERA_DATABASE_URL: url, TESSERA_DECLARED: acme, ...limits, ...settings })
  return await start({ ...service, host: 'localhost' })
}

/** One statement, straight to a server. */
export async function ask(server: { url: string }, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: `${server.url}/postgres` })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

/** Looks until it is so; yields how long that took, ms. */
export async function until(what: string, isSo: () => Promise<boolean>, within = 60_000): Promise<number> {
  const began = performance.now()
  while (!(await isSo())) {
    if (performance.now() - began > within) throw new Error(`Not within ${within} ms: ${what}.`)
    await pause(20)
  }
  return performance.now() - began
}

/** One address before several servers, as haproxy is; connections that there are stay where they are. */
export interface Before {
  port: number
  /** New connections go here. */
  to: OwnServer
  stop(): Promise<void>
}

export async function startBefore(to: OwnServer): Promise<Before> {
  const sockets = new Set<Socket>()
  const before: Before = { port: 0, to, stop: async () => undefined }
  const server = createServer((from) => {
    const there = connect(Number(new URL(before.to.url).port), '127.0.0.1')
    for (const socket of [from, there]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        from.destroy()
        there.destroy()
        sockets.delete(socket)
      })
    }
    from.pipe(there).pipe(from)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = server.address()
  before.port = typeof at === 'object' && at !== null ? at.port : 0
  before.stop = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return before
}
