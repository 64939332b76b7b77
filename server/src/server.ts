import type { EncryptUpstream } from './administration/upstreams/secrets.ts'
import { encryptedUpstream } from './keys/upstream-secret.ts'
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { type Background, startBackground } from './background/background.ts'
import { keepBuiltInClients } from './administration/clients/built-in.ts'
import { warnOfEarlierPasskeys } from './background/earlier-passkeys.ts'
import { warnOfDearSignatures } from './background/signature-cost.ts'
import { settled } from './audit/link.ts'
import type { Declared } from './declared/declared.ts'
import { DeclaredFileError } from './declared/problems.ts'
import { DeclaredChild } from './declaring/child.ts'
import { createApp } from './http/app.ts'
import { freePort } from './http/free-port.ts'
import { createMetrics, serveMetrics } from './http/metrics.ts'
import { Traffic } from './http/traffic.ts'
import { relyingParty } from './identity/factors/webauthn.ts'
import { Limit } from './identity/limit.ts'
import { PasswordHasher } from './identity/passwords.ts'
import { auditKeeper } from './keys/audit-key.ts'
import { openMail } from './mail/mail.ts'
import { KeyRing } from './keys/key-ring.ts'
import { longestTokenLife } from './keys/key-times.ts'
import type { Observe } from './observed.ts'
import type { Service } from './service.ts'
import { type Settings, SettingsError } from './settings.ts'
import { openStore } from './database/open.ts'
import { encryptedTotp } from './keys/totp-secret.ts'
import type { EncryptTotp } from './store/given-totp.ts'
import { Unanswered } from './store/unanswered.ts'

export { readSettings, type Settings, SettingsError } from './settings.ts'

/** A service that listens. */
export interface Running {
  /** The address that it listens at, such as `http://localhost:4000`. */
  url: string
  issuer: string
  /** Stops taking connections, finishes what is in flight, closes the database. */
  close(): Promise<void>
}

/**
 * Starts the service: the one place where its parts meet. `now` is the clock, epoch milliseconds.
 * Throws `SettingsError`, `DeclaredFileError` or what the database says; then nothing is left open.
 */
export async function start(
  settings: Settings,
  { now = Date.now, oneOfSeveral = false, linger = false, measure = false }: StartOptions = {},
): Promise<Running> {
  // Read before anything is opened: a file with a mistake changes nothing.
  const declared =
    settings.declared === undefined ? undefined : await readAtStart(settings.declared, settings)
  // The port is found before the database is touched: a start that can't listen changes nothing.
  const port = oneOfSeveral ? settings.port : await freePort(settings.host, settings.port)
  const issuer = settings.issuer ?? `http://localhost:${port}`
  if (declared !== undefined) await refuseOurs(declared, issuer)
  const metrics = settings.metricsPort === 0 ? undefined : await createMetrics()
  const traffic = new Traffic()
  const observe = metrics?.observe ?? (() => undefined)
  /** What closes what is open, the last opened first. */
  const closers: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const one of closers) await one()
  }
  try {
    if (metrics && !oneOfSeveral) closers.unshift(await serveMetrics(settings, metrics.read))
    const service = await assemble(settings, issuer, { now, observe })
    closers.unshift(() => service.store.close())
    closers.unshift(() => settled(service.store))
    closers.unshift(() => service.unanswered.note().catch(() => undefined))
    await keepBuiltInClients(service)
    let background: Background | undefined
    // Requests go on until the application is closed, so this ends after it.
    closers.unshift(async () => await background?.stop())
    const app = await madeWhile(declared && apply(service, declared).catch(inOneLine), () =>
      createApp(service, { metrics, traffic, linger }),
    )
    closers.unshift(() => app.close())
    const { log } = app
    metrics?.gauge(service)
    await quietly(log, () => app.listen({ host: settings.host, port }))
    background = startBackground(service, (error) => log.error({ err: error }, 'a background job failed'))
    if (measure) {
      warnOfDearSignatures(service.keys, log)
      const failed = (error: unknown) => log.error({ err: error }, 'passkeys could not be counted')
      void warnOfEarlierPasskeys(service.store, relyingParty(service)?.id, log).catch(failed)
    }
    return { url: `http://${hostInUrl(settings.host)}:${port}`, issuer, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The application, made while the passwords of the file are compared, which is the work of other threads. */
async function madeWhile(
  applied: Promise<void> | undefined,
  make: () => Promise<FastifyInstance>,
): Promise<FastifyInstance> {
  const [made, done] = await Promise.allSettled([make(), applied])
  if (made.status === 'rejected') throw made.reason
  if (done.status === 'fulfilled') return made.value
  await made.value.close()
  throw done.reason
}

export interface StartOptions {
  /** The clock, epoch milliseconds. */
  now?: () => number
  /** Another process has found the port free, and serves the metrics of all. */
  oneOfSeveral?: boolean
  /** Whether closing waits until a balancer sends no more requests. */
  linger?: boolean
  /** Whether to look for what deserves a warning: dear signatures, passkeys of an earlier address. */
  measure?: boolean
}

/** The command says where it listens; the framework would say it again, as a line of the log for each address. */
async function quietly<T>(log: { level: string }, work: () => Promise<T>): Promise<T> {
  const { level } = log
  if (['info', 'debug', 'trace'].includes(level)) log.level = 'warn'
  try {
    return await work()
  } finally {
    log.level = level
  }
}

async function assemble(
  settings: Settings,
  issuer: string,
  { now, observe }: { now: () => number; observe: Observe },
): Promise<Service> {
  const store = await openStore(
    settings.databaseUrl,
    auditKeeper(() => secretsOf(settings)),
    settings.databaseLimits,
    (text) => process.stdout.write(`tessera ${text}\n`),
  )
  const { clientAuth, authorize, grants, hashing } = settings.limits
  const limits = {
    clientAuth: new Limit({ store, now }, 'client authentication', clientAuth),
    authorize: new Limit({ store, now }, 'authorize', authorize),
    grants: new Limit({ store, now }, 'grants', grants),
  }
  try {
    const keys = await KeyRing.open({
      store,
      ...secretsOf(settings),
      now,
      keyLead: settings.keyLead,
      longestTokenLife: longestTokenLife(settings),
    })
    // A missing key must end the start, not the first record.
    store.auditKey()
    const passwords = new PasswordHasher(hashing, now)
    const unanswered = new Unanswered(store, now)
    const mail = openMail(settings)
    const declared = new DeclaredChild(settings, issuer)
    const remembered = { unanswered, exchanged: new Set<string>() }
    return { issuer, settings, store, keys, passwords, limits, mail, declared, ...remembered, observe, now }
  } catch (error) {
    await store.close()
    throw error
  }
}

const secretsOf = ({ secret, previousSecret }: Settings) => ({ secret, previousSecret })

async function apply({ store, settings, now, mail }: Service, declared: Declared): Promise<void> {
  const { applyDeclared } = await import('./declared/apply.ts')
  const { plainPasswords } = await import('./identity/plain-passwords.ts')
  const encryptTotp: EncryptTotp = (totp, id) => encryptedTotp(totp, id, settings.secret)
  const by = { requestId: randomUUID() }
  const encryptUpstream: EncryptUpstream = (text, uuid, of) =>
    encryptedUpstream(text, uuid, of, settings.secret)
  const giving = { encryptTotp, encryptUpstream, mail }
  await applyDeclared(store, declared, { now: now(), by, ...giving, ...plainPasswords })
}

async function readAtStart(file: string, { mode }: Settings): Promise<Declared> {
  const { readDeclaredFile } = await import('./declared/format.ts')
  return await readDeclaredFile(file, { mode }).catch(inOneLine)
}

/** A start is refused in one line that names the setting; `tessera plan` lists all that is wrong with a file. */
function inOneLine(error: unknown): never {
  if (!(error instanceof DeclaredFileError)) throw error
  const [first = '', ...more] = error.message.split('\n')
  const others = more.length === 0 ? '' : ` (and ${more.length} more: tessera plan lists them)`
  throw new SettingsError(`TESSERA_DECLARED: ${first}${others}`)
}

async function refuseOurs(declared: Declared, issuer: string): Promise<void> {
  const { oursIn } = await import('./declared/ours.ts')
  const [first] = oursIn(declared, issuer)
  if (first !== undefined) throw new SettingsError(`${first.file}:${first.line}: ${first.reason}`)
}

/** An IPv6 address stands in brackets (RFC 3986 §3.2.2); all addresses are reached by the machine's own name. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
