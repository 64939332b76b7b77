import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { signedBy } from '../signatures.ts'

/** Machine, versions, commit and seed of a run. */
export type About = ReturnType<typeof aboutThisRun>

const root = new URL('../../', import.meta.url)

export function aboutThisRun(seed: number, seconds: number) {
  return {
    at: new Date().toISOString(),
    seconds: Math.round(seconds),
    machine: `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'an unknown kind'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()}`,
    /** 1, 5 and 15 minutes at the end of the run, which itself keeps the cores busy. */
    loadAverage: loadavg().map((one) => one.toFixed(1)),
    signatures: signedBy(),
    versions: {
      tessera: versionOf(new URL('server/package.json', root).pathname),
      node: process.version,
      openssl: process.versions.openssl,
      ...Object.fromEntries(
        ['fastify', '@photostructure/sqlite', 'kysely', 'pg', '@node-rs/argon2'].map((name) => [
          name,
          installed(name),
        ]),
      ),
    },
    commit: commit(),
    seed,
  }
}

const installed = (name: string) => versionOf(new URL(`node_modules/${name}/package.json`, root).pathname)

function versionOf(path: string): string {
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', 'server', 'guard') !== ''
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes that are not committed' : ''}`
  } catch {
    return 'unknown'
  }
}
