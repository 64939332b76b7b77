import type { FastifyReply, FastifyRequest } from 'fastify'
import { provedByMailedLink } from '../identity/factors/enrolment-code.ts'
import type { Proved } from '../protocol/authentication.ts'
import { newSecret } from '../protocol/identifier.ts'
import type { Service } from '../service.ts'
import type { Reset } from '../store/password-reset.ts'
import { passwordProof, type Proof, startSession } from '../store/start-session.ts'
import { readCookie, requestAndSession, sessionToEnd, setCookie } from './browser.ts'
import { continuePath } from './step.ts'

/** Where somebody ends who began at no application in this browser. */
const elsewhere = '/account'

interface Resetting {
  service: Service
  request: FastifyRequest
  reply: FastifyReply
  reset: Reset
}

/**
 * Signs this browser in by the new password and the factor that was proved for it. The sign-in that the link was asked
 * in goes on where this is its browser. Undefined: the person was disabled, or the password changed, meanwhile.
 */
export async function signInAfterReset(
  { service, request, reply, reset: { user, data } }: Resetting,
  passwordHash: string,
  proved: Proved | undefined,
): Promise<unknown> {
  const { pending } = await requestAndSession(service, request, data.pendingId)
  const device = readCookie(service, request, 'device') ?? newSecret()
  const started = await startSession(service.store, await sessionToEnd(service, request), {
    userUuid: user.uuid,
    proofs: [passwordProof(passwordHash), ...(proved === undefined ? [] : [kept(proved)])],
    secondFactorDue: user.secondFactor && proved === undefined,
    device,
    now: service.now(),
    lifetime: service.settings.lifetimes.sessionAbsolute,
    from: { address: request.ip, requestId: request.id, clientId: pending?.clientId },
    pendingId: pending?.id,
  })
  if (started === undefined) return undefined
  if (data.mailedTo !== undefined)
    await provedByMailedLink(service, { userUuid: user.uuid, sid: started.sid })
  setCookie(service, reply, 'session', started.cookie)
  setCookie(service, reply, 'device', device)
  return reply.redirect(pending === undefined ? elsewhere : `${continuePath}?request=${pending.id}`, 303)
}

/** The verb that set the password has looked whether it still holds. */
const kept = (proved: Proved): Proof => ({
  proved,
  // oxlint-disable-next-line require-yield
  *stillHolds() {
    return true
  },
})
