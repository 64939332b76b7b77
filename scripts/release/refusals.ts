import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sectionOf, versionsOf } from './changelog.ts'
import { run } from './run.ts'
import { compareVersions, isVersion } from './semver.ts'
import { versionsIn } from './versions.ts'

/** What is asked for: a release of a prepared commit, a dry run of any commit, or to prepare one. */
export type Mode = 'release' | 'dry-run' | 'prepare'

/** Throws where a release of this version can't be made of what stands in the folder, and says what to do. */
export function refuse(folder: string, version: string, mode: Mode): void {
  if (!isVersion(version))
    throw new Error(`"${version}" is no version of Semantic Versioning, such as 0.2.0 or 0.2.0-rc.1.`)
  const changed = git(folder, 'status', '--porcelain')
  if (changed !== '') throw new Error(`The tree has changes that are not committed:\n${changed}`)
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
  refuseOlder(folder, version, changelog)
  const stands = [...versionsIn(folder)]
  const [[, first] = ['', '']] = stands
  if (stands.some(([, one]) => one !== first))
    throw new Error(
      `The version is not the same everywhere:\n${stands.map((one) => one.join(': ')).join('\n')}`,
    )
  refuseUnprepared(version, mode, { changelog, first })
}

/** A version comes after all that this commit has behind it; made again, it has to be of the commit that has its tag. */
function refuseOlder(folder: string, version: string, changelog: string): void {
  const tags = git(folder, 'tag', '--merged', 'HEAD', '--list', 'v*').split('\n').filter(Boolean)
  const tagged = tags.map((tag) => tag.slice(1)).filter(isVersion)
  const before = [...versionsOf(changelog), ...tagged].filter((one) => one !== version)
  const last = before.toSorted(compareVersions).at(-1)
  if (last !== undefined && compareVersions(version, last) <= 0)
    throw new Error(`${version} does not come after ${last}, the last version.`)
  if (!git(folder, 'tag', '--list', `v${version}`)) return
  if (git(folder, 'rev-list', '-n', '1', `v${version}`) !== git(folder, 'rev-parse', 'HEAD'))
    throw new Error(`The tag v${version} is of another commit: check that one out to make ${version} again.`)
}

function refuseUnprepared(
  version: string,
  mode: Mode,
  { changelog, first }: { changelog: string; first: string },
): void {
  const own = sectionOf(changelog, version)
  if (own === '') throw new Error(`The section [${version}] of CHANGELOG.md is empty.`)
  if (mode === 'prepare' && own !== undefined)
    throw new Error(`CHANGELOG.md has a section [${version}] already.`)
  if (own === undefined && mode === 'release')
    throw new Error(
      `CHANGELOG.md has no section [${version}]. Run npm run release -- ${version} --prepare, and commit what it writes.`,
    )
  const unreleased = sectionOf(changelog, 'Unreleased')
  if (own === undefined && !unreleased)
    throw new Error(`CHANGELOG.md has no section [${version}], and nothing is unreleased.`)
  if (own !== undefined && unreleased)
    throw new Error(`CHANGELOG.md has a section [${version}], and something unreleased above it.`)
  if (own !== undefined && first !== version)
    throw new Error(`CHANGELOG.md has a section [${version}], but the version everywhere is ${first}.`)
}

export const git = (folder: string, ...args: string[]): string => run('git', args, { cwd: folder }).trim()
