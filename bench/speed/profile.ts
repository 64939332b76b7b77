/** Where the time of one kind of request goes: a CPU profile of the service's main thread, and what the others used. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type CpuReading, cpuBetween, pin } from '../cpu.ts'
import { load } from '../load.ts'
import { newFolder, remove, type Service, startService } from '../service.ts'
import { declaredAskers } from './askers.ts'
import { Journey, type Kind, kinds } from './journey.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { type CpuProfile, describeProfile } from './profile-report.ts'
import { Seeded } from './seeded.ts'
import { signInFor } from './sign-in.ts'

const connections = 16
const warm = 1500
const measured = 8000
const results = new URL('../results/', import.meta.url)
const preload = new URL('profile-preload.mjs', import.meta.url).pathname

/** What can be profiled: the kinds of requests, and whole sign-ins. */
const profiled = [...kinds, 'sign-in'] as const
type Profiled = (typeof profiled)[number]

/** `npm run bench -- profile KIND`: prints the report and keeps it, with the profile itself, in `results/`. */
export async function profile(): Promise<void> {
  const asked = process.argv[2] ?? ''
  const kind = profiled.find((one) => one === asked || one.split(' ').includes(asked))
  if (kind === undefined)
    throw new Error('Say which: client_credentials, authorize, exchange, refresh or sign-in.')
  const folder = newFolder()
  const file = join(folder, 'service.cpuprofile')
  const settings = {
    TESSERA_TEST_PROFILE: file,
    // As bin/tessera.cjs sets it.
    UV_THREADPOOL_SIZE: String(Math.max(2, availableParallelism())),
  }
  const service = await startService(await freePort(), folder, settings, {
    nodeArguments: ['--import', preload, '--semi-space-growth-factor=1'],
    unbundled: true,
  })
  try {
    const run = await record(service, file, await prepare(service, kind))
    const recorded = readFileSync(file, 'utf8')
    const report = describeProfile(JSON.parse(recorded) as CpuProfile, { kind, ...run })
    mkdirSync(results, { recursive: true })
    const name = `profile-${kind.replaceAll(' ', '-')}`
    writeFileSync(new URL(`${name}.cpuprofile`, results), recorded)
    writeFileSync(new URL(`${name}.md`, results), report)
    process.stdout.write(report)
  } finally {
    await service.stop()
    remove(folder)
  }
}

/** Warms the service up and prepares what is profiled; yields that. */
async function prepare(service: Service, kind: Profiled): Promise<() => Promise<number>> {
  const random = new Seeded(1)
  if (kind === 'sign-in') {
    await signInFor(2, service, random)
    return () => signInFor(8, service, random)
  }
  const journey = await Journey.at(service.url, await declaredAskers(service.url), random)
  const run = async (one: Kind, count: number) => {
    const batch = journey.batch(one, count)
    const { answers } = await load(service.port, batch.requests, connections, batch.status, true)
    batch.check(answers)
    return answers.length
  }
  for (const one of kinds) await run(one, warm)
  // What a code exchange takes is what authorizations gave.
  if (kind === 'code exchange' || kind === 'refresh') await run('authorize with a session', measured)
  if (kind === 'refresh') await run('code exchange', measured)
  return () => run(kind, measured)
}

async function record(service: Service, file: string, work: () => Promise<number>) {
  const alone = giveMainThreadACore(service.pid)
  process.kill(service.pid, 'SIGUSR2')
  await wait(200)
  const before = service.cpu()
  const requests = await work()
  const after = service.cpu()
  process.kill(service.pid, 'SIGUSR2')
  for (let tries = 0; tries < 100 && !existsSync(file); tries++) await wait(50)
  await wait(500)
  return { requests, alone, threads: threadsBetween(before, after, service.pid, requests) }
}

/**
 * The profiler counts by the clock on the wall: where the main thread has to share its core with the signatures that
 * it asked for, they would count as its own time. Says whether it worked.
 */
function giveMainThreadACore(pid: number): boolean {
  if (availableParallelism() < 2) return false
  return [process.pid, pid].every((one) => pin('1', '-a', String(one))) && pin('0', String(pid))
}

/** µs per request of each thread that used any, the main one first. */
function threadsBetween(
  before: CpuReading,
  after: CpuReading,
  main: number,
  requests: number,
): { name: string; cpu: number }[] {
  const all = [...after].map(([tid, ran]) => ({
    name: tid === main ? 'main thread' : 'another thread',
    cpu: (ran - (before.get(tid) ?? 0)) / requests,
  }))
  const used = all.filter(({ cpu }) => cpu >= 0.5).sort((a, b) => b.cpu - a.cpu)
  const whole = { name: 'all threads', cpu: cpuBetween(before, after) / requests }
  return [whole, ...used.sort((a, b) => Number(b.name === 'main thread') - Number(a.name === 'main thread'))]
}
