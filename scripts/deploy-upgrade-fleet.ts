/** Processes of two versions behind one address, and the commands of both on their database. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Place } from '../server/test/database/lived.ts'
import { run, Serving, TesseraProcess } from '../server/test/harness/process.ts'
import { RoundRobin } from '../server/test/harness/round-robin.ts'

/** Which code: the launcher of the last version, or undefined for this tree's. */
export type Code = string | undefined

/** A balancer gives each request to the next of those that say they are ready, asked ten times a second. */
export class Fleet {
  readonly environment: Record<string, string>
  readonly #proxy: RoundRobin
  readonly #running = new Set<Serving>()
  #ready: readonly string[] = []
  #isOver = false
  readonly #looking: Promise<void>

  private constructor(proxy: RoundRobin, settings: Record<string, string>) {
    this.#proxy = proxy
    this.environment = {
      TESSERA_MODE: 'development',
      TESSERA_ISSUER: proxy.url,
      TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
      TESSERA_LIMIT_SIGN_IN_ACCOUNT: '0',
      TESSERA_LIMIT_CLIENT_AUTH: '0',
      TESSERA_LIMIT_AUTHORIZE: '0',
      TESSERA_LIMIT_GRANTS: '0',
      TESSERA_LOG_LEVEL: 'error',
      ...settings,
    }
    this.#looking = this.#look()
  }

  static async behind(settings: Record<string, string>): Promise<Fleet> {
    return new Fleet(await RoundRobin.start(), settings)
  }

  get url(): string {
    return this.#proxy.url
  }

  get requests(): number {
    return this.#proxy.passed.length
  }

  async start(code: Code, more: Record<string, string> = {}): Promise<Serving> {
    const serving = await Serving.start({ ...this.environment, ...more }, undefined, code)
    this.#running.add(serving)
    await this.#until(() => this.#ready.includes(serving.url))
    return serving
  }

  /** A supervisor stops a process so: by SIGTERM, and then it waits. */
  async stop(serving: Serving): Promise<void> {
    const { code, complaints } = await serving.stop()
    this.#running.delete(serving)
    await this.#until(() => !this.#ready.includes(serving.url))
    if (code !== 0) throw new Error(`A process ended with ${code}: ${complaints.join('\n')}`)
  }

  /** A crash ends a process so. */
  async kill(serving: Serving): Promise<void> {
    await serving.stop('SIGKILL')
    this.#running.delete(serving)
    await this.#until(() => !this.#ready.includes(serving.url))
  }

  areReady(...processes: readonly Serving[]): boolean {
    return processes.every(({ url }) => this.#ready.includes(url))
  }

  /** Starts a command, or a process that is to be killed and gets no request. */
  begin(code: Code, line: readonly string[], more: Record<string, string> = {}): TesseraProcess {
    const environment = { ...this.environment, ...(line[0] === 'serve' && { TESSERA_PORT: '0' }), ...more }
    return new TesseraProcess(line, { environment, ...(code !== undefined && { command: code }) })
  }

  /** Standard output of a command. Throws when it fails. */
  async command(code: Code, line: readonly string[]): Promise<string> {
    const { environment } = this
    const ended = await run(line, { environment, ...(code !== undefined && { command: code }) })
    if (ended.code === 0) return ended.stdout
    throw new Error(`tessera ${line.join(' ')} ended with ${ended.code}: ${ended.stdout}${ended.stderr}`)
  }

  /** Where all of them are asked, or one. */
  place(code: Code, { url }: { url: string } = this): Place {
    return { url, now: Date.now, command: (...line) => this.command(code, line) }
  }

  async close(): Promise<void> {
    this.#isOver = true
    await this.#looking
    await this.#proxy.close()
  }

  async #look(): Promise<void> {
    for (; !this.#isOver; await wait(100)) {
      const urls = await Promise.all([...this.#running].map(({ url }) => isReady(url)))
      this.#ready = urls.flatMap((url) => url ?? [])
      if (this.#ready.length > 0) this.#proxy.balance(this.#ready)
    }
  }

  async #until(holds: () => boolean): Promise<void> {
    for (let tries = 0; !holds(); tries++) {
      if (tries > 600) throw new Error('A process is not ready, or not gone, within a minute.')
      await wait(100)
    }
  }
}

const isReady = async (url: string): Promise<string | undefined> =>
  await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2000) }).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.ok ? url : undefined
    },
    () => undefined,
  )
