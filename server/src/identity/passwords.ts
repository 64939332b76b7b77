import { Worker } from 'node:worker_threads'
import { ProtocolError } from '../protocol/errors.ts'
import { argon2Parameters, type PasswordAnswer, type PasswordTask } from './password-task.ts'

interface Waiting {
  resolve(answer: PasswordAnswer): void
  reject(error: Error): void
}

/** A task before it has its number. */
type Task =
  | { kind: 'hash'; password: string }
  | { kind: 'verify'; password: string; typed?: string; hash: string }

/**
 * Hashes and checks passwords in one worker thread, one at a time. What waits is bounded: beyond it a sign-in
 * is told to come back, while tokens go on (decisions 7).
 */
export class PasswordHasher {
  readonly #waiting = new Map<number, Waiting>()
  readonly #limit: number
  #worker: Worker | undefined
  #next = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** A PHC string, `$argon2id$v=19$…`. Throws `temporarily_unavailable` when too many wait. */
  async hash(password: string): Promise<string> {
    const { hash } = await this.#run({ kind: 'hash', password: normalised(password) })
    if (hash === undefined) throw new Error('The password worker gave no hash.')
    return hash
  }

  /**
   * Whether the password is the one of the hash, our own or one that another system made. Without a hash the same work is done and the answer is false,
   * so that an unknown account can't be told from a wrong password by time.
   */
  async verify(password: string, hash: string | undefined): Promise<boolean> {
    const same = normalised(password)
    const { matches } = await this.#run({
      kind: 'verify',
      password: same,
      ...(same !== password && { typed: password }),
      hash: hash ?? nobodysHash,
    })
    return matches === true && hash !== undefined
  }

  /** How many checks wait or run. */
  waiting(): number {
    return this.#waiting.size
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  async #run(task: Task): Promise<PasswordAnswer> {
    if (this.#waiting.size >= this.#limit) {
      throw new ProtocolError(
        'temporarily_unavailable',
        'Too many people are signing in at the same time. Try again in a few seconds.',
        { headers: { 'retry-after': '5' } },
      )
    }
    const answer = await new Promise<PasswordAnswer>((resolve, reject) => {
      const id = this.#next++
      this.#waiting.set(id, { resolve, reject })
      const worker = this.#start()
      // While somebody waits the process must not end; an idle worker must not hold it.
      worker.ref()
      worker.postMessage({ id, ...task } satisfies PasswordTask)
    })
    if (answer.failure !== undefined) throw new Error(`Password hashing failed: ${answer.failure}`)
    return answer
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(new URL('./password-worker.js', import.meta.url))
    worker.on('message', (answer: PasswordAnswer) => {
      this.#waiting.get(answer.id)?.resolve(answer)
      this.#waiting.delete(answer.id)
      if (this.#waiting.size === 0) worker.unref()
    })
    const stop = (error: Error) => {
      // The end of one that has been replaced already.
      if (this.#worker !== worker) return
      this.#worker = undefined
      for (const waiting of this.#waiting.values()) waiting.reject(error)
      this.#waiting.clear()
    }
    worker.on('error', stop)
    worker.on('exit', () => stop(new Error('The password worker ended.')))
    this.#worker = worker
    return worker
  }
}

/** Of a random password that nobody knows; verifying against it costs what any other does. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$cYvUs2YMkyAb01S6jL9cSQ$CKjPZfOq2s435QCujhnVT/aG5rcsAPRd+2h2p+ts4YU'

/** The same characters typed on different keyboards are the same password (NIST SP 800-63B §5.1.1.2). */
function normalised(password: string): string {
  return password.normalize('NFKC')
}

/** Whether a hash was made with other parameters than today's, or by another system, and should be made anew at the next sign-in. */
export function needsRehash(hash: string): boolean {
  const { memoryCost, timeCost, parallelism } = argon2Parameters
  return !hash.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`)
}
