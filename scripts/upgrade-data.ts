/**
 * Makes anew what `server/test/fixtures/VERSION` holds of the last version: a database of each kind that its own code
 * made and lived with, and who remembers what of it. `TEST_POSTGRES_URL` names a server for it, whose pg_dump is on
 * the PATH: `TEST_POSTGRES_URL=postgres://… node --import tsx scripts/upgrade-data.ts`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { begin, live, type Place } from '../server/test/database/lived.ts'
import { administered } from '../server/test/fixtures/administrators.ts'
import { cleanUp, freePort, run, Serving, temporaryFolder } from '../server/test/harness/process.ts'
import { output, repository } from './deploy-image.ts'
import { builtLastVersion } from './release/last-version.ts'

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const { version, folder } = builtLastVersion(repository, say)
const launcher = join(folder, 'server/bin/tessera.cjs')
const to = join(repository, 'server/test/fixtures', version)
const work = temporaryFolder()
const declared = join(work, 'acme.yaml')

/** What has been lived on a database that is still empty, with the service stopped. */
async function lived(databaseUrl: string): Promise<string> {
  const port = await freePort()
  const environment = {
    TESSERA_DATABASE_URL: databaseUrl,
    TESSERA_ISSUER: `http://localhost:${port}`,
    TESSERA_HOST: 'localhost',
    TESSERA_MODE: 'development',
  }
  const serving = { ...environment, TESSERA_PORT: String(port), TESSERA_DECLARED: declared }
  const service = await Serving.start(serving, undefined, launcher)
  const command: Place['command'] = async (...line) => {
    const { code, stdout, stderr } = await run(line, { environment, command: launcher })
    if (code !== 0) throw new Error(`tessera ${line.join(' ')} ended with ${code}: ${stderr}`)
    return stdout
  }
  const place = { url: service.url, now: Date.now, command }
  const life = await live(place, 'before')
  const exported = await command('export')
  const begun = await begin(place, life)
  await service.stop()
  const { TESSERA_ISSUER: issuer } = environment
  return `${JSON.stringify({ issuer, begunAt: Date.now(), life, begun, exported }, null, 1)}\n`
}

try {
  const server = process.env.TEST_POSTGRES_URL ?? ''
  if (server === '') throw new Error('TEST_POSTGRES_URL names no server.')
  mkdirSync(to, { recursive: true })
  writeFileSync(declared, administered)
  const file = join(work, 'tessera.sqlite')
  const write = (name: string, text: string | Buffer) =>
    writeFileSync(join(to, name), gzipSync(text, { level: 9 }))
  write('sqlite.json.gz', await lived(`sqlite:${file}`))
  write('tessera.sqlite.gz', readFileSync(file))
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query('drop database if exists tessera_before')
  await client.query('create database tessera_before')
  const url = server.replace(/\/[^/]*$/, '/tessera_before')
  write('postgres.json.gz', await lived(url))
  const dump = output('pg_dump', ['--inserts', '--no-owner', '--no-privileges', url])
  // Lines for psql alone.
  write('postgres.sql.gz', dump.replaceAll(/^\\.*$/gm, ''))
  await client.query('drop database tessera_before')
  await client.end()
  say(`${to} is made anew`)
} finally {
  await cleanUp()
}
