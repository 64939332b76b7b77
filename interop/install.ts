/** Installs a product out of its package registry, at pinned versions, into a folder of its own. */
import { execFile, spawn } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, openSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Product } from './product.ts'

const apps = fileURLToPath(new URL('apps/', import.meta.url))
const patience = 30 * 60_000

export async function install(product: Product, folder: string): Promise<void> {
  const { name, base = name, npm, pip, go, command, deb } = product
  for (const one of [base, name])
    if (existsSync(`${apps}${one}`)) cpSync(`${apps}${one}`, folder, { recursive: true })
  if (npm !== undefined) {
    cpSync(`${apps}serve.mjs`, `${folder}/serve.mjs`)
    await run(folder, ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...npm])
  }
  if (pip !== undefined) {
    await run(folder, ['python3', '-m', 'venv', 'venv'])
    await run(folder, ['venv/bin/pip', 'install', '--quiet', '--no-compile', ...pip])
  }
  if (go !== undefined) {
    await run(folder, ['go', 'mod', 'init', 'app'])
    await run(folder, ['go', 'get', ...go])
  }
  if (command !== undefined)
    await run(folder, ['go', 'install', command], { ...process.env, GOBIN: `${folder}/bin` })
  if (deb !== undefined) {
    await run(folder, ['apt-get', 'download', '-qq', ...deb])
    await run(folder, ['sh', '-c', 'for one in *.deb; do dpkg-deb -x "$one" deb; done'])
  }
}

/** What programs of a product find: itself first. */
export const environmentOf = (folder: string): Record<string, string> => {
  const { PATH = '', HOME = '' } = process.env
  const own = ['node_modules/.bin', 'venv/bin', 'bin'].map((one) => `${folder}/${one}`)
  return { PATH: [...own, PATH].join(':'), HOME }
}

/** Rejects with the end of what the program said, or when it takes too long. */
export async function run(
  cwd: string,
  [command = '', ...line]: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return await new Promise((resolve, reject) => {
    const options = { cwd, env, timeout: patience, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 } as const
    execFile(command, [...line], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${command} ${line.join(' ')}: ${`${stdout}\n${stderr}`.trim().slice(-2000)}`))
    })
  })
}

/** Starts its application, in a process group that `stop` ends: what it started itself ends by its own hand. */
export function launch({ start }: Product, folder: string, env: Record<string, string>): () => Promise<void> {
  const [command = '', ...line] = start.map((one) => one.replace('PORT', env['PORT'] ?? ''))
  const log = openSync(`${folder}/log`, 'a')
  const child = spawn(command, line, { cwd: folder, env, stdio: ['ignore', log, log], detached: true })
  child.on('error', (error) => appendFileSync(log, `${String(error)}\n`))
  const signal = (name: NodeJS.Signals | 0): boolean => {
    try {
      return child.pid !== undefined && process.kill(-child.pid, name)
    } catch {
      // It ended by itself.
      return false
    }
  }
  return async () => {
    signal('SIGTERM')
    for (let tries = 0; tries < 100 && signal(0); tries++) await setTimeout(100)
    signal('SIGKILL')
  }
}
