import type { Service } from '../service.ts'
import { type AuditEvent, recordAll } from '../audit/record.ts'
import type { User } from '../store/users.ts'
import { addressKey } from './address.ts'
import type { Counted } from '../store/throttles.ts'

export interface PasswordAttempt {
  email: string
  password: string
  address: string
  /** The cookie of a browser that signed somebody in before. */
  device: string | undefined
  /** The request, and the client that asked for the sign-in, if one did. The audit tells both. */
  requestId: string
  client_id?: string | undefined
}

/** What an attempt is counted by, and how many failures it allows; 0 turns the counting off. */
export interface Counter {
  by: 'account' | 'device' | 'address'
  key: string
  limit: number
}

/** What the attempt was counted by, and what came of it. */
export type CountedBy = Counted & Pick<Counter, 'by'>

/**
 * Records a failed sign-in, and the delay if it began one; the delays bound how many records there can be. The typed
 * address of an unknown account is left out: people type passwords into that field. Every case takes one transaction,
 * so that existing accounts can't be told by time.
 */
export async function recordFailure(
  { store, now }: Service,
  attempt: Pick<PasswordAttempt, 'address' | 'requestId' | 'client_id'>,
  user: User | undefined,
  counted: readonly CountedBy[],
  reason = reasonOf(user),
): Promise<void> {
  const { address, requestId, client_id } = attempt
  const target = user && { kind: 'user', id: user.uuid }
  const event: Omit<AuditEvent, 'kind'> = {
    at: now(),
    actor: { kind: 'anonymous' },
    address,
    requestId,
    target,
    user_uuid: user?.uuid,
    client_id,
  }
  const failed: AuditEvent = { ...event, kind: 'sign_in.failed', detail: { reason } }
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
  return user.password_hash === null ? 'no_password' : 'wrong_password'
}
