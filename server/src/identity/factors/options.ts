import type { Service } from '../../service.ts'
import { type ChallengeBinding, keepChallenge } from '../../store/challenges.ts'
import { credentialsOf, userHandleOf } from '../../store/credentials.ts'
import type { User } from '../../store/users.ts'
import { keysThatCount } from './second-factor.ts'
import {
  type CredentialKind,
  creationOptions,
  type RelyingParty,
  relyingParty,
  requestOptions,
} from './webauthn.ts'

/** The options with which the browser asks its authenticators, and the id of the challenge in them. */
export interface CeremonyOptions {
  challenge_id: string
  options: object
}

/** Options for a sign-in by any passkey alone. Undefined: there are no passkeys at this issuer. */
export async function optionsToSignIn(
  service: Service,
  browser: string,
): Promise<CeremonyOptions | undefined> {
  return await withChallenge(service, { purpose: 'sign_in', browser }, async (rp, challenge) =>
    requestOptions(rp, challenge),
  )
}

/** Options for a passkey or security key of a person who has proved a password. */
export async function optionsAfterPassword(
  service: Service,
  browser: string,
  { uuid }: User,
  verification: 'discouraged' | 'preferred' = 'discouraged',
): Promise<CeremonyOptions | undefined> {
  const binding = { purpose: 'second_factor', browser, user_uuid: uuid } as const
  return await withChallenge(service, binding, async (rp, challenge) => {
    const allowed = await keysThatCount(service, uuid)
    return { ...requestOptions(rp, challenge, allowed), userVerification: verification }
  })
}

/** Options for a new credential of a person. */
export async function optionsToEnrol(
  service: Service,
  browser: string,
  { uuid, email, name }: User,
  kind: CredentialKind,
): Promise<CeremonyOptions | undefined> {
  const binding = { purpose: kind, browser, user_uuid: uuid } as const
  return await withChallenge(service, binding, async (rp, challenge) => {
    const handle = await userHandleOf(service.store, uuid)
    const existing = await credentialsOf(service.store, uuid)
    if (handle === undefined) return undefined
    return creationOptions(rp, kind, { challenge, user: { handle, email, name }, existing })
  })
}

/** Options for a passkey of somebody who has no account yet. It will name them by `handle`. */
export async function optionsToJoin(
  service: Service,
  browser: string,
  user: { handle: string; email: string; name: string },
): Promise<CeremonyOptions | undefined> {
  return await withChallenge(service, { purpose: 'passkey', browser }, async (rp, challenge) =>
    creationOptions(rp, 'passkey', { challenge, user, existing: [] }),
  )
}

async function withChallenge(
  service: Service,
  binding: ChallengeBinding,
  made: (rp: RelyingParty, challenge: string) => Promise<object | undefined>,
): Promise<CeremonyOptions | undefined> {
  const rp = relyingParty(service)
  if (rp === undefined) return undefined
  const { store, now, settings } = service
  // The challenge lasts as long as the sign-in (WebAuthn Level 3 §13.4.3 asks for no more than the ceremony takes).
  const { id, challenge } = await keepChallenge(store, binding, {
    now: now(),
    lifetime: settings.lifetimes.signIn,
  })
  const options = await made(rp, challenge)
  return options && { challenge_id: id, options }
}
