import { setTimeout as wait } from 'node:timers/promises'
import type { OpenLoop } from './open-loop.ts'
import { median } from './outcome.ts'
import { openLoop } from './pressure.ts'
import type { Seeded } from './seeded.ts'
import { signInFor } from './sign-in.ts'
import type { Service } from '../service.ts'
import { Visitor } from './visitor.ts'

const rounds = 3
const visitors = 4
/** Between the beginnings of a visitor's sign-ins, ms: together they make ten a second. */
const pause = 400

/** Checks at this rate, by an open loop. */
export const rate = 1000
const seconds = 2

export interface Beside {
  alone: OpenLoop
  beside: OpenLoop
  /** A bare server of the same machine, while people sign in at the service. */
  bare: OpenLoop
  /** Per second. */
  signIns: number
}

/** How long checks take alone and while people sign in, and a bare server beside the same sign-ins, in turn. */
export async function besideSignIns(
  service: Service,
  bare: { port: number },
  { requests, random }: { requests: readonly string[]; random: Seeded },
): Promise<Beside> {
  // Nobody is the first to sign in.
  await signInFor(2, service, random)
  const asked = { rate, seconds, requests }
  const runs: Beside[] = []
  for (let round = 0; round < rounds; round++) {
    const alone = await openLoop(service.port, asked)
    const beside = await whileSigningIn(service, random, () => openLoop(service.port, asked))
    const floor = await whileSigningIn(service, random, () => openLoop(bare.port, asked))
    runs.push({ alone, beside: beside.result, bare: floor.result, signIns: beside.perSecond })
  }
  const of = (which: 'alone' | 'beside' | 'bare') => medians(runs.map((run) => run[which]))
  return {
    alone: of('alone'),
    beside: of('beside'),
    bare: of('bare'),
    signIns: median(runs.map(({ signIns }) => signIns)),
  }
}

async function whileSigningIn<T>(
  { port }: Service,
  random: Seeded,
  work: () => Promise<T>,
): Promise<{ result: T; perSecond: number }> {
  const began = performance.now()
  let [over, signIns] = [false, 0]
  const lanes = Array.from({ length: visitors }, async (_, lane) => {
    const visitor = new Visitor(port, random)
    for (let due = began + (lane * pause) / visitors; !over; due += pause) {
      await wait(Math.max(0, due - performance.now()))
      if ((await visitor.signIn()) !== undefined) signIns++
    }
    visitor.close()
  })
  const result = await work().finally(() => (over = true))
  await Promise.all(lanes)
  return { result, perSecond: (signIns * 1000) / (performance.now() - began) }
}

function medians(runs: readonly OpenLoop[]): OpenLoop {
  const of = (figure: keyof OpenLoop) => median(runs.map((run) => run[figure]))
  return { p50: of('p50'), p99: of('p99'), longest: of('longest'), late: of('late') }
}
