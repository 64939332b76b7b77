import { Worker } from 'node:worker_threads'
import type { Manner, PasswordAnswer, PasswordTask } from './password-task.ts'

interface Running {
  resolve(answer: PasswordAnswer): void
  reject(error: Error): void
}

/** A thread that hashes, one task at a time. It begins with the first, and one that failed is followed by another. */
export class HashingThread {
  readonly #manner: Manner
  #worker: Worker | undefined
  #running: Running | undefined

  constructor(manner: Manner) {
    this.#manner = manner
  }

  get free(): boolean {
    return this.#running === undefined
  }

  /** Only while it is free. Throws when the thread ends. */
  async run(task: PasswordTask): Promise<PasswordAnswer> {
    try {
      return await new Promise<PasswordAnswer>((resolve, reject) => {
        this.#running = { resolve, reject }
        const worker = this.#start()
        // While somebody waits the process must not end; an idle worker must not hold it.
        worker.ref()
        worker.postMessage(task)
      })
    } finally {
      this.#running = undefined
      this.#worker?.unref()
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(new URL('./password-worker.js', import.meta.url), { workerData: this.#manner })
    worker.on('message', (answer: PasswordAnswer) => this.#running?.resolve(answer))
    const stop = (error: Error) => {
      // The end of one that has been replaced already.
      if (this.#worker !== worker) return
      this.#worker = undefined
      this.#running?.reject(error)
    }
    worker.on('error', stop)
    worker.on('exit', () => stop(new Error('The password worker ended.')))
    this.#worker = worker
    return worker
  }
}
