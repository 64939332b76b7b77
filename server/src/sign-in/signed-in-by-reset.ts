import type { FastifyReply, FastifyRequest } from 'fastify'
import { provedByMailedLink } from '../identity/factors/enrolment-code.ts'
import type { Proved } from '../protocol/authentication.ts'
import { newSecret } from '../protocol/identifier.ts'
import type { Service } from '../service.ts'
import { provedBefore } from '../store/credentials.ts'
import type { Reset } from '../store/password-reset.ts'
import { type Proof, startSession } from '../store/start-session.ts'
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
 * Signs this browser in by what was set and the factor that was proved for it, and yields where it goes: the sign-in that
 * the link was asked in goes on where this is its browser. Undefined: the person was disabled, or the password changed,
 * meanwhile.
 */
export async function signInAfterReset(
  { service, request, reply, reset: { user, data } }: Resetting,
  proof: Proof,
  proved: Proved | undefined,
): Promise<string | undefined> {
  const { pending } = await requestAndSession(service, request, data.pendingId)
  const device = readCookie(service, request, 'device') ?? newSecret()
  const started = await startSession(service.store, await sessionToEnd(service, request), {
    userUuid: user.uuid,
    proofs: [proof, ...(proved === undefined ? [] : [provedBefore(proved)])],
    secondFactorDue: user.secondFactor && proved === undefined && proof.proved.method === 'password',
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
  return pending === undefined ? elsewhere : `${continuePath}?request=${pending.id}`
}
