/** What `tessera login` keeps: a file for each service, which its owner alone may read. */
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { ApiObject } from './connection.ts'
import type { Context } from './context.ts'
import { answerTo, jsonOf, reasonOf } from './service-address.ts'

export interface Login {
  client_id: string
  access_token: string
  /** Milliseconds since the epoch. */
  expires_at: number
  refresh_token?: string
}

type Of = Pick<Context, 'environment' | 'now'>

/** A token that ends so soon may end on its way, ms. */
const leeway = 30_000

/** A folder in $XDG_CONFIG_HOME, on Windows in %APPDATA%, else in ~/.config. */
function folderOf({ environment }: Pick<Of, 'environment'>): string {
  const { XDG_CONFIG_HOME: xdg, APPDATA: roaming, HOME: home } = environment
  const windows = process.platform === 'win32' ? roaming : undefined
  const folder = xdg || windows || join(home || homedir(), '.config')
  return join(folder, 'tessera', 'logins')
}

/** The file of a service. */
const fileOf = (origin: string, of: Pick<Of, 'environment'>): string =>
  join(folderOf(of), `${encodeURIComponent(origin)}.json`)

/** The services that somebody is signed in to here. */
export async function loginsKept(of: Pick<Of, 'environment'>): Promise<string[]> {
  const files = (await readdir(folderOf(of)).catch(ifMissing)) ?? []
  return files.filter((file) => file.endsWith('.json')).map((file) => decodeURIComponent(file.slice(0, -5)))
}

/** The login at a service; undefined: there is none. Throws when others may read the file. */
async function findLogin(origin: string, context: Of): Promise<Login | undefined> {
  const file = fileOf(origin, context)
  const text = await readFile(file, 'utf8').catch(ifMissing)
  if (text === undefined) return undefined
  const { mode } = await stat(file)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`Others may read ${file}: run chmod 600 on it.`)
  }
  const login = jsonOf(text) as Partial<Login> | undefined
  if (typeof login?.access_token === 'string' && typeof login.client_id === 'string') return login as Login
  throw new Error(`${file} is damaged: remove it, and run tessera login --url ${origin}.`)
}

const ifMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error
}

/** Keeps it. A command that is killed meanwhile leaves the file before. */
async function keepLogin(origin: string, context: Of, login: Login): Promise<void> {
  const file = fileOf(origin, context)
  const next = `${file}.${process.pid}`
  await rm(next, { force: true })
  await writeFile(next, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  await rename(next, file)
}

const forgetLogin = (origin: string, context: Of) => rm(fileOf(origin, context), { force: true })

/** Keeps this login in the place of the one before, or none; yields that, where it can be used. */
export async function replaceLogin(
  origin: string,
  context: Of,
  next: Login | undefined,
): Promise<Login | undefined> {
  return await locked(fileOf(origin, context), async () => {
    const before = await findLogin(origin, context).catch(() => undefined)
    await (next === undefined ? forgetLogin(origin, context) : keepLogin(origin, context, next))
    return before
  })
}

/** What is kept of an answer with tokens. */
export function loginOf(clientId: string, tokens: ApiObject, now: number): Login {
  const { access_token: access, expires_in: seconds, refresh_token: refresh } = tokens
  return {
    client_id: clientId,
    access_token: String(access),
    expires_at: now + Number(seconds) * 1000,
    ...(typeof refresh === 'string' && { refresh_token: refresh }),
  }
}

/** The login with an access token that lives, refreshed where needed; undefined: nobody has signed in. */
export async function liveLogin(origin: string, context: Of): Promise<Login | undefined> {
  const found = await findLogin(origin, context)
  if (found === undefined || lives(found, context)) return found
  return await locked(fileOf(origin, context), async () => {
    // Another command may have refreshed it meanwhile, or signed out.
    const login = await findLogin(origin, context)
    return login === undefined || lives(login, context) ? login : await refreshed(origin, context, login)
  })
}

const lives = ({ expires_at: end }: Login, { now }: Of): boolean => end - leeway > now()

async function refreshed(origin: string, context: Of, { client_id, refresh_token }: Login): Promise<Login> {
  const again = `Sign in again: tessera login --url ${origin}`
  if (refresh_token === undefined) throw new Error(`The login at ${origin} has ended. ${again}`)
  const form = { grant_type: 'refresh_token', client_id, refresh_token }
  const { ok, body } = await answerTo(origin, '/oauth2/token', form)
  if (!ok) {
    if (body.error === 'invalid_grant') await forgetLogin(origin, context)
    throw new Error(`The login at ${origin} could not go on: ${reasonOf(body)} ${again}`)
  }
  const login = loginOf(client_id, body, context.now())
  await keepLogin(origin, context, login)
  return login
}

/** A command holds the lock for a request; one that was killed leaves it behind. Ms. */
const longestHeld = 120_000

/** Commands at the same time refresh one after the other: a refresh token that is used twice ends the login. */
async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  while (!(await taken(lock))) {
    if (await isLeft(lock)) await rm(lock, { force: true })
    else await wait(50)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

/** False: another command has it. */
async function taken(lock: string): Promise<boolean> {
  try {
    const held = await open(lock, 'wx', 0o600)
    await held.writeFile(String(process.pid))
    await held.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Whether the command that took the lock has ended without giving it back. */
async function isLeft(lock: string): Promise<boolean> {
  const [holder, held] = await Promise.all([
    readFile(lock, 'utf8').catch(ifMissing),
    stat(lock).catch(ifMissing),
  ])
  if (held === undefined) return false
  if (Date.now() - held.mtimeMs > longestHeld) return true
  // Nothing is in it yet.
  return holder !== undefined && holder !== '' && !isRunning(Number(holder))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
