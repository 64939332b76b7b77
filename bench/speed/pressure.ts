import { setTimeout as wait } from 'node:timers/promises'
import { load } from '../load.ts'
import { newFolder, remove, startService } from '../service.ts'
import { end, startScript, told } from './child.ts'
import { machineToken } from './machine-token.ts'
import { atMost, median, type Outcome, type Run } from './outcome.ts'
import type { OpenLoop } from './open-loop.ts'
import { freePort } from '../../server/test/harness/process.ts'

const seconds = 5
const pairs = 3
/** As many as may wait for their password check (TESSERA_LIMIT_HASHING), and six more who find it full. */
const crowd = 70

/** What became of the sign-ins while tokens were measured. */
export interface Crowd {
  signedIn: number
  refused: number
}

/** Machine tokens at half of what is possible: without sign-ins and while they run at their bound, in turn. */
export async function pressure({ seed }: Run): Promise<Outcome> {
  const folder = newFolder()
  // It is one account, from one address, that all of them sign in to.
  const service = await startService(await freePort(), folder, {
    TESSERA_LIMIT_SIGN_IN_ACCOUNT: '0',
    TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
  })
  try {
    await load(service.port, Array<string>(4000).fill(machineToken), 16, 200)
    const possible = await load(service.port, Array<string>(8000).fill(machineToken), 16, 200)
    const rate = possible.requests / possible.seconds / 2
    const alone: OpenLoop[] = []
    const pressed: (OpenLoop & Crowd)[] = []
    for (let pair = 0; pair < pairs; pair++) {
      alone.push(await openLoop(service.port, { rate, seconds, requests: [machineToken] }))
      const people = startScript('pressure-crowd.ts', [
        String(service.port),
        String(crowd),
        String(seed + pair),
      ])
      try {
        // It tells when the first was refused: from then on the bound is reached.
        await told(people)
        people.send('count')
        const tokens = await openLoop(service.port, { rate, seconds, requests: [machineToken] })
        const counted = told<Crowd>(people)
        people.send('end')
        pressed.push({ ...tokens, ...(await counted) })
      } finally {
        await end(people)
      }
      await wait(1500)
    }
    return outcome(rate, alone, pressed)
  } finally {
    await service.stop()
    remove(folder)
  }
}

export async function openLoop(
  port: number,
  { rate, seconds, requests }: { rate: number; seconds: number; requests: readonly string[] },
): Promise<OpenLoop> {
  const args = [String(port), String(rate), String(seconds), JSON.stringify(requests)]
  const child = startScript('open-loop.ts', args)
  try {
    return await told<OpenLoop>(child)
  } finally {
    await end(child)
  }
}

function outcome(rate: number, alone: readonly OpenLoop[], pressed: readonly (OpenLoop & Crowd)[]): Outcome {
  const ratio = median(alone.map(({ p99 }, index) => (pressed[index]?.p99 ?? Number.NaN) / p99))
  const row = (name: string, runs: readonly OpenLoop[]) => {
    const of = (figure: keyof OpenLoop) => median(runs.map((run) => run[figure])).toFixed(1)
    return [name, rate.toFixed(0), of('p50'), of('p99'), of('longest'), of('late')]
  }
  const perSecond = (figure: keyof Crowd) => (median(pressed.map((run) => run[figure])) / seconds).toFixed(0)
  return {
    tables: [
      {
        title: 'Machine tokens while people sign in',
        head: ['machine tokens', 'per second', 'p50, ms', 'p99, ms', 'longest, ms', 'client late, p99, ms'],
        rows: [row('alone', alone), row('with sign-ins at their bound', pressed)],
      },
    ],
    bars: [atMost('machine tokens at half the rate, p99 with sign-ins', ratio, 3, '× without')],
    notes: [
      `${crowd} people signed in again and again, six more than may wait for their password check: ${perSecond('signedIn')} whole sign-ins a second, and ${perSecond('refused')} a second were told to come back (503) and did so after a second.`,
      'Tokens and people are clients in processes of their own; the one with the tokens sends at fixed times whatever the service does, and is given precedence where that is allowed.',
    ],
    figures: { rate, alone, pressed },
  }
}
