/** Asks PostgreSQL in one statement what is asked at the same time: each statement costs more than its answer. */
import { isStorageFailure } from './failure.ts'
import { type Batch, batchOf } from './postgres-batch.ts'
import type { Statement } from './postgres-statements.ts'
import { answerOf, type Prepared, statementOf, type BoundQuery, type Turn } from './prepared.ts'

/** Puts one statement by itself, and yields its rows. */
type Put = (statement: Statement) => Promise<object[]>

interface QueuedQuery {
  asked: BoundQuery
  /** The time that `performance.now()` told, ms. */
  since: number
  resolve(answer: unknown): void
  reject(error: unknown): void
}

/** The callings of one query that wait for its next statement. */
interface Queue {
  batch: Batch | undefined
  waiting: QueuedQuery[]
  running: boolean
}

/** Callings in one statement at the most. */
const mostTogether = 100

/**
 * Gathers the callings of a query that come in one turn of the event loop, and while its last statement is under way.
 *
 * Concurrency: a statement is put after all whom it answers have asked, so each reads what was committed before.
 * A batch of inserts is one transaction: all of its rows are durable, or none is there.
 */
export class Batches {
  readonly #put: Put
  /** When the database fails, callings that have waited longer than this fail with it, ms. */
  readonly #patience: number
  readonly #queues = new Map<Prepared, Queue>()

  constructor(put: Put, patience: number) {
    this.#put = put
    this.#patience = patience
  }

  answers({ asked }: Turn): Promise<unknown[]> {
    return Promise.all(asked.map((one) => this.#answer(one)))
  }

  #answer(asked: BoundQuery): Promise<unknown> {
    const queue = this.#queue(asked.query)
    if (queue.batch === undefined) return this.#alone(asked)
    return new Promise((resolve, reject) => {
      queue.waiting.push({ asked, since: performance.now(), resolve, reject })
      if (queue.running) return
      queue.running = true
      setImmediate(() => void this.#drain(queue))
    })
  }

  #queue(query: Prepared): Queue {
    let queue = this.#queues.get(query)
    if (queue === undefined) {
      queue = { batch: batchOf(query), waiting: [], running: false }
      this.#queues.set(query, queue)
    }
    return queue
  }

  async #drain(queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) {
      const all = queue.waiting.splice(0, mostTogether)
      try {
        const answers = await this.#rowsOf(queue, all)
        all.forEach((one, index) => one.resolve(answers[index]))
      } catch (error) {
        await this.#failed(queue, all, error)
      }
    }
    queue.running = false
  }

  async #rowsOf({ batch }: Queue, all: readonly QueuedQuery[]): Promise<unknown[]> {
    const [first] = all
    if (batch === undefined || first === undefined) return []
    if (all.length === 1) return [await this.#alone(first.asked)]
    const rows = (await this.#put(batch(all.map(({ asked }) => asked.values)))) as { rows: object[] | null }[]
    return all.map(({ asked }, index) => answerOf(asked, rows[index]?.rows ?? []))
  }

  /** A value that the database refuses fails the statement for all, so each is then asked by itself. */
  async #failed(queue: Queue, all: readonly QueuedQuery[], error: unknown): Promise<void> {
    const isStorage = isStorageFailure(error)
    if (!isStorage && all.length > 1) {
      await Promise.all(all.map((one) => this.#alone(one.asked).then(one.resolve, one.reject)))
      return
    }
    for (const one of all) one.reject(error)
    if (!isStorage) return
    // Otherwise a locked table costs a statement's time limit for each hundred of them.
    const before = performance.now() - this.#patience
    while ((queue.waiting[0]?.since ?? Infinity) <= before) queue.waiting.shift()?.reject(error)
  }

  async #alone(asked: BoundQuery): Promise<unknown> {
    return answerOf(asked, await this.#put(statementOf(asked)))
  }
}
