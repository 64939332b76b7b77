/** Installs a product out of its package registry, at pinned versions, into a folder of its own. */
import { execFile, spawn } from 'node:child_process'
import { cpSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Product } from './products.ts'

const apps = fileURLToPath(new URL('apps/', import.meta.url))
const patience = 15 * 60_000

export async function install(product: Product, folder: string): Promise<void> {
  const { npm, pip, go, files, build } = product
  for (const file of files) cpSync(`${apps}${file}`, `${folder}/${file}`, { recursive: true })
  if (npm !== undefined)
    await run(folder, ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', ...npm])
  if (pip !== undefined) {
    await run(folder, ['python3', '-m', 'venv', 'venv'])
    await run(folder, ['venv/bin/pip', 'install', '--quiet', ...pip])
  }
  if (go !== undefined) {
    await run(folder, ['go', 'mod', 'init', 'app'])
    await run(folder, ['go', 'get', ...go])
  }
  if (build !== undefined) await run(folder, build)
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

/** Starts its application, in a process group that `stop` ends. */
export function launch(product: Product, folder: string, environment: Record<string, string>): () => void {
  const [command = '', ...line] = product.start
  const log = openSync(`${folder}/log`, 'a')
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH: `${folder}/node_modules/.bin:${PATH}`, HOME, ...environment, ...product.environment }
  const child = spawn(command, line, { cwd: folder, env, stdio: ['ignore', log, log], detached: true })
  child.on('error', () => undefined)
  return () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
}
