/** What the path of a token writes into the embedded database: several verbs in one durable commit. */
import type { Steps } from './prepared.ts'
import type { Direct } from './sqlite-direct.ts'

/** What waits for its commit. */
interface Waiting {
  /** By `performance.now()`, ms. */
  since: number
  /** From the beginning: a verb may have to run again. */
  run(): void
  settle(): void
  fail(error: unknown): void
}

/** The connection, while nobody else in this process uses it, with the write lock of the file in hand. */
export interface Turns {
  /** Waits for both without holding up anybody, until this moment of `performance.now()`. */
  begin(until: number): Promise<void>
  end(): Promise<void>
  /** Whether another process has held that lock within so many ms. */
  metOther(within: number): boolean
}

/**
 * From one commit to the next at the least, ms, while there are others who may come along: a commit takes CPU, and the
 * event loop stands still for it. Nobody waits for it when everybody who is under way does, and is as many as the last
 * time, as when one asks alone.
 */
const between = 2

/** Who met another process within this time, ms, leaves it the lock `between` two commits. */
const lately = 1000

/** Verbs in one commit at the most: the event loop stands still for each of them. */
const mostTogether = 64

/**
 * Several verbs in one durable commit: those that arrive while the event loop takes in what the network brought.
 * Each is told of its end when all of them are on the disk, so none is acknowledged before it is durable. When one
 * of them fails nothing of that commit stays, and each runs again in a commit of its own.
 */
export class Commits {
  readonly #direct: Direct
  readonly #turns: Turns
  /** How long a verb waits for the write lock, ms. */
  readonly #patience: number
  /** How many may still come, or wait already. */
  readonly #underWay: () => number
  readonly #waiting: Waiting[] = []
  #running = false
  /** Until others have come, or not. */
  #pause: NodeJS.Timeout | undefined
  /** When the last commit began, by `performance.now()`. */
  #last = -Infinity
  /** How many verbs it had: as many are likely to come again. */
  #lastTogether = 0

  constructor(
    direct: Direct,
    turns: Turns,
    { patience, underWay }: { patience: number; underWay: () => number },
  ) {
    this.#direct = direct
    this.#turns = turns
    this.#patience = patience
    this.#underWay = underWay
  }

  /** Runs a verb in a transaction. `steps` is called anew for each try, and does nothing but ask. */
  write<Result>(steps: () => Steps<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let result: Result
      this.#waiting.push({
        since: performance.now(),
        run: () => {
          result = this.#direct.verb(steps())
        },
        settle: () => resolve(result),
        fail: reject,
      })
      this.#plan()
    })
  }

  /** Begins when the network's turn is over, so that who asks at the same time comes along. */
  #plan(): void {
    if (this.#pause !== undefined && this.#nobodyElse()) {
      clearTimeout(this.#pause)
      this.#pause = undefined
      this.#running = false
    }
    if (this.#running) return
    this.#running = true
    setImmediate(() => this.#begin())
  }

  #begin(): void {
    const pause = this.#last + between - performance.now()
    if (pause <= 0 || this.#nobodyElse()) void this.#drain()
    else this.#pause = setTimeout(() => this.#stopWaiting(), pause)
  }

  #stopWaiting(): void {
    this.#pause = undefined
    void this.#drain()
  }

  /** Nobody would come along, also of those who did the last time, and nobody else wants the lock. */
  #nobodyElse(): boolean {
    const waiting = this.#waiting.length
    return waiting >= this.#underWay() && waiting >= this.#lastTogether && !this.#turns.metOther(lately)
  }

  async #drain(): Promise<void> {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      try {
        await this.#turns.begin(first.since + this.#patience)
      } catch (error) {
        this.#giveUp(first.since, error)
        continue
      }
      // Whoever came while it waited goes along.
      const together = this.#waiting.splice(0, mostTogether)
      const failure = await this.#commit(together)
      if (failure === undefined) continue
      if (together.length === 1) first.fail(failure.error)
      else for (const one of together) await this.#alone(one)
    }
    this.#running = false
  }

  /** Who has waited as long as the first, or nearly, will not get the lock either. */
  #giveUp(since: number, error: unknown): void {
    const patient = this.#waiting.findIndex((one) => one.since > since + this.#patience / 10)
    for (const one of this.#waiting.splice(0, patient === -1 ? this.#waiting.length : patient))
      one.fail(error)
  }

  async #alone(one: Waiting): Promise<void> {
    try {
      await this.#turns.begin(performance.now() + this.#patience)
    } catch (error) {
      one.fail(error)
      return
    }
    const failure = await this.#commit([one])
    if (failure !== undefined) one.fail(failure.error)
  }

  /** Undefined: all of them are on the disk, and know it. */
  async #commit(together: readonly Waiting[]): Promise<{ error: unknown } | undefined> {
    this.#last = performance.now()
    this.#lastTogether = together.length
    try {
      for (const one of together) one.run()
      this.#direct.run('commit')
    } catch (error) {
      this.#rollBack()
      return { error }
    } finally {
      await this.#turns.end()
    }
    for (const one of together) one.settle()
    return undefined
  }

  /** A failure such as a full disk may have ended the transaction already. */
  #rollBack(): void {
    try {
      this.#direct.run('rollback')
    } catch {
      // There is none any more.
    }
  }
}
