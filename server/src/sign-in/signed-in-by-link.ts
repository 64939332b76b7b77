import type { FastifyReply, FastifyRequest } from 'fastify'
import { provedByMailedLink } from '../identity/factors/enrolment-code.ts'
import { newSecret } from '../protocol/identifier.ts'
import type { Service } from '../service.ts'
import { type SignIn, startSession } from '../store/start-session.ts'
import { browserLabel } from './browser-label.ts'
import { readCookie, sessionToEnd, setCookie } from './browser.ts'

interface ByLink extends Pick<SignIn, 'user_uuid' | 'proofs' | 'secondFactorDue' | 'pendingId'> {
  /** The application that the sign-in is for. */
  client_id?: string | undefined
  /** The link came by mail, so the person has the mailbox. */
  mailed?: boolean
}

/**
 * Signs this browser in as the person who has just set up how they sign in, by a link. False, and nothing changed: the
 * person was disabled, or a proof became void, meanwhile.
 */
export async function signInByLink(
  { service, request, reply }: { service: Service; request: FastifyRequest; reply: FastifyReply },
  { client_id, mailed, ...signIn }: ByLink,
): Promise<boolean> {
  const device = readCookie(service, request, 'device') ?? newSecret()
  const started = await startSession(service.store, await sessionToEnd(service, request), {
    ...signIn,
    device,
    now: service.now(),
    lifetime: service.settings.lifetimes.sessionAbsolute,
    from: { address: request.ip, requestId: request.id, client_id },
    browser: browserLabel(request.headers['user-agent']),
  })
  if (started === undefined) return false
  if (mailed) await provedByMailedLink(service, { user_uuid: signIn.user_uuid, sid: started.sid })
  setCookie(service, reply, 'session', started.cookie)
  setCookie(service, reply, 'device', device)
  return true
}
