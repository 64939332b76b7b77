/**
 * `identity/` owns passwords, throttling, sessions and the access context: who somebody is, and as whom they
 * act. It knows no route, no page and no token.
 */
import { ProtocolError } from '../protocol/errors.ts'
import type { Service } from '../service.ts'
import { isKnownDevice } from '../store/devices.ts'
import { emailKey, hashSecret } from '../store/identifier.ts'
import {
  countAttempt,
  forgetAttempts,
  type ThrottleRule,
  throttled,
  uncountAttempt,
} from '../store/throttles.ts'
import { findUserByEmail, rehashPassword, type User } from '../store/users.ts'
import { addressKey } from './address.ts'
import { needsRehash } from './passwords.ts'

const minute = 60_000

export type PasswordOutcome =
  | { outcome: 'right'; user: User }
  | { outcome: 'wrong' }
  | { outcome: 'throttled'; retryAfter: number }

export interface PasswordAttempt {
  email: string
  password: string
  address: string
  /** The cookie of a browser that signed somebody in before. */
  device: string | undefined
}

/**
 * Checks a password. An unknown account, a disabled one and a wrong password are one answer, by content and by
 * the work done. `retryAfter` in ms. Throws `temporarily_unavailable` when too many checks wait.
 *
 * Every attempt is counted before it is evaluated, so parallel guesses count as sequential ones. A browser
 * that signed this person in before has a count of its own: nobody can lock its owner out.
 */
export async function authenticate(service: Service, attempt: PasswordAttempt): Promise<PasswordOutcome> {
  const { store, now, settings } = service
  const address = `address ${addressKey(attempt.address)}`
  const addressRule = rule(settings.limits.signInAddress)
  const addressDelay = addressRule && (await throttled(store, address, now()))
  if (addressDelay !== undefined) return { outcome: 'throttled', retryAfter: addressDelay }

  const user = await findUserByEmail(store, attempt.email)
  const key = await countingKey(service, attempt, user)
  const accountRule = rule(settings.limits.signInAccount)
  const delay = accountRule && (await countAttempt(store, key, accountRule, now()))
  if (delay !== undefined) return { outcome: 'throttled', retryAfter: delay }

  const matches = await verify(service, attempt.password, user?.passwordHash, key)
  if (!matches || user === undefined || !user.active) {
    if (addressRule) await countAttempt(store, address, addressRule, now())
    return { outcome: 'wrong' }
  }
  await forgetAttempts(store, key)
  await rehash(service, user, attempt.password)
  return { outcome: 'right', user }
}

/** `limit` attempts at once, then a delay that doubles from 5 s to 15 min; forgotten after an hour of quiet. */
function rule(limit: number): ThrottleRule | undefined {
  return limit === 0 ? undefined : { free: limit, longest: 15 * minute, memory: 60 * minute }
}

async function countingKey(
  service: Service,
  attempt: PasswordAttempt,
  user: User | undefined,
): Promise<string> {
  const known =
    attempt.device !== undefined &&
    (await isKnownDevice(service.store, attempt.device, user?.uuid ?? 'nobody'))
  return known
    ? `device ${hashSecret(attempt.device ?? '')}`
    : `account ${hashSecret(emailKey(attempt.email))}`
}

async function verify(
  service: Service,
  password: string,
  hash: string | undefined,
  key: string,
): Promise<boolean> {
  try {
    return await service.passwords.verify(password, hash)
  } catch (error) {
    // It was never evaluated, so it does not count.
    if (error instanceof ProtocolError) await uncountAttempt(service.store, key)
    throw error
  }
}

async function rehash(service: Service, user: User, password: string): Promise<void> {
  const { passwordHash } = user
  if (passwordHash === undefined || !needsRehash(passwordHash)) return
  await rehashPassword(service.store, user.uuid, passwordHash, await service.passwords.hash(password))
}
