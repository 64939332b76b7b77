import { type DeclaredState, viewDeclaredState } from '../store/declared-state.ts'
import type { Store } from '../store/open.ts'
import type { UserRow } from '../store/schema.ts'
import type { Declared, DeclaredUser } from './declared.ts'
import { peopleOf, userFinder } from './people.ts'

/** What a plain password of the file means, decided against the hash that was stored then. */
export interface PasswordDecision {
  against: string | null
  /** The new hash; undefined: the stored one is of this very password. */
  hash: string | undefined
}

export type PasswordDecisions = ReadonlyMap<DeclaredUser, PasswordDecision>

export interface PasswordWork {
  verifyPassword: (password: string, hash: string) => Promise<boolean>
  hashPassword: (password: string) => Promise<string>
}

/** The state moved on between the decisions about passwords and the transaction; they have to be made again. */
export class StateMoved extends Error {
  override readonly name = 'StateMoved'
}

/**
 * Hashing takes long, so it happens before any transaction; the transaction checks that the stored hash is
 * still the one decided against. One after the other: sign-ins want the hasher too.
 */
async function decidePasswords(
  declared: Declared,
  state: DeclaredState,
  { verifyPassword, hashPassword }: PasswordWork,
): Promise<PasswordDecisions> {
  const decisions = new Map<DeclaredUser, PasswordDecision>()
  const storedUser = userFinder(state)
  for (const user of declared.users) {
    if (user.password === undefined || 'hash' in user.password) continue
    const { plain } = user.password
    const against = storedUser(user)?.password_hash ?? null
    const same = against !== null && (await verifyPassword(plain, against))
    decisions.set(user, { against, hash: same ? undefined : await hashPassword(plain) })
  }
  return decisions
}

const maxAttempts = 5

/**
 * Decides about the passwords and then does the work, again when a password changed in between. `state` is
 * what the decisions were made from.
 */
export async function withPasswords<T>(
  store: Store,
  declared: Declared,
  work: PasswordWork,
  run: (decided: { decisions: PasswordDecisions; state: DeclaredState }) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const state = await viewDeclaredState(store, peopleOf(declared), async (view) => view.state)
    const decisions = await decidePasswords(declared, state, work)
    try {
      return await run({ decisions, state })
    } catch (error) {
      if (!(error instanceof StateMoved) || attempt === maxAttempts) throw error
    }
  }
}

/** The hash that a user is to have. Throws `StateMoved` when the decision was made against another hash. */
export function passwordHashOf(
  user: DeclaredUser,
  before: UserRow | undefined,
  decisions: PasswordDecisions,
): string | null {
  const stored = before?.password_hash ?? null
  if (user.password === undefined) return stored
  if ('hash' in user.password) return user.password.hash
  const decision = decisions.get(user)
  if (decision === undefined || decision.against !== stored)
    throw new StateMoved('A password changed meanwhile.')
  return decision.hash ?? stored
}
