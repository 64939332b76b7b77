import { type AuditEvent, recordAll } from '../../audit/record.ts'
import { openedTotp } from '../../keys/totp-secret.ts'
import type { Service } from '../../service.ts'
import { knownDeviceOf } from '../../store/devices.ts'
import { countWrongCode } from '../../store/factors.ts'
import {
  acceptTotp,
  type KeptTotp,
  recoveryHashOf,
  totpOf,
  useRecoveryCode,
} from '../../store/second-factor.ts'
import type { Proof } from '../../store/start-session.ts'
import { countAlone, type Counted, type Settled, uncountAttempt } from '../../store/throttles.ts'
import { recoveryCodeOf } from './recovery-codes.ts'
import { matchTotp, totpCodeOf } from './totp.ts'

/** Wrong ones before a delay begins. */
const free = 5
/** Wrong ones in a row that suspend an authenticator app (SP 800-63B-4 §3.2.2 allows 100). */
const suspending = 50
/** Only a right second factor ends a count, never the passing of time. */
const memory = 100 * 365 * 24 * 3_600_000

/** A code that was typed after a right first factor, and where. */
export interface CodeAttempt {
  userUuid: string
  typed: string
  is: 'code' | 'recovery_code'
  /** The cookie of a browser that proved a second factor before. */
  device: string | undefined
  address: string
  requestId: string
  clientId: string
}

/** The transaction that adds the proof settles what was counted; where it adds none, `failed` is to be told. */
export type CodeOutcome =
  | { outcome: 'right'; proof: Proof; settled: Settled; failed: () => Promise<void> }
  | { outcome: 'wrong' }
  | { outcome: 'suspended' }
  | { outcome: 'throttled'; retryAfter: number }

/** The authenticator apps whose codes count here. A known device counts by itself, so suspended ones do there. */
export async function appsThatCount(
  { store }: Service,
  userUuid: string,
  device: string | undefined,
): Promise<{ all: readonly KeptTotp[]; counting: readonly KeptTotp[]; known: string | undefined }> {
  const all = await totpOf(store, userUuid)
  const known = device === undefined ? undefined : await store.read(knownDeviceOf(device, userUuid))
  return { all, counting: all.filter(({ suspended }) => !suspended || known !== undefined), known }
}

/**
 * Checks a code. Every attempt is counted before it is evaluated, by person or known device, so that parallel guesses
 * count as sequential ones. Throws `temporarily_unavailable` when too many hashes wait.
 */
export async function checkCode(service: Service, attempt: CodeAttempt): Promise<CodeOutcome> {
  const { userUuid, device, is } = attempt
  const { counting, known } = await appsThatCount(service, userUuid, device)
  const isApp = is === 'code'
  if (isApp && counting.length === 0) return { outcome: 'suspended' }
  if ((isApp ? totpCodeOf : recoveryCodeOf)(attempt.typed) === undefined) return { outcome: 'wrong' }
  const key = known === undefined ? `second factor ${userUuid}` : `second factor device ${known}`
  const throttle = { key, free, memory }
  const counted = await countAlone(service.store, [throttle], service.now())
  if ('retryAfter' in counted) return { outcome: 'throttled', retryAfter: counted.retryAfter }
  const over = counted.some(({ failures }) => failures > suspending)
  if (isApp && known !== undefined && over) {
    await uncountAttempt(service.store, counted)
    return { outcome: 'suspended' }
  }
  const proof = isApp
    ? totpProof(service, attempt, { counting, alsoSuspended: known !== undefined })
    : await recoveryProof(service, attempt, counted)
  const failed = (reason: string) => fail(service, attempt, { reason, counted, known })
  if (proof === undefined) {
    await failed(isApp ? 'wrong_code' : 'wrong_recovery_code')
    return { outcome: 'wrong' }
  }
  const settled = { own: counted[0], shared: [] }
  return { outcome: 'right', proof, settled, failed: () => failed('used_code') }
}

const originOf = ({ userUuid, address, requestId }: CodeAttempt) => ({
  actor: { kind: 'user', id: userUuid } as const,
  address,
  requestId,
})

function totpProof(
  { store, settings, now }: Service,
  attempt: CodeAttempt,
  { counting, alsoSuspended }: { counting: readonly KeptTotp[]; alsoSuspended: boolean },
): Proof | undefined {
  const code = totpCodeOf(attempt.typed) ?? ''
  for (const kept of counting) {
    const match = matchTotp(code, openedTotp(kept, [settings.secret, settings.previousSecret]), now())
    if (typeof match !== 'object') continue
    const accepted = { id: kept.id, step: match.step, alsoSuspended }
    return {
      proved: { method: 'totp', credential: kept.id },
      stillHolds: (userUuid) => acceptTotp(store, accepted, { userUuid, now: now(), by: originOf(attempt) }),
    }
  }
  return undefined
}

async function recoveryProof(
  { store, passwords, now }: Service,
  attempt: CodeAttempt,
  counted: readonly Counted[],
): Promise<Proof | undefined> {
  const read = recoveryCodeOf(attempt.typed)
  if (read === undefined) return undefined
  const hash = await recoveryHashOf(store, attempt.userUuid, read.number)
  const matches = await passwords.verify(read.code, hash).catch(async (error: unknown) => {
    // It was not evaluated, so it does not count.
    await uncountAttempt(store, counted)
    throw error
  })
  if (!matches || hash === undefined) return undefined
  const used = { number: read.number, hash }
  return {
    proved: { method: 'recovery_code' },
    stillHolds: (userUuid) => useRecoveryCode(store, used, { userUuid, now: now(), by: originOf(attempt) }),
  }
}

/** Records a wrong code, and the delay if it began one; a wrong one of an app counts towards its suspension. */
async function fail(
  { store, now }: Service,
  attempt: CodeAttempt,
  { reason, counted, known }: { reason: string; counted: readonly Counted[]; known: string | undefined },
): Promise<void> {
  const { userUuid, address, requestId, clientId } = attempt
  const by = { actor: { kind: 'anonymous' } as const, address, requestId }
  const about = { at: now(), ...by, target: { kind: 'user', id: userUuid }, userUuid, clientId }
  const events: AuditEvent[] = [{ ...about, kind: 'sign_in.failed', detail: { reason } }]
  for (const { failures, delay } of counted) {
    const detail = { counted_by: 'second_factor', failures, seconds: Math.ceil(delay / 1000) }
    if (delay > 0) events.push({ ...about, kind: 'sign_in.throttled', detail })
  }
  if (attempt.is === 'recovery_code' || known !== undefined) return await recordAll(store, events)
  await countWrongCode(store, suspending, { userUuid, now: now(), by }, events)
}
