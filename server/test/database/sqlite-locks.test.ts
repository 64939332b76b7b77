import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { disabled } from '../declared/change.ts'
import { acme, edited } from '../declared/support.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { machine, token, withStore } from '../harness/program.ts'

/**
 * POSIX locks belong to a process and a file, not to a connection: closing any descriptor of the database file
 * gives up those of every connection in the process. Another process then takes itself for the only one, and
 * removes the write-ahead log from under a service that goes on writing into it.
 */

let tessera: Tessera
beforeEach(async () => {
  tessera = await startTessera('sqlite')
})
afterEach(() => tessera.close())
afterAll(cleanUp)

it('opening the database once more in a process leaves its locks to the service', async () => {
  await withStore(tessera, async () => undefined)
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'access.yaml'), edited(acme, disabled('  - client_id: nightly-import')))
  const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
  expect(await run(['apply', 'access.yaml', '--yes'], { cwd, environment })).toMatchObject({ code: 0 })
  // What another process wrote is seen, and what is written here can be seen by others.
  const refused = await token(tessera.url, { grant_type: 'client_credentials', ...machine })
  expect([refused.status, refused.json.error]).toEqual([401, 'invalid_client'])
  const log = `${tessera.databaseUrl.replace('sqlite:', '')}-wal`
  expect(statSync(log).isFile()).toBe(true)
  writeFileSync(join(cwd, 'access.yaml'), acme)
  expect(await run(['apply', 'access.yaml', '--yes'], { cwd, environment })).toMatchObject({ code: 0 })
  expect((await token(tessera.url, { grant_type: 'client_credentials', ...machine })).status).toBe(200)
})
