/**
 * The settings, from the environment alone, described by one schema: `docs/configuration.md` is generated from
 * it. An unknown `TESSERA_*` or a bad value stops the start with one line that names the setting and the cure.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { isLoopbackHost } from './protocol/redirect-uri.ts'
import type { DatabaseLimits } from './store/open.ts'

/** Digits alone: `Number` would also read a blank, `0x50` and `1e3`. */
const whole = (least: number, most: number, standard: number, error: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error })
    .transform(Number)
    .pipe(z.number().min(least, { error }).max(most, { error }))
    .default(standard)
const seconds = (standard: number) =>
  whole(1, 315_360_000, standard, `must be a whole number of seconds, such as ${standard}`)
const perMinute = (standard: number) =>
  whole(0, 1_000_000, standard, 'must be a whole number; 0 turns the limit off')

/** Every setting there is. The descriptions are the documentation. */
export const settingsSchema = z.strictObject({
  TESSERA_MODE: z
    .enum(['production', 'development'], { error: 'must be production or development' })
    .default('production')
    .describe(
      '`development` allows plain passwords and secrets in the declared file, and generates a missing secret.',
    ),
  TESSERA_ISSUER: z
    .string()
    .optional()
    .describe(
      'The address of this service as clients know it, such as `https://id.example.com`: an origin without path or trailing slash. Required in production; in development `http://localhost:PORT`.',
    ),
  TESSERA_HOST: z
    .string()
    .min(1)
    .default('localhost')
    .describe('The address to listen on; `0.0.0.0` for all of IPv4, `::` for all.'),
  TESSERA_PORT: whole(0, 65_535, 4000, 'must be a port number, 0 to 65535').describe(
    'The port to listen on; `0` takes a free one.',
  ),
  TESSERA_DATABASE_URL: z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, {
      error: 'must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE',
    })
    .default('sqlite:data/tessera.sqlite')
    .describe('Where everything is kept: `sqlite:PATH` (a file) or `postgres://…`.'),
  TESSERA_DATABASE_POOL: whole(1, 1000, 10, 'must be a whole number, 1 to 1000').describe(
    'Connections to PostgreSQL that one process keeps at the most.',
  ),
  TESSERA_DATABASE_CONNECT_TIMEOUT: seconds(5).describe(
    'How long a request waits for a connection to PostgreSQL, seconds; then it is answered 503.',
  ),
  TESSERA_DATABASE_STATEMENT_TIMEOUT: seconds(10).describe(
    'How long one statement may take on PostgreSQL, seconds; then the request is answered 503.',
  ),
  TESSERA_SECRET: z
    .string()
    .optional()
    .describe(
      'Encrypts the signing keys in the database: at least 32 characters, such as the output of `openssl rand -base64 32`. Required in production; in development generated and kept beside the database.',
    ),
  TESSERA_SECRET_FILE: z
    .string()
    .optional()
    .describe('A file that holds the secret, instead of `TESSERA_SECRET`.'),
  TESSERA_SECRET_PREVIOUS: z
    .string()
    .optional()
    .describe(
      'The secret that came before: signing keys that it encrypted can still be read. Change `TESSERA_SECRET`, keep the old one here, run `tessera keys reencrypt`, then remove it.',
    ),
  TESSERA_KEY_ROTATION: seconds(7_776_000).describe(
    'A signing key is followed by a new one after this long, seconds (90 days).',
  ),
  TESSERA_METRICS_PORT: whole(0, 65_535, 0, 'must be a port number, 0 to 65535').describe(
    'The port that serves `/metrics` for Prometheus, on the same address as the service; `0` serves none.',
  ),
  TESSERA_DECLARED: z
    .string()
    .optional()
    .describe('A declared file to apply at every start: see docs/declared-file.md.'),
  TESSERA_TRUSTED_PROXIES: z
    .string()
    .default('')
    .describe(
      'The addresses or networks of proxies whose `X-Forwarded-For` tells the client’s address, separated by commas, such as `10.0.0.0/8, ::1`. Nothing else is ever taken from forwarded headers.',
    ),
  TESSERA_DOCS_URL: z
    .string()
    .optional()
    .describe('The address that serves `/api/doc` and `/api/doc.json`, when it is not the issuer.'),
  TESSERA_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info')
    .describe('How much is logged, as JSON lines on standard output.'),
  TESSERA_ACCESS_TOKEN_LIFETIME: seconds(900).describe(
    'Life of access and ID tokens, seconds. A client can have its own.',
  ),
  TESSERA_CODE_LIFETIME: seconds(60).describe('Time to exchange an authorization code, seconds.'),
  TESSERA_REFRESH_IDLE_LIFETIME: seconds(1_209_600).describe(
    'A refresh token that is not used for this long ends, seconds (14 days). A client can have its own.',
  ),
  TESSERA_REFRESH_ABSOLUTE_LIFETIME: seconds(2_592_000).describe(
    'A token family ends this long after the sign-in, however much it is used, seconds (30 days). A client can have its own.',
  ),
  TESSERA_SESSION_IDLE_LIFETIME: seconds(43_200).describe(
    'A browser session that is not used for this long ends, seconds (12 hours).',
  ),
  TESSERA_SESSION_ABSOLUTE_LIFETIME: seconds(604_800).describe(
    'A browser session ends this long after the sign-in, seconds (7 days).',
  ),
  TESSERA_SIGN_IN_LIFETIME: seconds(3600).describe('Time to finish a sign-in that was begun, seconds.'),
  TESSERA_LIMIT_CLIENT_AUTH: perMinute(30).describe(
    'Failed client authentications per client and address, a minute. `0` turns it off.',
  ),
  TESSERA_LIMIT_AUTHORIZE: perMinute(1200).describe(
    'Authorization requests per address, a minute. `0` turns it off.',
  ),
  TESSERA_LIMIT_GRANTS: perMinute(1200).describe('Refused grants per address, a minute. `0` turns it off.'),
  TESSERA_LIMIT_SIGN_IN_ACCOUNT: perMinute(10).describe(
    'Wrong passwords per account before a growing delay begins. `0` turns it off.',
  ),
  TESSERA_LIMIT_SIGN_IN_ADDRESS: perMinute(100).describe(
    'Wrong passwords per address before a growing delay begins. `0` turns it off.',
  ),
  TESSERA_LIMIT_HASHING: whole(1, 10_000, 64, 'must be a whole number, 1 to 10000').describe(
    'Sign-ins that may wait for their password check; the next is answered 503.',
  ),
  TESSERA_LOGOUT_TO_PRIVATE_ADDRESSES: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .describe('Whether back-channel logout may be sent to private and loopback addresses.'),
})

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
    previousSecret: raw.TESSERA_SECRET_PREVIOUS,
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
  if (raw.TESSERA_SECRET !== undefined && raw.TESSERA_SECRET_FILE !== undefined) {
    throw new SettingsError('TESSERA_SECRET and TESSERA_SECRET_FILE are both set: keep one.')
  }
  if (raw.TESSERA_SECRET !== undefined) return strong(raw.TESSERA_SECRET, 'TESSERA_SECRET')
  if (raw.TESSERA_SECRET_FILE !== undefined)
    return strong(readSecretFile(raw.TESSERA_SECRET_FILE), 'TESSERA_SECRET_FILE')
  if (raw.TESSERA_MODE === 'production') {
    throw new SettingsError(
      'TESSERA_SECRET is missing: set it (or TESSERA_SECRET_FILE) to at least 32 random characters, such as the output of: openssl rand -base64 32.',
    )
  }
  return developmentSecret(raw.TESSERA_DATABASE_URL)
}

function readSecretFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new SettingsError(
      `TESSERA_SECRET_FILE can't be read: check that ${path} exists and that this user may read it.`,
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
    try {
      writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      // Another process made it meanwhile: then that one counts.
      if (!existsSync(path)) throw error
    }
  }
  return strong(readFileSync(path, 'utf8').trim(), path)
}
