/** Whoever cuts the connection in the middle of a body is cut off: no error of the service, and nothing to alert on. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { cutWithinBody, type Way, ways } from './cut-off-support.ts'
import { createDatabase, onOneDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, Serving } from '../harness/process.ts'

const addresses = [
  '/oauth2/token',
  '/v1/iam/token/refresh',
  '/oauth2/introspect',
  '/oauth2/revoke',
  '/oauth2/par',
  '/oauth2/userinfo',
  '/oauth2/authorize',
  '/oauth2/logout',
  '/sign-in',
  '/choose-profile',
  '/setup',
  '/nowhere',
]

onOneDatabase('a connection that is cut within a body', (dialect) => {
  let database: TestDatabase
  let serving: Serving
  beforeAll(async () => {
    database = await createDatabase(dialect, 'tables')
    serving = await Serving.start({ TESSERA_DATABASE_URL: database.url })
  })
  afterAll(async () => {
    await cleanUp()
    await database.remove()
  })

  /** What is logged of requests, and of what went wrong; without what the parser says of the connection. */
  const lines = () =>
    serving.stdout.split('\n').flatMap((line): Record<string, unknown>[] => {
      const told = line.startsWith('{') ? (JSON.parse(line) as Record<string, unknown>) : {}
      return told.reqId !== undefined && told.reason === undefined ? [told] : []
    })

  it.each(Object.keys(ways) as Way[])(
    'is told as cut off, and as nothing else, when it is %s',
    async (way) => {
      const before = lines().length
      await Promise.all(addresses.map((path) => cutWithinBody(`${serving.url}${path}`, way)))
      await vi.waitFor(() => expect(lines().length).toBeGreaterThanOrEqual(before + addresses.length), 60_000)
      // What would be told of it besides is told by then.
      await fetch(`${serving.url}/after`)
      await vi.waitFor(() => expect(lines().at(-1)?.path).toBe('/after'), 60_000)
      const byPath = ({ path: one }: { path?: unknown }, { path: other }: { path?: unknown }) =>
        String(one) < String(other) ? -1 : 1
      const told = lines().slice(before, -1).toSorted(byPath)
      expect(told.map(({ level, path, status, msg }) => ({ level, path, status, msg }))).toEqual(
        addresses.toSorted().map((path) => ({ level: 30, path, status: 499, msg: 'cut off' })),
      )
    },
  )
})
