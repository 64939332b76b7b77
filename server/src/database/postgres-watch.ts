/** Watches which host of PostgreSQL is to be used, and whether it has what this process saw acknowledged. */
import { setTimeout as wait } from 'node:timers/promises'
import { UnusableDatabase } from './failure.ts'
import { Acknowledged, type Committed } from './postgres-acknowledged.ts'
import type { Hosts } from './postgres-hosts.ts'
import { type Queryable, type Compared, compare, type ServerState, look } from './postgres-look.ts'
import type { Noticed } from './store.ts'

/** A connection beside the pool. */
export interface Beside extends Queryable {
  end(): void
}

export interface Means {
  /** Opens one that waits for no answer longer than `patience` ms; undefined: as long as it takes. */
  open(url: string, patience?: number): Promise<Beside>
  /** Closes the connections of the pool, whatever is under way on them. */
  drop(): void
}

/** The most time for the answer of a host, ms. */
const patience = 1000
/** Once a host that can be written has answered, ms. */
const patienceForOthers = 200
/** A name may lead to another server by now, ms. */
const renewal = 1000

const problems: Partial<Record<Compared, string>> = {
  old: 'the database is an old primary: another one has been promoted since, or everything was ended in another copy',
  behind: 'the database is a standby that lacks what was acknowledged',
  lost: 'the database has lost what was acknowledged',
}

/** One host, asked by a connection of its own. */
class Host {
  readonly url: string
  readonly #open: Means['open']
  #client: Promise<Beside> | undefined
  #since = 0

  constructor(url: string, open: Means['open']) {
    this.url = url
    this.#open = open
  }

  /** Undefined: it does not answer. */
  async found(acknowledged: readonly Committed[], renews: boolean): Promise<ServerState | undefined> {
    if (renews && performance.now() - this.#since > renewal) this.leave()
    if (this.#client === undefined) this.#since = performance.now()
    this.#client ??= this.#open(this.url, patience)
    try {
      return await look(await this.#client, acknowledged)
    } catch {
      this.leave()
      return undefined
    }
  }

  leave(): void {
    this.#client?.then(
      (client) => client.end(),
      () => undefined,
    )
    this.#client = undefined
  }
}

export class Watch {
  readonly #acknowledged = new Acknowledged()
  /** The address that new connections go to. */
  url: string
  /** Why nothing may be answered from the database. */
  problem: UnusableDatabase | undefined
  readonly #hosts: readonly Host[]
  readonly #mustWrite: boolean
  readonly #means: Means
  #seen: ServerState | undefined
  #first: Promise<unknown> | undefined
  /** Looks come regularly, so that new connections need not decide anything. */
  #isRegular = false
  /** The last look found a host to use. */
  #isReached = false

  constructor({ urls, mustWrite }: Hosts, means: Means) {
    this.#hosts = urls.map((url) => new Host(url, means.open))
    this.url = urls[0] ?? ''
    this.#mustWrite = mustWrite
    this.#means = means
  }

  /** Keeps what is acknowledged. Undefined: the server can't be asked for it. */
  get acknowledged(): Acknowledged | undefined {
    return this.#seen?.server === undefined ? undefined : this.#acknowledged
  }

  /** Waits until one of several hosts is chosen. Throws while none of them can be written. */
  async chosen(): Promise<void> {
    if (this.#hosts.length === 1 || this.#seen !== undefined) return
    this.#first ??= this.#choose().finally(() => (this.#first = undefined))
    await this.#first
    if (this.#seen === undefined)
      throw new UnusableDatabase('none of the hosts in TESSERA_DATABASE_URL answers that can be written')
  }

  /** Lets a new connection into the pool, where it leads to the database that is used. */
  async admit(client: Queryable): Promise<void> {
    const seen = this.#seen
    const found = await look(client, this.#acknowledged.last)
    if (this.#mustWrite && found.readOnly) throw new UnusableDatabase('the database takes no writes')
    const compared = compare(found, seen)
    if (compared === 'promoted' && this.#isRegular)
      throw new UnusableDatabase('the database was promoted: it is used in a moment')
    const problem = problems[compared]
    if (problem !== undefined) throw new UnusableDatabase(problem)
    if (!this.#isRegular || this.#seen === undefined) this.#seen = newest(found, this.#seen)
  }

  /** Called every half second. */
  async look(): Promise<Noticed | undefined> {
    this.#isRegular = true
    let noticed = await this.#choose()
    // A promotion is waited for more closely.
    for (let times = 1; times < 4 && !this.#isReached; times++) {
      await wait(100)
      noticed = await this.#choose()
    }
    return noticed
  }

  /** Works beside the pool, which is closed after a loss. Requests go on when the loss has been answered. */
  async afterLoss<Result>(work: (client: Beside) => Promise<Result>): Promise<Result> {
    const client = await this.#means.open(this.url)
    try {
      return await work(client)
    } finally {
      client.end()
      await this.#choose()
    }
  }

  close(): void {
    for (const host of this.#hosts) host.leave()
  }

  async #choose(): Promise<Noticed | undefined> {
    const [seen, asked] = [this.#seen, this.#acknowledged.last]
    const best = await this.#best(asked)
    this.#isReached = best !== undefined
    if (best === undefined) return undefined
    const { found, url } = best
    const compared = compare(found, seen)
    const problem = problems[compared]
    if (problem !== undefined) {
      // The one in use of several hosts may just be slow.
      if (compared === 'old' && url !== this.url) return undefined
      this.url = url
      this.problem = new UnusableDatabase(problem)
      this.#means.drop()
      return compared === 'lost' ? { what: 'lost', generation: found.generation ?? 0 } : undefined
    }
    this.problem = undefined
    this.#seen = newest(found, seen)
    if (compared === 'promoted' || url !== this.url) {
      this.url = url
      this.#means.drop()
    }
    if (!found.hasAll) this.#acknowledged.forget(asked)
    else if (found.timeline !== undefined && found.server !== undefined)
      this.#acknowledged.found(asked, found.server)
    return undefined
  }

  /** The host that was promoted last, of those that answer and may be used. The one in use comes before another. */
  async #best(acknowledged: readonly Committed[]): Promise<{ found: ServerState; url: string } | undefined> {
    const answers: { found: ServerState; url: string }[] = []
    const renews = this.#hosts.length === 1
    await new Promise<void>((resolve) => {
      const all = this.#hosts.map(async (host) => {
        const found = await host.found(acknowledged, renews)
        if (found === undefined || (this.#mustWrite && found.readOnly)) return
        answers.push({ found, url: host.url })
        setTimeout(resolve, patienceForOthers).unref()
      })
      void Promise.all(all).then(() => resolve())
    })
    const order = ({ found, url }: { found: ServerState; url: string }) =>
      [found.timeline ?? 0, found.generation ?? 0, url === this.url ? 1 : 0] as const
    return answers.sort((a, b) => {
      const [x, y] = [order(a), order(b)]
      return y[0] - x[0] || y[1] - x[1] || y[2] - x[2]
    })[0]
  }
}

/** A standby tells no timeline: what was known stays so. */
const newest = (found: ServerState, seen: ServerState | undefined): ServerState => ({
  ...found,
  timeline: found.timeline ?? seen?.timeline,
  generation: found.generation ?? seen?.generation,
})
