/** Migrations that are killed while they are made, by the process or by PostgreSQL. */
import { setTimeout as wait } from 'node:timers/promises'
import { join } from 'node:path'
import pg from 'pg'
import { repository } from './deploy-image.ts'
import type { Fleet } from './deploy-upgrade-fleet.ts'

const preload = `--import ${join(repository, 'bench/crash/preload.mjs')}`
const first = 'insert into kysely_migration'
/** Before the commit. `after` a statement: the database has done it, and nobody has heard of it. */
const midway = [
  `before:1:${first}`,
  `after:1:${first}`,
  ...[1, 2, 3, 4].map((statement) => `after:${statement}:alter table`),
  `before:1:${first} … commit`,
]

/** Kills a command that migrates, and a process that starts, at each of these statements. Yields how many. */
export async function killMidway(fleet: Fleet, file: string): Promise<number> {
  let kills = 0
  for (const line of [['migrate'], ['serve']])
    for (const moment of midway) {
      await kill(fleet, line, moment)
      await mustBeMissing(fleet, file)
      kills++
    }
  return kills
}

/** Kills a process when its migration is committed, before it knows. */
export const killAfterCommit = (fleet: Fleet): Promise<void> =>
  kill(fleet, ['serve'], `after:1:${first} … commit`)

/** Kills processes by the clock while they start. */
export async function killStarting(fleet: Fleet): Promise<number> {
  const moments = [200, 350, 500, 650, 800, 1000, 1300]
  for (const moment of moments) {
    const starting = fleet.begin(undefined, ['serve'])
    await wait(moment)
    await starting.stop('SIGKILL')
  }
  return moments.length
}

/** Ends the connection that migrates, in PostgreSQL, while it waits for a table that somebody reads. */
export async function terminateBackend(fleet: Fleet, file: string): Promise<void> {
  const connectionString = fleet.environment.TESSERA_DATABASE_URL ?? ''
  const [reader, other] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })]
  await Promise.all([reader.connect(), other.connect()])
  try {
    await reader.query('begin; select count(*) from clients')
    const migrating = fleet.begin(undefined, ['migrate'])
    const waiting = `select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'alter table%' and wait_event_type = 'Lock'`
    for (let tries = 0; (await other.query(waiting)).rowCount === 0; tries++) {
      if (tries > 3000) throw new Error('No migration waits for a lock.')
      await wait(10)
    }
    const { code, stderr } = await migrating.ended
    if (code !== 1) throw new Error(`A migration whose connection was ended ended with ${code}: ${stderr}`)
    await reader.query('commit')
  } finally {
    await Promise.all([reader.end(), other.end()])
  }
  await mustBeMissing(fleet, file)
}

async function kill(fleet: Fleet, line: readonly string[], moment: string): Promise<void> {
  const environment = { NODE_OPTIONS: preload, TESSERA_TEST_KILL: moment }
  const { code, stderr } = await fleet.begin(undefined, line, environment).ended
  if (code !== null)
    throw new Error(`${line.join(' ')} was not killed ${moment}, but ended with ${code}: ${stderr}`)
}

/** A command that only reads says so. */
async function mustBeMissing(fleet: Fleet, file: string): Promise<void> {
  const { stderr } = await fleet.begin(undefined, ['plan', file]).ended
  if (!stderr.includes('is missing; run tessera migrate'))
    throw new Error(`Something was migrated: ${stderr}`)
}
