/** The service as a process of its own, with what it costs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CpuReading, processesOf, readCpu } from './cpu.ts'

const root = new URL('..', import.meta.url).pathname

export interface Service {
  url: string
  port: number
  pid: number
  /** From spawn to the first answered discovery request, ms. */
  startedAfter: number
  /** User and system CPU of all its processes so far. */
  cpu(): CpuReading
  /** Resident memory, MiB. */
  memory(): number
  stop(): Promise<void>
}

export interface StartOptions {
  /** Of `tessera serve`, such as `--processes 2`. */
  arguments?: readonly string[]
  /** Of Node. */
  nodeArguments?: readonly string[]
  /** As it was written, file by file, so that a profile can tell whose time it is; without the launcher's settings. */
  unbundled?: boolean
  /** Of another clone that is built, with a slash at its end. */
  root?: string
}

/**
 * Starts `tessera serve` with default settings, but for the limit per address that everything here comes from. The
 * reference file is applied; the database is an embedded one in `folder` unless the settings say another.
 */
export async function startService(
  port: number,
  folder = newFolder(),
  settings: Record<string, string> = {},
  options: StartOptions = {},
): Promise<Service & { folder: string }> {
  const began = performance.now()
  const program = options.unbundled === true ? 'server/dist/cli/main.js' : 'server/bin/tessera.cjs'
  const command = [join(options.root ?? root, program), 'serve', ...(options.arguments ?? [])]
  const child = spawn(process.execPath, [...(options.nodeArguments ?? []), ...command], {
    env: {
      PATH: process.env.PATH,
      // What signs here signs there.
      OPENSSL_ia32cap: process.env.OPENSSL_ia32cap,
      TESSERA_MODE: 'development',
      TESSERA_PORT: String(port),
      TESSERA_HOST: '127.0.0.1',
      TESSERA_DATABASE_URL: `sqlite:${join(folder, 'tessera.sqlite')}`,
      TESSERA_DECLARED: join(root, 'server/test/fixtures/acme.yaml'),
      // One address asks for everything here; limits are per address.
      TESSERA_LIMIT_AUTHORIZE: '0',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    await answers(port, child)
  } catch (error) {
    // Nobody else would: it is no service yet that can be stopped.
    child.kill('SIGKILL')
    throw error
  }
  const pid = child.pid ?? 0
  return {
    folder,
    url: `http://localhost:${port}`,
    port,
    pid,
    startedAfter: performance.now() - began,
    cpu: () => readCpu(processesOf(pid)),
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tessera-bench-'))
}

export function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 12_000; attempt++) {
    if (child.exitCode !== null) throw new Error('The service ended while it was starting.')
    if (await discovered(port)) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('The service did not answer within a minute.')
}

async function discovered(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => resolve(false))
    socket.on('data', (data) => {
      resolve(data.toString('latin1').startsWith('HTTP/1.1 200'))
      socket.destroy()
    })
    socket.write(`GET /.well-known/openid-configuration HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
  })
}
