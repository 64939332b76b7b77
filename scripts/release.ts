/**
 * `npm run release -- 0.2.0`: makes everything that a release publishes in `release/0.2.0`, from the commit that is
 * checked out, and publishes nothing. The same commit gives the same bytes. `--prepare` sets the version in the tree, to
 * be committed before; `--dry-run` does without that, and without an image where nothing here builds one.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOf, makeArtefacts, type Release } from './release/artefacts.ts'
import { released, sectionOf } from './release/changelog.ts'
import { imageMadeWith, makeImage, refuseImage } from './release/image.ts'
import { sha256, writePublish, writeSums } from './release/publish.ts'
import { git, type Mode, refuse } from './release/refusals.ts'
import { run } from './release/run.ts'
import { setVersion } from './release/versions.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const usage = 'npm run release -- VERSION [--prepare | --dry-run]'
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

try {
  const { version, mode } = asked(process.argv.slice(2))
  refuse(root, version, mode)
  if (mode === 'release') refuseImage()
  if (mode === 'prepare') prepare(root, version, new Date())
  else await make(version, mode === 'dry-run')
} catch (error) {
  process.stderr.write(`release: ${(error as Error).message}\n`)
  process.exitCode = 1
}

function asked(given: readonly string[]): { version: string; mode: Mode } {
  const [version, ...more] = given.filter((one) => !one.startsWith('--'))
  const [option = '--release', ...others] = given.filter((one) => one.startsWith('--'))
  const mode = (['release', 'dry-run', 'prepare'] as const).find((one) => option === `--${one}`)
  if (version === undefined || mode === undefined || more.length + others.length > 0) throw new Error(usage)
  return { version, mode }
}

/** Writes into the folder what makes it this version. */
function prepare(folder: string, version: string, at: Date): void {
  setVersion(folder, version)
  const changelog = join(folder, 'CHANGELOG.md')
  const day = at.toISOString().slice(0, 10)
  writeFileSync(changelog, released(readFileSync(changelog, 'utf8'), version, day))
  if (folder === root) say(`The tree is ${version} now. Read CHANGELOG.md, run npm test, and commit it.`)
}

async function make(version: string, isDry: boolean): Promise<void> {
  // Modes of files go into what is packed.
  process.umask(0o022)
  const at = new Date(Number(git(root, 'show', '--no-patch', '--format=%ct', 'HEAD')) * 1000)
  const out = join(root, 'release', version)
  const work = mkdtempSync(join(tmpdir(), 'tessera-release-'))
  const release: Release = { work, out, version, commit: git(root, 'rev-parse', 'HEAD'), at }
  try {
    rmSync(out, { recursive: true, force: true })
    mkdirSync(out, { recursive: true })
    build(release)
    await makeArtefacts(release)
    const skipped = await makeImage(release, isDry)
    writePublish(release)
    writeSums(out)
    tell(release, skipped)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The sources of the commit in a folder of their own, with the dependencies of its lock file, built. */
function build({ work, version, at }: Release): void {
  say(`Building ${git(root, 'rev-parse', '--short', 'HEAD')} as ${version}; it takes some minutes …`)
  run('git', ['clone', '--quiet', '--shared', '--no-tags', root, work], { cwd: root })
  git(work, 'checkout', '--quiet', '--detach', git(root, 'rev-parse', 'HEAD'))
  if (sectionOf(readFileSync(join(work, 'CHANGELOG.md'), 'utf8'), version) === undefined)
    prepare(work, version, at)
  const env = { SOURCE_DATE_EPOCH: String(at.getTime() / 1000) }
  // No dependency needs a script of its own to be installed.
  const install = ['ci', '--ignore-scripts', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund']
  run('npm', install, { cwd: work, env })
  run('npm', ['run', 'build'], { cwd: work, env })
}

function tell({ out, version }: Release, skipped: string | undefined): void {
  for (const file of filesOf(out)) {
    const size = (statSync(join(out, file)).size / 1000).toFixed(1)
    say(`${sha256(readFileSync(join(out, file)))}  ${size.padStart(9)} kB  ${file}`)
  }
  const npm = run('npm', ['--version'], { cwd: root }).trim()
  const made = [`Node.js ${process.versions.node}`, `npm ${npm}`, skipped === undefined && imageMadeWith()]
  say(`Made with ${made.filter(Boolean).join(', ')}; others may pack otherwise.`)
  if (skipped !== undefined) say(skipped)
  say(`Nothing is published. To publish: REGISTRY=… sh release/${version}/publish.sh`)
}
