import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Proved } from '../protocol/authentication.ts'
import type { Service } from '../service.ts'
import { provedBefore } from '../store/proved-before.ts'
import type { Reset } from '../store/password-reset.ts'
import type { Proof } from '../store/start-session.ts'
import { requestAndSession } from './browser.ts'
import { askedBy } from './here.ts'
import { signInByLink } from './signed-in-by-link.ts'
import { continuePath } from './step.ts'

/** The page for somebody who began at no application in this browser. */
const elsewhere = '/account'

interface Resetting {
  service: Service
  request: FastifyRequest
  reply: FastifyReply
  reset: Reset
}

/**
 * Signs this browser in by what was set `now` and the factor that was proved for it, and yields where it goes: the
 * sign-in that the link was asked in goes on where this is its browser. Undefined: the person was disabled, the password
 * changed, or the account changed hands, meanwhile.
 */
export async function signInAfterReset(
  { service, request, reply, reset: { user, data } }: Resetting,
  { proof, proved, now }: { proof: Proof; proved: Proved | undefined; now: number },
): Promise<string | undefined> {
  const { pending } = await requestAndSession(service, request, data.pendingId)
  const begun = await signInByLink(
    { service, request, reply },
    {
      user_uuid: user.uuid,
      proofs: [proof, ...(proved === undefined ? [] : [provedBefore(proved, now)])],
      secondFactorDue: user.second_factor === 1 && proved === undefined && proof.proved.method === 'password',
      client_id: pending && askedBy(pending.client_id),
      pendingId: pending?.id,
      mailed: data.mailedTo !== undefined,
    },
  )
  if (!begun) return undefined
  return pending === undefined ? elsewhere : `${continuePath}?request=${pending.id}`
}
