/**
 * The Dockerfile, replayed in a folder where no image can be built: each COPY and RUN of each stage, as an unprivileged
 * user, with every path of the image below that folder. What `npm ci` and the compilers make is taken from here, where
 * they made it; `npm run deploy-check` really builds it.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { instructionsOf, isSent } from './deploy-support.ts'
import { read, root } from './support.ts'

/** The user of the image, unless the test has no right to become another one. */
export const user = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {}

export interface Image {
  /** Where the image's `/` lies. */
  root: string
  environment: Record<string, string>
  entrypoint: string[]
  healthcheck: string[]
  /** What was to be given to another user, which only root can. */
  chowned: string[]
}

type Made = (stage: string) => void

/** What stands in for a command that needs a registry, or a minute. */
const made: Record<string, Made> = {
  'npm ci --ignore-scripts --no-audit --no-fund': () => undefined,
  'npm ci --ignore-scripts --no-audit --no-fund --omit=dev --workspace @tessera/server': (stage) => {
    const ours = ['guard', 'server'].map((name) => `node_modules/@tessera/${name}`)
    mkdirSync(join(stage, 'app'), { recursive: true })
    execFileSync('cp', ['-a', '--parents', ...ofProduction(), ...ours, join(stage, 'app')], { cwd: root })
  },
  'npx tsc --build server': (stage) => {
    for (const name of ['guard', 'server']) copy(join(root, name, 'dist'), join(stage, 'build', name, 'dist'))
  },
  'node scripts/bundle.mjs': () => undefined,
  'node console/build.mjs': () => undefined,
}

/** The folders of the packages that the service needs at run time: the console and the examples ask for no others. */
function ofProduction(): string[] {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; link?: boolean }>
  }
  return Object.entries(packages)
    .filter(
      ([path, { dev, link }]) => /^(server\/)?node_modules\//.test(path) && dev !== true && link !== true,
    )
    .map(([path]) => path)
    .filter((path) => existsSync(join(root, path)))
}

/** As it is, by `cp`, which is quicker for so many files. Of a folder what it holds. */
function copy(from: string, to: string): void {
  const isFolder = statSync(from).isDirectory()
  mkdirSync(isFolder ? to : dirname(to), { recursive: true })
  if (isFolder) execFileSync('cp', ['-a', `${from}/.`, to])
  else cpSync(from, to, { preserveTimestamps: true })
}

/** Replays every stage below a folder; yields the last one. */
export function replay(folder: string): Image {
  const stages = new Map<string, string>()
  const image: Image = { root: '', environment: {}, entrypoint: [], healthcheck: [], chowned: [] }
  let workdir = '/'
  for (const [name, rest] of instructionsOf(read('deploy/Dockerfile'))) {
    if (name === 'FROM') {
      const stage = / AS (\w+)$/.exec(rest)?.[1] ?? 'image'
      image.root = baseOf(join(folder, stage))
      stages.set(stage, image.root)
      workdir = '/'
    } else if (name === 'WORKDIR') {
      workdir = rest
      mkdirSync(join(image.root, workdir), { recursive: true })
    } else if (name === 'COPY') copyInto(join(image.root, workdir), rest, stages)
    else if (name === 'RUN') run(image, workdir, rest)
    else if (name === 'ENV')
      for (const [, key = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) image.environment[key] = value
    else if (name === 'ENTRYPOINT') image.entrypoint = commandOf(image, rest)
    else if (name === 'HEALTHCHECK') image.healthcheck = commandOf(image, rest.replace(/^.* CMD /, ''))
  }
  return image
}

/** A base image: Node.js, and the package manager that comes with it. */
function baseOf(stage: string): string {
  for (const one of ['usr/local/bin', 'usr/local/lib/node_modules/npm', 'opt/yarn-v1'])
    mkdirSync(join(stage, one), { recursive: true })
  const node = join(stage, 'usr/local/bin/node')
  try {
    linkSync(process.execPath, node)
  } catch {
    cpSync(process.execPath, node)
  }
  writeFileSync(join(stage, 'usr/local/bin/npm'), '#!/bin/sh\n', { mode: 0o755 })
  return stage
}

/** `a b/ c` or `--from=stage /a b`, as Docker copies: of a folder what it holds. */
function copyInto(workdir: string, rest: string, stages: ReadonlyMap<string, string>): void {
  const words = rest.split(/\s+/)
  const stage = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined
  const target = words.pop() ?? ''
  for (const source of words) {
    const from = join(stage === undefined ? root : (stages.get(stage) ?? ''), source)
    const isFile = statSync(from).isFile()
    const to = join(workdir, target, isFile && /\/$|^\.$/.test(target) ? basename(source) : '')
    if (stage !== undefined || isFile) copy(from, to)
    else copySent(source, to)
  }
}

/** A folder of the repository, without what never reaches the builder. */
function copySent(source: string, to: string): void {
  for (const path of readdirSync(join(root, source), { recursive: true, encoding: 'utf8' }))
    if (isSent(join(source, path)) && statSync(join(root, source, path)).isFile())
      copy(join(root, source, path), join(to, path))
}

function run(image: Image, workdir: string, rest: string): void {
  const stubs = join(image.root, 'stubs')
  mkdirSync(stubs, { recursive: true })
  writeFileSync(join(stubs, 'chown'), `#!/bin/sh\necho "$@" >> ${stubs}/chowned\n`, { mode: 0o755 })
  const commands = rest.split(' && ').map((one) => one.trim().replaceAll(/\s+/g, ' '))
  for (const command of commands) made[command]?.(image.root)
  // An unprivileged user can't do what a forgotten path would do to this machine.
  if ('uid' in user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, image.root])
  const env = { PATH: `${stubs}:${image.root}/usr/local/bin:/usr/bin:/bin` }
  for (const command of commands.filter((one) => !(one in made))) {
    const line = command.replaceAll(/(^|[\s"=])\/(?!dev\/)(?=\w)/g, `$1${image.root}/`)
    execFileSync('bash', ['-c', line], { cwd: join(image.root, workdir), env, ...user })
  }
  const chowned = join(stubs, 'chowned')
  if (existsSync(chowned)) image.chowned = [execFileSync('cat', [chowned], { encoding: 'utf8' }).trim()]
}

/** A command in JSON, its paths below the folder. */
function commandOf(image: Image, json: string): string[] {
  return (JSON.parse(json) as string[]).map((word) => (word.startsWith('/') ? image.root + word : word))
}
