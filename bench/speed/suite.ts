/** `npm run bench`: every part of speed in one run, and what came of it in `bench/results/`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { drawChart } from './chart.ts'
import { aboutThisRun } from './about.ts'
import type { Outcome, Part } from './outcome.ts'
import { describe, type Report } from './report.ts'

/** In the order of a whole run. */
export const parts: Readonly<Record<string, () => Promise<Part>>> = {
  limits: async () => (await import('./limits.ts')).limits,
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
  peers: async () => (await import('./peers.ts')).peers,
  es256: async () => (await import('./es256.ts')).es256,
  'sign-in': async () => (await import('./sign-in.ts')).signIn,
  pressure: async () => (await import('./pressure.ts')).pressure,
  guard: async () => (await import('./guard.ts')).guard,
  'forward-auth': async () => (await import('./forward-auth.ts')).forwardAuth,
  postgres: async () => (await import('./postgres.ts')).postgres,
  trips: async () => (await import('./trips.ts')).trips,
  growth: async () => (await import('./growth.ts')).growth,
  start: async () => (await import('./start.ts')).start,
}

/** What is run by its name alone: it makes databases of a million people on both, or looks at one case. */
export const apart: typeof parts = {
  apply: async () => (await import('./apply.ts')).apply,
  before: async () => (await import('./before.ts')).before,
  proofs: async () => (await import('./proofs.ts')).proofs,
  audit: async () => (await import('./audit.ts')).audit,
  provision: async () => (await import('./provision.ts')).provision,
  administration: async () => (await import('./administration.ts')).administration,
}

const results = new URL('../results/', import.meta.url)

/** Runs these parts one after another, and writes the report: `speed.*` for all of them, `speed-NAME.*` for one. */
export async function suite(names: readonly string[] = Object.keys(parts)): Promise<void> {
  const seed = seedOf(process.argv)
  const began = performance.now()
  const outcomes: [string, Outcome][] = []
  for (const name of names) {
    const part = await (parts[name] ?? apart[name])?.()
    if (part === undefined) throw new Error(`There is no part ${name}.`)
    process.stderr.write(`${name} … `)
    const start = performance.now()
    outcomes.push([name, await part({ seed }).catch(voided)])
    process.stderr.write(`${((performance.now() - start) / 1000).toFixed(0)} s\n`)
  }
  const seconds = (performance.now() - began) / 1000
  const report: Report = { about: aboutThisRun(seed, seconds), outcomes }
  const file = names.length === 1 ? `speed-${names[0]}` : 'speed'
  const text = describe(report, `${file}.svg`)
  mkdirSync(results, { recursive: true })
  writeFileSync(new URL(`${file}.md`, results), text)
  writeFileSync(new URL(`${file}.svg`, results), drawChart(report))
  writeFileSync(new URL(`${file}.json`, results), `${JSON.stringify(report, undefined, 1)}\n`)
  process.stdout.write(text)
}

/** A wrong answer voids its part: the report says so, the others go on, and the command fails. */
function voided(error: unknown): Outcome {
  const reason = error instanceof Error ? error.message : String(error)
  process.exitCode = 1
  process.stderr.write(`${error instanceof Error ? error.stack : reason}\n`)
  return { tables: [], bars: [], notes: [`**Void.** ${reason.split('\n')[0]}`], figures: {} }
}

/** `--seed N`; otherwise always the same. */
function seedOf(args: readonly string[]): number {
  const at = args.indexOf('--seed')
  const seed = at < 0 ? 1 : Number(args[at + 1])
  if (!Number.isInteger(seed)) throw new Error('--seed takes a whole number.')
  return seed
}
