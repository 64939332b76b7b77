/** Commits that wait for a synchronous standby which does not answer. */
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { NotReplicated } from './failure.ts'
import { cancel } from './postgres-cancel.ts'

/** The most time for a commit, ms. PostgreSQL has no limit of its own for it. */
const patience = 2000
/** The most time for statements that commit by themselves, ms: they may wait for a lock before. */
const patienceForStatements = 4000
/** The pause between two looks whether commits go on, ms. */
const pause = 500

/** What waits, at its commit, for a standby. A statement of a transaction does so only at `commit`. */
const commits = /^\s*(?:(?:commit|insert|update|delete)\b|with\b.*\b(?:insert|update|delete)\b)/is

export const isCommit = (text: string) => commits.test(text)

/** Connections whose last commit is made, but may be lost with this server. */
const unreplicated = new WeakSet<pg.PoolClient>()

/** Listens on a new connection for what PostgreSQL says of a commit that it no longer waits for. */
export function listen(client: pg.PoolClient): void {
  client.on('notice', (notice) => {
    // Its text is in the language of the server.
    if ((notice as { routine?: string }).routine === 'SyncRepWaitForLSN') unreplicated.add(client)
  })
}

/**
 * Ends a commit that waits for too long, which is then no success: it is committed on this server alone. From then on
 * refuses what writes, so that no more is in doubt and connections stay free for what reads, until a commit goes through.
 */
export class Standstill {
  readonly #connect: () => Promise<pg.PoolClient>
  /** Ends each commit that is under way. */
  readonly #underWay = new Set<() => void>()
  #isStanding = false
  #isClosed = false

  constructor(connect: () => Promise<pg.PoolClient>) {
    this.#connect = connect
  }

  close(): void {
    this.#isClosed = true
  }

  /** Throws where nothing may be written now. */
  expectMoving(): void {
    if (this.#isStanding) throw new NotReplicated()
  }

  /** Runs what commits on this connection. */
  async commit<Result>(
    client: pg.PoolClient,
    texts: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    let given: { up: Promise<void>; answered: AbortController } | undefined
    const giveUp = () => {
      if (given !== undefined) return
      const answered = new AbortController()
      given = { up: cancelUntil(client, answered.signal), answered }
    }
    const isAlone = texts.filter(isCommit).join() === 'commit'
    const late = setTimeout(giveUp, isAlone ? patience : patienceForStatements)
    this.#underWay.add(giveUp)
    unreplicated.delete(client)
    try {
      const result = await work()
      if (!unreplicated.has(client)) return result
      void this.#stand()
      throw new NotReplicated()
    } finally {
      clearTimeout(late)
      this.#underWay.delete(giveUp)
      given?.answered.abort()
      // A cancel must not reach what comes next on this connection.
      await given?.up
    }
  }

  async #stand(): Promise<void> {
    if (this.#isStanding) return
    this.#isStanding = true
    for (const giveUp of this.#underWay) giveUp()
    while (this.#isStanding && !this.#isClosed) {
      await wait(pause, undefined, { ref: false })
      this.#isStanding = await this.#stillStands()
    }
  }

  /** Commits something that changes nothing. */
  async #stillStands(): Promise<boolean> {
    try {
      const client = await this.#connect()
      const probe = () => client.query(`select pg_logical_emit_message(true, 'tessera', '')`)
      await this.commit(client, ['commit'], probe).finally(() =>
        client.release(client.getTransactionStatus() !== 'I'),
      )
      return false
    } catch (error) {
      // The next write meets another failure itself.
      return error instanceof NotReplicated
    }
  }
}

/** Cancels again and again: a server that has not read the commit yet takes no notice. */
async function cancelUntil(client: pg.PoolClient, answered: AbortSignal): Promise<void> {
  while (!answered.aborted) {
    await cancel(client)
    await wait(pause, undefined, { signal: answered }).catch(() => undefined)
  }
}
