/** `npm run bench -- failover [--failovers N] [--seconds N] [--lag MS] [--seed N]`. */
import { writeFileSync } from 'node:fs'
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
    failovers: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '60' },
    lag: { type: 'string', default: '1500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const [failovers, seconds, lag] = [values.failovers, values.seconds, values.lag].map(Number) as [
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
  /** From the promotion until every process is ready, ms. */
  again: number
  /** Whether a loss was noticed, and how long after the promotion it had been answered, ms. */
  lost: number | undefined
  /** Acknowledged things that were asked again. */
  asked: number
}

const rows: string[] = []
const problems: string[] = []
for (const synchronous of [true, false])
  for (const way of ['two hosts', 'one address'] as const) {
    const { all, wrong, operations } = await campaign(synchronous, way)
    const kind = synchronous ? 'synchronous' : `asynchronous, ${lag} ms behind`
    for (const [index, { again, lost, asked }] of all.entries()) {
      const noticed = lost === undefined ? 'no' : `after ${lost.toFixed(0)} ms`
      rows.push(`| ${kind} | ${way} | ${index + 1} | ${again.toFixed(0)} | ${noticed} | ${asked} |`)
    }
    problems.push(...wrong.map((one) => `- ${kind}, ${way}: ${one}`))
    process.stdout.write(`${kind}, ${way}: ${operations} operations, ${wrong.length} problems\n`)
  }
await cleanUp()
const report = `# Failovers of PostgreSQL

Seed ${values.seed}: a failover each ${seconds} s, two processes, ${actors} actors. Neither PgBouncer nor haproxy is part of this run.

${problems.length === 0 ? 'Nothing acknowledged was lost unnoticed, and nothing worked twice.' : `${problems.length} problems:\n\n${problems.join('\n')}`}

| standby | by | failover | ready, ms after the promotion | loss noticed | asked again |
|---|---|---|---|---|---|
${rows.join('\n')}
`
writeFileSync(fileURLToPath(new URL('../results/failover.md', import.meta.url)), report)
process.stdout.write(report)
process.exitCode = problems.length === 0 ? 0 : 1

async function campaign(synchronous: boolean, way: 'two hosts' | 'one address') {
  const servers = await Servers.start(synchronous)
  const history = new History()
  const random = randomFrom(Number(values.seed))
  const url =
    way === 'two hosts' ? servers.url : `postgres://postgres@127.0.0.1:${servers.before.port}/postgres`
  const services = [await serve(url), await serve(url)]
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
  return { all, wrong: wrongIn(history, synchronous), operations: history.operations.length }
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
  const promoted = await servers.failOver()
  await Promise.all(services.map(({ url }) => ready(url)))
  const again = performance.now() - promoted
  const after = await generationOf(servers)
  const lost = after > before ? again : undefined
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
  return { again, lost, asked }
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

/** An answer 503 says nothing of whether it was done. After a loss everything has ended, which is right. */
function wrongIn(history: History, synchronous: boolean): string[] {
  const told = history.operations
    .map((one): Operation => (one.status === 503 ? { ...one, status: undefined } : one))
    .filter(({ kind, status }) => kind !== 'authorize' || status === 200)
  const wrong = problemsIn(told)
  return synchronous ? wrong : wrong.filter((one) => !one.endsWith('is lost'))
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
