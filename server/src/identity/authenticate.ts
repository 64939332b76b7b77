/**
 * `identity/` owns passwords, throttling, sessions and the access context: who somebody is, as whom they act, and
 * whether that still counts. It knows no route and no page, and reads no token.
 */
import { ProtocolError } from '../protocol/errors.ts'
import { emailKey } from '../protocol/values.ts'
import type { Service } from '../service.ts'
import { isKnownDevice } from '../store/devices.ts'
import { hashSecret } from '../store/identifier.ts'
import { type Counted, countAttempt, type Settled, uncountAttempt } from '../store/throttles.ts'
import { findUser, findUserByEmail, rehashPassword, type User } from '../store/users.ts'
import { addressKey } from './address.ts'
import { needsRehash } from './passwords.ts'
import { recordFailure } from './sign-in-failures.ts'

export type PasswordOutcome =
  | RightPassword
  | { outcome: 'wrong' }
  | { outcome: 'throttled'; retryAfter: number }

/** Nothing is changed yet: whoever signs the person in settles what was counted, in the same transaction. */
export interface RightPassword {
  outcome: 'right'
  user: User
  /** The one that the password was checked against, or today's in its place. */
  passwordHash: string
  settled: Settled
  /** Whether this browser signed this person in before. */
  knownDevice: boolean
}

export interface PasswordAttempt {
  email: string
  password: string
  address: string
  /** The cookie of a browser that signed somebody in before. */
  device: string | undefined
  /** For the audit: the request, and the client that wants somebody signed in. */
  requestId: string
  clientId: string
}

/** What an attempt is counted by, and how many failures it allows; 0 turns the counting off. */
interface Counter {
  by: 'account' | 'device' | 'address'
  key: string
  limit: number
}

/** What the attempt was counted by, and what came of it. */
export type CountedBy = Counted & Pick<Counter, 'by'>

/**
 * Checks a password. An unknown account, a disabled one and a wrong password are one answer, by content and by
 * the work done. `retryAfter` in ms. Throws `temporarily_unavailable` when too many checks wait.
 *
 * Every attempt is counted before it is evaluated, so parallel guesses count as sequential ones. What was not
 * evaluated is taken back, and what was right by whoever signs the person in. What was evaluated and wrong is recorded.
 */
export async function authenticate(service: Service, attempt: PasswordAttempt): Promise<PasswordOutcome> {
  const { store } = service
  const user = await findUserByEmail(store, attempt.email)
  const { own, shared } = await countersOf(service, attempt, user)
  const counters = [...shared, own].filter(({ limit }) => limit > 0)
  const throttles = counters.map(({ key, limit }) => ({ key, free: limit }))
  const counted = await countAttempt(store, throttles, service.now())
  if ('retryAfter' in counted) return { outcome: 'throttled', retryAfter: counted.retryAfter }
  const matches = await verify(service, attempt.password, user?.passwordHash, counted)
  if (!matches || user === undefined || !user.active) {
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
 * Attempts are counted per account and per address, which many may share (decisions 7, 8). A browser that signed
 * this person in before has a count of its own instead: nobody can lock its owner out, from the same office either.
 */
async function countersOf(
  { store, settings }: Service,
  { email, address, device }: PasswordAttempt,
  user: User | undefined,
): Promise<{ own: Counter; shared: Counter[] }> {
  const { signInAccount, signInAddress } = settings.limits
  const userUuid = user?.uuid ?? 'nobody'
  if (device !== undefined && (await isKnownDevice(store, device, userUuid))) {
    return {
      own: { by: 'device', key: `device ${hashSecret(`${device} ${userUuid}`)}`, limit: signInAccount },
      shared: [],
    }
  }
  return {
    own: { by: 'account', key: `account ${hashSecret(emailKey(email))}`, limit: signInAccount },
    shared: [{ by: 'address', key: `address ${addressKey(address)}`, limit: signInAddress }],
  }
}

async function verify(
  service: Service,
  password: string,
  hash: string | undefined,
  counted: readonly Counted[],
): Promise<boolean> {
  try {
    return await service.passwords.verify(password, hash)
  } catch (error) {
    // It was never evaluated, so it does not count.
    if (error instanceof ProtocolError) await uncountAttempt(service.store, counted)
    throw error
  }
}

/** The hash that is stored now: made anew where today's parameters are others, unless too many wait for theirs. */
async function rehashed({ store, passwords }: Service, user: User, password: string): Promise<string> {
  const before = user.passwordHash ?? ''
  if (!needsRehash(before)) return before
  try {
    const after = await passwords.hash(password)
    if (await rehashPassword(store, user.uuid, before, after)) return after
    // Somebody came first: by a sign-in beside this one it is the same password, by a change another.
    const now = (await findUser(store, user.uuid))?.passwordHash
    return now !== undefined && (await passwords.verify(password, now)) ? now : before
  } catch (error) {
    if (error instanceof ProtocolError) return before
    throw error
  }
}
