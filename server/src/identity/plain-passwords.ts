import { hash as argon2Hash, verify as verifyArgon2 } from '@node-rs/argon2'
import { readPasswordHash } from '../protocol/password-hash.ts'
import { normalised } from '../protocol/password-text.ts'
import { isPasswordOf } from './password-check.ts'
import { argon2Parameters } from './password-task.ts'

/**
 * The plain passwords of a declared file, for a process that serves nobody yet: in libuv's threads, which have nothing to
 * sign. The thread that hashes for sign-ins takes a tenth of a second to begin, and an idle service keeps its memory.
 */
export const plainPasswords = {
  /** A PHC string, `$argon2id$v=19$…`. */
  hashPassword: (password: string): Promise<string> => argon2Hash(normalised(password), argon2Parameters),

  /** Whether the password is the one of the hash, our own or one that another system made. */
  async verifyPassword(typed: string, hash: string): Promise<boolean> {
    const same = normalised(typed)
    return (await isPassword(hash, same)) || (typed !== same && (await isPassword(hash, typed)))
  },
}

/** What the file gave as a hash before may be of another form: seldom, and once. */
async function isPassword(text: string, password: string): Promise<boolean> {
  const hash = readPasswordHash(text)
  return 'kind' in hash && hash.kind === 'argon2'
    ? await verifyArgon2(hash.text, password)
    : isPasswordOf(text, password)
}
