import { pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto'
import { verifySync as verifyArgon2 } from '@node-rs/argon2'
import { verifySync as verifyBcrypt } from '@node-rs/bcrypt'
import { type PasswordHash, readPasswordHash } from '../protocol/password-hash.ts'
import { normalised } from '../protocol/password-text.ts'

/**
 * Whether a typed password matches a hash, of whichever form. Other systems may have hashed it as it was typed, without
 * normalising it. Takes as long as the hash asks for: not on the event loop of a service.
 */
export function isPasswordOf(text: string, typed: string): boolean {
  const hash = readPasswordHash(text)
  // The text of the hash is left out, because failures are logged.
  if ('problem' in hash) throw new Error(`The stored password hash ${hash.problem}.`)
  const password = normalised(typed)
  return matches(hash, password) || (typed !== password && matches(hash, typed))
}

function matches(hash: PasswordHash, password: string): boolean {
  switch (hash.kind) {
    case 'argon2':
      return verifyArgon2(hash.text, password)
    case 'bcrypt':
      return verifyBcrypt(password, hash.text)
    case 'pbkdf2': {
      const { salt, iterations, key, digest } = hash
      return timingSafeEqual(key, pbkdf2Sync(password, salt, iterations, key.length, digest))
    }
    case 'scrypt':
      return timingSafeEqual(hash.key, scryptSync(password, hash.salt, hash.key.length, hash.cost))
  }
}
