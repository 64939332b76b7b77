/** Every setting there is, with what is allowed: `docs/configuration.md` is generated from it. */
import * as z from 'zod'
import { hostsProblem } from './database/postgres-hosts.ts'
import { keyTimes } from './keys/key-times.ts'
import { aliasNames } from './protocol/aliases.ts'
import { mailboxOf, mailServerProblem } from './protocol/mail-server.ts'
import { isDnsServer, isNetwork } from './protocol/networks.ts'
import { isIpHost } from './protocol/private-address.ts'
import { isIssuer } from './protocol/issuer-path.ts'
import { isLoopbackHost } from './protocol/redirect-uri.ts'
import { furtherScopes, namedScopes, supportedScopes } from './protocol/scope.ts'
import { userInfoProblem } from './protocol/user-info.ts'

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
/** The most seconds of a timer: one of more than 2^31 ms would end at once. */
const day = 86_400
const waited = (standard: number) =>
  whole(1, day, standard, `must be a whole number of seconds, at most ${day}, such as ${standard}`)
const perMinute = (standard: number) =>
  whole(0, 1_000_000, standard, 'must be a whole number; 0 turns the limit off')

/** Left out, it is not set. */
const anyText = (description: string) => z.string().optional().describe(description)

const oneOf = <T extends string>(...names: [T, ...T[]]) =>
  z.enum(names, { error: `must be ${names.join(' or ')}` })
/** The first is the usual. */
const choice = <T extends string>(...names: [T, ...T[]]) => oneOf(...names).default(names[0])

const flag = (initial: 'true' | 'false' = 'false') =>
  oneOf('true', 'false')
    .default(initial)
    .transform((text) => text === 'true')

const isHttp = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** What is wrong with an issuer; undefined: nothing. */
function issuerProblem(issuer: string): string | undefined {
  if (!isHttp(issuer)) return 'is not an address: set it to an origin, such as https://id.example.com'
  const { origin, protocol, host, hostname } = new URL(issuer)
  if (!isIssuer(issuer))
    return `must be an origin, or a plain path below one, without query or trailing slash: set it to ${origin}`
  if (protocol === 'http:' && !isLoopbackHost(hostname))
    return `uses http, which only loopback addresses may: set it to https://${host}`
  return undefined
}

/** A domain name as browsers compare it: lower case, by its ASCII form, and no IP address. */
const isDomain = (text: string) =>
  text.length <= 253 &&
  URL.canParse(`https://${text}`) &&
  new URL(`https://${text}`).host === text &&
  !isIpHost(text)
const isOrigin = (text: string) => isHttp(text) && new URL(text).origin === text
/** A list of what is `isOne`, separated by commas. */
const listOf = (isOne: (text: string) => boolean, wrong: string) =>
  z
    .string()
    .default('')
    .transform(listed)
    .refine((all) => all.every(isOne), {
      error: ({ input }) => `holds ${(input as string[]).find((one) => !isOne(one))}, ${wrong}`,
    })
const networks = () => listOf(isNetwork, 'which is no address or network: write it like 10.0.0.0/8 or ::1')

/** What is wrong with the address of a database; undefined: nothing. */
function databaseProblem(url: string): string | undefined {
  if (!/^(sqlite:.+|postgres(ql)?:\/\/.+)$/.test(url))
    return 'must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE'
  return url.startsWith('sqlite:') ? undefined : (userInfoProblem(url) ?? hostsProblem(url))
}

/** A text, refused with what is wrong with it. */
const checked = (problemOf: (text: string) => string | undefined) =>
  z.string().refine((text) => problemOf(text) === undefined, {
    error: ({ input }) => problemOf(String(input)),
  })

const mailbox = () =>
  z.string().refine((text) => mailboxOf(text) !== undefined, {
    error: 'must be an address, or a name with one: Acme <no-reply@id.example.com>',
  })

/** Texts separated by commas. */
const listed = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Every setting there is. The descriptions are the documentation. */
export const settingsSchema = z.strictObject({
  TESSERA_MODE: choice('production', 'development').describe(
    '`development` allows plain passwords and secrets in the declared file, and generates a missing secret.',
  ),
  TESSERA_ISSUER: checked(issuerProblem)
    .optional()
    .describe(
      'The address of this service as clients know it, such as `https://id.example.com`: an origin, or [a path below one](operations.md#below-a-path), without a trailing slash. Required in production; in development `http://localhost:PORT`.',
    ),
  TESSERA_ALIASES: oneOf(...aliasNames)
    .optional()
    .describe(
      'The addresses that applications know from another provider, whose host and path this service takes over: `keycloak` answers at `ISSUER/protocol/openid-connect/…` as well ([aliases](operations.md#aliases-of-keycloaks-addresses)). Without it nothing stands there.',
    ),
  TESSERA_HOST: z
    .string()
    .min(1)
    .default('localhost')
    .describe('The address to listen on; `0.0.0.0` for all of IPv4, `::` for all.'),
  TESSERA_PORT: whole(0, 65_535, 4000, 'must be a port number, 0 to 65535').describe(
    'The port to listen on; `0` takes a free one. `tessera dev` takes the two after it as well.',
  ),
  TESSERA_DATABASE_URL: checked(databaseProblem)
    .default('sqlite:data/tessera.sqlite')
    .describe(
      'Where everything is kept: `sqlite:PATH` (a file) or `postgres://…`. `postgres://USER:PASSWORD@HOST1:5432,HOST2:5432/DATABASE?target_session_attrs=read-write` names several hosts, and the one that can be written is used.',
    ),
  TESSERA_DATABASE_URL_FILE: anyText('A file that holds that address, instead of `TESSERA_DATABASE_URL`.'),
  TESSERA_DATABASE_POOL: whole(1, 1000, 10, 'must be a whole number, 1 to 1000').describe(
    'Connections to PostgreSQL that one process keeps at the most.',
  ),
  TESSERA_DATABASE_CONNECT_TIMEOUT: waited(5).describe(
    'How long a request waits for a connection to PostgreSQL, or for another process that writes to SQLite, in seconds, at most a day. After that the answer is 503.',
  ),
  TESSERA_DATABASE_STATEMENT_TIMEOUT: waited(10).describe(
    'How long one statement may take on PostgreSQL, in seconds, at most a day. After that the answer is 503.',
  ),
  TESSERA_DATABASE_LOSS: choice('end', 'stop').describe(
    'What follows when PostgreSQL lacks what it had acknowledged, as after a failover to a standby that lagged: `end` ends every session and token from before, `stop` answers 503 until `tessera restored` has been run.',
  ),
  TESSERA_SECRET: anyText(
    'Encrypts the signing keys, the key of the audit, the secrets of webhooks and authenticator apps and mails that wait in the database: at least 32 characters, such as the output of `openssl rand -base64 32`. Required in production; in development generated and kept beside the database.',
  ),
  TESSERA_SECRET_FILE: anyText('A file that holds the secret, instead of `TESSERA_SECRET`.'),
  TESSERA_SECRET_PREVIOUS: anyText(
    'The previous secret: the service can still read what it encrypted. Change `TESSERA_SECRET`, keep the old one here, run `tessera keys reencrypt`, then remove it.',
  ),
  TESSERA_SECRET_PREVIOUS_FILE: anyText(
    'A file that holds the previous secret, instead of `TESSERA_SECRET_PREVIOUS`.',
  ),
  TESSERA_KEY_ROTATION: seconds(7_776_000).describe(
    'A signing key is followed by a new one after this long, seconds (90 days).',
  ),
  TESSERA_KEY_LEAD: whole(
    keyTimes.leastLead / 1000,
    30 * day,
    day,
    `must be a whole number of seconds, ${keyTimes.leastLead / 1000} to ${30 * day}`,
  ).describe(
    'A new signing key is published this long before it signs, seconds (a day): longer than any gateway or service keeps the key set.',
  ),
  TESSERA_METRICS_PORT: whole(0, 65_535, 0, 'must be a port number, 0 to 65535').describe(
    'The port that serves `/metrics` for Prometheus, on the same address as the service; `0` serves none.',
  ),
  TESSERA_DECLARED: anyText('A declared file to apply at every start: see docs/declared-file.md.'),
  TESSERA_TRUSTED_PROXIES: networks().describe(
    'The addresses or networks of proxies whose `X-Forwarded-For` tells the client’s address, separated by commas, such as `10.0.0.0/8, ::1`. What proxies tell of applications behind them is apart: `TESSERA_FORWARD_AUTH_PROXIES`.',
  ),
  TESSERA_FORWARD_AUTH_PROXIES: networks().describe(
    'The addresses or networks of proxies that may ask `/oauth2/forward-auth` about requests to applications behind them, separated by commas: see docs/forward-auth.md. Without it nobody may.',
  ),
  TESSERA_FORWARD_AUTH_HEADERS: choice('forwarded', 'original').describe(
    'What those proxies tell of a request: `forwarded` is `X-Forwarded-Proto`, `-Host`, `-Method` and `-Uri`, as Caddy and Traefik send them; `original` is `X-Original-URL` and `X-Original-Method`, for nginx. The others are not read.',
  ),
  TESSERA_SCOPES_SUPPORTED: z
    .string()
    .default('')
    .transform((text) => text.split(/[ ,]+/).filter((one) => one !== ''))
    .refine((scopes) => scopes.every((one) => supportedScopes.some((known) => known === one)), {
      error: `must be made of ${supportedScopes.join(', ')}, with spaces between`,
    })
    .transform((scopes) => furtherScopes.filter((one) => scopes.includes(one)))
    .describe(
      `Scopes that discovery names beside ${namedScopes.map((one) => `\`${one}\``).join(', ')}: ${furtherScopes.map((one) => `\`${one}\``).join(', ')}, with spaces between. Clients may be registered with them in any case; this is for software that asks only for what is named.`,
    ),
  TESSERA_DOCS_URL: z
    .string()
    .refine(isHttp, { error: 'is not an address: set it to one such as https://docs.example.com' })
    .transform((text) => text.replace(/\/+$/, ''))
    .optional()
    .describe('The address that serves `/api/doc` and `/api/doc.json`, when it is not the issuer.'),
  TESSERA_API_DOC_SIGN_IN: flag('true').describe(
    'Whether people may sign in at `/api/doc` of the issuer, to try operations as far as their profile may.',
  ),
  TESSERA_CONSOLE: flag('true').describe(
    'Whether the web console is at `/console`, where people administer as far as their profile may.',
  ),
  TESSERA_COMMAND_SIGN_IN: flag('true').describe(
    'Whether `tessera login` may sign people in without a client that is registered for it, to administer as far as their profile may.',
  ),
  TESSERA_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info')
    .describe('How much is logged, as JSON lines on standard output.'),
  TESSERA_ACCESS_TOKEN_LIFETIME: seconds(900).describe(
    'Life of access and ID tokens, seconds. A client can have its own.',
  ),
  TESSERA_CODE_LIFETIME: whole(
    1,
    600,
    60,
    'must be a whole number of seconds, at most 600, such as 60',
  ).describe('Time to exchange an authorization code, seconds; at most ten minutes (RFC 6749 §4.1.2).'),
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
    'Authorization requests per address, with those of devices and what public clients push, and what each other client pushes, a minute. `0` turns it off.',
  ),
  TESSERA_LIMIT_GRANTS: perMinute(1200).describe('Refused grants per address, a minute. `0` turns it off.'),
  TESSERA_LIMIT_SIGN_IN_ACCOUNT: perMinute(10).describe(
    'Wrong passwords per account, and wrong codes of devices per browser, before a growing delay begins. `0` turns it off.',
  ),
  TESSERA_LIMIT_SIGN_IN_ADDRESS: perMinute(100).describe(
    'Wrong passwords per address, and wrong codes of devices, before a growing delay begins. `0` turns it off.',
  ),
  TESSERA_LIMIT_HASHING: whole(1, 10_000, 64, 'must be a whole number, 1 to 10000').describe(
    'Sign-ins that may wait for their password check; the next is answered 503.',
  ),
  TESSERA_WEBAUTHN_RP_ID: z
    .string()
    .refine(isDomain, { error: 'must be a domain name, such as id.example.com' })
    .optional()
    .describe(
      'The domain that passkeys and security keys belong to (the RP ID): the issuer’s host unless this is set, a domain above it, or after a move the one from before. Changed, those of before count no longer.',
    ),
  TESSERA_WEBAUTHN_ORIGINS: listOf(
    isOrigin,
    'which is no origin: write it like https://id.example.com',
  ).describe(
    'The origins that `/.well-known/webauthn` names, separated by commas: those that may use passkeys of the domain which serves it, after a move to another.',
  ),
  TESSERA_MAIL_URL: checked(mailServerProblem)
    .optional()
    .describe(
      'The mail server: `smtp://USER:PASSWORD@HOST:587`, which demands STARTTLS, or `smtps://USER:PASSWORD@HOST:465`. Without it a service in production sends no mail, and in development the last hundred are shown at `/development/mail`: see docs/mail.md.',
    ),
  TESSERA_MAIL_URL_FILE: anyText(
    'A file that holds the address of the mail server, instead of `TESSERA_MAIL_URL`.',
  ),
  TESSERA_MAIL_FROM: mailbox()
    .optional()
    .describe(
      'Who mails come from, such as `Acme <no-reply@id.example.com>`. Required together with `TESSERA_MAIL_URL`.',
    ),
  TESSERA_MAIL_REPLY_TO: mailbox()
    .optional()
    .describe('Where answers to mails go, such as `Help desk <help@example.com>`, when not to the sender.'),
  TESSERA_DNS_SERVERS: listOf(
    isDnsServer,
    'which is no address of a server: write it like 10.0.0.53, 10.0.0.53:5353 or [2001:db8::53]:53',
  ).describe(
    'The DNS servers that are asked for the records which prove domains, separated by commas, such as `10.0.0.53, [2001:db8::53]:53`. Without it those of this machine.',
  ),
  TESSERA_LOGOUT_TO_PRIVATE_ADDRESSES: flag().describe(
    'Whether back-channel logout may be sent to private and loopback addresses.',
  ),
  TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: flag().describe(
    'Whether webhooks may be sent to private and loopback addresses; to these also by http. The same says whether documents and keys of clients and of issuers are fetched from there.',
  ),
})

/** What the command reads besides, when it goes by the administration API (docs/command.md). */
export const commandSchema = z.object({
  TESSERA_URL: anyText(
    'The address of a service: commands that administer go by its API, not to the database.',
  ),
  TESSERA_TOKEN: anyText('An access token for the administration API.'),
  TESSERA_CLIENT_ID: anyText(
    'A machine client with the service `iam`, to get a token with; together with its secret.',
  ),
  TESSERA_CLIENT_SECRET: anyText('The secret of that client.'),
  TESSERA_COMPARE_SECRET: anyText('The secret of the client that `tessera compare` signs in through.'),
})
