import { type AuditEvent, recordAll } from '../../audit/record.ts'
import { openedTotp } from '../../keys/totp-secret.ts'
import type { Service } from '../../service.ts'
import { type Credential, credentialsOf, hasFactorFor } from '../../store/credentials.ts'
import { knownDeviceOf } from '../../store/devices.ts'
import { countWrongCode, factorsOf } from '../../store/factors.ts'
import {
  acceptTotp,
  free as freeOthers,
  type KeptTotp,
  recoveryCodeWith,
  totpOf,
  useRecoveryCode,
} from '../../store/second-factor.ts'
import { type Proof, reaching } from '../../store/start-session.ts'
import {
  countAlone,
  type Counted,
  type SettledAttempt,
  throttleKeys,
  uncountAttempt,
} from '../../store/throttles.ts'
import { checkSecondKey, proofOf, type SentAnswer } from './assertion.ts'
import { recoveryCodeOf } from './recovery-codes.ts'
import { matchTotp, totpCodeOf } from './totp.ts'
import { relyingParty } from './webauthn.ts'

/** Wrong ones before a delay begins. */
const free = 5
/** Wrong ones in a row that suspend an authenticator app (SP 800-63B-4 §3.2.2 allows 100). */
const suspending = 50
/** Only a right second factor ends a count, never the passing of time. */
const memory = 100 * 365 * 24 * 3_600_000

/** What was typed, or what a passkey or security key answered. */
export type Given = { is: 'code' | 'recovery_code'; typed: string } | { is: 'key'; answer: SentAnswer }

/** A second factor that was given after a right first one, and where. */
export interface Attempt {
  user_uuid: string
  given: Given
  /** The cookie of a browser that proved a second factor before. */
  device: string | undefined
  address: string
  requestId: string
  client_id?: string | undefined
  /** Only a factor of the farthest reach that the person has counts. */
  farthest?: true
}

/** The transaction that adds the proof settles what was counted; where it adds none, `failed` is to be told. */
export type SecondFactorOutcome =
  | { outcome: 'right'; proof: Proof; settled: SettledAttempt; failed: () => Promise<void> }
  | { outcome: 'wrong' }
  | { outcome: 'suspended' }
  | { outcome: 'throttled'; retryAfter: number }

/** Whether any factor of a person counts: passkeys and security keys of another RP ID do not. */
export const hasFactorHere = (service: Service, user_uuid: string): Promise<boolean> =>
  hasFactorFor(service.store, user_uuid, relyingParty(service)?.id)

/** The passkeys and security keys that may be used now. */
export async function keysThatCount(service: Service, user_uuid: string): Promise<Credential[]> {
  const rpId = relyingParty(service)?.id
  return (await credentialsOf(service.store, user_uuid)).filter((one) => one.rpId === rpId && !one.suspended)
}

/** The authenticator apps whose codes count here. A known device counts by itself, so suspended ones do there. */
export async function appsThatCount(
  { store }: Service,
  user_uuid: string,
  device: string | undefined,
): Promise<{ all: readonly KeptTotp[]; counting: readonly KeptTotp[]; known: string | undefined }> {
  const all = await totpOf(store, user_uuid)
  const known = device === undefined ? undefined : await store.read(knownDeviceOf(device, user_uuid))
  return { all, counting: all.filter(({ suspended }) => !suspended || known !== undefined), known }
}

/**
 * Checks a second factor. Every attempt is counted before it is evaluated, by person or known device, so that parallel
 * guesses count as sequential ones. Throws `temporarily_unavailable` when too many hashes wait.
 */
export async function checkSecondFactor(service: Service, attempt: Attempt): Promise<SecondFactorOutcome> {
  const { user_uuid, device, given } = attempt
  const { counting, known } = await appsThatCount(service, user_uuid, device)
  const isApp = given.is === 'code'
  if (isApp && counting.length === 0) return { outcome: 'suspended' }
  if (isMalformed(given)) return { outcome: 'wrong' }
  const { secondFactor, secondFactorDevice } = throttleKeys
  const key = known === undefined ? secondFactor(user_uuid) : secondFactorDevice(known)
  const throttle = { key, free, memory }
  const counted = await countAlone(service.store, [throttle], service.now())
  if ('retryAfter' in counted) return { outcome: 'throttled', retryAfter: counted.retryAfter }
  const over = counted.some(({ failures }) => failures > suspending)
  if (isApp && known !== undefined && over) {
    await uncountAttempt(service.store, counted)
    return { outcome: 'suspended' }
  }
  const failed = (reason: string) => fail(service, attempt, { reason, counted, known })
  const found = await proofOfGiven(service, attempt, { counting, known, counted })
  const proof = (await isTooNear(service, attempt, found)) ? 'factor_of_small_reach' : found
  if (typeof proof === 'string') {
    await failed(proof)
    return { outcome: 'wrong' }
  }
  const settled = { own: counted[0], shared: [] }
  return { outcome: 'right', proof, settled, failed: () => failed('used_code') }
}

/** What was set up under an organisation's proof stands in for nothing that reaches further. */
async function isTooNear({ store }: Service, attempt: Attempt, proof: Proof | string): Promise<boolean> {
  if (attempt.farthest !== true || typeof proof === 'string' || proof.proved.reach === undefined) return false
  return (await factorsOf(store, attempt.user_uuid)).some(({ reach }) => reach === null)
}

const isMalformed = (given: Given): boolean =>
  given.is !== 'key' && (given.is === 'code' ? totpCodeOf : recoveryCodeOf)(given.typed) === undefined

/** The proof, or the reason why there is none. */
async function proofOfGiven(
  service: Service,
  attempt: Attempt,
  among: { counting: readonly KeptTotp[]; known: string | undefined; counted: readonly Counted[] },
): Promise<Proof | string> {
  const { given } = attempt
  if (given.is === 'key') return await keyProof(service, attempt, given.answer)
  if (given.is === 'recovery_code')
    return (await recoveryProof(service, attempt, given.typed, among.counted)) ?? 'wrong_recovery_code'
  const { counting, known } = among
  const asked = { counting, alsoSuspended: known !== undefined }
  return totpProof(service, attempt, given.typed, asked) ?? 'wrong_code'
}

/** A passkey or security key of this person. */
async function keyProof(service: Service, attempt: Attempt, answer: SentAnswer): Promise<Proof | string> {
  const checked = await checkSecondKey(service, answer, attempt.user_uuid)
  if (checked.outcome === 'wrong') return checked.reason
  const { proved, stillHolds } = proofOf(checked)
  return {
    proved,
    *stillHolds(user_uuid) {
      if (!(yield* stillHolds(user_uuid))) return false
      yield* freeOthers(service.store, { user_uuid, now: service.now(), by: originOf(attempt) })
      return true
    },
  }
}

const originOf = ({ user_uuid, address, requestId }: Attempt) => ({
  actor: { kind: 'user', id: user_uuid } as const,
  address,
  requestId,
})

function totpProof(
  { store, settings, now }: Service,
  attempt: Attempt,
  typed: string,
  { counting, alsoSuspended }: { counting: readonly KeptTotp[]; alsoSuspended: boolean },
): Proof | undefined {
  const code = totpCodeOf(typed) ?? ''
  for (const kept of counting) {
    const match = matchTotp(code, openedTotp(kept, [settings.secret, settings.previousSecret]), now())
    if (typeof match !== 'object') continue
    const accepted = { id: kept.id, step: match.step, alsoSuspended }
    return {
      proved: { method: 'totp', credential: kept.id, ...reaching(kept.reach) },
      stillHolds: (user_uuid) =>
        acceptTotp(store, accepted, { user_uuid, now: now(), by: originOf(attempt) }),
    }
  }
  return undefined
}

async function recoveryProof(
  { store, passwords, now }: Service,
  attempt: Attempt,
  typed: string,
  counted: readonly Counted[],
): Promise<Proof | undefined> {
  const read = recoveryCodeOf(typed)
  if (read === undefined) return undefined
  const kept = await recoveryCodeWith(store, attempt.user_uuid, read.number)
  const matches = await passwords.verify(read.code, kept?.hash).catch(async (error: unknown) => {
    // The code was not evaluated, so the attempt does not count.
    await uncountAttempt(store, counted)
    throw error
  })
  if (!matches || kept === undefined) return undefined
  const used = { number: read.number, hash: kept.hash }
  return {
    proved: { method: 'recovery_code', ...reaching(kept.reach) },
    stillHolds: (user_uuid) => useRecoveryCode(store, used, { user_uuid, now: now(), by: originOf(attempt) }),
  }
}

/** Records a wrong one, and the delay if it began one; a wrong one of an app counts towards its suspension. */
async function fail(
  { store, now }: Service,
  attempt: Attempt,
  { reason, counted, known }: { reason: string; counted: readonly Counted[]; known: string | undefined },
): Promise<void> {
  const { user_uuid, address, requestId, client_id } = attempt
  const by = { actor: { kind: 'anonymous' } as const, address, requestId }
  const about = { at: now(), ...by, target: { kind: 'user', id: user_uuid }, user_uuid, client_id }
  const events: AuditEvent[] = [{ ...about, kind: 'sign_in.failed', detail: { reason } }]
  for (const { failures, delay } of counted) {
    const detail = { counted_by: 'second_factor', failures, seconds: Math.ceil(delay / 1000) }
    if (delay > 0) events.push({ ...about, kind: 'sign_in.throttled', detail })
  }
  if (attempt.given.is !== 'code' || known !== undefined) return await recordAll(store, events)
  await countWrongCode(store, suspending, { user_uuid, now: now(), by }, events)
}
