/**
 * `identity/` owns passwords, throttling, sessions and the access context: who somebody is, as whom they act, and
 * whether that still counts. It knows no route and no page, and reads no token.
 */
import { ProtocolError } from '../protocol/errors.ts'
import { emailKey } from '../protocol/values.ts'
import type { Service } from '../service.ts'
import { isKnownDevice } from '../store/devices.ts'
import { hashSecret } from '../store/identifier.ts'
import { type Counted, countAttempt, forgetAttempts, uncountAttempt } from '../store/throttles.ts'
import { findUserByEmail, rehashPassword, type User } from '../store/users.ts'
import { addressKey } from './address.ts'
import { needsRehash } from './passwords.ts'
import { recordFailure } from './sign-in-failures.ts'

const minute = 60_000

export type PasswordOutcome =
  /** `passwordHash` is the one that the password was checked against, or today's in its place. */
  | { outcome: 'right'; user: User; passwordHash: string }
  | { outcome: 'wrong' }
  | { outcome: 'throttled'; retryAfter: number }

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

/** A counter that the attempt was counted by, and what came of it; undefined where counting is off. */
export type CountedBy = Counter & { counted: Counted | undefined }

/**
 * Checks a password. An unknown account, a disabled one and a wrong password are one answer, by content and by
 * the work done. `retryAfter` in ms. Throws `temporarily_unavailable` when too many checks wait.
 *
 * Every attempt is counted before it is evaluated, so parallel guesses count as sequential ones. What was not
 * evaluated, or was right, is taken back. What was evaluated and wrong is recorded.
 */
export async function authenticate(service: Service, attempt: PasswordAttempt): Promise<PasswordOutcome> {
  const { store } = service
  const user = await findUserByEmail(store, attempt.email)
  const { own, shared } = await countersOf(service, attempt, user)
  const counted: CountedBy[] = []
  for (const counter of [...shared, own]) {
    const result = await count(service, counter)
    if (result !== undefined && 'retryAfter' in result) {
      await uncount(service, counted)
      return { outcome: 'throttled', retryAfter: result.retryAfter }
    }
    counted.push({ ...counter, counted: result })
  }
  const matches = await verify(service, attempt.password, user?.passwordHash, counted)
  if (!matches || user === undefined || !user.active) {
    await recordFailure(service, attempt, user, counted)
    return { outcome: 'wrong' }
  }
  await forgetAttempts(store, own.key)
  await uncount(service, shared)
  const passwordHash = await rehashed(service, user, attempt.password)
  return { outcome: 'right', user, passwordHash }
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

/** `limit` attempts at once, then a delay that doubles from 5 s to 15 min; forgotten after an hour of quiet. */
async function count(
  { store, now }: Service,
  { key, limit }: Counter,
): Promise<Counted | { retryAfter: number } | undefined> {
  if (limit === 0) return undefined
  return await countAttempt(store, key, { free: limit, longest: 15 * minute, memory: 60 * minute }, now())
}

async function uncount({ store }: Service, counters: readonly Counter[]): Promise<void> {
  for (const { key, limit } of counters) if (limit > 0) await uncountAttempt(store, key)
}

async function verify(
  service: Service,
  password: string,
  hash: string | undefined,
  counted: readonly Counter[],
): Promise<boolean> {
  try {
    return await service.passwords.verify(password, hash)
  } catch (error) {
    // It was never evaluated, so it does not count.
    if (error instanceof ProtocolError) await uncount(service, counted)
    throw error
  }
}

/** The hash that is stored now: made anew where today's parameters are others, unless too many wait for theirs. */
async function rehashed({ store, passwords }: Service, user: User, password: string): Promise<string> {
  const before = user.passwordHash ?? ''
  if (!needsRehash(before)) return before
  try {
    const after = await passwords.hash(password)
    return (await rehashPassword(store, user.uuid, before, after)) ? after : before
  } catch (error) {
    if (error instanceof ProtocolError) return before
    throw error
  }
}
