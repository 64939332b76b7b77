/**
 * The image, built and run by podman. Of the machine it needs a base image of the name that the Dockerfile says, or
 * another one in NODE_IMAGE; DEPLOY_CHECK_BUILD and DEPLOY_CHECK_RUN hold options of `podman build` and `podman run`
 * that this machine wants, such as `--isolation=chroot`.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../server/test/harness/process.ts'
import { becomeAdministrator } from './deploy-console.ts'

type Say = (line: string) => void

export const repository = fileURLToPath(new URL('..', import.meta.url))
export const tag = 'localhost/tessera:deploy-check'
const wanted = (name: string) => (process.env[name] ?? '').split(' ').filter((one) => one !== '')

/** The standard output of a program; throws what it complains of when it fails. */
export function output(program: string, args: readonly string[], cwd = repository): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status === 0) return stdout.trim()
  throw new Error(`${program} ${args.slice(0, 3).join(' ')} ended with ${status}: ${stderr.slice(-2000)}`)
}
export const podman = (...args: string[]): string => output('podman', args)
const build = (...args: string[]) =>
  podman('build', '--format=docker', ...wanted('DEPLOY_CHECK_BUILD'), ...args)

export async function checkImage(say: Say): Promise<void> {
  say(podman('--version'))
  checkContext(say)
  buildImage(say)
  await checkFirstWay(say)
  await checkUsers(say)
  await checkAddresses(say)
}

/** What nobody may find in an image, and what a checkout may well hold. */
const planted = [
  '.env',
  '.npmrc',
  'server/.env',
  'server/src/.env',
  'server/src/keys/signing.pem',
  'server/tessera.sqlite',
  'server/data/tessera.sqlite',
  'guard/.npmrc',
  'console/src/.env.local',
  'deploy/secrets/tessera',
  'deploy/image/secrets/token',
  'data/tessera.sqlite',
]

/** Sends a checkout with secrets in it to the builder, and looks what has arrived. */
function checkContext(say: Say): void {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-context-'))
  try {
    for (const file of output('git', ['ls-files']).split('\n'))
      cpSync(join(repository, file), join(folder, file))
    for (const file of planted) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), 'planted')
    }
    writeFileSync(join(folder, 'Everything'), 'FROM scratch\nCOPY . /\nCMD ["none"]\n')
    build('--file', join(folder, 'Everything'), '--tag', `${tag}-context`, folder)
    const container = podman('create', `${tag}-context`)
    const files = output('sh', ['-c', `podman export ${container} | tar -t`]).split('\n')
    podman('rm', container)
    podman('rmi', `${tag}-context`)
    const found = planted.filter((file) => files.includes(file))
    if (found.length > 0) throw new Error(`The builder gets ${found.join(', ')}`)
    if (!files.includes('server/src/server.ts')) throw new Error('The builder gets no sources')
    say(
      `of a checkout with ${planted.length} secrets in it the builder gets ${files.length} files, and none of them`,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function buildImage(say: Say): void {
  const base = process.env.NODE_IMAGE
  const revision = output('git', ['rev-parse', 'HEAD'])
  const began = performance.now()
  const named = base === undefined ? [] : ['--build-arg', `NODE_IMAGE=${base}`]
  build('--file', 'deploy/Dockerfile', '--build-arg', `REVISION=${revision}`, ...named, '--tag', tag, '.')
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const [size = '', labels = ''] = podman(
    'image',
    'inspect',
    '--format={{.Size}}\n{{json .Config.Labels}}',
    tag,
  ).split('\n')
  if (!labels.includes(`"org.opencontainers.image.revision":"${revision}"`))
    throw new Error(`Its labels are ${labels}`)
  const node = podman('run', '--rm', ...wanted('DEPLOY_CHECK_RUN'), '--entrypoint=node', tag, '--version')
  say(`built in ${seconds} s with Node.js ${node}: ${(Number(size) / 1e6).toFixed(0)} MB with its base`)
}

/** Starts a container without any right, runs what is to be tried once it is healthy, and ends it. */
async function inContainer(options: readonly string[], tried: (container: string) => Promise<void> | void) {
  const hardened = ['--read-only', '--tmpfs=/tmp', '--cap-drop=all', '--security-opt=no-new-privileges']
  const secret = 'TESSERA_SECRET=a-secret-of-deploy-check-0123456789-abcdef'
  const container = podman(
    'run',
    '--detach',
    `--env=${secret}`,
    ...hardened,
    ...wanted('DEPLOY_CHECK_RUN'),
    ...options,
    tag,
  )
  try {
    await isHealthy(container)
    await tried(container)
    podman('stop', '--time=30', container)
    const code = podman('inspect', '--format={{.State.ExitCode}}', container)
    if (code !== '0') throw new Error(`It ended with ${code} when it was stopped`)
  } finally {
    podman('rm', '--force', '--volumes', container)
  }
}

export async function isHealthy(container: string): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    if (spawnSync('podman', ['healthcheck', 'run', container]).status === 0) return
    await setTimeout(500)
  }
  throw new Error(`It is not healthy: ${podman('logs', container)}`)
}

/** The README's way: a container, the link of the first administrator, and the console. */
async function checkFirstWay(say: Say): Promise<void> {
  const began = performance.now()
  const port = await freePort('127.0.0.1')
  const url = `http://localhost:${port}`
  await inContainer(
    [`--publish=127.0.0.1:${port}:4000`, `--env=TESSERA_ISSUER=${url}`],
    async (container) => {
      const version = podman('exec', container, 'tessera', '--version')
      await becomeAdministrator(url, podman('exec', container, 'tessera', 'setup', '--link'))
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      say(`version ${version}, with no right and a read-only disk: in the console after ${seconds} s`)
    },
  )
}

/** OpenShift's start: as a user that nobody knows, of group 0, on a volume that it finds again. */
async function checkUsers(say: Say): Promise<void> {
  const volume = podman('volume', 'create')
  const options = [
    '--user=1000650000:0',
    `--volume=${volume}:/data`,
    '--env=TESSERA_ISSUER=http://localhost:4000',
  ]
  try {
    for (const _start of [1, 2]) await inContainer(options, () => undefined)
  } finally {
    podman('volume', 'rm', volume)
  }
  say('user 1000650000 of group 0 keeps its database in /data')
}

async function checkAddresses(say: Say): Promise<void> {
  for (const host of ['::1', '::', 'localhost']) {
    const settings = ['--env=TESSERA_ISSUER=http://localhost:4000', `--env=TESSERA_HOST=${host}`]
    await inContainer(settings, () => undefined)
  }
  say('healthy at ::1, :: and localhost too')
}
