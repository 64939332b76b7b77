import type { Service } from '../../service.ts'
import { countAlone, type SettledAttempt } from '../../store/throttles.ts'
import { addressKey } from '../address.ts'
import { recordFailure } from '../sign-in-failures.ts'
import { checkPasskey, type RightAssertion, type SentAnswer, type WrongAssertion } from './assertion.ts'

export type PasskeyOutcome =
  | (RightAssertion & { settled: SettledAttempt })
  | WrongAssertion
  | { outcome: 'throttled'; retryAfter: number }

/**
 * Signs somebody in by a passkey alone. Every try is counted by address before it is looked at, with wrong passwords:
 * nothing is typed that names an account. A wrong one is recorded.
 */
export async function signInByPasskey(
  service: Service,
  answer: SentAnswer & { client_id: string | undefined },
): Promise<PasskeyOutcome> {
  const limit = service.settings.limits.signInAddress
  const throttles = limit === 0 ? [] : [{ key: `address ${addressKey(answer.address)}`, free: limit }]
  const counted = await countAlone(service.store, throttles, service.now())
  if ('retryAfter' in counted) return { outcome: 'throttled', retryAfter: counted.retryAfter }
  const outcome = await checkPasskey(service, answer)
  if (outcome.outcome === 'right') return { ...outcome, settled: { own: undefined, shared: counted } }
  const by = counted.map((one) => ({ ...one, by: 'address' as const }))
  await recordFailure(service, answer, outcome.credential?.owner, by, outcome.reason)
  return outcome
}
