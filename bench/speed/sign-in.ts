import { cpuBetween } from '../cpu.ts'
import { newFolder, remove, type Service, startService } from '../service.ts'
import { atMost, median, type Outcome, type Run } from './outcome.ts'
import { hashCost } from './password-hash.ts'
import { signatureCost } from '../signatures.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { Seeded } from './seeded.ts'
import { Visitor } from './visitor.ts'

const visitors = 4
const rounds = 3
/** Of a round. */
const seconds = 3
/** Of the one before: V8 compiles what was called a thousand times, and a sign-in calls most of it once or twice. */
const warmUp = 12

interface Round {
  /** µs of CPU of the service per sign-in. */
  cpu: number
  hash: number
  signature: number
  perSecond: number
  clientCpu: number
}

/** Whole sign-ins by people with new browsers: link, page, password, code, tokens. */
export async function signIn({ seed }: Run): Promise<Outcome> {
  const folder = newFolder()
  const service = await startService(await freePort(), folder)
  try {
    const random = new Seeded(seed)
    const all: Round[] = []
    for (let round = 0; round <= rounds; round++) {
      const measured = await oneRound(service, random, round === 0 ? warmUp : seconds)
      if (round > 0) all.push(measured)
    }
    const figures = {
      cpu: median(all.map(({ cpu }) => cpu)),
      hash: median(all.map(({ hash }) => hash)),
      signature: median(all.map(({ signature }) => signature)),
      inHashes: median(all.map(({ cpu, hash }) => cpu / hash)),
      perSecond: median(all.map(({ perSecond }) => perSecond)),
      clientCpu: median(all.map(({ clientCpu }) => clientCpu)),
    }
    return {
      tables: [
        {
          title: `Full sign-ins by ${visitors} people at a time`,
          head: [
            'per second',
            'CPU of the service, µs',
            'one argon2id hash, µs',
            'in hashes',
            'CPU of the client, µs',
          ],
          rows: [
            [
              figures.perSecond.toFixed(0),
              figures.cpu.toFixed(0),
              figures.hash.toFixed(0),
              figures.inHashes.toFixed(2),
              figures.clientCpu.toFixed(0),
            ],
          ],
        },
      ],
      bars: [
        {
          ...atMost('full sign-in, CPU', figures.inHashes, 1.2, '× one argon2id hash'),
          why: `the hash and two bare signatures ${(1 + (2 * figures.signature) / figures.hash).toFixed(2)} ×`,
        },
      ],
      notes: [
        'A sign-in is five requests: the link, the page, the form with the password, the way back with the code, the exchange for three tokens.',
      ],
      figures,
    }
  } finally {
    await service.stop()
    remove(folder)
  }
}

async function oneRound(service: Service, random: Seeded, duration: number): Promise<Round> {
  const hashBefore = hashCost()
  const signatureBefore = signatureCost()
  const before = service.cpu()
  const client = process.cpuUsage()
  const began = performance.now()
  const signIns = await signInFor(duration, service, random)
  const took = (performance.now() - began) / 1000
  const cpu = cpuBetween(before, service.cpu()) / signIns
  const { user, system } = process.cpuUsage(client)
  return {
    cpu,
    hash: (hashBefore + hashCost()) / 2,
    signature: (signatureBefore + signatureCost()) / 2,
    perSecond: signIns / took,
    clientCpu: (user + system) / signIns,
  }
}

/** A few people sign in again and again for so many seconds. Yields how often. */
export async function signInFor(duration: number, service: Service, random: Seeded): Promise<number> {
  const until = performance.now() + duration * 1000
  let signIns = 0
  await Promise.all(
    Array.from({ length: visitors }, async () => {
      const visitor = new Visitor(service.port, random)
      for (; performance.now() < until; signIns++) {
        if ((await visitor.signIn()) === undefined)
          throw new Error('The service was too busy for four people.')
      }
      visitor.close()
    }),
  )
  return signIns
}
