import { pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto'
import { verifySync as verifyArgon2 } from '@node-rs/argon2'
import { verifySync as verifyBcrypt } from '@node-rs/bcrypt'
import { readPasswordHash } from '../protocol/password-hash.ts'

/** Whether a password is the one of a hash, of whichever form. Takes as long as the hash asks for: not on the event loop. */
export function isPasswordOf(text: string, password: string): boolean {
  const hash = readPasswordHash(text)
  // Not with its text: what fails is logged.
  if ('problem' in hash) throw new Error(`The stored password hash ${hash.problem}.`)
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
