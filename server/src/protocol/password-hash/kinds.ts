/** What a check of a password needs of a hash, and how dear one may be. */

export type PasswordHash =
  | { kind: 'argon2'; text: string }
  /** `of`: what bcrypt was given, the password or its SHA-256 in hex. */
  | { kind: 'bcrypt'; text: string; of: 'password' | 'sha256' }
  | { kind: 'pbkdf2'; digest: Digest; iterations: number; salt: Buffer; key: Buffer }
  /** `as`: the key is what scrypt derives, or SHA-256 of what Firebase encrypts zeros to with it. */
  | {
      kind: 'scrypt'
      cost: { N: number; r: number; p: number; maxmem: number }
      salt: Buffer
      key: Buffer
      as: 'derived' | 'firebase'
    }

export type Digest = 'sha1' | 'sha256' | 'sha512'

export interface Unusable {
  problem: string
}

export const unusable = (problem: string): Unusable => ({ problem })

/** The named parts of a form that fits. */
export type Groups = Readonly<Record<string, string | undefined>>

/** Bounds of about a second for one check, because anybody who knows an address can cause one. */
const bounds = {
  bcryptCost: 14,
  pbkdf2Iterations: 2_000_000,
  /** KiB. */
  argon2Memory: 262_144,
  /** KiB times passes. */
  argon2Work: 1_048_576,
  /** Each pass has its lanes wait for one another, which costs more than a little memory. */
  argon2Passes: 1024,
  argon2Lanes: 16,
  /** Bytes: 128 MiB of blocks, and the rest. */
  scryptMemory: 129 * 1_048_576,
  /** Blocks of 128 bytes. */
  scryptBlocks: 4_194_304,
  /** Blocks that PBKDF2 makes first: 2 MiB. */
  scryptLanes: 16_384,
}

/** A PHC string without a prefix, as the library reads it. */
export function argon2({ memory, passes, lanes, ...encoded }: Groups, text: string): PasswordHash | Unusable {
  if (![encoded.salt, encoded.key].every(isWhole)) return unusable('has a salt or hash that is no base64')
  const [m, t, p] = [Number(memory), Number(passes), Number(lanes)]
  // RFC 9106 §3.1. A PHC string has no leading zeros, and the library refuses them.
  const isPadded = [memory, passes, lanes].some((one) => one?.startsWith('0'))
  if (isPadded || m < 8 * p) return unusable('has argon2 parameters that can not be used')
  const { argon2Memory, argon2Passes, argon2Lanes, argon2Work } = bounds
  if (m > argon2Memory || t > argon2Passes || p > argon2Lanes || m * t > argon2Work) {
    return unusable(
      `asks for too much: argon2 with m up to ${argon2Memory}, t up to ${argon2Passes}, p up to ${argon2Lanes} and m times t up to ${argon2Work}`,
    )
  }
  return { kind: 'argon2', text }
}

/** What is wrong with the cost of bcrypt. */
export function bcryptProblem(cost: number): Unusable | undefined {
  if (cost < 4) return unusable('has a bcrypt cost that can not be used')
  if (cost > bounds.bcryptCost)
    return unusable(`asks for too much: bcrypt with a cost up to ${bounds.bcryptCost}`)
  return undefined
}

/** Bytes of what a digest yields. */
export const digestLengths: Readonly<Record<Digest, number>> = { sha1: 20, sha256: 32, sha512: 64 }

interface Derived {
  salt: Buffer
  key: Buffer
}

export function pbkdf2(digest: Digest, iterations: number, { salt, key }: Derived): PasswordHash | Unusable {
  if (iterations < 1) return unusable('has no iterations')
  if (iterations > bounds.pbkdf2Iterations)
    return unusable(`asks for too much: PBKDF2 with up to ${bounds.pbkdf2Iterations} iterations`)
  return keyProblem(key) ?? { kind: 'pbkdf2', digest, iterations, salt, key }
}

export function scrypt(
  { N, r, p }: { N: number; r: number; p: number },
  { salt, key, as = 'derived' }: Derived & { as?: 'derived' | 'firebase' },
): PasswordHash | Unusable {
  const log2 = Math.log2(N)
  // RFC 7914 §2 bounds N, a power of two, by the size of a block.
  if (N < 2 || !Number.isInteger(log2) || r < 1 || p < 1 || log2 >= 16 * r)
    return unusable('has scrypt parameters that can not be used')
  // OpenSSL counts the blocks, those of each lane, and two for mixing.
  const maxmem = 128 * r * (N + p + 2)
  if (maxmem > bounds.scryptMemory || N * r * p > bounds.scryptBlocks || r * p > bounds.scryptLanes)
    return unusable(
      'asks for too much: scrypt with 128 MiB, N times r times p up to 4194304 and r times p up to 16384',
    )
  return keyProblem(key) ?? { kind: 'scrypt', cost: { N, r, p, maxmem }, salt, key, as }
}

const keyProblem = (key: Buffer): Unusable | undefined =>
  key.length < 16 || key.length > 64
    ? unusable('has a hash of less than 16 or more than 64 bytes')
    : undefined

/** Base64 with or without padding, also in the alphabet of passlib, and that of addresses. */
export const decoded = (text = ''): Buffer => Buffer.from(text.replaceAll('.', '+'), 'base64')

/** Base64 as PHC strings have it. */
export const encoded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

/** Whether the text is the canonical base64 of its bytes; the argon2 library refuses any other. */
const isWhole = (text = ''): boolean => encoded(decoded(text)) === text
