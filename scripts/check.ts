/**
 * `npm test`: builds, checks types, lint and format, then runs every test on both databases.
 * `npm test -- NAME` runs only the test files whose path holds NAME. `npm test -- --fast` is for the work in between: it
 * leaves out PostgreSQL, the files that start a browser or a process, and those that take longest.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { slowFiles } from './slow-files.ts'

const given = process.argv.slice(2)
const isFast = given.includes('--fast')
const filters = given.filter((one) => one !== '--fast')

const steps: readonly (readonly [string, readonly string[]])[] = [
  ['build', ['tsc', '--build']],
  ['types of tests', ['tsc', '-p', 'tsconfig.check.json']],
  ['lint', ['oxlint', '--type-aware', '--deny-warnings']],
  ['format', ['biome', 'format', '--error-on-warnings']],
]

const began = performance.now()
for (const [name, command] of steps) run(name, command)
const results = mkdtempSync(join(tmpdir(), 'tessera-results-'))
try {
  runTests(join(results, 'results.json'))
} finally {
  rmSync(results, { recursive: true, force: true })
}

function run(name: string, [program = '', ...args]: readonly string[]): void {
  const since = performance.now()
  process.stdout.write(`${name} … `)
  const { status, stdout, stderr } = spawnSync(join('node_modules/.bin', program), args, { encoding: 'utf8' })
  process.stdout.write(`${status === 0 ? 'fine' : 'failed'} (${seconds(since)} s)\n`)
  if (status === 0) return
  process.stdout.write(`${stdout}${stderr}\n`)
  process.exit(1)
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
