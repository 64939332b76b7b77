import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { revisionChannel } from './revision.ts'

/** How often the listener asks, whether or not it was told. */
const every = 400
/** An answer older than this counts for nothing: the connection may be dead without a word. */
const longest = 900

/**
 * Keeps the revision of a PostgreSQL in memory over a connection of its own: told of a change by NOTIFY within
 * a millisecond, and asking regularly in case it was not. Where it has no fresh answer, it says so, and the
 * caller asks the database itself.
 */
export class RevisionListener {
  readonly #url: string
  readonly #timer: NodeJS.Timeout
  #client: pg.Client | undefined
  #value = -1
  #answeredAt = Number.NEGATIVE_INFINITY
  #asking = false

  constructor(url: string) {
    this.#url = url
    this.#timer = setInterval(() => void this.#ask(), every).unref()
    void this.#ask()
  }

  /** The revision, or undefined when it is not known for certain. */
  current(): number | undefined {
    return performance.now() - this.#answeredAt < longest ? this.#value : undefined
  }

  close(): void {
    clearInterval(this.#timer)
    this.#drop()
  }

  async #ask(): Promise<void> {
    if (this.#asking) return
    this.#asking = true
    const askedAt = performance.now()
    try {
      this.#client ??= await this.#connect()
      const { rows } = await this.#client.query<{ value: number }>(
        "select value from revisions where name = 'catalogue'",
      )
      // Answers and notifications arrive in the order of what they tell of, so the last one counts, even where
      // a database that was restored has gone back to a lower number.
      this.#value = rows[0]?.value ?? -1
      this.#answeredAt = askedAt
    } catch {
      this.#drop()
    } finally {
      this.#asking = false
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: 2000,
      query_timeout: 2000,
    })
    client.on('error', () => this.#drop())
    client.on('notification', ({ payload }) => {
      this.#value = Number(payload)
    })
    await client.connect()
    await client.query(`listen ${revisionChannel}`)
    return client
  }

  #drop(): void {
    const client = this.#client
    this.#client = undefined
    this.#answeredAt = Number.NEGATIVE_INFINITY
    client?.end().catch(() => undefined)
  }
}
