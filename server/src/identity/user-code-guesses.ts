import { type AuditEvent, recordAll } from '../audit/record.ts'
import { hashSecret } from '../protocol/identifier.ts'
import type { Service } from '../service.ts'
import { type DeviceCode, waitingFor } from '../store/device-codes.ts'
import { type Counted, countAttempt, uncountAttempt } from '../store/throttles.ts'
import { addressKey } from './address.ts'

export type GuessedCode =
  | { outcome: 'right'; device: DeviceCode }
  | { outcome: 'wrong' }
  /** `retryAfter` in ms. */
  | { outcome: 'throttled'; retryAfter: number }

interface From {
  address: string
  requestId: string
}

/**
 * What waits under a user code. Every try is counted before it is looked up, by browser and by address, with the limits
 * of wrong passwords (RFC 8628 §5.1); a right one is taken back.
 */
export async function guessUserCode(
  service: Service,
  userCode: string,
  from: From & { browser: string },
): Promise<GuessedCode> {
  const { store, now } = service
  const { signInAccount, signInAddress } = service.settings.limits
  const throttles = [
    { key: `user code address ${addressKey(from.address)}`, free: signInAddress },
    { key: `user code browser ${hashSecret(from.browser)}`, free: signInAccount },
  ].filter(({ free }) => free > 0)
  const [counted, device] = await countAttempt(store, throttles, now(), () =>
    waitingFor({ user_code: userCode, now: now() }),
  )
  if ('retryAfter' in counted) return { outcome: 'throttled', retryAfter: counted.retryAfter }
  if (device === undefined) {
    await recordThrottled(service, from, counted)
    return { outcome: 'wrong' }
  }
  await uncountAttempt(store, counted)
  return { outcome: 'right', device }
}

/** Records a delay that began; the delays bound how many records there can be. */
async function recordThrottled(
  { store, now }: Service,
  { address, requestId }: From,
  counted: readonly Counted[],
): Promise<void> {
  const events = counted
    .filter(({ delay }) => delay > 0)
    .map(
      ({ failures, delay }): AuditEvent => ({
        at: now(),
        kind: 'user_code.throttled',
        actor: { kind: 'anonymous' },
        address,
        requestId,
        target: { kind: 'address', id: addressKey(address) },
        detail: { failures, seconds: Math.ceil(delay / 1000) },
      }),
    )
  if (events.length > 0) await recordAll(store, events)
}
