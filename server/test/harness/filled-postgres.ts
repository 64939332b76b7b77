import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { acme, fill } from './fill.ts'
import { folderOfDatabases } from './folders.ts'
import { type Home, inPlace, type OwnServer, startOwnPostgres } from './postgres.ts'

/**
 * As `startOwnPostgres`, but its database `postgres` holds what `createDatabase` makes unless told otherwise. To make
 * the tables and keys anew takes longer than the server does to start.
 */
export async function startFilledPostgres(
  prepare?: (home: Home) => string[],
  initdb: readonly string[] = [],
): Promise<OwnServer> {
  return await startOwnPostgres(prepare, initdb, folderOfDatabases(), await filledWith(initdb))
}

/** The files of such a server, made once for a run. */
async function filledWith(initdb: readonly string[]): Promise<string> {
  const target = join(inject('templates'), `files${initdb.join('')}`)
  if (existsSync(target)) return target
  const server = await startOwnPostgres(undefined, initdb, folderOfDatabases())
  await fill(`${server.url}/postgres`, [acme])
  await server.shutDown()
  inPlace(server.data, target)
  await server.stop()
  return target
}
