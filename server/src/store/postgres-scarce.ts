/** PostgreSQL may have fewer connections to give than the pool of this process may hold. */

/** The pool of the driver, as far as it is needed here. */
interface Pool<Client> {
  readonly options: { max: number }
  readonly totalCount: number
  connect(): Promise<Client>
  on(event: 'connect' | 'remove', listener: () => void): unknown
}

/** The server, the database or the role has as many as it may (SQLSTATE). */
const tooMany = '53300'

/** So long a process makes do with what it has before it asks for more, ms. */
const content = 5000

/**
 * Connections of a pool. Where PostgreSQL has none to give, whoever asks waits for one that the pool has, as if it were
 * no larger; it fails where the pool has none either, and after the time that one is waited for.
 */
export function scarce<Client>(pool: Pool<Client>, timeout: number): () => Promise<Client> {
  const most = pool.options.max
  let made = 0
  pool.on('connect', () => made++)
  pool.on('remove', () => made--)
  let growing: NodeJS.Timeout | undefined
  const makeDo = () => {
    // Not those that are being made: PostgreSQL may refuse these too.
    pool.options.max = Math.max(1, Math.min(made, pool.totalCount))
    growing ??= setTimeout(() => {
      pool.options.max = most
      growing = undefined
    }, content).unref()
  }
  return async () => {
    const last = performance.now() + timeout
    for (;;) {
      try {
        return await pool.connect()
      } catch (error) {
        if (!isTooMany(error) || pool.totalCount === 0 || performance.now() > last) throw error
        makeDo()
      }
    }
  }
}

const isTooMany = (error: unknown) => error instanceof Error && 'code' in error && error.code === tooMany
