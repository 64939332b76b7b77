/**
 * `identity/` owns passwords, limits, consent and the access context: who a person is, which profile they act under,
 * and whether a token that names them still counts. It never sees a request or a page, and never reads or makes a token.
 */
import { ProtocolError } from '../protocol/errors.ts'
import { emailKey } from '../protocol/email-address.ts'
import { needsRehash } from '../protocol/password-hash.ts'
import type { Service } from '../service.ts'
import { knownDevice } from '../store/devices.ts'
import {
  type Counted,
  countAttempt,
  type SettledAttempt,
  throttleKeys,
  uncountAttempt,
} from '../store/throttles.ts'
import { findUser, isLeaving, rehashPassword, type User, userByEmail } from '../store/users.ts'
import { addressKey } from './address.ts'
import { type Counter, type PasswordAttempt, recordFailure } from './sign-in-failures.ts'

export type PasswordOutcome =
  | RightPassword
  | { outcome: 'wrong' }
  | { outcome: 'throttled'; retryAfter: number }

/** The transaction that starts the session settles the counted attempt. */
interface RightPassword {
  outcome: 'right'
  user: User
  /** The hash that the password was checked against, or the new one in its place. */
  passwordHash: string
  settled: SettledAttempt
  /** Whether this browser signed this person in before. */
  knownDevice: boolean
}

/**
 * Checks a password. An unknown account, a disabled one and a wrong password are one answer, by content and by
 * the work done. Of somebody who is leaving it may be right. `retryAfter` in ms. Throws `temporarily_unavailable` when too many checks wait.
 *
 * Every attempt is counted before it is evaluated, so parallel guesses count as sequential ones. The count is taken
 * back when the password was not evaluated, or was right; a wrong one is recorded.
 */
export async function authenticate(service: Service, attempt: PasswordAttempt): Promise<PasswordOutcome> {
  const { store } = service
  const { own, shared } = await countersOf(service, attempt)
  const counters = [...shared, own].filter(({ limit }) => limit > 0)
  const throttles = counters.map(({ key, limit }) => ({ key, free: limit }))
  const found = () => userByEmail(attempt.email)
  const [counted, user] = await countAttempt(store, throttles, service.now(), found)
  if ('retryAfter' in counted) return { outcome: 'throttled', retryAfter: counted.retryAfter }
  const matches = await verify(service, attempt.password, user?.password_hash, counted)
  if (!matches || user === undefined || !(user.active || isLeaving(user, service.now()))) {
    const byOf = (key: string) => counters.find((one) => one.key === key)?.by ?? own.by
    await recordFailure(
      service,
      attempt,
      user,
      counted.map((one) => ({ ...one, by: byOf(one.key) })),
    )
    return { outcome: 'wrong' }
  }
  const passwordHash = await rehashed(service, user, attempt.password)
  const settled = {
    own: counted.find(({ key }) => key === own.key),
    shared: counted.filter(({ key }) => key !== own.key),
  }
  return { outcome: 'right', user, passwordHash, settled, knownDevice: own.by === 'device' }
}

/**
 * Attempts are counted per account and per address, which many people may share (decisions 7, 8). A browser that signed
 * this person in before has a count of its own instead, so that others can't lock its owner out.
 */
async function countersOf(
  { store, settings }: Service,
  { email, address, device }: PasswordAttempt,
): Promise<{ own: Counter; shared: Counter[] }> {
  const { signInAccount, signInAddress } = settings.limits
  const known = device === undefined ? undefined : await store.read(knownDevice(device, email))
  if (known !== undefined)
    return { own: { by: 'device', key: throttleKeys.device(known), limit: signInAccount }, shared: [] }
  return {
    own: { by: 'account', key: throttleKeys.account(emailKey(email)), limit: signInAccount },
    shared: [{ by: 'address', key: `address ${addressKey(address)}`, limit: signInAddress }],
  }
}

async function verify(
  service: Service,
  password: string,
  hash: string | null | undefined,
  counted: readonly Counted[],
): Promise<boolean> {
  try {
    return await service.passwords.verify(password, hash)
  } catch (error) {
    // The password was not evaluated, so the attempt does not count.
    if (error instanceof ProtocolError) await uncountAttempt(service.store, counted)
    throw error
  }
}

/** The hash that is stored now: made anew when it is not of today's parameters, unless too many checks wait. */
async function rehashed({ store, passwords }: Service, user: User, password: string): Promise<string> {
  const before = user.password_hash ?? ''
  if (!needsRehash(before)) return before
  try {
    const after = await passwords.hash(password)
    if (await rehashPassword(store, user.uuid, before, after)) return after
    // Another request stored a hash first: of the same password by a sign-in, of another by a change.
    const now = (await findUser(store, user.uuid))?.password_hash ?? ''
    return now !== '' && (await passwords.verify(password, now)) ? now : before
  } catch (error) {
    if (error instanceof ProtocolError) return before
    throw error
  }
}
