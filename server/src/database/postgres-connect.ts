import { setTimeout as wait } from 'node:timers/promises'

/** The server, the database or the role has as many connections as it may (SQLSTATE). */
const tooMany = '53300'

/** The driver's pool, as far as it is needed here. */
interface Pool<Client> {
  readonly totalCount: number
  connect(): Promise<Client>
}

/** The pause between two tries, ms. */
const pause = 100

/**
 * Yields a connection of the pool. Where PostgreSQL refuses to make one more, it waits for one that the pool has,
 * for `timeout` ms at the most; it fails at once where the pool has none.
 */
export async function connect<Client>(pool: Pool<Client>, timeout: number): Promise<Client> {
  const last = performance.now() + timeout
  for (;;) {
    try {
      return await pool.connect()
    } catch (error) {
      if (!isTooMany(error) || pool.totalCount === 0 || performance.now() > last) throw error
      await wait(pause)
    }
  }
}

const isTooMany = (error: unknown) => error instanceof Error && 'code' in error && error.code === tooMany
