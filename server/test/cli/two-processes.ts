import { type Content, createDatabase, type Dialect } from '../harness/databases.ts'
import { Serving } from '../harness/process.ts'
import { RoundRobin } from '../harness/round-robin.ts'

/** Two real processes on one database behind a proxy whose address is the issuer. */
export interface TwoProcesses {
  /** The proxy: the issuer. */
  url: string
  /** The processes themselves. */
  first: string
  second: string
  proxy: RoundRobin
  databaseUrl: string
  environment: Record<string, string>
  close(): Promise<void>
}

export async function startTwoProcesses(
  dialect: Dialect,
  settings: Record<string, string> = {},
  content?: Content,
): Promise<TwoProcesses> {
  const database = await createDatabase(dialect, content)
  const proxy = await RoundRobin.start()
  const environment = {
    TESSERA_DATABASE_URL: database.url,
    TESSERA_ISSUER: proxy.url,
    // That of the template's keys.
    TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
    TESSERA_LOG_LEVEL: 'error',
    ...settings,
  }
  const [first, second] = await Promise.all([Serving.start(environment), Serving.start(environment)])
  proxy.balance([first.url, second.url])
  return {
    url: proxy.url,
    first: first.url,
    second: second.url,
    proxy,
    databaseUrl: database.url,
    environment,
    async close() {
      await Promise.all([first.stop(), second.stop()])
      await proxy.close()
      await database.remove()
    },
  }
}
