import type { Origin } from '../../audit/record.ts'
import { encryptedTotp, openedTotp } from '../../keys/totp-secret.ts'
import { newId } from '../../protocol/identifier.ts'
import { newTotpSecret, type TotpSecret } from '../../protocol/totp-secret.ts'
import { textProblem } from '../../protocol/values.ts'
import type { Service } from '../../service.ts'
import { confirmTotp, keepPendingTotp, pendingTotp } from '../../store/enrolment.ts'
import type { Session } from '../../store/sessions.ts'
import { type Proof, reaching } from '../../store/start-session.ts'
import { hashRecoveryCodes, newRecoveryCodes, shownRecoveryCode } from './recovery-codes.ts'
import { matchTotp, totpAddress, totpCodeOf } from './totp.ts'

type Whose = Pick<Session, 'user_uuid' | 'sid'>

/** What an app needs to make codes: in base32, and as the address of a QR code. */
export interface ShownSecret {
  secret: string
  address: string
}

/** Apps name the account by them. */
interface Label {
  issuer: string
  label: string
}

/** The secret that waits in this session to be confirmed, or a new one. */
export async function showSecret(service: Service, whose: Whose, label: Label): Promise<ShownSecret> {
  const { store, settings, now } = service
  const kept = await pending(service, whose)
  const secret = kept?.secret ?? newTotpSecret()
  if (kept === undefined) {
    const id = newId(now())
    const encrypted = encryptedTotp(secret, id, settings.secret)
    await keepPendingTotp(store, { id, secret: encrypted }, { ...whose, now: now() })
  }
  return { secret: secret.secret, address: totpAddress(secret, label) }
}

async function pending(
  { store, settings, now }: Service,
  whose: Whose,
): Promise<{ id: string; secret: TotpSecret } | undefined> {
  const row = await pendingTotp(store, { ...whose, now: now() })
  if (row === undefined) return undefined
  return { id: row.id, secret: openedTotp(row, [settings.secret, settings.previousSecret]) }
}

export type EnrolmentOutcome =
  /** `codes`: recovery codes to show, with the first factor. Nothing counts before the proof is added. */
  | { outcome: 'right'; proof: Proof; codes: readonly string[] }
  | { outcome: 'missing' | 'wrong' | 'clock' | 'expired' | 'wrongName' }

interface EnrolmentAsked {
  typed: string
  name: string
  /** The person has no factor yet. */
  first: boolean
  /** How far the proofs reach that it is set up by; undefined: everywhere. */
  reach: string | undefined
  by: Origin
}

/** Checks the first code of an authenticator app. */
export async function checkEnrolment(
  service: Service,
  whose: Whose,
  { typed, name, first, reach, by }: EnrolmentAsked,
): Promise<EnrolmentOutcome> {
  const { store, passwords, now } = service
  if (textProblem(100)(name) !== undefined) return { outcome: 'wrongName' }
  const kept = await pending(service, whose)
  if (kept === undefined) return { outcome: 'expired' }
  if (typed.trim() === '') return { outcome: 'missing' }
  const code = totpCodeOf(typed)
  const match = code === undefined ? undefined : matchTotp(code, kept.secret, now())
  if (typeof match !== 'object') return { outcome: match ?? 'wrong' }
  const codes = first ? newRecoveryCodes() : []
  const hashes = first ? await hashRecoveryCodes(passwords, codes) : undefined
  const enrolment = {
    id: kept.id,
    sid: whose.sid,
    name,
    step: match.step,
    reach: reach ?? null,
    first: hashes,
  }
  return {
    outcome: 'right',
    codes: codes.map(shownRecoveryCode),
    proof: {
      proved: { method: 'totp', credential: kept.id, ...reaching(reach) },
      stillHolds: (user_uuid) => confirmTotp(store, enrolment, { user_uuid, now: now(), by }),
    },
  }
}
