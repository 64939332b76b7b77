/** Hashes of passwords, our own and those that other systems made: which forms there are, and how dear one may be. */
export type PasswordHash =
  | { kind: 'argon2'; text: string }
  | { kind: 'bcrypt'; text: string }
  | { kind: 'pbkdf2'; digest: 'sha1' | 'sha256' | 'sha512'; iterations: number; salt: Buffer; key: Buffer }
  | { kind: 'scrypt'; cost: { N: number; r: number; p: number; maxmem: number }; salt: Buffer; key: Buffer }

/** Why a hash can't be used. */
export interface Unusable {
  problem: string
}

/** What a hash is checked with. It does not tell its text: what is wrong with it is told without it. */
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

/** Of each form one that takes about a second at most: whoever knows an address can have it checked. */
const bounds = {
  bcryptCost: 14,
  pbkdf2Iterations: 2_000_000,
  /** KiB. */
  argon2Memory: 262_144,
  /** KiB times passes. */
  argon2Work: 1_048_576,
  argon2Lanes: 16,
  /** Bytes: 128 MiB of blocks, and what is needed beside them. */
  scryptMemory: 129 * 1_048_576,
  /** Of 128 bytes each. */
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
  // Django: the salt is the text itself, as far as every database can store it.
  {
    form: /^pbkdf2_(?<digest>sha1|sha256|sha512)\$(?<iterations>\d{1,10})\$(?<text>[^$\p{Cc}\p{Cs}]{1,128})\$(?<key>[A-Za-z0-9+/]{22,172}={0,2})$/u,
    read: pbkdf2,
  },
  // PHC, and passlib, which has a bare number and a dot for the plus.
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
  // RFC 9106 §3.1; a PHC string has no zeros before a number, and the library takes none.
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
  // As OpenSSL counts it: the blocks, those of each lane, and two to mix in.
  const maxmem = 128 * r * (N + p + 2)
  if (maxmem > bounds.scryptMemory || N * r * p > bounds.scryptBlocks) {
    return unusable('asks for too much: scrypt with 128 MiB and N times r times p up to 4194304')
  }
  const derived = decoded(encoded.key)
  if (derived.length > 64) return unusable('has a hash of more than 64 bytes')
  return { kind: 'scrypt', cost: { N, r, p, maxmem }, salt: decoded(encoded.salt), key: derived }
}

/** Whether it is what its bytes are written as: the library that checks it takes no other. */
const isWhole = (text = ''): boolean => decoded(text).toString('base64').replaceAll('=', '') === text

/** Base64 with or without its end, also in the alphabet of passlib. */
const decoded = (text = ''): Buffer => Buffer.from(text.replaceAll('.', '+'), 'base64')
