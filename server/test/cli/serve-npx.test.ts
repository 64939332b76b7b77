import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { createDatabase } from '../harness/databases.ts'
import { cleanUp, freePort, secret, temporaryFolder, TesseraProcess } from '../harness/process.ts'

/** The service as a newcomer runs it: in a shell that npm started, with npm as the process that is known. */

afterAll(cleanUp)

const repository = fileURLToPath(new URL('../../..', import.meta.url))

/** npx itself is a script for Node. */
function npx(): string {
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npx'))
  const found = places.find((path) => existsSync(path))
  if (found === undefined) throw new Error('There is no npx in PATH; it comes with Node.js.')
  return realpathSync(found)
}

async function served(words: readonly string[], environment: Record<string, string>) {
  const npm = new TesseraProcess([...words], {
    cwd: repository,
    command: npx(),
    environment: {
      TESSERA_MODE: 'development',
      TESSERA_SECRET: secret,
      npm_config_update_notifier: 'false',
      npm_config_cache: join(temporaryFolder(), 'npm'),
      ...environment,
    },
  })
  const [, url = ''] = await npm.prints(/^tessera listens on (\S+)/m)
  return { npm, url }
}

const refused = (url: string) =>
  fetch(url).then(
    () => false,
    () => true,
  )

describe('SIGTERM to npx', () => {
  it.each([
    ['tessera serve', ['--no', 'tessera', 'serve']],
    ['tessera serve --processes 2', ['--no', '--', 'tessera', 'serve', '--processes', '2']],
    ["-c 'exec tessera serve', which npm waits for", ['-c', 'exec tessera serve']],
  ])('stops %s cleanly', async (name, words) => {
    const database = await createDatabase('sqlite', 'empty')
    const { npm, url } = await served(words, {
      TESSERA_DATABASE_URL: database.url,
      TESSERA_PORT: String(await freePort()),
    })
    expect((await fetch(`${url}/health/live`)).status).toBe(200)
    const log = `${database.url.slice('sqlite:'.length)}-wal`
    expect(existsSync(log)).toBe(true)

    // Its standard output is the service's too: it is at its end when both are gone.
    const { code, stderr } = await npm.stop('SIGTERM')
    expect(await refused(url)).toBe(true)
    expect(stderr).not.toContain('tessera:')
    // One that closes its database takes the log into it; of several none may be the last.
    if (!name.includes('processes')) expect(existsSync(log)).toBe(false)
    if (name.startsWith('-c')) expect(code).toBe(0)
    await database.remove()
  })
})
