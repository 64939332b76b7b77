import { createCipheriv, createHash, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto'
import { verifySync as verifyArgon2 } from '@node-rs/argon2'
import { verifySync as verifyBcrypt } from '@node-rs/bcrypt'
import { type PasswordHash, readStoredHash } from '../protocol/password-hash.ts'
import { digestLengths } from '../protocol/password-hash/kinds.ts'
import type { WrappedHash } from '../protocol/password-hash/weak.ts'
import { normalised } from '../protocol/password-text.ts'
import { weakDigest } from './weak-digest.ts'

/**
 * Whether a typed password matches a hash, of whichever form. Other systems may have hashed it as it was typed, without
 * normalising it. Takes as long as the hash asks for: not on the event loop of a service.
 */
export function isPasswordOf(text: string, typed: string): boolean {
  const hash = readStoredHash(text)
  // The text of the hash is left out, because failures are logged.
  if ('problem' in hash) throw new Error(`The stored password hash ${hash.problem}.`)
  const password = normalised(typed)
  return matches(hash, password) || (typed !== password && matches(hash, typed))
}

function matches(hash: PasswordHash | WrappedHash, password: string): boolean {
  switch (hash.kind) {
    case 'argon2':
      return verifyArgon2(hash.text, password)
    case 'bcrypt':
      return verifyBcrypt(hash.of === 'sha256' ? sha256(password).toString('hex') : password, hash.text)
    case 'pbkdf2': {
      // Each further block of the key costs as much again, and tells nothing more (RFC 8018 §5.2).
      const { salt, iterations, digest } = hash
      const key = hash.key.subarray(0, digestLengths[digest])
      return timingSafeEqual(key, pbkdf2Sync(password, salt, iterations, key.length, digest))
    }
    case 'scrypt': {
      const length = hash.as === 'firebase' ? 32 : hash.key.length
      const derived = scryptSync(password, hash.salt, length, hash.cost)
      const { key } = hash
      return timingSafeEqual(key, hash.as === 'firebase' ? sha256(firebaseStream(derived)) : derived)
    }
    case 'wrapped': {
      const digest = weakDigest(hash.setting, password)
      return digest !== undefined && verifyArgon2(hash.text, digest)
    }
  }
}

const sha256 = (value: string | Buffer) => createHash('sha256').update(value).digest()

/** The first half of what Firebase lays over the signer key of a project. */
const firebaseStream = (key: Buffer) =>
  createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(32))
