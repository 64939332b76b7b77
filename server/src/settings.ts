/**
 * The settings, from the environment alone, described by the schema in settings-schema.ts. An unknown `TESSERA_*`
 * or a bad value stops the start with one line that names the setting and the cure.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { dirname, join } from 'node:path'
import type * as z from 'zod'
import { isLoopbackHost } from './protocol/redirect-uri.ts'
import { commandSchema, settingsSchema } from './settings-schema.ts'
import type { DatabaseLimits } from './store/open.ts'

export { settingsSchema } from './settings-schema.ts'

export interface Settings {
  mode: 'production' | 'development'
  /** Undefined in development alone: `http://localhost:PORT` once the port is known. */
  issuer: string | undefined
  host: string
  port: number
  databaseUrl: string
  databaseLimits: DatabaseLimits
  secret: string
  /** Still opens keys that it encrypted. */
  previousSecret: string | undefined
  /** Milliseconds after which a signing key is followed by a new one. */
  keyRotation: number
  /** 0: no metrics. */
  metricsPort: number
  declared: string | undefined
  trustedProxies: readonly string[]
  docsUrl: string | undefined
  logLevel: string
  /** Milliseconds. */
  lifetimes: {
    accessToken: number
    code: number
    refreshIdle: number
    refreshAbsolute: number
    sessionIdle: number
    sessionAbsolute: number
    signIn: number
  }
  limits: {
    clientAuth: number
    authorize: number
    grants: number
    signInAccount: number
    signInAddress: number
    hashing: number
  }
  logoutToPrivateAddresses: boolean
  webhooksToPrivateAddresses: boolean
}

/** A setting that stops the start: one line, names it and says what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

type Environment = Readonly<Record<string, string | undefined>>
type Raw = z.infer<typeof settingsSchema>

/** Reads the settings. Throws `SettingsError`. */
export function readSettings(environment: Environment): Settings {
  const raw = parse(environment)
  const issuer = raw.TESSERA_ISSUER === undefined ? undefined : checkedIssuer(raw.TESSERA_ISSUER)
  if (issuer === undefined && raw.TESSERA_MODE === 'production') {
    throw new SettingsError(
      'TESSERA_ISSUER is missing: set it to the address that clients use, such as https://id.example.com.',
    )
  }
  return {
    mode: raw.TESSERA_MODE,
    issuer,
    host: raw.TESSERA_HOST,
    port: raw.TESSERA_PORT,
    databaseUrl: raw.TESSERA_DATABASE_URL,
    databaseLimits: databaseLimits(raw),
    previousSecret: oneOf(raw, 'TESSERA_SECRET_PREVIOUS'),
    keyRotation: raw.TESSERA_KEY_ROTATION * 1000,
    metricsPort: raw.TESSERA_METRICS_PORT,
    declared: raw.TESSERA_DECLARED,
    trustedProxies: checkedProxies(raw.TESSERA_TRUSTED_PROXIES),
    docsUrl: raw.TESSERA_DOCS_URL === undefined ? undefined : checkedDocsUrl(raw.TESSERA_DOCS_URL),
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
    logoutToPrivateAddresses: raw.TESSERA_LOGOUT_TO_PRIVATE_ADDRESSES === 'true',
    webhooksToPrivateAddresses: raw.TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES === 'true',
    // Last, because it may make a file: a mistake in another setting leaves nothing behind.
    secret: readSecret(raw),
  }
}

/** Where everything is kept, for commands that need the database alone. Throws `SettingsError`. */
export function readDatabaseUrl(
  environment: Environment,
): Pick<Settings, 'databaseUrl' | 'databaseLimits' | 'mode'> {
  const raw = parse(environment)
  return {
    databaseUrl: raw.TESSERA_DATABASE_URL,
    databaseLimits: databaseLimits(raw),
    mode: raw.TESSERA_MODE,
  }
}

function databaseLimits(raw: Raw): DatabaseLimits {
  return {
    pool: raw.TESSERA_DATABASE_POOL,
    connectTimeout: raw.TESSERA_DATABASE_CONNECT_TIMEOUT * 1000,
    statementTimeout: raw.TESSERA_DATABASE_STATEMENT_TIMEOUT * 1000,
  }
}

function parse(environment: Environment): Raw {
  const ours = Object.entries(environment).filter(
    // An empty variable counts as unset: that is how compose files leave one out.
    ([name, value]) => name.startsWith('TESSERA_') && value !== undefined && value !== '',
  )
  const known = Object.keys(settingsSchema.shape)
  // Those that tests and tools of this repository read.
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
  const result = settingsSchema.safeParse(Object.fromEntries(ours.filter(([name]) => known.includes(name))))
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new SettingsError(`${String(issue?.path[0])} ${issue?.message ?? 'is not valid'}.`)
}

/** The issuer, for commands beside the service; in development that on its usual port. Throws `SettingsError`. */
export function readIssuer(environment: Environment): string {
  const { TESSERA_ISSUER: issuer, TESSERA_MODE: mode, TESSERA_PORT: port } = parse(environment)
  if (issuer !== undefined) return checkedIssuer(issuer)
  if (mode === 'development' && port !== 0) return `http://localhost:${port}`
  throw new SettingsError(
    'TESSERA_ISSUER is missing: set it to the address that clients use, such as https://id.example.com.',
  )
}

function checkedIssuer(issuer: string): string {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new SettingsError(
      `TESSERA_ISSUER is not an address: set it to an origin, such as https://id.example.com.`,
    )
  }
  if (url.origin !== issuer) {
    throw new SettingsError(
      `TESSERA_ISSUER must be an origin without path, query or trailing slash: set it to ${url.origin}.`,
    )
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new SettingsError(
      `TESSERA_ISSUER uses http, which only loopback addresses may: set it to https://${url.host}.`,
    )
  }
  return issuer
}

function checkedDocsUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new SettingsError(
      'TESSERA_DOCS_URL is not an address: set it to one such as https://docs.example.com.',
    )
  }
  return text.replace(/\/+$/, '')
}

function checkedProxies(text: string): string[] {
  const proxies = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const bad = proxies.find((one) => !isNetwork(one))
  if (bad !== undefined) {
    throw new SettingsError(
      `TESSERA_TRUSTED_PROXIES holds ${bad}, which is no address or network: write it like 10.0.0.0/8 or ::1.`,
    )
  }
  return proxies
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  if (bits === undefined) return true
  try {
    new BlockList().addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4')
    return /^\d+$/.test(bits)
  } catch {
    return false
  }
}

function readSecret(raw: Raw): string {
  const secret = oneOf(raw, 'TESSERA_SECRET')
  if (secret !== undefined)
    return strong(secret, raw.TESSERA_SECRET === undefined ? 'TESSERA_SECRET_FILE' : 'TESSERA_SECRET')
  if (raw.TESSERA_MODE === 'production') {
    throw new SettingsError(
      'TESSERA_SECRET is missing: set it (or TESSERA_SECRET_FILE) to at least 32 random characters, such as the output of: openssl rand -base64 32.',
    )
  }
  // Nothing that it encrypts outlives the process.
  if (raw.TESSERA_DATABASE_URL === 'sqlite::memory:') return randomBytes(32).toString('base64url')
  return developmentSecret(raw.TESSERA_DATABASE_URL)
}

/** A secret out of the setting itself, or out of the file that `…_FILE` names. */
function oneOf(raw: Raw, name: 'TESSERA_SECRET' | 'TESSERA_SECRET_PREVIOUS'): string | undefined {
  const path = raw[`${name}_FILE`]
  if (path === undefined) return raw[name]
  if (raw[name] !== undefined) throw new SettingsError(`${name} and ${name}_FILE are both set: keep one.`)
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new SettingsError(
      `${name}_FILE can't be read: check that ${path} exists and that this user may read it.`,
    )
  }
}

function strong(secret: string, setting: string): string {
  if (secret.length < 32 || new Set(secret).size < 10) {
    throw new SettingsError(
      `${setting} is too weak: use at least 32 random characters, such as the output of: openssl rand -base64 32.`,
    )
  }
  return secret
}

/** A secret of this machine's own, made once and kept beside the database, readable by its owner alone. */
function developmentSecret(databaseUrl: string): string {
  const directory = databaseUrl.startsWith('sqlite:') ? dirname(databaseUrl.slice('sqlite:'.length)) : 'data'
  const path = join(directory, 'tessera.secret')
  mkdirSync(directory, { recursive: true })
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
