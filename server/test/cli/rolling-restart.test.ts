import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { people, post, profilesOfBoth } from '../harness/browser.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { laterVersion } from '../database/later-version.ts'
import { cleanUp, pause, run, Serving } from '../harness/process.ts'
import { machine, refresh, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'
import { RoundRobin } from '../harness/round-robin.ts'
import { migrationsOf } from '../harness/states.ts'

const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname

afterAll(cleanUp)

/** Gives the proxy the processes that say they are ready, as a balancer learns of it: by asking now and then. */
class Balancer {
  processes: Serving[] = []
  #stopped = false
  readonly #loop: Promise<void>
  readonly #proxy: RoundRobin

  constructor(proxy: RoundRobin) {
    this.#proxy = proxy
    this.#loop = this.#run()
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const asked = [...this.processes]
      const ready = await Promise.all(asked.map(({ url }) => isReady(url)))
      const urls = asked.filter((_, index) => ready[index]).map(({ url }) => url)
      if (urls.length > 0) this.#proxy.balance(urls)
      await pause(50)
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#loop
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`, { headers: { connection: 'close' } })).status === 200
  } catch {
    return false
  }
}

/**
 * Does the same again and again until it is told to stop; yields how often. Throws at the first failure. Not as fast as
 * it can, which would only take the core from those that restart.
 */
async function again(stopping: () => boolean, work: () => Promise<void>): Promise<number> {
  let times = 0
  for (; !stopping(); times++) {
    await work()
    await pause(200)
  }
  return times
}

/** What clients do all the time, until it is over; yields how often each was done. Throws at the first failure. */
async function traffic(url: string, over: () => boolean): Promise<number[]> {
  let latest = (await new Visitor(url).tokens()).refresh_token
  return await Promise.all([
    // A whole sign-in, whose pages different processes serve.
    again(over, async () => {
      await new Visitor(url, people.both).code({ profile_uuid: profilesOfBoth.reader })
    }),
    again(over, async () => {
      const { access_token, refresh_token } = tokensOf(await refresh(url, latest))
      latest = refresh_token
      expect((await userinfo(url, access_token)).status).toBe(200)
    }),
    again(over, async () => {
      tokensOf(await token(url, { grant_type: 'client_credentials', ...machine }))
    }),
    again(over, async () => {
      expect((await fetch(`${url}/oauth2/jwks`)).status).toBe(200)
    }),
  ])
}

/** Everything that a process can be asked for, of this one alone. */
async function works({ url }: Serving): Promise<void> {
  const visitor = new Visitor(url)
  const tokens = await visitor.tokens()
  const later = tokensOf(await refresh(url, tokens.refresh_token))
  expect((await userinfo(url, later.access_token)).status).toBe(200)
  const revoked = await post(`${url}/oauth2/revoke`, {
    client_id: 'submissions-web',
    token: later.refresh_token ?? '',
  })
  expect(revoked.status).toBe(200)
}

onEachDatabase('a rolling restart under load', (dialect) => {
  let database: TestDatabase
  let proxy: RoundRobin
  let balancer: Balancer
  let begin: (command?: string) => Promise<Serving>
  beforeEach(async () => {
    database = await createDatabase(dialect)
    proxy = await RoundRobin.start()
    balancer = new Balancer(proxy)
    const environment = {
      TESSERA_DATABASE_URL: database.url,
      TESSERA_ISSUER: proxy.url,
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_DECLARED: acme,
      TESSERA_LOG_LEVEL: 'silent',
      TESSERA_LIMIT_AUTHORIZE: '0',
    }
    begin = async (command) => {
      const serving = await Serving.start(environment, undefined, command)
      balancer.processes.push(serving)
      return serving
    }
  })
  afterEach(async () => {
    await balancer.stop()
    // At once: who was asked lately whether it is ready waits four seconds to be asked again.
    await Promise.all(balancer.processes.map((one) => one.stop('SIGKILL')))
    await proxy.close()
    await database.remove()
  })
  const leave = async (old: Serving) => {
    expect(await old.stop()).toMatchObject({ code: 0, stderr: '' })
    balancer.processes = balancer.processes.filter((one) => one !== old)
  }
  /** Lets traffic come while something is done. A flow that fails ends the test; what is done goes on to its end. */
  const under = async (work: () => Promise<void>) => {
    let over = false
    const restarts = work().finally(() => {
      over = true
    })
    const [times] = await Promise.all([traffic(proxy.url, () => over), restarts])
    for (const count of times) expect(count).toBeGreaterThan(3)
  }

  it('to a version with one migration more, and back, loses no sign-in, no refresh, no token and no question', async () => {
    const later = laterVersion('additive')
    const [first, second] = await Promise.all([begin(), begin()])
    proxy.balance([first.url, second.url])
    await under(async () => {
      expect(await migrationsOf({ databaseUrl: database.url })).not.toContain('9001-additive-later')
      const fresh = await begin(later)
      expect(await migrationsOf({ databaseUrl: database.url })).toContain('9001-additive-later')
      // Side by side: those before it work on the tables that it changed under them.
      await Promise.all([first, second, fresh].map(works))
      await leave(first)
      // Back again: the version before starts on tables of the later one, while another of it waits until nobody asks
      // it any more.
      const [back] = await Promise.all([begin(), leave(second)])
      await Promise.all([works(back), leave(fresh)])
    })
    // Four starts, beside the traffic.
  })

  it('is not how a breaking version comes: the one before says so, and does not start on it', async () => {
    const first = await begin()
    expect(await ready(first)).toEqual({ status: 'ready' })
    const migrated = await run(['migrate'], {
      environment: { TESSERA_DATABASE_URL: database.url },
      command: laterVersion('breaking'),
    })
    expect(migrated).toMatchObject({ code: 0, stderr: '' })
    expect(migrated.stdout).toContain('made 9002-breaking-later\n')
    expect(await ready(first)).toMatchObject({
      status: 'not ready',
      problem: 'the database has migrations of another version',
    })
    await expect(begin()).rejects.toThrow(
      /ended with 1: .*newer version.*9002-breaking-later.*start that version/,
    )
  })
})

async function ready({ url }: Serving): Promise<unknown> {
  return await (await fetch(`${url}/health/ready`)).json()
}
