import { secret } from '../harness/process.ts'

export const production = {
  TESSERA_ISSUER: 'https://id.acme.example',
  TESSERA_SECRET: secret,
  TESSERA_PORT: '0',
}

type Case = [what: string, environment: Record<string, string>, names: RegExp, cure: RegExp]

const missing: Case[] = [
  [
    'a scope that there is not',
    { TESSERA_SCOPES_SUPPORTED: 'groups admin' },
    /^TESSERA_SCOPES_SUPPORTED/,
    /must be made of openid, .*groups, offline_access/,
  ],
  ['aliases of nobody', { TESSERA_ALIASES: 'auth0' }, /^TESSERA_ALIASES must be keycloak/, /keycloak/],
  ['no issuer', { TESSERA_ISSUER: '' }, /^TESSERA_ISSUER is missing/, /https:\/\/id\.example\.com/],
  ['no secret', { TESSERA_SECRET: '' }, /^TESSERA_SECRET is missing/, /TESSERA_SECRET_FILE.*openssl rand/],
  ['a short secret', { TESSERA_SECRET: 'short' }, /^TESSERA_SECRET is too weak/, /at least 32.*openssl rand/],
  ['31 characters', { TESSERA_SECRET: secret.slice(0, 31) }, /^TESSERA_SECRET is too weak/, /at least 32/],
  [
    'a monotonous secret',
    { TESSERA_SECRET: 'abcabcabcabcabcabcabcabcabcabcabcabcabc' },
    /^TESSERA_SECRET is too weak/,
    /random characters/,
  ],
  [
    'two secrets',
    { TESSERA_SECRET_FILE: '/dev/null' },
    /^TESSERA_SECRET and TESSERA_SECRET_FILE/,
    /keep one/,
  ],
  [
    'a secret file that is not there',
    { TESSERA_SECRET: '', TESSERA_SECRET_FILE: 'nowhere/secret' },
    /^TESSERA_SECRET_FILE can't be read/,
    /check that nowhere\/secret exists/,
  ],
  [
    'an empty secret file',
    { TESSERA_SECRET: '', TESSERA_SECRET_FILE: '/dev/null' },
    /^TESSERA_SECRET_FILE is too weak/,
    /openssl rand/,
  ],
  [
    'two previous secrets',
    { TESSERA_SECRET_PREVIOUS: secret, TESSERA_SECRET_PREVIOUS_FILE: '/dev/null' },
    /^TESSERA_SECRET_PREVIOUS and TESSERA_SECRET_PREVIOUS_FILE/,
    /keep one/,
  ],
  [
    'a file of the previous secret that is not there',
    { TESSERA_SECRET_PREVIOUS_FILE: 'nowhere/secret' },
    /^TESSERA_SECRET_PREVIOUS_FILE can't be read/,
    /exists/,
  ],
  [
    'two addresses of the database',
    { TESSERA_DATABASE_URL: 'sqlite:x', TESSERA_DATABASE_URL_FILE: '/dev/null' },
    /^TESSERA_DATABASE_URL and TESSERA_DATABASE_URL_FILE are both set/,
    /keep one/,
  ],
  [
    'a file of the database’s address that is not there',
    { TESSERA_DATABASE_URL_FILE: 'nowhere/database' },
    /^TESSERA_DATABASE_URL_FILE can't be read/,
    /check that nowhere\/database exists/,
  ],
  [
    'an empty file of the database’s address',
    { TESSERA_DATABASE_URL_FILE: '/dev/null' },
    /^TESSERA_DATABASE_URL_FILE must be/,
    /sqlite:PATH or postgres:/,
  ],
  [
    'a folder as secret file',
    { TESSERA_SECRET: '', TESSERA_SECRET_FILE: '/' },
    /^TESSERA_SECRET_FILE can't be read/,
    /check that/,
  ],
]

const setTo = (origin: string) => new RegExp(`set it to ${origin.replaceAll('.', '\\.')}\\.$`)
const issuer = (value: string, cure: RegExp): Case => [
  `issuer ${value}`,
  { TESSERA_ISSUER: value },
  /^TESSERA_ISSUER /,
  cure,
]
const hosts = (value: string, cure: RegExp): Case => [
  `hosts ${value}`,
  { TESSERA_DATABASE_URL: value },
  /^TESSERA_DATABASE_URL (has|names) /,
  cure,
]
const encoded = (password: string): Case => [
  `a password with ${password.replace('hunter2', '…')}`,
  { TESSERA_DATABASE_URL: `postgres://tessera:${password}@db.acme.example/tessera` },
  /^TESSERA_DATABASE_URL holds a user or password/,
  /percent-encode.* @ as %40, \/ as %2F/,
]
const encodedMail = (password: string): Case => [
  `a mail server’s password with ${password.replace('hunter2', '…')}`,
  { TESSERA_MAIL_URL: `smtp://tessera:${password}@mail.acme.example:587` },
  /^TESSERA_MAIL_URL holds a user or password/,
  /percent-encode.* @ as %40, \/ as %2F/,
]
const unencoded = [
  '@hunter2',
  'x@hunter2',
  '/hunter2',
  'hunter2/x',
  '12/hunter2',
  '@/hunter2',
  'x/@hunter2',
  '?hunter2',
  '12?hunter2',
]
const passwords: Case[] = [
  ...[...unencoded, '#hunter2', 'hunter2%', '%hunter2', 'hunter2,x/y', '12/hunter2,x'].map(encoded),
  ...[...unencoded, '#hunter2', 'hunter2%', '%hunter2'].map(encodedMail),
  [
    'an address of a database without its host',
    { TESSERA_DATABASE_URL: 'postgres://tessera:hunter2/tessera' },
    /^TESSERA_DATABASE_URL holds a user or password/,
    /percent-encode/,
  ],
]

const issuers: Case[] = [
  issuer('http://id.acme.example', setTo('https://id.acme.example')),
  issuer('http://10.0.0.1:4000', setTo('https://10.0.0.1:4000')),
  issuer('http://localhost.acme.example', setTo('https://localhost.acme.example')),
  issuer('https://id.acme.example/', setTo('https://id.acme.example')),
  issuer('https://id.acme.example/tessera/', setTo('https://id.acme.example')),
  issuer('https://id.acme.example?tenant=1', setTo('https://id.acme.example')),
  issuer('https://id.acme.example#top', setTo('https://id.acme.example')),
  issuer('https://ID.acme.example', setTo('https://id.acme.example')),
  issuer('https://id.acme.example:443', setTo('https://id.acme.example')),
  issuer('https://root:hunter2@id.acme.example', setTo('https://id.acme.example')),
  issuer(' https://id.acme.example', setTo('https://id.acme.example')),
  issuer('id.acme.example', /such as https:\/\/id\.example\.com/),
  issuer('ftp://id.acme.example', /such as https:\/\/id\.example\.com/),
]

const number = (name: string, value: string, cure: RegExp): Case => [
  `${name}=${value}`,
  { [name]: value },
  new RegExp(`^${name} must be`),
  cure,
]
const values: Case[] = [
  number('TESSERA_PORT', '65536', /0 to 65535/),
  number('TESSERA_PORT', '-1', /0 to 65535/),
  number('TESSERA_PORT', '0x50', /0 to 65535/),
  number('TESSERA_PORT', ' ', /0 to 65535/),
  number('TESSERA_CODE_LIFETIME', '0', /whole number of seconds, at most 600, such as 60/),
  number('TESSERA_CODE_LIFETIME', '1e3', /whole number of seconds, at most 600, such as 60/),
  number('TESSERA_CODE_LIFETIME', '601', /whole number of seconds, at most 600, such as 60/),
  number('TESSERA_ACCESS_TOKEN_LIFETIME', '15m', /whole number of seconds, such as 900/),
  number('TESSERA_SESSION_IDLE_LIFETIME', '0.5', /whole number of seconds/),
  number('TESSERA_REFRESH_IDLE_LIFETIME', '999999999999', /whole number of seconds/),
  // A timer of more than 2^31 ms would end at once.
  number('TESSERA_DATABASE_CONNECT_TIMEOUT', '86401', /whole number of seconds, at most 86400, such as 5/),
  number(
    'TESSERA_DATABASE_STATEMENT_TIMEOUT',
    '2592000',
    /whole number of seconds, at most 86400, such as 10/,
  ),
  number('TESSERA_LIMIT_CLIENT_AUTH', '-1', /0 turns the limit off/),
  number('TESSERA_LIMIT_GRANTS', ' ', /0 turns the limit off/),
  number('TESSERA_LIMIT_AUTHORIZE', 'many', /0 turns the limit off/),
  number('TESSERA_LIMIT_HASHING', '0', /1 to 10000/),
  number('TESSERA_MODE', 'prod', /production or development/),
  number('TESSERA_LOG_LEVEL', 'loud', /fatal, error, warn, info/),
  number('TESSERA_DATABASE_URL', 'mysql://localhost/tessera', /sqlite:PATH or postgres:/),
  number('TESSERA_DATABASE_URL', 'sqlite:', /sqlite:PATH or postgres:/),
  hosts('postgres://u:p@a,b/t?target_session_attrs=any', /read-write or primary/),
  hosts('postgres://u:p@a/t?target_session_attrs=standby', /read-write or primary/),
  hosts('postgres://u:p@/t?host=a,b', /several hosts in host=/),
  hosts('postgres://u:p@a:1,b:x/t', /the host "b:x", which is none/),
  number('TESSERA_DATABASE_LOSS', 'ignore', /end or stop/),
  number('TESSERA_LOGOUT_TO_PRIVATE_ADDRESSES', 'yes', /true or false/),
  number('TESSERA_WEBAUTHN_RP_ID', 'https://id.acme.example', /a domain name, such as/),
  number('TESSERA_WEBAUTHN_RP_ID', '192.0.2.1', /a domain name, such as/),
  number('TESSERA_WEBAUTHN_RP_ID', 'Acme.example', /a domain name, such as/),
  [
    'origins that are none',
    { TESSERA_WEBAUTHN_ORIGINS: 'https://id.acme.example, https://id.acme.example/' },
    /^TESSERA_WEBAUTHN_ORIGINS holds https:\/\/id\.acme\.example\/,/,
    /write it like https/,
  ],
  ['an unknown name', { TESSERA_ISUER: 'x' }, /^TESSERA_ISUER is not a setting/, /correct its name/],
  ['a bad docs URL', { TESSERA_DOCS_URL: 'docs' }, /^TESSERA_DOCS_URL is not an address/, /https:\/\/docs/],
]

const proxies = (value: string): Case => [
  `proxies ${value}`,
  { TESSERA_TRUSTED_PROXIES: value },
  /^TESSERA_TRUSTED_PROXIES holds \S+,/,
  /write it like 10\.0\.0\.0\/8 or ::1/,
]
const networks: Case[] = [
  proxies('proxy.acme.example'),
  proxies('10.0.0.0/33'),
  proxies('10.0.0.1,::1/129'),
  proxies('10.0.0.1;10.0.0.2'),
  proxies('*'),
]

/** Every setting that can be wrong, with what the one line must hold. */
export const refused = [...missing, ...issuers, ...values, ...networks, ...passwords]
