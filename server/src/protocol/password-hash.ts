/** Hashes of passwords, our own and those of other systems: the forms there are, and how dear one may be. */
import { forms } from './password-hash/forms.ts'
import { type PasswordHash, type Unusable, unusable } from './password-hash/kinds.ts'
import { refusedForms } from './password-hash/refused.ts'
import { readWeakHash, readWrapped, type WrappedHash } from './password-hash/weak.ts'

export type { PasswordHash, Unusable } from './password-hash/kinds.ts'

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

/** Reads a hash of any form that is taken as it is. A problem never quotes the hash. */
function readPasswordHash(text: string): PasswordHash | Unusable {
  for (const { form, read } of forms) {
    const found = form.exec(text)
    if (found?.groups !== undefined) return read(found.groups, text)
  }
  if (readWeakHash(text) !== undefined)
    return unusable('is a weak hash, which tessera import --accept-weak takes, and nothing else')
  const refused = refusedForms.find(({ form }) => form.test(text))
  return unusable(refused?.problem ?? 'is no password hash of a known form; docs/import.md lists them')
}

/** Reads a hash that is stored, which may be a weak one that an import wrapped. */
export const readStoredHash = (text: string): PasswordHash | WrappedHash | Unusable =>
  readWrapped(text) ?? readPasswordHash(text)

export function passwordHashProblem(text: string): string | undefined {
  const hash = readPasswordHash(text)
  return 'problem' in hash ? hash.problem : undefined
}
