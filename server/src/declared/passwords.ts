import { type DeclaredState, readNamedState } from './state.ts'
import type { Store } from '../database/store.ts'
import type { UserRow } from '../database/schema.ts'
import type { Declared, DeclaredUser } from './declared.ts'
import { namedBy, userFinder } from './people.ts'

/** What a plain password of the file means, decided against what the file said last. */
interface PasswordDecision {
  against: string | null
  /** The new hash; undefined: the file says what it said last. */
  hash: string | undefined
}

export type PasswordDecisions = ReadonlyMap<DeclaredUser, PasswordDecision>

export interface PasswordWork {
  verifyPassword: (password: string, hash: string) => Promise<boolean>
  hashPassword: (password: string) => Promise<string>
}

/** A password changed between the decisions and the transaction; they have to be made again. */
class StateMoved extends Error {
  override readonly name = 'StateMoved'
}

/** Hashes made at a time: each takes 19 MiB and a core. */
const together = 4

/**
 * Hashing takes long, so it happens before any transaction; the transaction checks that the stored hash is
 * still the one decided against.
 */
async function decidePasswords(
  declared: Declared,
  state: DeclaredState,
  { verifyPassword, hashPassword }: PasswordWork,
): Promise<PasswordDecisions> {
  const decisions = new Map<DeclaredUser, PasswordDecision>()
  const storedUser = userFinder(state)
  const decide = async (user: DeclaredUser) => {
    if (user.password === undefined || 'hash' in user.password) return
    const { plain } = user.password
    const against = storedUser(user)?.declared_password_hash ?? null
    const same = against !== null && (await verifyPassword(plain, against))
    decisions.set(user, { against, hash: same ? undefined : await hashPassword(plain) })
  }
  const { users } = declared
  for (let done = 0; done < users.length; done += together)
    await Promise.all(users.slice(done, done + together).map(decide))
  return decisions
}

const maxAttempts = 5

/**
 * Decides about the passwords and then does the work; both again when a password changed in between. `state` is what the
 * decisions were made from: of clients it has only those of the file.
 */
export async function withPasswords<T>(
  store: Store,
  declared: Declared,
  work: PasswordWork,
  run: (decided: { decisions: PasswordDecisions; state: DeclaredState }) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const state = await readNamedState(store, namedBy(declared))
    const decisions = await decidePasswords(declared, state, work)
    try {
      return await run({ decisions, state })
    } catch (error) {
      if (!(error instanceof StateMoved) || attempt === maxAttempts) throw error
    }
  }
}

export type StoredPassword = Pick<UserRow, 'password_hash' | 'declared_password_hash'>

/**
 * The password that a user is to have. A file that says what it said last changes nothing: a password that the person
 * chose since stays, and so does a hash that was made anew at a sign-in. Of somebody `isForeign` the stored password
 * never stays: they get that of the file, or none.
 * Throws `StateMoved` when the decision was made against something else.
 */
export function passwordOf(
  user: DeclaredUser,
  before: UserRow | undefined,
  decisions: PasswordDecisions,
  isForeign: boolean,
): StoredPassword {
  const stored = {
    password_hash: before?.password_hash ?? null,
    declared_password_hash: before?.declared_password_hash ?? null,
  }
  const declared = declaredHash(user, stored.declared_password_hash, decisions)
  if (isForeign) {
    const hash = user.password === undefined ? null : declared
    return { password_hash: hash, declared_password_hash: hash }
  }
  if (declared === stored.declared_password_hash) return stored
  return { password_hash: declared, declared_password_hash: declared }
}

function declaredHash(user: DeclaredUser, last: string | null, decisions: PasswordDecisions): string | null {
  if (user.password === undefined) return last
  if ('hash' in user.password) return user.password.hash
  const decision = decisions.get(user)
  if (decision === undefined || decision.against !== last)
    throw new StateMoved('A password changed meanwhile.')
  return decision.hash ?? last
}
