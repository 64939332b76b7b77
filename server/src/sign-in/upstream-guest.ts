/** No upstream speaks for the address of a person: a code is mailed to it before there is an account, or theirs. */
import type { FastifyReply } from 'fastify'
import { type Assertion, keptAssertion, type KeptAssertion } from '../upstream/assertion.ts'
import { type Guest, sendGuestCode } from '../identity/guest-code.ts'
import { newSecret } from '../protocol/identifier.ts'
import { answerStep } from '../store/authorization-requests.ts'
import { keepUpstreamRequest } from '../store/upstream-requests.ts'
import type { Visit } from './step.ts'
import { guestPath } from './upstream-paths.ts'

/** What an upstream proved, while its person shows that the address is theirs. */
export interface WaitingGuest extends KeptAssertion {
  email: string
  stepUp: boolean
  came: number
}

/**
 * Mails a code and asks for it, whether there is an account or not. It is bound to upstream, subject, address and the
 * request of this browser.
 */
export async function waitForCode(
  visit: Visit,
  upstream: { uuid: string; name: string },
  { assertion, stepUp, email }: { assertion: Assertion; stepUp: boolean; email: string },
): Promise<FastifyReply> {
  const { service, reply, pending, browser } = visit
  const state = newSecret()
  const now = service.now()
  const data: WaitingGuest = { ...keptAssertion(assertion), email, stepUp, came: now }
  const about = { upstream_uuid: upstream.uuid, about: pending.id, purpose: 'guest' } as const
  await keepUpstreamRequest(service.store, { ...about, state, browser, data, now })
  const parameters = { ...pending.parameters, guest: state, upstreamFailed: true }
  await answerStep(service.store, pending.id, { parameters })
  await mailCode(visit, upstream, { ...data, state })
  return reply.redirect(`${guestPath}?request=${pending.id}`, 303)
}

/** False: too many were mailed already. */
export const mailCode = async (
  { service, request, page }: Visit,
  { name }: { name: string },
  guest: Guest,
): Promise<boolean> => await sendGuestCode(service, guest, { locale: page.locale, address: request.ip, name })
