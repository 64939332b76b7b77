import { hash as argon2Hash, verify as verifyArgon2 } from '@node-rs/argon2'
import { argon2Parameters, needsRehash } from '../protocol/password-hash.ts'
import { normalised } from '../protocol/password-text.ts'
import { isPasswordOf } from './password-check.ts'

/**
 * The plain passwords of a declared file, for a process that serves nobody yet: hashed in libuv's threads, several at
 * once. The worker of `passwords.ts` would take a tenth of a second to start, and keep its memory.
 */
export const plainPasswords = {
  /** A PHC string, `$argon2id$v=19$…`. */
  hashPassword: (password: string): Promise<string> => argon2Hash(normalised(password), argon2Parameters),

  /** Whether the password matches the hash, our own or one of another system. */
  async verifyPassword(typed: string, hash: string): Promise<boolean> {
    const isOwn = !needsRehash(hash) && (await verifyArgon2(hash, normalised(typed)))
    return isOwn || isPasswordOf(hash, typed)
  },
}
