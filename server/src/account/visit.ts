/**
 * `account/` owns what people do for themselves: the pages of the person who is signed in here. Whatever changes how
 * somebody signs in wants a fresh proof. It never acts for anybody else.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { opensAll, type ProofReach, reachOf } from '../identity/reach.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Service } from '../service.ts'
import { currentSession } from '../sign-in/browser.ts'
import { openPage, type PageVisit } from '../sign-in/page-visit.ts'
import { choosesPassword } from '../sign-in/temporary-password.ts'
import type { LiveSession } from '../store/sessions.ts'

/** A request to a page of the account. */
export interface AccountVisit extends PageVisit {
  /** The session, with the profiles that its proofs open. */
  session: LiveSession
  reach: ProofReach
  /** Whether its proofs open every profile that the person has, usable or not: only then it is their whole account. */
  isWhole: boolean
}

export const accountPath = '/account'
export const accountSignInPath = '/account/sign-in'

/** Back to the page. */
export const back = ({ reply, page: { action } }: AccountVisit, done?: string) =>
  reply.redirect(done === undefined ? action : `${action}?done=${done}`, 303)

/** Undefined: nobody who is active is signed in here, or they have to choose a password first. */
export async function openAccount(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  action: string,
): Promise<AccountVisit | undefined> {
  const session = await currentSession(service, request)
  if (session === undefined || !session.user.active || choosesPassword(session)) return undefined
  const opening = { about: `account ${session.sid}`, action, userLocale: session.user.locale }
  return { ...(await openPage(service, request, reply, opening)), ...(await reachedBy(service, session)) }
}

/** The session as far as its proofs reach. */
export async function reachedBy(
  { store }: Service,
  session: LiveSession,
): Promise<Pick<AccountVisit, 'session' | 'reach' | 'isWhole'>> {
  const reach = await reachOf(store, session)
  if (reach.isFull) return { session, reach, isWhole: true }
  const isWhole = await opensAll(store, session.user_uuid, reach)
  const profiles = session.profiles.filter((one) => reach.opens(one))
  return { session: { ...session, profiles }, reach, isWhole }
}

export const otherSession = () =>
  new ProtocolError('form_expired', 'The form does not belong to this session. Open it again.')

export const originOf = ({ request, session }: AccountVisit) => ({
  actor: { kind: 'user' as const, id: session.user_uuid },
  address: request.ip,
  requestId: request.id,
})
