/**
 * Weak hashes, whose passwords are guessed fast when a database is stolen. An import wraps them: what is stored is
 * argon2id of the weak digest, beside what the digest was made with and the day on which it no longer counts.
 */
import { dayOf } from '../values.ts'
import {
  bcryptProblem,
  decoded,
  type Digest,
  encoded,
  type Groups,
  type Unusable,
  unusable,
} from './kinds.ts'

/** A weak hash as its source writes it, in two parts. */
export interface WeakHash {
  /** What the digest is made with: the form, its cost and its salt. */
  setting: string
  digest: string
}

export type WeakSetting =
  | { kind: 'phpass'; rounds: number; salt: string }
  /** bcrypt of a fast hash of the password, by WordPress 6.8. */
  | { kind: 'wordpress'; salt: string }
  | { kind: 'sha-crypt'; digest: 'sha256' | 'sha512'; rounds: number; salt: string }
  | { kind: 'salted'; digest: Digest; salt: Buffer }

export interface WrappedHash {
  kind: 'wrapped'
  setting: WeakSetting
  /** Our own argon2id, of the weak digest. */
  text: string
}

/** Bounds of about a second, as of other hashes. */
const bounds = {
  phpassLog2: 19,
  shaCryptRounds: 700_000,
}

const of = '[./0-9A-Za-z]'
const wholes = [
  `(?<setting>\\$[PH]\\$${of}{9})(?<digest>${of}{22})`,
  `(?<setting>\\$wp\\$2y\\$\\d\\d\\$${of}{21}[.Oeu])(?<digest>${of}{31})`,
  `(?:\\{CRYPT\\})?(?<setting>\\$5\\$(?:rounds=\\d{1,10}\\$)?${of}{0,16}\\$)(?<digest>${of}{43})`,
  `(?:\\{CRYPT\\})?(?<setting>\\$6\\$(?:rounds=\\d{1,10}\\$)?${of}{0,16}\\$)(?<digest>${of}{86})`,
].map((form) => new RegExp(`^${form}$`))

/** The salt stands behind the digest in one base64. */
const salted = /^(?<name>\{SSHA(?:256|512)?\})(?<bytes>[A-Za-z0-9+/]{24,256}={0,2})$/i

/** Reads a weak hash; undefined: it is none. */
export function readWeakHash(text: string): WeakHash | Unusable | undefined {
  const hash = splitWeak(text)
  if (hash === undefined) return undefined
  const setting = readSetting(hash.setting)
  return 'problem' in setting ? setting : hash
}

function splitWeak(text: string): WeakHash | undefined {
  const { name, bytes } = salted.exec(text)?.groups ?? {}
  if (name !== undefined) {
    const [all, length] = [decoded(bytes), digests[name.toUpperCase()]?.bytes ?? 0]
    const setting = `${name.toUpperCase()}${encoded(all.subarray(length))}`
    return { setting, digest: encoded(all.subarray(0, length)) }
  }
  for (const whole of wholes) {
    const { setting, digest } = whole.exec(text)?.groups ?? {}
    if (setting !== undefined && digest !== undefined) return { setting, digest }
  }
  return undefined
}

const digests: Readonly<Record<string, { digest: Digest; bytes: number }>> = {
  '{SSHA}': { digest: 'sha1', bytes: 20 },
  '{SSHA256}': { digest: 'sha256', bytes: 32 },
  '{SSHA512}': { digest: 'sha512', bytes: 64 },
}

const settings: readonly { form: RegExp; read: (groups: Groups) => WeakSetting | Unusable }[] = [
  { form: /^\$[PH]\$(?<log2>.)(?<salt>.{8})$/, read: phpass },
  {
    // The library reads the cost out of the salt.
    form: /^\$wp(?<salt>\$2y\$(?<cost>\d\d)\$.{22})$/,
    read: ({ cost, salt = '' }) => bcryptProblem(Number(cost)) ?? { kind: 'wordpress', salt },
  },
  { form: /^\$(?<name>[56])\$(?:rounds=(?<rounds>\d+)\$)?(?<salt>[^$]*)\$$/, read: shaCrypt },
  {
    form: /^(?<name>\{SSHA\d*\})(?<salt>.{2,})$/,
    read: ({ name = '', salt }) => {
      const digest = digests[name]?.digest
      return digest === undefined ? unreadable : { kind: 'salted', digest, salt: decoded(salt) }
    },
  },
]

const unreadable = unusable('is a weak hash without a salt, or cut off')

function readSetting(text: string): WeakSetting | Unusable {
  for (const { form, read } of settings) {
    const found = form.exec(text)
    if (found?.groups !== undefined) return read(found.groups)
  }
  return unreadable
}

/** The alphabet of crypt, in its order. */
export const cryptAlphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function phpass({ log2 = '', salt = '' }: Groups): WeakSetting | Unusable {
  const exponent = cryptAlphabet.indexOf(log2)
  if (exponent < 7) return unusable('has phpass rounds that can not be used')
  if (exponent > bounds.phpassLog2)
    return unusable(`asks for too much: phpass with up to 2^${bounds.phpassLog2} rounds`)
  return { kind: 'phpass', rounds: 2 ** exponent, salt }
}

function shaCrypt({ name, rounds = '5000', salt = '' }: Groups): WeakSetting | Unusable {
  if (rounds.startsWith('0') || Number(rounds) < 1000)
    return unusable('has SHA-crypt rounds that can not be used')
  if (Number(rounds) > bounds.shaCryptRounds)
    return unusable(`asks for too much: SHA-crypt with up to ${bounds.shaCryptRounds} rounds`)
  return { kind: 'sha-crypt', digest: name === '5' ? 'sha256' : 'sha512', rounds: Number(rounds), salt }
}

/** How long a wrapped hash counts, ms. */
const counts = 90 * 86_400_000
const wrapped =
  /^\$weak\$(?<until>\d{4}-\d\d-\d\d)(?<setting>.{3,300}?)(?<text>\$argon2id\$v=19\$m=\d{1,6},t=\d{1,2},p=\d\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43})$/

/** What is stored for a weak hash. `text`: our own argon2id of its digest. */
export const wrap = ({ setting }: WeakHash, text: string, now: number): string =>
  `$weak$${dayOf(now + counts)}${setting}${text}`

/** Reads what is stored for a weak hash; undefined: it is another form. */
export function readWrapped(stored: string): WrappedHash | undefined {
  const { setting: text = '', text: own = '' } = wrapped.exec(stored)?.groups ?? {}
  const setting = readSetting(text)
  return 'problem' in setting ? undefined : { kind: 'wrapped', setting, text: own }
}

export const isWrapped = (stored: string | null): boolean => stored?.startsWith('$weak$') ?? false

/** Whether a stored hash is a wrapped one that counts no more. */
export function isOver(stored: string, now: number): boolean {
  const { until } = wrapped.exec(stored)?.groups ?? {}
  return until !== undefined && until <= dayOf(now)
}
