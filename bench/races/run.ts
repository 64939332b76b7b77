/**
 * `npm run bench -- races [--rounds N] [--parallel N] [--seed N] [--minutes N] [--only NAME]
 * [--database sqlite|postgres]`.
 * The first two races take all rounds, the others a hundredth of them.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../server/test/harness/postgres.ts'
import { cleanUp, temporaryFolder } from '../../server/test/harness/process.ts'
import { History, randomFrom } from '../history.ts'
import { applyAgainstApply } from './apply.ts'
import { problemsIn } from './check.ts'
import { Racers } from './racers.ts'
import { rotationAgainstSigning } from './rotation.ts'
import { guesses, oneCode, oneRefreshToken, revokeAgainstRefresh, type Round } from './rounds.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10000' },
    parallel: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '120' },
    database: { type: 'string', default: 'sqlite' },
    /** Part of a race's name: that one alone. */
    only: { type: 'string', default: '' },
  },
})
const [rounds, parallel] = [Number(values.rounds), Number(values.parallel)]
const until = performance.now() + Number(values.minutes) * 60_000
const results = fileURLToPath(new URL('../results/', import.meta.url))
const name = `races-${values.database}${values.only === '' ? '' : `-${values.only.replaceAll(' ', '-')}`}`
const lines: string[] = []
const problems: string[] = []

const server = values.database === 'postgres' ? await startPostgres() : undefined
const databaseUrl =
  server === undefined ? `sqlite:${join(temporaryFolder(), 'tessera.sqlite')}` : `${server.url}/postgres`
const history = new History(join(results, `${name}.jsonl`))
const racers = await Racers.start(databaseUrl, history)
try {
  await race('one code by many exchanges', oneCode, rounds)
  await race('one refresh token by many', oneRefreshToken, rounds)
  await race('guesses in parallel', guesses, Math.ceil(rounds / 100))
  await race('revoke against refresh', revokeAgainstRefresh, Math.ceil(rounds / 100))
  await race('rotation against signing', rotationAgainstSigning, Math.ceil(rounds / 1000))
  await race('apply against apply', applyAgainstApply, Math.ceil(rounds / 1000))
} finally {
  await racers.stop()
  history.close()
  await cleanUp()
  await server?.stop()
}
const report = describe()
writeFileSync(join(results, `${name}.md`), report)
process.stdout.write(report)
process.exitCode = problems.length === 0 ? 0 : 1

/** Rounds one after another; what each recorded is checked when it is over. */
async function race(what: string, round: Round, wanted: number): Promise<void> {
  if (!what.includes(values.only)) return
  const random = randomFrom(Number(values.seed))
  const began = performance.now()
  const statuses = new Map<string, number>()
  let done = 0
  for (; done < wanted && performance.now() < until; done++) {
    racers.round = done
    // Long before the session runs out.
    if (done % 5000 === 4999) await racers.signIn()
    await round(racers, parallel, random)
    const recorded = history.operations.splice(0)
    problems.push(...problemsIn(recorded).map((problem) => `${what}, round ${done}: ${problem}`))
    for (const { kind, status } of recorded) {
      const key = `${kind} ${status}`
      statuses.set(key, (statuses.get(key) ?? 0) + 1)
    }
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const counts = [...statuses].map(([key, count]) => `${key}: ${count}`).join(', ')
  lines.push(`| ${what} | ${done} of ${wanted} | ${seconds} | ${counts} |`)
}

function describe(): string {
  return `# Races on ${values.database}

Seed ${values.seed}, ${parallel} at a time, two processes.

${problems.length === 0 ? 'Nothing was spent twice, and no answer was a 500.' : problems.map((one) => `- ${one}`).join('\n')}

| race | rounds | seconds | answers |
|---|---|---|---|
${lines.join('\n')}
`
}
