import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const launcher = fileURLToPath(new URL('../../bin/tessera.cjs', import.meta.url))

/** Strong enough for production, and that of the templates of databases. */
export const secret = 'a-secret-of-the-tests-0123456789-abcdef'

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null
  stdout: string
  stderr: string
  /** Standard error, line by line. */
  complaints: string[]
}

/** Nearly all that works on a database needs the secret: given with it, unless a test says another, or none by ''. */
export function withSecret(environment: Record<string, string> = {}): Record<string, string> {
  const says = ['TESSERA_SECRET', 'TESSERA_SECRET_FILE'].some((name) => name in environment)
  const opens = ['TESSERA_DATABASE_URL', 'TESSERA_DATABASE_URL_FILE'].some((name) => name in environment)
  return opens && !says ? { ...environment, TESSERA_SECRET: secret } : environment
}

interface Options {
  /** All of the environment beside PATH and HOME. */
  environment?: Record<string, string>
  cwd?: string
  /** Standard input. */
  input?: string | Buffer
  /** Another copy of the launcher. */
  command?: string
  /** In a process group of its own, as a terminal or systemd starts it. */
  group?: boolean
  /** Another Node.js. */
  node?: string
  /** Another user, where the test is root. */
  user?: { uid?: number; gid?: number }
}

const started = new Set<ChildProcess>()
const folders: string[] = []

/** For `afterAll`: ends what still runs and removes the temporary folders. */
export async function cleanUp(): Promise<void> {
  // Gently first: a killed command would leave its own children running.
  for (const child of started) child.kill('SIGTERM')
  for (let waited = 0; started.size > 0 && waited < 5000; waited += 20) await pause(20)
  for (const child of started) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-process-'))
  folders.push(folder)
  return folder
}

/** The command as somebody types it, in an environment that holds nothing else. */
export class TesseraProcess {
  stdout = ''
  stderr = ''
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess

  constructor(commandLine: readonly string[], options: Options = {}) {
    const { environment, cwd = temporaryFolder(), input, command = launcher, group = false } = options
    const { node = process.execPath, user = {} } = options
    const { PATH = '', HOME = '' } = process.env
    const child = spawn(node, [command, ...commandLine], {
      cwd,
      env: { PATH, HOME, ...withSecret(environment) },
      detached: group,
      ...user,
    })
    started.add(child)
    child.stdin.end(input)
    child.stdout.setEncoding('utf8').on('data', (part: string) => (this.stdout += part))
    child.stderr.setEncoding('utf8').on('data', (part: string) => (this.stderr += part))
    this.#child = child
    this.ended = new Promise((resolve) => {
      child.once('close', (code) => {
        started.delete(child)
        const complaints = this.stderr.split('\n').filter((line) => line !== '')
        resolve({ code, stdout: this.stdout, stderr: this.stderr, complaints })
      })
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Sends a signal and waits for the end. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.#child.kill(signal)
    return await this.ended
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Reads its standard output no more. */
  closeOutput(): void {
    this.#child.stdout?.destroy()
  }

  /** Sends a signal to every process of its group, as Ctrl+C and systemd do, and waits for the end. */
  async stopGroup(signal: NodeJS.Signals): Promise<Ended> {
    process.kill(-this.pid, signal)
    return await this.ended
  }

  /** Waits until standard output holds something. Throws when the process ends first. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stdout)
      if (found !== null) return found
      const ended = await Promise.race([this.ended, pause(10)])
      if (ended !== undefined) throw new Error(`It ended with ${ended.code}: ${ended.stderr}`)
    }
  }
}

/** Runs a command to its end. */
export async function run(commandLine: readonly string[], options: Options = {}): Promise<Ended> {
  return await new TesseraProcess(commandLine, options).ended
}

/** A service as a process of its own, listening. */
export class Serving extends TesseraProcess {
  /** Where it listens. */
  url = ''
  issuer = ''

  /** On a free port of the loopback interface, in development, unless the environment says otherwise. */
  static async start(
    environment: Record<string, string>,
    cwd?: string,
    command?: string,
    options: Pick<Options, 'node' | 'user'> = {},
  ): Promise<Serving> {
    const serving = new Serving(['serve'], {
      ...options,
      environment: { TESSERA_MODE: 'development', TESSERA_PORT: String(await freePort()), ...environment },
      ...(cwd !== undefined && { cwd }),
      ...(command !== undefined && { command }),
    })
    const [, url = '', issuer = ''] = await serving.prints(/^tessera listens on (\S+) as (\S+)$/m)
    return Object.assign(serving, { url, issuer })
  }
}

/** Resolves to undefined. */
export const pause = (milliseconds: number) =>
  new Promise<undefined>((resolve) => setTimeout(resolve, milliseconds, undefined))

/** The processes that this one has started. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((one) => one !== '')
    .map(Number)

/** A port that nobody listens on. */
export async function freePort(host = 'localhost'): Promise<number> {
  // Below those that the system gives to connections: one of them may be taken before the service listens.
  const port = randomInt(12_000, 32_000)
  const probe = createServer()
  const free = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, host, () => resolve(true))
  })
  if (!free) return await freePort(host)
  await new Promise((resolve) => probe.close(resolve))
  return port
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
