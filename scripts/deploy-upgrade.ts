/**
 * An upgrade from the last version as operators do it, and the way back, on both databases: processes of that version,
 * built from the history, serve under load while this tree migrates and takes their place one by one.
 */
import { isDeepStrictEqual } from 'node:util'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { createGuard } from '../guard/dist/index.js'
import { begin, type Life, live, type Place } from '../server/test/database/lived.ts'
import {
  asked,
  begunChecks,
  type Check,
  keptChecks,
  refusedChecks,
} from '../server/test/database/lived-kept.ts'
import { administered } from '../server/test/fixtures/administrators.ts'
import { startOwnPostgres } from '../server/test/harness/postgres.ts'
import { cleanUp, type Serving } from '../server/test/harness/process.ts'
import { refresh, token, tokensOf, Visitor } from '../server/test/harness/program.ts'
import { proofBy, proofKey } from '../server/test/oauth2/dpop-support.ts'
import { output, repository } from './deploy-image.ts'
import { type Code, Fleet } from './deploy-upgrade-fleet.ts'
import { killAfterCommit, killMidway, killStarting, terminateBackend } from './deploy-upgrade-kill.ts'
import { Load } from './deploy-upgrade-load.ts'
import { builtLastVersion } from './release/last-version.ts'

type Say = (line: string) => void
/** The last version: what it is called, its launcher and its guard. */
interface Last {
  version: string
  launcher: string
  guard: typeof createGuard
}

export async function checkUpgrade(say: Say): Promise<void> {
  const { version, folder } = builtLastVersion(repository, say)
  const { createGuard: guard } = (await import(
    join(folder, 'guard/dist/index.js')
  )) as typeof import('../guard/dist/index.js')
  const last = { version, launcher: join(folder, 'server/bin/tessera.cjs'), guard }
  say(
    `from ${version} to ${output('git', ['rev-parse', '--short', 'HEAD'])}, Node.js ${process.versions.node}`,
  )
  const work = mkdtempSync(join(tmpdir(), 'tessera-upgrade-'))
  const postgres = await startOwnPostgres()
  try {
    const file = join(work, 'acme.yaml')
    writeFileSync(file, administered)
    for (const [name, databaseUrl] of [
      ['SQLite', `sqlite:${join(work, 'tessera.sqlite')}`],
      ['PostgreSQL', `${postgres.url}/postgres`],
    ] as const)
      await rehearse((line) => say(`${name}: ${line}`), last, { file, databaseUrl })
  } finally {
    await cleanUp()
    await postgres.stop()
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

type Two = readonly [Serving, Serving]

/** One database, with what serves it. */
interface Rehearsed {
  say: Say
  last: Last
  fleet: Fleet
  load: Load
  file: string
}

/** The way from the last version to this one, back, and here again, under load all the time. */
async function rehearse(say: Say, last: Last, { file, databaseUrl }: Record<'file' | 'databaseUrl', string>) {
  const fleet = await Fleet.behind({ TESSERA_DATABASE_URL: databaseUrl })
  const { launcher } = last
  const old: Two = [await fleet.start(launcher, { TESSERA_DECLARED: file }), await fleet.start(launcher)]
  const load = new Load(fleet.url, last.guard)
  try {
    const at = { say, last, fleet, load, file }
    const { here, mixed } = await goForward(at, old)
    await goBack(at, here, mixed)
    await load.stop()
    const done = Object.entries(load.done).map(([work, count]) => `${count} ${work}`)
    say(`${fleet.requests} requests went through, and none of the load failed: ${done.join(', ')}`)
  } finally {
    await load.stop().catch((error: Error) => say(error.message))
    await cleanUp()
    await fleet.close()
  }
}

/** Until this version serves alone. Yields its processes, and what was lived while both served. */
async function goForward(at: Rehearsed, old: Two): Promise<{ here: Serving[]; mixed: Life }> {
  const { fleet, file } = at
  const { version, launcher } = at.last
  const before = await live(fleet.place(launcher), 'before')
  await migrateKilled(at, old)
  const begun = await begin(fleet.place(launcher), before)
  const one = await fleet.start(undefined)
  const onOne = fleet.place(undefined, one)
  await holds(at, `begun by ${version}, finished by this tree beside it`, begunChecks(onOne, before, begun))
  const mixed = await live(fleet.place(undefined), 'mixed')
  const begunHere = begunChecks(fleet.place(launcher, old[0]), mixed, await begin(onOne, mixed))
  await holds(at, `begun by this tree, finished by ${version} beside it`, begunHere)
  const here = [one, ...(await replace(fleet, [old[0]], [undefined]))]
  const cut = await at.load.cutOff(() => fleet.kill(old[1]))
  at.say(
    `the other one of ${version} killed while it served: ${cut} requests were cut off, and none after that`,
  )
  await holds(at, `of ${version} alone, asked of this tree`, later(fleet.place(undefined), before))
  await unchanged(fleet, undefined, file)
  return { here, mixed }
}

/** Until the last version serves alone on the tables of this one, and until this version does again. */
async function goBack(at: Rehearsed, here: readonly Serving[], mixed: Life): Promise<void> {
  const { fleet, file } = at
  const { version, launcher } = at.last
  const after = await live(fleet.place(undefined), 'after')
  const bound = await boundTokens(fleet.url)
  await holds(at, 'bound tokens here', bound(200, 401, 'invalid_grant'))
  const back = await replace(fleet, here, [launcher, launcher])
  const there = fleet.place(launcher)
  await holds(at, `of both together, asked of ${version}, started anew`, later(there, mixed))
  await holds(at, `of this tree alone, asked of ${version}`, later(there, after))
  await holds(at, `bound tokens at ${version}, which gives plain ones`, bound(401, 401, 'Bearer'))
  await unchanged(fleet, launcher, file)
  const again = await live(there, 'again')
  await replace(fleet, back, [undefined, undefined])
  await holds(
    at,
    `of ${version} after the way back, asked of this tree`,
    later(fleet.place(undefined), again),
  )
  await holds(at, 'bound tokens here again', bound(200, 401, 'invalid_grant'))
  await unchanged(fleet, undefined, file)
}

const later = (place: Place, life: Life): Check[] => [
  ...refusedChecks(place, life),
  ...keptChecks(place, life),
]

/** Migrates at last, after all that kills a migration; the processes of the last version stay ready all the time. */
async function migrateKilled({ say, fleet, file }: Rehearsed, old: readonly Serving[]): Promise<void> {
  const kills = await killMidway(fleet, file)
  say(`killed in the midst of a migration ${kills} times, which left nothing`)
  const isPostgres = fleet.environment.TESSERA_DATABASE_URL?.startsWith('postgres:')
  if (isPostgres) await terminateBackend(fleet, file)
  else await killAfterCommit(fleet)
  say(
    isPostgres
      ? 'its connection was ended by PostgreSQL, which left nothing'
      : 'killed when it was committed',
  )
  const { made } = JSON.parse(await fleet.command(undefined, ['migrate', '--json'])) as { made: string[] }
  say(`the next attempt made ${made.join(', ') || 'nothing more'}`)
  say(`killed while it started ${await killStarting(fleet)} times`)
  if (!fleet.areReady(...old))
    throw new Error('A process of the last version is not ready beside the new tables.')
}

/** Starts those that take the place of others, and then stops these one by one. */
async function replace(fleet: Fleet, stopped: readonly Serving[], by: readonly Code[]): Promise<Serving[]> {
  const started: Serving[] = []
  for (const [index, one] of stopped.entries()) {
    const code = by[index]
    if (index < by.length) started.push(await fleet.start(code))
    await fleet.stop(one)
  }
  return started
}

/** The declared file is what is there, and the audit is whole. */
async function unchanged(fleet: Fleet, code: Code, file: string): Promise<void> {
  const plan = await fleet.command(code, ['plan', file])
  if (!plan.includes('Nothing to change'))
    throw new Error(`The declared file would change something: ${plan}`)
  await fleet.command(code, ['audit', 'verify'])
}

/** Throws what is answered otherwise than it has to be. */
async function holds({ say }: Rehearsed, what: string, checks: readonly Check[]): Promise<void> {
  const { answers, expected } = await asked(checks)
  const wrong = Object.entries(answers).filter(([name, answer]) => !isDeepStrictEqual(answer, expected[name]))
  const told = wrong.map(([name, answer]) => `${name}: ${JSON.stringify(answer)}`)
  if (told.length > 0) throw new Error(`${what}, this is answered otherwise:\n${told.join('\n')}`)
  say(`${what}: ${checks.length} answers are right`)
}

/** Tokens that are bound to a key, which the last version knows nothing of: what is answered wherever they are asked for. */
async function boundTokens(url: string) {
  const key = await proofKey()
  const proof = async (to: string, more: object = {}) => await proofBy(key, { url: to, ...more })
  const tokens = async (form: Record<string, string>) =>
    tokensOf(await token(url, form, { dpop: await proof(`${url}/oauth2/token`) }))
  const client = { client_id: 'admin-cli', client_secret: 'admin-cli-development-secret' }
  const { access_token: access = '' } = await tokens({ grant_type: 'client_credentials', ...client })
  let { refresh_token: text } = await tokens(await new Visitor(url).code())
  const asks = `${url}/admin/v1/organisations`
  const status = async (headers: Record<string, string>) => (await fetch(asks, { headers })).status
  const refreshed = async () => {
    const answer = await refresh(url, text)
    text = String(answer.json.refresh_token ?? text)
    return answer.json.error ?? answer.json.token_type
  }
  /** What the administration says of one with its proof and as a plain one, and what a refresh without a proof gives. */
  return (proved: number, plain: number, unproved: string): Check[] => [
    [
      'with its proof',
      proved,
      async () =>
        await status({
          authorization: `DPoP ${access}`,
          dpop: await proof(asks, { method: 'GET', token: access }),
        }),
    ],
    ['as a plain one', plain, async () => await status({ authorization: `Bearer ${access}` })],
    ['a refresh without a proof', unproved, refreshed],
  ]
}
