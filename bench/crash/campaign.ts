import { freePort, pause, temporaryFolder } from '../../server/test/harness/process.ts'
import { History, randomFrom } from '../history.ts'
import { Actor } from './actor.ts'
import { type Kill, killSetting, randomKill } from './boundaries.ts'
import { problemsIn } from './check.ts'
import { Client } from './client.ts'
import { environmentOf, type Started, startReady } from './service.ts'

export interface Campaign {
  databaseUrl: string
  seed: number
  kills: number
  /** Goes on, up to three times the kills, until it has died at so many boundaries. */
  boundaries?: number
  /** Ends earlier, ms. */
  atMost?: number
  historyFile?: string
  /** A start that takes longer is a problem, ms. */
  readyWithin?: number
}

export interface Outcome {
  kills: number
  /** How many died at each boundary; `moment`: by the clock. */
  where: Map<string, number>
  operations: number
  unanswered: number
  /** From a start to ready, ms: the usual one, and the longest. */
  usualStart: number
  slowestStart: number
  problems: string[]
}

const actorCount = 6
const readyWithin = 5000
/** What a start takes where nothing else runs, ms. */
const quickStart = 600

/** Kills and restarts the service under load, then reads the history. */
export async function campaign(asked: Campaign): Promise<Outcome> {
  const random = randomFrom(asked.seed)
  const history = new History(asked.historyFile)
  const port = await freePort()
  const folder = temporaryFolder()
  const environment = environmentOf(asked.databaseUrl, port)
  let ahead = 0
  const now = () => Date.now() + ahead
  const actors = Array.from({ length: actorCount }, (_, index) => {
    return new Actor(
      new Client(`http://localhost:${port}`, history, now),
      randomFrom(asked.seed + index + 1),
      now,
    )
  })
  const outcome = { kills: 0, where: new Map<string, number>() }
  const starts: number[] = []
  const problems: string[] = []
  const until = performance.now() + (asked.atMost ?? Infinity)
  for (let round = 0; goesOn(asked, outcome) && performance.now() < until; round++) {
    const kill = randomKill(random)
    // Half of the restarts come when the grace of rotated tokens is over.
    if (random() < 0.5) ahead += 11_000
    for (const { client } of actors) client.round = round
    const clock = { TESSERA_TEST_CLOCK: String(ahead) }
    // What is killed at its start is started once more without: then it must come up.
    const planned = await startReady({ ...environment, ...clock, ...killSetting(kill) }, folder)
    const started = planned ?? (await startReady({ ...environment, ...clock }, folder))
    if (planned === undefined) count(outcome, `${nameOf(kill)} while starting`)
    if (started === undefined) throw new Error('It was killed by nobody.')
    starts.push(started.readyAfter)
    if (started.readyAfter > (asked.readyWithin ?? readyWithin))
      problems.push(`round ${round}: ready only after ${started.readyAfter.toFixed(0)} ms`)
    count(outcome, await loadUntilKilled(started, actors, kill))
  }
  history.close()
  const { operations } = history
  const unanswered = operations.filter(({ status }) => status === undefined).length
  return {
    ...outcome,
    usualStart: starts.sort((one, other) => one - other)[Math.floor(starts.length / 2)] ?? 0,
    slowestStart: starts.at(-1) ?? 0,
    operations: operations.length,
    unanswered,
    problems: [...problems, ...problemsIn(operations)],
  }
}

/** A busy machine kills by the clock where a quick one does at a boundary. */
function goesOn(
  { kills, boundaries = 0 }: Campaign,
  { kills: done, where }: Pick<Outcome, 'kills' | 'where'>,
): boolean {
  return done < kills || (boundariesOf(where) < boundaries && done < 3 * kills)
}

/** At how many boundaries it died. */
export function boundariesOf(where: Outcome['where']): number {
  return [...where.keys()].filter((one) => one !== 'moment').length
}

/** All actors at once, until the process is gone; yields what it died of. A machine that starts it slowly has longer. */
async function loadUntilKilled(
  { service, readyAfter }: Started,
  actors: readonly Actor[],
  kill: Kill,
): Promise<string> {
  let running = true
  const ended = service.ended.then(() => (running = false))
  const working = actors.map(async (actor) => {
    while (running) await actor.step()
  })
  const patience = (kill.at === 'moment' ? kill.after : 1500) * Math.max(1, readyAfter / quickStart)
  const byItself = await Promise.race([ended.then(() => true), pause(patience)])
  if (byItself === undefined) await service.stop('SIGKILL')
  await Promise.all(working)
  return byItself === undefined ? 'moment' : nameOf(kill)
}

function nameOf(kill: Kill): string {
  return kill.at === 'moment' ? 'moment' : `${kill.when} ${kill.boundary}`
}

function count(outcome: { kills: number; where: Map<string, number> }, where: string): void {
  outcome.kills++
  outcome.where.set(where, (outcome.where.get(where) ?? 0) + 1)
}
