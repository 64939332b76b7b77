/** Hashes of passwords, our own and those of other systems: the forms there are, and how dear one may be. */

/** What our own hashes are made with: argon2id as OWASP recommends, 19 MiB, two passes, one lane. */
export const argon2Parameters = {
  // The enum of @node-rs/argon2 is ambient and can't be imported under isolatedModules: 2 is Argon2id.
  algorithm: 2,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const

/** Whether a hash is not of today's parameters, and is to be made anew at the next sign-in. */
export function needsRehash(hash: string): boolean {
  const { memoryCost, timeCost, parallelism } = argon2Parameters
  return !hash.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`)
}

export type PasswordHash =
  | { kind: 'argon2'; text: string }
  | { kind: 'bcrypt'; text: string }
  | { kind: 'pbkdf2'; digest: 'sha1' | 'sha256' | 'sha512'; iterations: number; salt: Buffer; key: Buffer }
  | { kind: 'scrypt'; cost: { N: number; r: number; p: number; maxmem: number }; salt: Buffer; key: Buffer }

export interface Unusable {
  problem: string
}

/** Reads a hash of any known form. A problem never quotes the hash. */
export function readPasswordHash(text: string): PasswordHash | Unusable {
  for (const { form, read } of forms) {
    const found = form.exec(text)
    if (found?.groups !== undefined) return read(found.groups, text)
  }
  return unusable(
    'is no password hash of a known form: $argon2id$…, $argon2i$…, $argon2d$…, $2a$…, $2b$…, $2y$…, pbkdf2_sha256$…, $pbkdf2-sha256$… or $scrypt$…',
  )
}

export function passwordHashProblem(text: string): string | undefined {
  const hash = readPasswordHash(text)
  return 'problem' in hash ? hash.problem : undefined
}

type Groups = Readonly<Record<string, string | undefined>>
interface Form {
  form: RegExp
  read: (groups: Groups, text: string) => PasswordHash | Unusable
}

const unusable = (problem: string): Unusable => ({ problem })

/** Bounds of about a second for one check, because anybody who knows an address can cause one. */
const bounds = {
  bcryptCost: 14,
  pbkdf2Iterations: 2_000_000,
  /** KiB. */
  argon2Memory: 262_144,
  /** KiB times passes. */
  argon2Work: 1_048_576,
  argon2Lanes: 16,
  /** Bytes: 128 MiB of blocks, and the rest. */
  scryptMemory: 129 * 1_048_576,
  /** Blocks of 128 bytes. */
  scryptBlocks: 4_194_304,
}

const salt = '(?<salt>[A-Za-z0-9+/.]{2,172}={0,2})'
const key = '(?<key>[A-Za-z0-9+/.]{22,172}={0,2})'

const forms: Form[] = [
  {
    form: /^\$argon2(?:id|i|d)(?:\$v=(?:16|19))?\$m=(?<memory>\d{1,10}),t=(?<passes>\d{1,10}),p=(?<lanes>\d{1,8})\$(?<salt>[A-Za-z0-9+/]{11,86})\$(?<key>[A-Za-z0-9+/]{22,172})$/,
    read: argon2,
  },
  { form: /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/, read: bcrypt },
  // Django: the salt is the text itself, without characters that a database can't store.
  {
    form: /^pbkdf2_(?<digest>sha1|sha256|sha512)\$(?<iterations>\d{1,10})\$(?<text>[^$\p{Cc}\p{Cs}]{1,128})\$(?<key>[A-Za-z0-9+/]{22,172}={0,2})$/u,
    read: pbkdf2,
  },
  // PHC; passlib writes the number without `i=` and a dot for the plus.
  {
    form: new RegExp(
      `^\\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\\$(?:i=)?(?<iterations>\\d{1,10})(?:,l=\\d{1,3})?\\$${salt}\\$${key}$`,
    ),
    read: pbkdf2,
  },
  {
    form: new RegExp(
      `^\\$scrypt\\$ln=(?<ln>\\d{1,3}),r=(?<r>\\d{1,10}),p=(?<p>\\d{1,10})\\$${salt}\\$${key}$`,
    ),
    read: scrypt,
  },
]

function argon2({ memory, passes, lanes, ...encoded }: Groups, text: string): PasswordHash | Unusable {
  if (![encoded.salt, encoded.key].every(isWhole)) return unusable('has a salt or hash that is no base64')
  const [m, t, p] = [Number(memory), Number(passes), Number(lanes)]
  // RFC 9106 §3.1. A PHC string has no leading zeros, and the library refuses them.
  const isPadded = [memory, passes, lanes].some((one) => one?.startsWith('0'))
  if (isPadded || m < 8 * p) return unusable('has argon2 parameters that can not be used')
  if (m > bounds.argon2Memory || p > bounds.argon2Lanes || m * t > bounds.argon2Work) {
    return unusable(
      `asks for too much: argon2 with m up to ${bounds.argon2Memory}, p up to ${bounds.argon2Lanes} and m times t up to ${bounds.argon2Work}`,
    )
  }
  return { kind: 'argon2', text }
}

function bcrypt({ cost }: Groups, text: string): PasswordHash | Unusable {
  if (Number(cost) < 4) return unusable('has a bcrypt cost that can not be used')
  if (Number(cost) > bounds.bcryptCost) {
    return unusable(`asks for too much: bcrypt with a cost up to ${bounds.bcryptCost}`)
  }
  return { kind: 'bcrypt', text }
}

function pbkdf2({ digest = 'sha1', iterations, text, ...encoded }: Groups): PasswordHash | Unusable {
  const count = Number(iterations)
  if (count < 1) return unusable('has no iterations')
  if (count > bounds.pbkdf2Iterations) {
    return unusable(`asks for too much: PBKDF2 with up to ${bounds.pbkdf2Iterations} iterations`)
  }
  const derived = decoded(encoded.key)
  if (derived.length > 64) return unusable('has a hash of more than 64 bytes')
  return {
    kind: 'pbkdf2',
    digest: digest as 'sha1' | 'sha256' | 'sha512',
    iterations: count,
    salt: text === undefined ? decoded(encoded.salt) : Buffer.from(text),
    key: derived,
  }
}

function scrypt({ ln, r: size, p: parallel, ...encoded }: Groups): PasswordHash | Unusable {
  const [N, r, p] = [2 ** Number(ln), Number(size), Number(parallel)]
  // RFC 7914 §2 bounds N by the size of a block.
  if (N < 2 || r < 1 || p < 1 || Number(ln) >= 16 * r)
    return unusable('has scrypt parameters that can not be used')
  // OpenSSL counts the blocks, those of each lane, and two for mixing.
  const maxmem = 128 * r * (N + p + 2)
  if (maxmem > bounds.scryptMemory || N * r * p > bounds.scryptBlocks) {
    return unusable('asks for too much: scrypt with 128 MiB and N times r times p up to 4194304')
  }
  const derived = decoded(encoded.key)
  if (derived.length > 64) return unusable('has a hash of more than 64 bytes')
  return { kind: 'scrypt', cost: { N, r, p, maxmem }, salt: decoded(encoded.salt), key: derived }
}

/** Whether the text is the canonical base64 of its bytes; the library refuses any other. */
const isWhole = (text = ''): boolean => decoded(text).toString('base64').replaceAll('=', '') === text

/** Base64 with or without padding, also in the alphabet of passlib. */
const decoded = (text = ''): Buffer => Buffer.from(text.replaceAll('.', '+'), 'base64')
