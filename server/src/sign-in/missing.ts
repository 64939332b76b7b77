/**
 * `sign-in/` owns the steps between an authorization request and its answer: one file per step, each with its
 * route, rule and page. Steps never route to one another: each returns to the authorization request, which asks
 * here what is still missing.
 */
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import { consentedScopes } from '../store/consents.ts'
import type { LiveSession, Session } from '../store/sessions.ts'
import type { Profile, User } from '../store/users.ts'
import type { Scope } from '../protocol/scope.ts'

/** What the question needs to know of a request; `oauth2/` has checked it. */
export interface AskedFor {
  client: Client
  scopes: readonly Scope[]
  prompt: readonly string[]
  /** Seconds. */
  maxAge?: number | undefined
  hintedSub?: string | undefined
  profileUuid?: string | undefined
}

/** What the steps found out so far; a request that needed no page has none of it. */
export interface Progress {
  signedInSid?: string | undefined
  profileUuid?: string | undefined
  consented?: boolean
}

export type Missing =
  | { step: 'password'; user?: User }
  /** Somebody else signed in than the id_token_hint says. */
  | { step: 'other-person' }
  | { step: 'no-profile'; user: User; session: Session }
  | { step: 'choose-profile'; user: User; session: Session; profiles: Profile[] }
  | { step: 'consent'; user: User; session: Session; profile: Profile }

export type Answer = Missing | { step: 'done'; user: User; session: Session; profile: Profile }

/** The first step that still lacks something, in the order sign in, choose a profile, consent; or `done`. */
export async function whatIsMissing(
  service: Service,
  asked: AskedFor,
  progress: Progress,
  session: LiveSession | undefined,
): Promise<Answer> {
  if (session === undefined || !session.user.active) return { step: 'password' }
  const { user, profiles } = session
  const signedInHere = progress.signedInSid === session.sid
  if (asked.hintedSub !== undefined && asked.hintedSub !== user.uuid) {
    return signedInHere ? { step: 'other-person' } : { step: 'password' }
  }
  if (!signedInHere && mustSignInAgain(service, asked, session)) return { step: 'password', user }

  const profile = chosen(profiles, progress.profileUuid ?? asked.profileUuid)
  if (profiles.length === 0) return { step: 'no-profile', user, session }
  if (profile === undefined) return { step: 'choose-profile', user, session, profiles }
  if (await needsConsent(service, asked, progress, user)) return { step: 'consent', user, session, profile }
  return { step: 'done', user, session, profile }
}

/** `prompt=login` and `select_account` ask for a sign-in of this very request; `max_age` for a recent one. */
function mustSignInAgain(service: Service, asked: AskedFor, session: Session): boolean {
  if (asked.prompt.includes('login') || asked.prompt.includes('select_account')) return true
  // 0 asks for a sign-in of this very request, even within the millisecond of the last one.
  if (asked.maxAge === 0) return true
  return asked.maxAge !== undefined && service.now() - session.authTime > asked.maxAge * 1000
}

/** One profile goes straight through; of several, the one that was chosen or asked for. */
function chosen(profiles: readonly Profile[], uuid: string | undefined): Profile | undefined {
  return profiles.find((one) => one.profileUuid === uuid) ?? (profiles.length === 1 ? profiles[0] : undefined)
}

async function needsConsent(
  service: Service,
  asked: AskedFor,
  progress: Progress,
  user: User,
): Promise<boolean> {
  if (asked.client.firstParty) return false
  // What the request holds says only that it was asked: who allowed it is remembered by person.
  if (asked.prompt.includes('consent') && progress.consented !== true) return true
  const given = await consentedScopes(service.store, user.uuid, asked.client.clientId)
  return asked.scopes.some((scope) => !given.includes(scope))
}
