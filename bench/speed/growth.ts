import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cpuBetween } from '../cpu.ts'
import { newFolder, remove, type Service, startService } from '../service.ts'
import type { Askers } from './askers.ts'
import {
  machineId,
  machineSecret,
  redirectUri,
  refreshToken,
  type Size,
  sessionCookie,
  webId,
} from './growth-rows.ts'
import { seedDatabase } from './growth-seed.ts'
import { type Measured, measuredHead, measuredRow } from './measured.ts'
import { atMost, type Outcome, type Run } from './outcome.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { measureInTurn } from './rounds.ts'
import { Seeded } from './seeded.ts'

const small: Size = { users: 1000, clients: 10, families: 10_000 }
const large: Size = { users: 1_000_000, clients: 100_000, families: 1_000_000 }
/** Of the large database's clients, those that a service is asked by all the time. */
const workingSet = 1000
const counts = {
  client_credentials: 4000,
  'authorize with a session': 1500,
  'code exchange': 1500,
  refresh: 1500,
}
const rounds = 3
const connections = 16

/** The same requests of a small and of a large database, each spread over its people and clients at random. */
export async function growth({ seed }: Run): Promise<Outcome> {
  const folders = [newFolder(), newFolder()] as const
  const services: Service[] = []
  try {
    await seedDatabase(folders[0], seed, small)
    await seedDatabase(folders[1], seed, large)
    for (const folder of folders) {
      await read(join(folder, 'tessera.sqlite'))
      services.push(await startService(await freePort(), folder))
    }
    const [few, many] = services as [Service, Service]
    await untilIdle(many)
    const subject = (service: Service, name: string, askers: Askers) => ({
      name,
      service,
      askers,
      connections,
    })
    const subjects = [
      subject(few, '10³ users, 10 clients', new Spread(few, seed, small, [0, small.clients])),
      subject(
        many,
        '10⁶ users, 10⁵ clients, of which 10³ ask',
        new Spread(many, seed, large, [0, workingSet]),
      ),
      subject(
        many,
        '10⁶ users, 10⁵ clients, which all ask',
        new Spread(many, seed, large, [workingSet, large.clients]),
      ),
    ]
    const [base = [], ...grown] = await measureInTurn(subjects, { counts, rounds, seed })
    const names = subjects.map(({ name }) => name)
    return outcome(names, [base, ...grown], many.memory())
  } finally {
    for (const service of services) await service.stop()
    for (const folder of folders) remove(folder)
  }
}

function outcome(names: readonly string[], all: readonly (readonly Measured[])[], memory: number): Outcome {
  const [base = [], working = [], spread = []] = all
  const ratio = (one: Measured) =>
    one.inSignatures / (base.find(({ kind }) => kind === one.kind)?.inSignatures ?? 0)
  const bar = (one: Measured, who: string) =>
    atMost(`${one.kind}, 10⁶ users, ${who}, CPU`, ratio(one), 1.15, '× of 10³ users')
  return {
    tables: all.map((measured, index) => ({
      title: names[index] ?? '',
      head: measuredHead,
      rows: measured.map((one) => measuredRow(one)),
    })),
    bars: [
      ...working.map((one) => bar(one, '10³ of 10⁵ clients ask')),
      ...spread.map((one) => bar(one, '10⁵ clients ask')),
    ],
    notes: [
      `Each person has a live session, each session a live token family; the small database has ten of them per person. With the large one the service has ${memory.toFixed(0)} MiB of memory at the end.`,
      'People are chosen at random among all; clients among all, or among a thousand of the large database, as those are that ask every day.',
      'Each database is read once before, so that the system has its file in memory.',
      'No refresh token is used twice, and no session is due to be touched, in either database.',
    ],
    figures: { names, all, memory },
  }
}

/** So that the system has all of it in memory, as after a day of service: else the disk is measured. */
async function read(file: string): Promise<void> {
  for await (const _ of createReadStream(file));
}

/** What a service does by itself when it starts on a large database is not the cost of a request. */
async function untilIdle(service: Service): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const before = service.cpu()
    await wait(500)
    if (cpuBetween(before, service.cpu()) < 10_000) return
  }
}

/** Asks for all people, and for the clients from one number to another, at random. */
class Spread implements Askers {
  readonly #port: number
  readonly #seed: number
  readonly #size: Size
  readonly #random: Seeded
  /** Of each type. */
  readonly #first: number
  readonly #clients: number
  #family: number

  constructor({ port }: Service, seed: number, size: Size, [from, to]: readonly [number, number]) {
    this.#port = port
    this.#seed = seed
    this.#size = size
    this.#random = new Seeded(seed + from)
    this.#first = from / 2
    this.#clients = (to - from) / 2
    this.#family = this.#random.below(size.families)
  }

  machine() {
    const number = this.#client()
    return { clientId: machineId(number), secret: machineSecret(this.#seed, number) }
  }

  person() {
    const session = this.#random.below(this.#size.families)
    return {
      cookie: `tessera-${this.#port}-session=${sessionCookie(this.#seed, session)}`,
      clientId: webId(this.#client()),
      redirectUri,
    }
  }

  /** Never the same twice: a step that has no divisor in common with their number visits each once. */
  refreshTokens(count: number) {
    const all = this.#size.clients / 2
    const families = (this.#size.families / all) * this.#clients
    return Array.from({ length: count }, () => {
      this.#family = (this.#family + 7919 * 13) % families
      const client = this.#first + (this.#family % this.#clients)
      const number = Math.floor(this.#family / this.#clients) * all + client
      return { clientId: webId(client), refreshToken: refreshToken(this.#seed, number) }
    })
  }

  #client(): number {
    return this.#first + this.#random.below(this.#clients)
  }
}
