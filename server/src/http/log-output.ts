import { writeSync } from 'node:fs'

const standardOutput = 1
/** What may wait for a reader of the log, bytes. */
const most = 256 * 1024
/** The wait for a new try, ms. */
const pause = 50

/**
 * Standard output, where the log goes. It neither holds up nor ends the service: lines wait while nobody reads them,
 * and are lost when too many wait or when they can't be written, as on a full disk. The next line tells how many.
 */
export class LogOutput {
  /** Lines, the first of which may be the rest of one. */
  #waiting: Buffer = Buffer.alloc(0)
  #lost = 0
  /** The last write took a part alone. */
  #torn = false

  constructor() {
    process.once('exit', () => this.#writeWaiting())
  }

  write(text: string): void {
    if (this.#lost > 0 && this.#waiting.length === 0 && this.#put(this.#lostLine())) this.#lost = 0
    const line = Buffer.from(text)
    if (this.#waiting.length > 0 && this.#waiting.length + line.length <= most)
      this.#waiting = Buffer.concat([this.#waiting, line])
    else if (this.#waiting.length > 0 || !this.#put(line)) this.#lost++
  }

  /** Keeps what nobody takes now. False when nothing can be written. */
  #put(lines: Buffer): boolean {
    let written = 0
    try {
      written = writeSync(standardOutput, lines)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return false
    }
    this.#waiting = lines.subarray(written)
    this.#torn = this.#waiting.length > 0
    if (this.#torn) setTimeout(() => this.#writeWaiting(), pause).unref()
    return true
  }

  #writeWaiting(): void {
    if (this.#waiting.length === 0 || this.#put(this.#waiting)) return
    this.#lost += this.#waiting.toString().split('\n').length - 1
    this.#waiting = Buffer.alloc(0)
  }

  #lostLine(): Buffer {
    const msg = `${this.#lost} lines of the log were lost`
    const record = JSON.stringify({ level: 40, time: Date.now(), pid: process.pid, msg })
    return Buffer.from(`${this.#torn ? '\n' : ''}${record}\n`)
  }
}
