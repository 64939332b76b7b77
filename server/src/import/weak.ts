import { wrap } from '../protocol/password-hash/weak.ts'
import type { Store } from '../database/store.ts'
import type { HashOptions } from './password-hash.ts'
import type { ImportedUser } from './row.ts'
import { examineUsers } from './users.ts'

/** Hashes made at a time: each takes 19 MiB and a core. */
const together = 4

/**
 * The users with their weak hashes wrapped, outside of any transaction, because that takes long. Who is refused or was
 * imported before is left as they are.
 */
export async function withWrapped(
  store: Store,
  users: readonly ImportedUser[],
  { wrapWeak }: HashOptions,
  now: number,
): Promise<readonly ImportedUser[]> {
  if (wrapWeak === undefined || users.every(({ weak }) => weak === undefined)) return users
  const examined = await examineUsers(store, users, now)
  const wrapped = async ({ user, outcome }: (typeof examined)[number]): Promise<ImportedUser> => {
    if (user.weak === undefined || outcome !== 'imported') return user
    const password_hash = wrap(user.weak, await wrapWeak(user.weak.digest), now)
    return { ...user, columns: { ...user.columns, password_hash } }
  }
  const all: ImportedUser[] = []
  for (let done = 0; done < examined.length; done += together)
    all.push(...(await Promise.all(examined.slice(done, done + together).map(wrapped))))
  return all
}
