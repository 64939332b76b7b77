import { join } from 'node:path'
import { cpuBetween } from '../cpu.ts'
import { newFolder, remove, type Service, startService } from '../service.ts'
import { atMost, median, type Outcome, type Run } from './outcome.ts'
import { hashCost } from './password-hash.ts'
import { signatureCost } from '../signatures.ts'
import { freePort, secret } from '../../server/test/harness/process.ts'
import { Seeded } from './seeded.ts'
import { type Person, Visitor } from './visitor.ts'
import { people } from '../../server/test/harness/browser.ts'
import { credentialOf } from '../../server/test/sign-in/passkey-support.ts'

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
  const service = await startService(await freePort(), folder, { TESSERA_SECRET: secret })
  try {
    const random = new Seeded(seed)
    const figures = await measured(service, random, people.importer)
    const tessera = { ...service, databaseUrl: `sqlite:${join(folder, 'tessera.sqlite')}`, clock: Date }
    // It is synced, so four people may use it at a time: it counts nothing.
    const passkey = await credentialOf(tessera, people.importer, { backupEligible: true })
    const byPasskey = await measured(service, random, { ...people.importer, passkey })
    const inPasswords = byPasskey.cpu / figures.cpu
    return {
      tables: [
        {
          title: `Full sign-ins by ${visitors} people at a time`,
          head: [
            'by',
            'per second',
            'CPU of the service, µs',
            'one argon2id hash, µs',
            'in hashes',
            'CPU of the client, µs',
          ],
          rows: [
            ['password', ...rowOf(figures)],
            ['passkey', ...rowOf(byPasskey)],
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
        'A sign-in is five requests: the link, the page, the form with the password, the way back with the code, the exchange for three tokens. With a passkey there is a sixth, for the challenge.',
        `A sign-in by passkey takes ${inPasswords.toFixed(2)} × the CPU of one by password.`,
      ],
      figures: { ...figures, byPasskey: byPasskey.cpu, inPasswords },
    }
  } finally {
    await service.stop()
    remove(folder)
  }
}

async function measured(service: Service, random: Seeded, person: Person) {
  const all: Round[] = []
  for (let round = 0; round <= rounds; round++) {
    const one = await oneRound(service, { random, person, duration: round === 0 ? warmUp : seconds })
    if (round > 0) all.push(one)
  }
  return {
    cpu: median(all.map(({ cpu }) => cpu)),
    hash: median(all.map(({ hash }) => hash)),
    signature: median(all.map(({ signature }) => signature)),
    inHashes: median(all.map(({ cpu, hash }) => cpu / hash)),
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    clientCpu: median(all.map(({ clientCpu }) => clientCpu)),
  }
}

const rowOf = (one: Awaited<ReturnType<typeof measured>>): string[] => [
  one.perSecond.toFixed(0),
  one.cpu.toFixed(0),
  one.hash.toFixed(0),
  one.inHashes.toFixed(2),
  one.clientCpu.toFixed(0),
]

async function oneRound(
  service: Service,
  { random, person, duration }: { random: Seeded; person: Person; duration: number },
): Promise<Round> {
  const hashBefore = hashCost()
  const signatureBefore = signatureCost()
  const before = service.cpu()
  const client = process.cpuUsage()
  const began = performance.now()
  const signIns = await signInFor(duration, service, random, person)
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
export async function signInFor(
  duration: number,
  service: Service,
  random: Seeded,
  person?: Person,
): Promise<number> {
  const until = performance.now() + duration * 1000
  let signIns = 0
  await Promise.all(
    Array.from({ length: visitors }, async () => {
      const visitor = new Visitor(service.port, random, person)
      for (; performance.now() < until; signIns++) {
        if ((await visitor.signIn()) === undefined)
          throw new Error('The service was too busy for four people.')
      }
      visitor.close()
    }),
  )
  return signIns
}
