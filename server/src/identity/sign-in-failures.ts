import type { Service } from '../service.ts'
import { type AuditEvent, recordAll } from '../store/audit.ts'
import type { User } from '../store/users.ts'
import { addressKey } from './address.ts'
import type { CountedBy, PasswordAttempt } from './authenticate.ts'

/**
 * Records a sign-in that failed, and the delay where it began one. How many there can be is bounded by those very
 * delays. Of an account that doesn't exist nothing is told that was typed: people type passwords into that field.
 * It takes one transaction in every case, so that the accounts that exist can't be told by time.
 */
export async function recordFailure(
  { store, now }: Service,
  attempt: PasswordAttempt,
  user: User | undefined,
  counted: readonly CountedBy[],
): Promise<void> {
  const { address, requestId, clientId } = attempt
  const target = user && { kind: 'user', id: user.uuid }
  const event: Omit<AuditEvent, 'kind'> = {
    at: now(),
    actor: { kind: 'anonymous' },
    address,
    requestId,
    target,
    userUuid: user?.uuid,
    clientId,
  }
  const failed: AuditEvent = { ...event, kind: 'sign_in.failed', detail: { reason: reasonOf(user) } }
  const delayed = counted.flatMap(({ by, failures, delay }): AuditEvent[] => {
    if (delay === 0) return []
    const detail = { counted_by: by, failures, seconds: Math.ceil(delay / 1000) }
    const whole: AuditEvent = { ...event, kind: 'sign_in.throttled', detail }
    return [by === 'address' ? { ...whole, target: { kind: 'address', id: addressKey(address) } } : whole]
  })
  await recordAll(store, [failed, ...delayed])
}

function reasonOf(user: User | undefined): string {
  if (user === undefined) return 'unknown_account'
  if (!user.active) return 'disabled_account'
  return user.passwordHash === undefined ? 'no_password' : 'wrong_password'
}
