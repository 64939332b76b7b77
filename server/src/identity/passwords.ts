import { ProtocolError } from '../protocol/errors.ts'
import { normalised } from '../protocol/password-text.ts'
import { HashingThread } from './hashing-thread.ts'
import { argon2Parameters, type PasswordAnswer, type PasswordTask } from './password-task.ts'

interface Waiting {
  task: PasswordTask
  resolve(answer: PasswordAnswer): void
  reject(error: unknown): void
}

/** More than so many at once wait anyway: tokens then go first. */
const fewAtOnce = 4

/** How long a check waits for a core with nothing else to do, ms. */
const patience = 300

/**
 * Hashes and checks passwords in a thread of their own, one at a time. What waits is bounded: beyond it a sign-in
 * is told to come back, while tokens go on (decisions 7).
 *
 * While many wait they are checked in a thread that runs only where a core is idle, so that no token waits for them. On
 * a machine whose cores are never idle that thread would never end; then the usual one goes on in its place.
 */
export class PasswordHasher {
  readonly #limit: number
  readonly #soon = new HashingThread('soon')
  readonly #idle = new HashingThread('idle')
  readonly #queue: Waiting[] = []
  /** How many wait or are checked. */
  #open = 0
  /** The thread for idle cores has not ended what it began. */
  #starved = false

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
    return this.#open
  }

  async close(): Promise<void> {
    await Promise.all([this.#soon.close(), this.#idle.close()])
  }

  async #run(task: PasswordTask): Promise<PasswordAnswer> {
    if (this.#open >= this.#limit) {
      throw new ProtocolError(
        'temporarily_unavailable',
        'Too many people are signing in at the same time. Try again in a few seconds.',
        { headers: { 'retry-after': '5' } },
      )
    }
    this.#open++
    try {
      const answer = await new Promise<PasswordAnswer>((resolve, reject) => {
        this.#queue.push({ task, resolve, reject })
        this.#serve()
      })
      if (answer.failure !== undefined) throw new Error(`Password hashing failed: ${answer.failure}`)
      return answer
    } finally {
      this.#open--
    }
  }

  #serve(): void {
    const gently = this.#open > fewAtOnce && !this.#starved
    const thread = gently ? this.#idle : this.#soon
    const next = thread.free ? this.#queue.shift() : undefined
    if (next === undefined) return
    void (gently ? this.#gently(next) : this.#check(thread, next)).finally(() => this.#serve())
  }

  async #gently(one: Waiting): Promise<void> {
    const starving = setTimeout(() => {
      this.#starved = true
      // Again, from the beginning: whoever ends first has checked it.
      this.#queue.unshift(one)
      this.#serve()
    }, patience)
    await this.#check(this.#idle, one)
    clearTimeout(starving)
    this.#starved = false
    const again = this.#queue.indexOf(one)
    if (again !== -1) this.#queue.splice(again, 1)
  }

  async #check(thread: HashingThread, { task, resolve, reject }: Waiting): Promise<void> {
    await thread.run(task).then(resolve, reject)
  }
}

/** Of a random password that nobody knows; verifying against it costs what any other does. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$cYvUs2YMkyAb01S6jL9cSQ$CKjPZfOq2s435QCujhnVT/aG5rcsAPRd+2h2p+ts4YU'

/** Whether a hash was made with other parameters than today's, or by another system, and should be made anew at the next sign-in. */
export function needsRehash(hash: string): boolean {
  const { memoryCost, timeCost, parallelism } = argon2Parameters
  return !hash.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`)
}
