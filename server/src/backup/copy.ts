/** A copy of a backup to try something on: what is backed up, and what serves, stay as they are. */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  closeSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { partsOf } from '../database/postgres-hosts.ts'
import { isEmpty } from '../database/rehearsal.ts'

interface CopyTarget {
  /** An empty database of PostgreSQL that takes a dump; not asked for where the backup is of SQLite. */
  into: () => string
  /** Is told what takes its time. */
  tell: (text: string) => void
}

/**
 * Copies a backup, hands the copy's address to the work, and removes the copy of an embedded database afterwards. A
 * dump of PostgreSQL stays in the database that took it. Throws, and changes nothing, when it is neither, or the
 * database for the dump is not empty.
 */
export async function withCopy<T>(
  backup: string,
  { into, tell }: CopyTarget,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const kind = kindOf(backup)
  if (kind === 'sqlite') return await inTemporary(backup, tell, work)
  if (kind === undefined)
    throw new Error(
      `${backup} is no backup: give a file of tessera backup, or of pg_dump --format=custom (or directory).`,
    )
  const url = into()
  if (!url.startsWith('postgres'))
    throw new Error(
      `${backup} is of PostgreSQL: make an empty database (createdb tessera_rehearsal) and set TESSERA_DATABASE_URL to it.`,
    )
  if (!(await isEmpty(url)))
    throw new Error(
      'The database of TESSERA_DATABASE_URL is not empty, and a rehearsal replaces nothing: make an empty one (createdb tessera_rehearsal), and set TESSERA_DATABASE_URL to it.',
    )
  tell(`restores ${backup}`)
  await restored(backup, url)
  return await work(url)
}

/** The first bytes tell the kind, or a folder's table of contents. */
function kindOf(backup: string): 'sqlite' | 'postgres' | undefined {
  const found = statSync(backup)
  if (found.isDirectory()) return existsSync(join(backup, 'toc.dat')) ? 'postgres' : undefined
  // A pipe would be waited for.
  if (!found.isFile()) return undefined
  const first = Buffer.alloc(16)
  const file = openSync(backup, 'r')
  readSync(file, first)
  closeSync(file)
  const text = first.toString('latin1')
  if (text === 'SQLite format 3\0') return 'sqlite'
  return text.startsWith('PGDMP') ? 'postgres' : undefined
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

async function inTemporary<T>(
  backup: string,
  tell: CopyTarget['tell'],
  work: (url: string) => Promise<T>,
): Promise<T> {
  // What is not in the file yet lies beside the file itself, not beside a link to it.
  if ((statSync(`${realpathSync(backup)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new Error(
      `${backup} is a database in use, not a backup: make one with tessera backup, and give that.`,
    )
  // The folder is its owner's: the copy holds password hashes and encrypted keys.
  const folder = mkdtempSync(join(tmpdir(), 'tessera-rehearsal-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  return await leavingNothing(remove, async () => {
    tell(`copies ${backup}`)
    const copy = join(folder, 'copy.sqlite')
    copyFileSync(backup, copy, constants.COPYFILE_FICLONE)
    // A backup may be for reading alone, and its copy would be.
    chmodSync(copy, 0o600)
    return await work(`sqlite:${copy}`)
  })
}

/** Works, and clears up after it: also when a signal ends the command meanwhile. */
async function leavingNothing<T>(clear: () => unknown, work: () => Promise<T>): Promise<T> {
  const stop = () => {
    clear()
    process.exit(1)
  }
  for (const signal of signals) process.once(signal, stop)
  try {
    return await work()
  } finally {
    for (const signal of signals) process.off(signal, stop)
    clear()
  }
}

/** The password goes by the environment: everybody on this machine can read a command line. */
async function restored(dump: string, url: string): Promise<void> {
  const { address, password } = withoutPassword(url)
  const options = [
    '--no-owner',
    '--no-acl',
    '--exit-on-error',
    '--single-transaction',
    `--dbname=${address}`,
    dump,
  ]
  const env = { ...process.env, ...(password !== '' && { PGPASSWORD: password }) }
  const restoring = promisify(execFile)('pg_restore', options, { env })
  try {
    await leavingNothing(
      () => restoring.child.kill(),
      () => restoring,
    )
  } catch (error) {
    const { code, stderr, message } = error as Error & { code: unknown; stderr?: string }
    if (code !== 'ENOENT')
      throw new Error(`The dump can't be restored: ${stderr?.trim().split('\n')[0] ?? message}`)
    throw new Error(
      'pg_restore is not to be found: install the client programs of PostgreSQL, or put them on the PATH.',
    )
  }
}

/** An address with a socket has no host, and is no URL. */
function withoutPassword(url: string): { address: string; password: string } {
  const { scheme, authority, path, query } = partsOf(url)
  const [, user = '', given = '', host = authority] = /^([^:]*):?(.*)@([^@]*)$/s.exec(authority) ?? []
  const parameters = query.split('&').filter((one) => one !== '')
  const isPassword = (one: string) => one.startsWith('password=')
  const password = parameters.find(isPassword)?.slice('password='.length) ?? given
  const others = parameters.filter((one) => !isPassword(one)).join('&')
  const address = `${scheme}${user === '' ? '' : `${user}@`}${host}${path}${others === '' ? '' : `?${others}`}`
  return { address, password: decodeURIComponent(password) }
}
