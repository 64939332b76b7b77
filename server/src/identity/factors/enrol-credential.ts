import { authenticatorName } from '../../protocol/authenticators.ts'
import { newId } from '../../protocol/identifier.ts'
import type { Service } from '../../service.ts'
import { takeChallenge } from '../../store/challenges.ts'
import { keepCredential } from '../../store/credentials.ts'
import { type Proof, reaching } from '../../store/start-session.ts'
import type { SentAnswer } from './assertion.ts'
import { hashRecoveryCodes, newRecoveryCodes, shownRecoveryCode } from './recovery-codes.ts'
import { type CredentialKind, readAttestation, relyingParty, verifiedAttestation } from './webauthn.ts'

export type NewCredentialOutcome =
  /** `codes`: recovery codes to show, with the first factor. Nothing counts before the proof is added. */
  { outcome: 'right'; proof: Proof; codes: readonly string[] } | { outcome: 'wrong' }

interface Enrolling {
  /** Undefined: who has no account yet. */
  user_uuid: string | undefined
  kind: CredentialKind
  /** What it is called where its authenticator is not known by name. */
  name: string
  /** The person has no factor yet. */
  first: boolean
  /** How far the proofs reach that it is set up by; undefined: everywhere. */
  reach: string | undefined
}

/** Checks a passkey or security key that a browser has just made. */
export async function checkNewCredential(
  service: Service,
  answer: SentAnswer,
  { user_uuid, kind, name, first, reach }: Enrolling,
): Promise<NewCredentialOutcome> {
  const rp = relyingParty(service)
  const sent = readAttestation(answer.credential)
  if (rp === undefined || sent === undefined) return { outcome: 'wrong' }
  const { store, passwords, now } = service
  const { browser, challengeId: id, address, requestId } = answer
  const challenge = await takeChallenge(store, { purpose: kind, browser, user_uuid }, { id, now: now() })
  if (challenge === undefined) return { outcome: 'wrong' }
  const told = await verifiedAttestation(rp, kind, { challenge, sent })
  if (told === undefined) return { outcome: 'wrong' }
  const { userVerified: verified, ...kept } = told
  const called = { kind, name: authenticatorName(told.aaguid) ?? name, rpId: rp.id, reach: reach ?? null }
  const made = { ...kept, ...called, id: newId(now()) }
  const codes = first ? newRecoveryCodes() : []
  const hashes = first ? await hashRecoveryCodes(passwords, codes) : undefined
  return {
    outcome: 'right',
    codes: codes.map(shownRecoveryCode),
    proof: {
      proved: { method: kind, credential: made.id, verified, ...reaching(reach) },
      stillHolds: (id) => {
        const by = { actor: { kind: 'user', id }, address, requestId } as const
        return keepCredential(store, made, { user_uuid: id, now: now(), by, first: hashes })
      },
    },
  }
}
