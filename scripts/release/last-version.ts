import { existsSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from './refusals.ts'
import { run } from './run.ts'
import { compareVersions, isVersion } from './semver.ts'

/** The first version was built from a checkout, and has no tag where nobody gave it one. */
const first = { version: '0.1.0', commit: '0df7391e' }

/** The version before this tree: the highest that has a tag behind it, or the first one. */
export function lastVersion(root: string): { version: string; commit: string } {
  const head = git(root, 'rev-parse', 'HEAD')
  const tags = git(root, 'tag', '--merged', 'HEAD', '--list', 'v*').split('\n')
  const released = tags.map((tag) => tag.slice(1)).filter(isVersion)
  const commits = released.toSorted(compareVersions).map((version) => ({
    version,
    commit: git(root, 'rev-list', '-n', '1', `v${version}`),
  }))
  const before = commits.findLast(({ commit }) => commit !== head)
  return before ?? { ...first, commit: git(root, 'rev-parse', first.commit) }
}

/** A checkout of it, installed and built, in the folder of temporary files. It is made once, and stays. */
export function builtLastVersion(
  root: string,
  say: (line: string) => void,
): { version: string; folder: string } {
  const { version, commit } = lastVersion(root)
  const folder = join(tmpdir(), `tessera-${version}-${commit.slice(0, 8)}`)
  if (existsSync(folder)) return { version, folder }
  const making = `${folder}-${process.pid}`
  const began = performance.now()
  run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, making], { cwd: root })
  try {
    git(making, 'checkout', '--quiet', '--detach', commit)
    // `prepare` of that version builds it.
    run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: making })
    renameSync(making, folder)
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    throw error
  }
  say(
    `${version} (${commit.slice(0, 8)}) is built after ${((performance.now() - began) / 1000).toFixed(0)} s`,
  )
  return { version, folder }
}
