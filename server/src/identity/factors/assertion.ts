import type { Service } from '../../service.ts'
import { takeChallenge } from '../../store/challenges.ts'
import {
  type CredentialUse,
  findCredential,
  type OwnedCredential,
  useCredential,
} from '../../store/credentials.ts'
import { suspendCopied } from '../../store/factors.ts'
import { type Proof, reaching } from '../../store/start-session.ts'
import { isLeaving } from '../../store/users.ts'
import {
  readAssertion,
  type RelyingParty,
  relyingParty,
  type SentAssertion,
  type AuthenticatorData,
  verifiedAssertion,
} from './webauthn.ts'

/** What a browser sent as the answer to a challenge, and what it holds. */
export interface SentAnswer {
  challengeId: string
  /** JSON. */
  credential: string
  browser: string
  /** The address and the request are for the audit. */
  address: string
  requestId: string
}

export type AssertionOutcome = RightAssertion | WrongAssertion

export interface RightAssertion {
  outcome: 'right'
  credential: OwnedCredential
  /** The authenticator checked who uses it. */
  verified: boolean
  /** The use of the credential. The verb that the proof is for notes it. */
  use: CredentialUse
}

/** What the session keeps of it. */
export const proofOf = ({ credential: { id, kind, reach }, verified, use }: RightAssertion): Proof => ({
  proved: { method: kind, credential: id, verified, ...reaching(reach) },
  stillHolds: () => useCredential(use),
})

/** `reason` is for the audit: the person is told nothing but that it was not accepted. */
export interface WrongAssertion {
  outcome: 'wrong'
  reason: string
  credential?: OwnedCredential
  /** A credential that nobody has, which the browser may forget. */
  unknownId?: string
}

const wrong = (reason: string, credential?: OwnedCredential): WrongAssertion => ({
  outcome: 'wrong',
  reason,
  ...(credential && { credential }),
})

/** A passkey as the whole sign-in: of anybody, and only where the authenticator checked who uses it. */
export async function checkPasskey(service: Service, answer: SentAnswer): Promise<AssertionOutcome> {
  const outcome = await check(service, answer, undefined)
  if (outcome.outcome === 'wrong') return outcome
  const { credential, verified } = outcome
  if (credential.kind !== 'passkey') return wrong('security_key_alone', credential)
  if (!verified) return wrong('passkey_unverified', credential)
  const { owner } = credential
  return owner.active || isLeaving(owner, service.now()) ? outcome : wrong('disabled_account', credential)
}

/** A passkey or security key of this person, after a password. */
export const checkSecondKey = (
  service: Service,
  answer: SentAnswer,
  user_uuid: string,
): Promise<AssertionOutcome> => check(service, answer, user_uuid)

/** `user_uuid`: whose it has to be; undefined: the authenticator has to say whose it is (WebAuthn Level 3 §7.2 step 6). */
async function check(
  service: Service,
  answer: SentAnswer,
  user_uuid: string | undefined,
): Promise<AssertionOutcome> {
  const rp = relyingParty(service)
  const sent = readAssertion(answer.credential)
  if (rp === undefined || sent === undefined) return wrong('passkey_malformed')
  const { store, now } = service
  const binding = {
    purpose: user_uuid === undefined ? 'sign_in' : 'second_factor',
    browser: answer.browser,
    user_uuid,
  } as const
  const challenge = await takeChallenge(store, binding, { id: answer.challengeId, now: now() })
  if (challenge === undefined) return wrong('passkey_challenge')
  const credential = await findCredential(store, sent.id)
  if (credential === undefined) return { ...wrong('passkey_unknown'), unknownId: sent.id }
  const reason = problemOf(credential, rp, sent.response.userHandle, user_uuid)
  if (reason !== undefined) return wrong(reason, credential)
  const told = await verifiedAssertion(rp, { challenge, sent, publicKey: credential.publicKey })
  if (told === undefined) return wrong('passkey_wrong', credential)
  return await compared(service, answer, credential, told)
}

/** Why a credential does not count before its signature is looked at. */
function problemOf(
  credential: OwnedCredential,
  rp: RelyingParty,
  handle: SentAssertion['response']['userHandle'],
  user_uuid: string | undefined,
): string | undefined {
  if (credential.rpId !== rp.id) return 'passkey_of_earlier_address'
  if (credential.suspended) return 'passkey_suspended'
  if (user_uuid !== undefined && credential.user_uuid !== user_uuid) return 'passkey_of_other_person'
  const isOwners = handle === undefined ? user_uuid !== undefined : handle === credential.owner.user_handle
  return isOwners ? undefined : 'passkey_of_other_person'
}

/** What the authenticator said, beside what was kept (WebAuthn Level 3 §7.2 steps 18 to 22, §6.1.1, §6.1.3). */
async function compared(
  { store, now }: Service,
  { address, requestId }: SentAnswer,
  credential: OwnedCredential,
  told: AuthenticatorData,
): Promise<AssertionOutcome> {
  const { backupEligible } = told
  if (backupEligible !== (credential.backupEligible ?? backupEligible))
    return wrong('passkey_changed', credential)
  const counts = told.signCount > 0 || credential.signCount > 0
  if (!backupEligible && counts && told.signCount <= credential.signCount) {
    const by = { actor: { kind: 'anonymous' }, address, requestId } as const
    await suspendCopied(store, credential.id, { user_uuid: credential.user_uuid, now: now(), by })
    return wrong('passkey_counter', credential)
  }
  const { id, user_uuid } = credential
  const use = {
    id,
    user_uuid,
    signCount: told.signCount,
    backupEligible,
    backupState: told.backupState,
    now: now(),
  }
  return { outcome: 'right', credential, verified: told.userVerified, use }
}
