import { Worker } from 'node:worker_threads'
import { ProtocolError } from '../protocol/errors.ts'
import { isOver } from '../protocol/password-hash/weak.ts'
import type { PasswordAnswer, PasswordTask } from './password-worker.ts'

interface Running {
  resolve(answer: PasswordAnswer): void
  reject(error: Error): void
}

/**
 * Hashes and checks passwords in one worker thread of the lowest priority, one at a time. How many may wait is bounded:
 * beyond it a sign-in is told to come back, while tokens go on (decisions 7). The thread is the process's: it takes
 * ten times as long to start as a password to check, and it ends with the process.
 */
export class PasswordHasher {
  static #worker: Worker | undefined
  static #running: Running | undefined
  /** Settles when every task so far is done. */
  static #last: Promise<unknown> = Promise.resolve()
  readonly #limit: number
  readonly #now: () => number
  #waiting = 0

  constructor(limit: number, now: () => number) {
    this.#limit = limit
    this.#now = now
  }

  /** A PHC string, `$argon2id$v=19$…`. Throws `temporarily_unavailable` when too many wait. */
  async hash(password: string): Promise<string> {
    const { hash } = await this.#run({ kind: 'hash', password })
    if (hash === undefined) throw new Error('The password worker gave no hash.')
    return hash
  }

  /**
   * Whether the password matches the hash, our own or one of another system. Without a hash the same work is done and
   * the answer is false, so that an unknown account can't be told from a wrong password by time. A weak hash that is
   * over is none.
   */
  async verify(password: string, hash: string | null | undefined): Promise<boolean> {
    const known = typeof hash === 'string' && !isOver(hash, this.#now()) ? hash : undefined
    const { matches } = await this.#run({ kind: 'verify', password, hash: known ?? nobodysHash })
    return matches === true && known !== undefined
  }

  /** How many checks wait or run. */
  waiting(): number {
    return this.#waiting
  }

  async #run(task: PasswordTask): Promise<PasswordAnswer> {
    if (this.#waiting >= this.#limit) {
      throw new ProtocolError(
        'temporarily_unavailable',
        'Too many people are signing in at the same time. Try again in a few seconds.',
        { headers: { 'retry-after': '5' } },
      )
    }
    this.#waiting++
    const turn = PasswordHasher.#last.then(() => PasswordHasher.#inWorker(task))
    PasswordHasher.#last = turn.catch(() => undefined)
    try {
      const answer = await turn
      if (answer.failure !== undefined) throw new Error(`Password hashing failed: ${answer.failure}`)
      return answer
    } finally {
      this.#waiting--
    }
  }

  static async #inWorker(task: PasswordTask): Promise<PasswordAnswer> {
    const worker = (this.#worker ??= this.#start())
    try {
      return await new Promise<PasswordAnswer>((resolve, reject) => {
        this.#running = { resolve, reject }
        // The process stays while a task runs; an idle worker does not hold it.
        worker.ref()
        worker.postMessage(task)
      })
    } finally {
      this.#running = undefined
      worker.unref()
    }
  }

  /** Starts the worker. When it ends, the running task fails, and the next task starts another. */
  static #start(): Worker {
    const worker = new Worker(new URL('./password-worker.js', import.meta.url))
    const ended = (error: Error) => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      this.#running?.reject(error)
    }
    worker.on('message', (answer: PasswordAnswer) => this.#running?.resolve(answer))
    worker.on('error', ended)
    worker.on('exit', () => ended(new Error('The password worker ended.')))
    return worker
  }
}

/** The hash of a random password that nobody knows. To verify against it costs what any other does. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$cYvUs2YMkyAb01S6jL9cSQ$CKjPZfOq2s435QCujhnVT/aG5rcsAPRd+2h2p+ts4YU'
