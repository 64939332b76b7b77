/** `npm run bench -- crash [--kills N] [--seed N] [--minutes N] [--database sqlite|postgres]`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../server/test/harness/postgres.ts'
import { cleanUp, temporaryFolder } from '../../server/test/harness/process.ts'
import { campaign, type Outcome } from './campaign.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '60' },
    database: { type: 'string', default: 'sqlite' },
  },
})
const results = fileURLToPath(new URL('../results/', import.meta.url))
const name = `crash-${values.database}`
const server = values.database === 'postgres' ? await startPostgres() : undefined
try {
  const began = performance.now()
  const outcome = await campaign({
    databaseUrl:
      server === undefined ? `sqlite:${join(temporaryFolder(), 'tessera.sqlite')}` : `${server.url}/postgres`,
    seed: Number(values.seed),
    kills: Number(values.kills),
    atMost: Number(values.minutes) * 60_000,
    historyFile: join(results, `${name}.jsonl`),
  })
  const report = describe(outcome, (performance.now() - began) / 1000)
  writeFileSync(join(results, `${name}.md`), report)
  process.stdout.write(report)
  process.exitCode = outcome.problems.length === 0 ? 0 : 1
} finally {
  await cleanUp()
  await server?.stop()
}

function describe(outcome: Outcome, seconds: number): string {
  const where = [...outcome.where]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([what, count]) => `| ${what} | ${count} |`)
  const problems = outcome.problems.map((one) => `- ${one}`)
  return `# Crashes on ${values.database}

Seed ${values.seed}: ${outcome.kills} kills in ${seconds.toFixed(0)} s under ${outcome.operations} operations, of which
${outcome.unanswered} got no answer. From a start to ready: usually ${outcome.usualStart.toFixed(0)} ms, at most ${outcome.slowestStart.toFixed(0)} ms.

${problems.length === 0 ? 'Nothing acknowledged was lost, and nothing worked twice.' : `${problems.length} problems:\n\n${problems.join('\n')}`}

| killed | times |
|---|---|
${where.join('\n')}
`
}
