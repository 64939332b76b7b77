import { writeSync } from 'node:fs'

const standardOutput = 1
/** What may wait for whoever reads the log, bytes. */
const most = 256 * 1024
/** Until it is tried again, ms. */
const pause = 50
/** How often at the end of the process. */
const tries = 4

/**
 * Standard output, where the log goes. It neither holds up the service nor ends it: lines wait while nobody reads, and
 * are lost when there are too many, or when they can't be written, as on a full disk. How many is told as soon as it
 * can be.
 */
export class LogOutput {
  readonly #waiting: Buffer[] = []
  #bytes = 0
  #lost = 0
  /** Something was lost within a line. */
  #torn = false
  #timer: NodeJS.Timeout | undefined

  constructor() {
    process.once('exit', () => this.#end())
  }

  write(text: string): void {
    const line = Buffer.from(text)
    if (this.#bytes + line.length > most) {
      this.#lost++
      return
    }
    this.#tellLost()
    this.#waiting.push(line)
    this.#bytes += line.length
    if (this.#timer === undefined) this.#flush()
  }

  #flush(): void {
    for (let line = this.#waiting[0]; line !== undefined; line = this.#waiting[0]) {
      const written = this.#put(line)
      if (written === undefined) {
        this.#timer = setTimeout(() => this.#again(), pause).unref()
        return
      }
      this.#bytes -= written
      if (written === line.length) this.#waiting.shift()
      else this.#waiting[0] = line.subarray(written)
    }
  }

  #again(): void {
    this.#timer = undefined
    this.#flush()
    this.#tellLost()
  }

  /** How much of it is done with; undefined: nobody takes any of it now. */
  #put(line: Buffer): number | undefined {
    try {
      const written = writeSync(standardOutput, line)
      this.#torn = written < line.length
      return written
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined
      this.#lost++
      return line.length
    }
  }

  /** Where it belongs: after what waited, before what comes next. */
  #tellLost(): void {
    if (this.#lost === 0 || this.#waiting.length > 0) return
    const told = {
      level: 40,
      time: Date.now(),
      pid: process.pid,
      msg: `${this.#lost} lines of the log were lost`,
    }
    const line = Buffer.from(`${this.#torn ? '\n' : ''}${JSON.stringify(told)}\n`)
    try {
      // Nothing of it is kept: it is told again with the next line.
      if (writeSync(standardOutput, line) === line.length) [this.#lost, this.#torn] = [0, false]
      else this.#torn = true
    } catch {
      return
    }
  }

  /** Whoever reads gets a little time for what is left. */
  #end(): void {
    const clock = new Int32Array(new SharedArrayBuffer(4))
    for (let tried = 0; this.#waiting.length > 0 && tried < tries; tried++) {
      clearTimeout(this.#timer)
      this.#flush()
      if (this.#waiting.length > 0) Atomics.wait(clock, 0, 0, pause)
    }
  }
}
