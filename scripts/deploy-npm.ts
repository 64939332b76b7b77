/** The README's way by npm: the packages that are made of this checkout, in an empty folder, and the console. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../server/test/harness/process.ts'
import { signIn } from './deploy-console.ts'
import { output } from './deploy-image.ts'
import { statusOf } from './deploy-requests.ts'

export async function checkNpm(say: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-npm-'))
  try {
    output('npm', [
      'pack',
      '--no-ignore-scripts',
      '--workspace=server',
      '--workspace=guard',
      `--pack-destination=${folder}`,
    ])
    const packed = readdirSync(folder).map((file) => `./${file}`)
    const began = performance.now()
    output('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packed], folder)
    const seconds = () => ((performance.now() - began) / 1000).toFixed(0)
    const installed = seconds()
    const port = String(await freePort('127.0.0.1'))
    const service = spawn(process.execPath, ['node_modules/@tessera/server/bin/tessera.cjs', 'dev'], {
      cwd: folder,
      env: { ...process.env, TESSERA_PORT: port },
      stdio: 'ignore',
    })
    try {
      const url = `http://localhost:${port}`
      for (let tries = 0; tries < 240 && (await statusOf(`${url}/health/ready`)) !== 200; tries += 1)
        await setTimeout(250)
      await signIn(url, { email: 'admin@acme.example', password: 'admin-development-password' })
      say(
        `installed after ${installed} s, in the console after ${seconds()} s (npm ${output('npm', ['--version'])})`,
      )
    } finally {
      service.kill()
      if (service.exitCode === null) await new Promise((resolve) => service.once('exit', resolve))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
