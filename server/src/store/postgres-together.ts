/** What is asked of PostgreSQL at the same time, in one statement: the way there and back costs more than the answer. */
import { isStorageFailure } from './failure.ts'
import type { Statement } from './postgres-statements.ts'
import { type Asked, answerOf, type Prepared, statementOf } from './prepared.ts'

/** Puts one statement by itself, and yields its rows. */
type Put = (statement: Statement) => Promise<object[]>

interface Waiting {
  asked: Asked
  /** By `performance.now()`, ms. */
  since: number
  resolve(answer: unknown): void
  reject(error: unknown): void
}

/** Of one query: who waits for the next statement, and whether one is under way. */
interface Queue {
  waiting: Waiting[]
  underWay: boolean
}

/** So many in one statement at the most. */
const mostTogether = 100

/**
 * Gathers what is asked with the same query in one turn of the event loop, and while its last statement is under way.
 *
 * Concurrency: a statement is put after everybody whom it answers has asked, so each reads what was committed
 * before. What inserts is one statement and so one transaction: all of its rows are durable, or none is there.
 * When the database did not do what it was asked, those who have waited for longer than `patience` are told so too.
 */
export class Together {
  readonly #put: Put
  /** For the statement before one's own, ms. */
  readonly #patience: number
  readonly #queues = new Map<Prepared, Queue>()

  constructor(put: Put, patience: number) {
    this.#put = put
    this.#patience = patience
  }

  answer(asked: Asked): Promise<unknown> {
    if (asked.query.for('postgres').joined === undefined) return this.#alone(asked)
    return new Promise((resolve, reject) => {
      const queue = this.#queue(asked.query)
      queue.waiting.push({ asked, since: performance.now(), resolve, reject })
      if (queue.underWay) return
      queue.underWay = true
      setImmediate(() => void this.#drain(queue))
    })
  }

  #queue(query: Prepared): Queue {
    let queue = this.#queues.get(query)
    if (queue === undefined) {
      queue = { waiting: [], underWay: false }
      this.#queues.set(query, queue)
    }
    return queue
  }

  async #drain(queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) {
      const failure = await this.#putTogether(queue.waiting.splice(0, mostTogether))
      if (failure !== undefined) this.#giveUp(queue, failure)
    }
    queue.underWay = false
  }

  /** A table that is locked for long would otherwise cost a statement's time limit for each hundred of them. */
  #giveUp({ waiting }: Queue, failure: unknown): void {
    const before = performance.now() - this.#patience
    const patient = waiting.findIndex(({ since }) => since > before)
    const over = waiting.splice(0, patient < 0 ? waiting.length : patient)
    for (const one of over) one.reject(failure)
  }

  /**
   * A value that the database refuses fails the statement for all: then each is asked by itself. Yields why the
   * database can't answer, where that is so.
   */
  async #putTogether(all: readonly Waiting[]): Promise<unknown> {
    try {
      const answers = await this.#answers(all)
      all.forEach((one, index) => one.resolve(answers[index]))
    } catch (error) {
      const failed = isStorageFailure(error)
      if (all.length === 1 || failed) all.forEach((one) => one.reject(error))
      else await Promise.all(all.map((one) => this.#alone(one.asked).then(one.resolve, one.reject)))
      return failed ? error : undefined
    }
    return undefined
  }

  async #answers(all: readonly Waiting[]): Promise<unknown[]> {
    const [first] = all
    if (first === undefined) return []
    const { asked } = first
    const joined = asked.query.for('postgres').joined
    if (all.length === 1 || joined === undefined) return [await this.#alone(asked)]
    const statement = joined(all.map((one) => one.asked.values))
    return statement.answers(await this.#put(statement)).map((rows) => answerOf(asked, rows))
  }

  async #alone(asked: Asked): Promise<unknown> {
    return answerOf(asked, await this.#put(statementOf(asked)))
  }
}
