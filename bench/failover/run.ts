/** `npm run bench -- failover [--minutes N] [--seconds N] [--lag MS] [--seed N]`. */
import { writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ask } from '../../server/test/database/cluster.ts'
import { cleanUp, pause, Serving } from '../../server/test/harness/process.ts'
import { Actor } from '../crash/actor.ts'
import { problemsIn } from '../crash/check.ts'
import { Client, type Family } from '../crash/client.ts'
import { History, type Operation, randomFrom } from '../history.ts'
import { Servers } from './servers.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '60' },
    lag: { type: 'string', default: '1500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const [minutes, seconds, lag] = [values.minutes, values.seconds, values.lag].map(Number) as [
  number,
  number,
  number,
]
const actors = 6

/** Remembers all that it was given. */
class Keeper extends Client {
  readonly families: Family[] = []

  override async exchange(form: Record<string, string>): Promise<Family | undefined> {
    const family = await super.exchange(form)
    if (family !== undefined && !this.families.some(({ name }) => name === family.name))
      this.families.push(family)
    return family
  }
}

interface Failover {
  /** By `Date.now()`, when the primary was killed. */
  killed: number
  /** From the promotion until every process is ready, ms. */
  again: number
  /** From the promotion until a loss was noticed and answered, ms; undefined: there was none. */
  lost: number | undefined
  /** Acknowledged things that were asked again. */
  asked: number
}

const began = loadavg()[0] ?? 0
const rows: string[] = []
const problems: string[] = []
// Beside each other: both take the whole time.
await Promise.all(
  [true, false].map(async (synchronous) => {
    const kind = synchronous ? 'synchronous' : `asynchronous, ${lag} ms behind`
    const { all, wrong, operations } = await campaign(synchronous)
    for (const [index, { again, lost, asked }] of all.entries()) {
      const noticed = lost === undefined ? 'no' : `after ${lost.toFixed(0)} ms`
      rows.push(`| ${kind} | ${index + 1} | ${again.toFixed(0)} | ${noticed} | ${asked} |`)
    }
    problems.push(...wrong.map((one) => `- ${kind}: ${one}`))
    process.stdout.write(`${kind}: ${operations} operations, ${wrong.length} problems\n`)
  }),
)
await cleanUp()
const report = `# Failovers of PostgreSQL

Seed ${values.seed}: ${minutes} minutes with a failover each ${seconds} s, synchronous and asynchronous beside each other on one machine (load ${began.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} at the end, ${availableParallelism()} cores). Each has two processes, one with both hosts in its address and one with an address that leads to the primary, and ${actors} actors. Neither PgBouncer nor haproxy is part of this run.

${problems.length === 0 ? 'Nothing acknowledged was lost unnoticed, nothing worked twice, nobody innocent was refused, and no answer was a 500.' : `${problems.length} problems:\n\n${problems.join('\n')}`}

| standby | failover | ready, ms after the promotion | loss noticed and answered | asked again |
|---|---|---|---|---|
${rows.join('\n')}
`
writeFileSync(fileURLToPath(new URL('../results/failover.md', import.meta.url)), report)
process.stdout.write(report)
process.exitCode = problems.length === 0 ? 0 : 1

async function campaign(synchronous: boolean) {
  const servers = await Servers.start(synchronous)
  const history = new History()
  const random = randomFrom(Number(values.seed))
  const oneAddress = `postgres://postgres@127.0.0.1:${servers.before.port}/postgres`
  const services = [await serve(servers.url), await serve(oneAddress)]
  const failovers = Math.max(1, Math.floor((minutes * 60) / seconds))
  const all: Failover[] = []
  try {
    for (let round = 1; round <= failovers; round++) {
      const clients = Array.from(
        { length: actors },
        (_, index) => new Keeper(services[index % 2]?.url ?? '', history, Date.now),
      )
      for (const client of clients) client.round = round
      all.push(await once(servers, services, clients, random))
      if (round < failovers) await servers.rebuild()
    }
  } finally {
    for (const service of services) await service.stop('SIGKILL')
    await servers.stop()
  }
  const wrong = [...wrongIn(history, synchronous, all), ...all.flatMap((one) => wrongWith(one, synchronous))]
  return { all, wrong, operations: history.operations.length }
}

async function once(
  servers: Servers,
  services: readonly Serving[],
  clients: readonly Keeper[],
  random: () => number,
): Promise<Failover> {
  let goesOn = true
  const running = clients.map(async (client) => {
    const actor = new Actor(client, random, Date.now)
    while (goesOn) {
      await actor.step().catch(() => undefined)
      // So that the checker has time between two.
      await pause(10)
    }
  })
  await pause(seconds * 1000 - lag)
  const before = await generationOf(servers)
  if (!(await isSynchronous(servers))) servers.lag()
  await pause(lag)
  const killed = Date.now()
  const promoted = await servers.failOver()
  let again: number | undefined
  const allReady = Promise.all(services.map(({ url }) => ready(url))).then(
    () => (again = performance.now() - promoted),
  )
  let lost: number | undefined
  do {
    if ((await generationOf(servers)) > before) lost ??= performance.now() - promoted
    await pause(20)
  } while (again === undefined)
  await allReady
  await pause(2000)
  goesOn = false
  await Promise.all(running)
  let asked = 0
  for (const client of clients)
    for (const family of client.families) {
      await client.userinfo(family)
      await client.refresh({ ...family, tokens: [...family.tokens] })
      await client.exchange(family.exchange)
      asked += 3
    }
  return { killed, again, lost, asked }
}

async function isSynchronous({ primary }: Servers): Promise<boolean> {
  return (await ask(primary, "select 1 from pg_stat_replication where sync_state = 'sync'")).length > 0
}

/** Moves with each loss that is answered. */
async function generationOf({ primary }: Servers): Promise<number> {
  const [row] = await ask(primary, "select value as n from revisions where name = 'generation'")
  return Number(row?.n)
}

/** Waits until a process can write again, and has answered a loss. */
async function ready(url: string): Promise<void> {
  while ((await fetch(`${url}/health/ready`)).status !== 200) await pause(10)
}

/**
 * An answer 503 says nothing of whether it was done. After a loss everything has ended, which is right: then only what
 * was asked before the failover must have worked.
 */
function wrongIn(history: History, synchronous: boolean, failovers: readonly Failover[]): string[] {
  const told = history.operations
    .map((one): Operation => (one.status === 503 ? { ...one, status: undefined } : one))
    .filter(({ kind, status }) => kind !== 'authorize' || status === 200 || status === 500)
  if (synchronous) return problemsIn(told)
  const isLost = (one: string) => one.endsWith('is lost')
  const before = told.filter(({ round, ended }) => ended < (failovers[round - 1]?.killed ?? 0))
  return [...problemsIn(told).filter((one) => !isLost(one)), ...problemsIn(before).filter(isLost)]
}

/** A synchronous failover loses nothing, and one after a lag always does. */
function wrongWith({ lost }: Failover, synchronous: boolean): string[] {
  if (synchronous) return lost === undefined ? [] : ['a loss was noticed where there was none']
  if (lost === undefined) return ['a loss was not noticed']
  return lost > 1000 ? [`a loss was noticed after ${lost.toFixed(0)} ms`] : []
}

async function serve(url: string): Promise<Serving> {
  return await Serving.start({
    TESSERA_DATABASE_URL: url,
    TESSERA_SECRET: 'a-secret-of-the-bench-0123456789-abcdef',
    TESSERA_DECLARED: fileURLToPath(new URL('../../server/test/fixtures/acme.yaml', import.meta.url)),
    TESSERA_LIMIT_AUTHORIZE: '0',
    TESSERA_LIMIT_GRANTS: '0',
    TESSERA_LIMIT_SIGN_IN_ACCOUNT: '0',
    TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
    TESSERA_LOG_LEVEL: 'silent',
  })
}
