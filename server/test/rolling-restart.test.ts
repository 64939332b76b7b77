import { afterAll, expect, it } from 'vitest'
import { people, profilesOfBoth } from './browser.ts'
import { createDatabase, onEachDatabase } from './databases.ts'
import { cleanUp, pause, Serving } from './process.ts'
import { machine, refresh, token, tokensOf, userinfo, Visitor } from './program.ts'
import { RoundRobin } from './round-robin.ts'

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

/** Does the same again and again until it is told to stop; yields how often. Throws at the first failure. */
async function again(stopping: () => boolean, work: () => Promise<void>): Promise<number> {
  let times = 0
  for (; !stopping(); times++) await work()
  return times
}

onEachDatabase('a rolling restart under load', (dialect) => {
  it('loses no sign-in, no refresh, no token and no question', async () => {
    const database = await createDatabase(dialect)
    const proxy = await RoundRobin.start()
    const environment = {
      TESSERA_DATABASE_URL: database.url,
      TESSERA_ISSUER: proxy.url,
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_LOG_LEVEL: 'silent',
      TESSERA_LIMIT_AUTHORIZE: '0',
    }
    const balancer = new Balancer(proxy)
    const begin = async () => {
      const serving = await Serving.start(environment)
      balancer.processes.push(serving)
      return serving
    }
    let [first, second] = await Promise.all([begin(), begin()])
    proxy.balance([first.url, second.url])

    let stopping = false
    const until = () => stopping
    let latest = (await new Visitor(proxy.url).tokens()).refresh_token
    const flows = [
      // A whole sign-in, whose pages different processes serve.
      again(until, async () => {
        await new Visitor(proxy.url, people.both).code({ profile_uuid: profilesOfBoth.reader })
      }),
      again(until, async () => {
        const { access_token, refresh_token } = tokensOf(await refresh(proxy.url, latest))
        latest = refresh_token
        expect((await userinfo(proxy.url, access_token)).status).toBe(200)
      }),
      again(until, async () => {
        tokensOf(await token(proxy.url, { grant_type: 'client_credentials', ...machine }))
      }),
      again(until, async () => {
        expect((await fetch(`${proxy.url}/oauth2/jwks`)).status).toBe(200)
      }),
    ]
    const done = Promise.all(flows)
    const replace = async (old: Serving) => {
      const fresh = await begin()
      expect(await old.stop()).toMatchObject({ code: 0, stderr: '' })
      balancer.processes = balancer.processes.filter((one) => one !== old)
      return fresh
    }
    const restarts = (async () => {
      first = await replace(first)
      second = await replace(second)
      stopping = true
    })()
    // A flow that fails ends the test; the restarts go on to their end all the same.
    const [times] = await Promise.all([done, restarts])
    for (const count of times) expect(count).toBeGreaterThan(3)

    await balancer.stop()
    await Promise.all([first.stop(), second.stop()])
    await proxy.close()
    await database.remove()
  })
})
