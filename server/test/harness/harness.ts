import { afterAll, beforeAll } from 'vitest'
import { start } from '../../dist/server.js'
import type { Store } from '../../dist/database/store.js'
import { type Content, createDatabase, type Dialect } from './databases.ts'
import { freePort } from './process.ts'
import { testSettings } from './settings.ts'

/** A running service with the reference file applied, and a clock that tests move. */
export interface Tessera {
  /** The issuer; it listens there, unless TESSERA_ISSUER says another address. */
  url: string
  /** Where it listens. */
  listening: string
  databaseUrl: string
  clock: Clock
  /** The store that tests worked on its rows with, if any: to open one takes longer than most of what it is for. */
  idle: Store[]
  close(): Promise<void>
}

/** Starts at the real time: clients check `exp` and `iat` by their own clock. */
export class Clock {
  #offset = 0
  #stoppedAt: number | undefined
  readonly now = () => (this.#stoppedAt ?? Date.now()) + this.#offset

  /** From now on it is moved by `advance` alone: for what is about seconds, which a slow machine spends by itself. */
  stop(): void {
    this.#stoppedAt ??= Date.now()
  }

  /** Moves the service's time, ms. */
  advance(milliseconds: number): void {
    this.#offset += milliseconds
  }
}

export async function startTessera(
  dialect: Dialect,
  options: { settings?: Record<string, string>; content?: Content } = {},
): Promise<Tessera> {
  const database = await createDatabase(dialect, options.content)
  const clock = new Clock()
  const idle: Store[] = []
  const settings = testSettings({
    TESSERA_DATABASE_URL: database.url,
    ...(await placeOf(process.env.TESSERA_TEST_PATH)),
    ...options.settings,
  })
  const running = await start({ ...settings, host: 'localhost' }, { now: clock.now })
  return {
    url: running.issuer,
    listening: running.url,
    databaseUrl: database.url,
    clock,
    idle,
    async close() {
      await running.close()
      for (const store of idle) await store.close()
      await database.remove()
    },
  }
}

/**
 * On a port that the system gives to no connection, as it may one that it chose itself. Every service under test lies below
 * a path of its host, where the environment says so.
 */
async function placeOf(path = ''): Promise<Record<string, string>> {
  const port = String(await freePort('localhost'))
  return { TESSERA_PORT: port, ...(path !== '' && { TESSERA_ISSUER: `http://localhost:${port}${path}` }) }
}

/** A service that runs while the tests of the describe block do. It can be read from `beforeAll` on. */
export const tesseraOn = (dialect: Dialect, options: Parameters<typeof startTessera>[1] = {}): Tessera =>
  duringTests(() => startTessera(dialect, options))

/** Starts before the tests of the describe block, and closes after them. */
export function duringTests<T extends { close(): Promise<void> }>(begin: () => Promise<T>): T {
  const running = {} as T
  beforeAll(async () => {
    Object.assign(running, await begin())
  })
  afterAll(() => running.close())
  return running
}
