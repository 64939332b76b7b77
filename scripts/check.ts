/**
 * `npm test`: builds, checks types, lint and format, then runs every test on both databases.
 * `npm test -- NAME` runs only the test files whose path holds NAME. `npm test -- --fast` is for the work in between: it
 * leaves out PostgreSQL, the files that start a browser or a process, and those that take longest.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { slowFiles } from './slow-files.ts'

const given = process.argv.slice(2)
const isFast = given.includes('--fast')
const filters = given.filter((one) => one !== '--fast')

const checks: readonly (readonly [string, readonly string[]])[] = [
  ['types of tests', ['tsc', '-p', 'tsconfig.check.json']],
  ['lint', ['oxlint', '--type-aware', '--deny-warnings']],
  ['format', ['biome', 'format', '--error-on-warnings']],
]

const began = performance.now()
if (!(await isFine('build', ['tsc', '--build']))) process.exit(1)
// At the same time, for the first of them has use for one core alone.
const found = await Promise.all(checks.map(([name, command]) => isFine(name, command)))
if (found.includes(false)) process.exit(1)
const results = mkdtempSync(join(tmpdir(), 'tessera-results-'))
try {
  runTests(join(results, 'results.json'))
} finally {
  rmSync(results, { recursive: true, force: true })
}

/** Runs a check, and tells what it found: nothing where all is fine. */
async function isFine(name: string, [program = '', ...args]: readonly string[]): Promise<boolean> {
  const since = performance.now()
  const says: string[] = []
  const checking = spawn(join('node_modules/.bin', program), args, { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const output of [checking.stdout, checking.stderr])
    output.setEncoding('utf8').on('data', (text: string) => says.push(text))
  const [status] = (await once(checking, 'close')) as [number | null]
  process.stdout.write(`${name}: ${status === 0 ? 'fine' : 'failed'} (${seconds(since)} s)\n`)
  if (status !== 0) process.stdout.write(`${says.join('')}\n`)
  return status === 0
}

/** Vitest, and a closing line that says the counts plainly. */
function runTests(file: string): void {
  const left = isFast ? slowFiles().map((path) => `--exclude=${path}`) : []
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile=${file}`, ...left, ...filters]
  const env = isFast ? { ...process.env, TESSERA_TESTS: 'fast' } : process.env
  const { status } = spawnSync('node_modules/.bin/vitest', args, { stdio: 'inherit', env })
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report
  process.stdout.write(`The longest files, s: ${longest(report)}\n`)
  const counts = `${report.numPassedTests} passed, ${report.numFailedTests} failed`
  process.stdout.write(`${counts}, after ${seconds(began)} s in all\n`)
  process.exitCode = status ?? 1
}

interface Report {
  numPassedTests: number
  numFailedTests: number
  testResults: { name: string; startTime: number; endTime: number }[]
}

/** Where the time of the suite goes, which is to stay below seven minutes. */
function longest({ testResults }: Report): string {
  return testResults
    .map(({ name, startTime, endTime }) => ({
      name: relative('server/test', name).replace('.test.ts', ''),
      took: endTime - startTime,
    }))
    .sort((a, b) => b.took - a.took)
    .slice(0, 20)
    .map(({ name, took }) => `${name} ${(took / 1000).toFixed(0)}`)
    .join(', ')
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}
