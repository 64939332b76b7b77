/**
 * The settings, from the environment alone, described by the schema in settings-schema.ts. An unknown `TESSERA_*`
 * or a bad value stops the start with one line that names the setting and the cure.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type * as z from 'zod'
import { mailboxOf, mailServerOf } from './protocol/mail-server.ts'
import { commandSchema, settingsSchema } from './settings-schema.ts'
import { shownSettings } from './settings-shown.ts'
import type { DatabaseLimits } from './database/store.ts'

export { settingsSchema } from './settings-schema.ts'

/** A setting that stops the start: one line, names it and says what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

type Environment = Readonly<Record<string, string | undefined>>
type Raw = z.infer<typeof settingsSchema>

/** What stands in the setting itself, or in the file that `…_FILE` names. */
const inFiles = [
  'TESSERA_DATABASE_URL',
  'TESSERA_SECRET',
  'TESSERA_SECRET_PREVIOUS',
  'TESSERA_MAIL_URL',
] as const
type InFile = (typeof inFiles)[number]

/** Reads the settings; times are in milliseconds. Throws `SettingsError`. */
export function readSettings(environment: Environment) {
  const { raw, given } = readAll(environment, inFiles)
  if (raw.TESSERA_ISSUER === undefined && raw.TESSERA_MODE === 'production') throw issuerIsMissing()
  return {
    mode: raw.TESSERA_MODE,
    /** Undefined in development alone: `http://localhost:PORT` once the port is known. */
    issuer: raw.TESSERA_ISSUER,
    host: raw.TESSERA_HOST,
    port: raw.TESSERA_PORT,
    databaseUrl: raw.TESSERA_DATABASE_URL,
    databaseLimits: databaseLimits(raw),
    databaseLoss: raw.TESSERA_DATABASE_LOSS,
    /** Still opens keys that it encrypted. */
    previousSecret: raw.TESSERA_SECRET_PREVIOUS,
    /** A signing key is followed by a new one after this. */
    keyRotation: raw.TESSERA_KEY_ROTATION * 1000,
    /** A new signing key is published this long before it signs. */
    keyLead: raw.TESSERA_KEY_LEAD * 1000,
    /** 0: no metrics. */
    metricsPort: raw.TESSERA_METRICS_PORT,
    declared: raw.TESSERA_DECLARED,
    /** The provider whose addresses lead here too. */
    aliases: raw.TESSERA_ALIASES,
    trustedProxies: raw.TESSERA_TRUSTED_PROXIES,
    forwardAuth: {
      proxies: raw.TESSERA_FORWARD_AUTH_PROXIES,
      headers: raw.TESSERA_FORWARD_AUTH_HEADERS,
    },
    scopesSupported: raw.TESSERA_SCOPES_SUPPORTED,
    docsUrl: raw.TESSERA_DOCS_URL,
    apiDocSignIn: raw.TESSERA_API_DOC_SIGN_IN,
    console: raw.TESSERA_CONSOLE,
    commandSignIn: raw.TESSERA_COMMAND_SIGN_IN,
    logLevel: raw.TESSERA_LOG_LEVEL,
    lifetimes: {
      accessToken: raw.TESSERA_ACCESS_TOKEN_LIFETIME * 1000,
      code: raw.TESSERA_CODE_LIFETIME * 1000,
      refreshIdle: raw.TESSERA_REFRESH_IDLE_LIFETIME * 1000,
      refreshAbsolute: raw.TESSERA_REFRESH_ABSOLUTE_LIFETIME * 1000,
      sessionIdle: raw.TESSERA_SESSION_IDLE_LIFETIME * 1000,
      sessionAbsolute: raw.TESSERA_SESSION_ABSOLUTE_LIFETIME * 1000,
      signIn: raw.TESSERA_SIGN_IN_LIFETIME * 1000,
    },
    limits: {
      clientAuth: raw.TESSERA_LIMIT_CLIENT_AUTH,
      authorize: raw.TESSERA_LIMIT_AUTHORIZE,
      grants: raw.TESSERA_LIMIT_GRANTS,
      signInAccount: raw.TESSERA_LIMIT_SIGN_IN_ACCOUNT,
      signInAddress: raw.TESSERA_LIMIT_SIGN_IN_ADDRESS,
      hashing: raw.TESSERA_LIMIT_HASHING,
    },
    webauthn: {
      /** Undefined: the issuer's host. */
      rpId: raw.TESSERA_WEBAUTHN_RP_ID,
      origins: raw.TESSERA_WEBAUTHN_ORIGINS,
    },
    mail: mailOf(raw),
    /** None: those of this machine. */
    dnsServers: raw.TESSERA_DNS_SERVERS,
    logoutToPrivateAddresses: raw.TESSERA_LOGOUT_TO_PRIVATE_ADDRESSES,
    webhooksToPrivateAddresses: raw.TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES,
    shown: shownSettings(given),
    // Last, because it may make a file: a mistake in another setting leaves nothing behind.
    secret: readSecret(raw),
  }
}

export type Settings = ReturnType<typeof readSettings>

/** The settings of the database, for commands that need it alone. Throws `SettingsError`. */
export function readDatabaseUrl(
  environment: Environment,
): Pick<Settings, 'databaseUrl' | 'databaseLimits' | 'mode'> {
  const raw = parse(environment, ['TESSERA_DATABASE_URL'])
  return {
    databaseUrl: raw.TESSERA_DATABASE_URL,
    databaseLimits: databaseLimits(raw),
    mode: raw.TESSERA_MODE,
  }
}

/**
 * The secrets, for commands that work on the database. They take the one that the service made beside the database in
 * development, in any mode. Throws `SettingsError`.
 */
export function readSecrets(environment: Environment): Pick<Settings, 'secret' | 'previousSecret'> {
  const raw = parse(environment, ['TESSERA_DATABASE_URL', 'TESSERA_SECRET', 'TESSERA_SECRET_PREVIOUS'])
  const { TESSERA_DATABASE_URL: url } = raw
  const isMade = raw.TESSERA_SECRET === undefined && existsSync(developmentPath(url))
  return {
    secret: isMade ? developmentSecret(url) : readSecret(raw),
    previousSecret: raw.TESSERA_SECRET_PREVIOUS,
  }
}

function databaseLimits(raw: Raw): DatabaseLimits {
  return {
    pool: raw.TESSERA_DATABASE_POOL,
    connectTimeout: raw.TESSERA_DATABASE_CONNECT_TIMEOUT * 1000,
    statementTimeout: raw.TESSERA_DATABASE_STATEMENT_TIMEOUT * 1000,
  }
}

/** Checks all settings; of the files it reads those of `needed` alone. */
const parse = (environment: Environment, needed: readonly InFile[] = []): Raw =>
  readAll(environment, needed).raw

/** The settings, and what the environment and its files say of them. */
function readAll(environment: Environment, needed: readonly InFile[]): { raw: Raw; given: Environment } {
  const ours = Object.entries(environment).filter(
    // An empty variable counts as unset: that is how compose files leave one out.
    ([name, value]) => name.startsWith('TESSERA_') && value !== undefined && value !== '',
  )
  const known = Object.keys(settingsSchema.shape)
  // The excepted ones are for the tests and tools of this repository.
  const unknown = ours.find(([name]) => !known.includes(name) && !name.startsWith('TESSERA_TEST_'))
  if (unknown !== undefined && unknown[0] in commandSchema.shape) {
    throw new SettingsError(
      `${unknown[0]} is for administering by the API of a service, and this works on the database: unset it, or give the commands that go by the API TESSERA_URL as well.`,
    )
  }
  if (unknown !== undefined) {
    throw new SettingsError(
      `${unknown[0]} is not a setting: remove it or correct its name. The settings are in docs/configuration.md.`,
    )
  }
  const named = Object.fromEntries(ours.filter(([name]) => known.includes(name)))
  const fromFiles = Object.fromEntries(
    needed.filter((name) => named[`${name}_FILE`] !== undefined).map((name) => [name, fileOf(name, named)]),
  )
  const given = { ...named, ...fromFiles }
  const result = settingsSchema.safeParse(given)
  if (result.success) return { raw: result.data, given }
  const issue = result.error.issues[0]
  const name = String(issue?.path[0])
  throw new SettingsError(`${name}${name in fromFiles ? '_FILE' : ''} ${issue?.message ?? 'is not valid'}.`)
}

function fileOf(name: InFile, given: Environment): string {
  const path = given[`${name}_FILE`] ?? ''
  if (given[name] !== undefined) throw new SettingsError(`${name} and ${name}_FILE are both set: keep one.`)
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new SettingsError(
      `${name}_FILE can't be read: check that ${path} exists and that this user may read it.`,
    )
  }
}

/** The issuer, for commands beside the service; in development that on its usual port. Throws `SettingsError`. */
export function readIssuer(environment: Environment): string {
  const issuer = issuerIn(parse(environment))
  if (issuer === undefined) throw issuerIsMissing()
  return issuer
}

function issuerIn({
  TESSERA_ISSUER: issuer,
  TESSERA_MODE: mode,
  TESSERA_PORT: port,
}: Raw): string | undefined {
  const isUsual = issuer === undefined && mode === 'development' && port !== 0
  return isUsual ? `http://localhost:${port}` : issuer
}

/** The issuer, where a command beside the service knows it, and whether there is a console. Throws `SettingsError`. */
export function readEntrance(environment: Environment): { issuer: string | undefined; console: boolean } {
  const raw = parse(environment)
  return { issuer: issuerIn(raw), console: raw.TESSERA_CONSOLE }
}

/** The domain that passkeys belong to, for commands beside the service. Throws `SettingsError`. */
export const readRpId = (environment: Environment): string =>
  parse(environment).TESSERA_WEBAUTHN_RP_ID ?? new URL(readIssuer(environment)).hostname

const issuerIsMissing = () =>
  new SettingsError(
    'TESSERA_ISSUER is missing: set it to the address that clients use, such as https://id.example.com.',
  )

/** What sends mail, for a command that needs no more. Throws `SettingsError`. */
export const readMail = (environment: Environment) => mailOf(parse(environment, ['TESSERA_MAIL_URL']))

/** The settings of mail. Without a server, development shows mails, and production sends none. */
function mailOf(raw: Raw) {
  const url = raw.TESSERA_MAIL_URL
  if (url !== undefined && raw.TESSERA_MAIL_FROM === undefined)
    throw new SettingsError(
      'TESSERA_MAIL_FROM is missing: set it to the address that mails come from, such as Acme <no-reply@id.example.com>.',
    )
  return {
    server: url === undefined ? undefined : mailServerOf(url),
    from: mailboxOf(raw.TESSERA_MAIL_FROM ?? '') ?? { name: 'Tessera', address: 'tessera@localhost' },
    replyTo: mailboxOf(raw.TESSERA_MAIL_REPLY_TO ?? ''),
  }
}

function readSecret(raw: Raw): string {
  const { TESSERA_SECRET: secret, TESSERA_SECRET_FILE: file } = raw
  if (secret !== undefined)
    return strong(secret, file === undefined ? 'TESSERA_SECRET' : 'TESSERA_SECRET_FILE')
  if (raw.TESSERA_MODE === 'production') {
    throw new SettingsError(
      'TESSERA_SECRET is missing: set it (or TESSERA_SECRET_FILE) to the secret of this installation; for a new one to at least 32 random characters, such as the output of: openssl rand -base64 32.',
    )
  }
  // Nothing that it encrypts outlives the process.
  if (raw.TESSERA_DATABASE_URL === 'sqlite::memory:') return randomBytes(32).toString('base64url')
  return developmentSecret(raw.TESSERA_DATABASE_URL)
}

function strong(secret: string, setting: string): string {
  if (secret.length < 32 || new Set(secret).size < 10) {
    throw new SettingsError(
      `${setting} is too weak: use at least 32 random characters, such as the output of: openssl rand -base64 32.`,
    )
  }
  return secret
}

function developmentPath(databaseUrl: string): string {
  const directory = databaseUrl.startsWith('sqlite:') ? dirname(databaseUrl.slice('sqlite:'.length)) : 'data'
  return join(directory, 'tessera.secret')
}

/** A secret of this machine's own, made once and kept beside the database, readable by its owner alone. */
function developmentSecret(databaseUrl: string): string {
  const path = developmentPath(databaseUrl)
  mkdirSync(dirname(path), { recursive: true })
  if (!existsSync(path)) {
    // Written aside first: nobody ever reads half of it, and an end in between leaves nothing that counts.
    const draft = `${path}.${randomBytes(8).toString('hex')}`
    try {
      writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
      linkSync(draft, path)
    } catch (error) {
      // Another process made it meanwhile: then that one counts.
      if (!existsSync(path)) throw error
    } finally {
      rmSync(draft, { force: true })
    }
  }
  return strong(readFileSync(path, 'utf8').trim(), path)
}
