import type { FastifyReply, FastifyRequest } from 'fastify'
import { claimed, provenAs } from '../identity/factors/level.ts'
import { tryPath } from '../protocol/built-in-clients.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { newId } from '../protocol/identifier.ts'
import { Parameters } from '../protocol/parameters.ts'
import { unknownClient } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import { browserSecret, currentSession } from '../sign-in/browser.ts'
import { continuePath } from '../sign-in/step.ts'
import { keepRequest, endRequest } from '../store/authorization-requests.ts'
import { findClient } from '../store/clients.ts'
import type { LiveSession } from '../store/sessions.ts'
import { beginTrial, noteOutcome } from '../store/trials.ts'
import type { Profile } from '../store/users.ts'
import { answerClient } from './authorize-answer.ts'
import type { ValidAuthorizeRequest } from './authorize-request.ts'

/**
 * A trial of a client: an administrator goes through its sign-in as themself, by all its rules. It ends at the console,
 * without a code, and what came of it is kept for them alone. A consent that is given on the way is not kept.
 */
export const trialPath = '/oauth2/authorize/trial'

/** Opens a trial, once, in the session that asked for it. */
export async function beginTrialOf(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const text = Parameters.ofUrl(request.url).optional('trial') ?? ''
  const session = await currentSession(service, request)
  const now = service.now()
  const trial = session && (await beginTrial(service.store, text, { ...session, now }))
  if (trial === undefined) {
    throw new ProtocolError(
      'request_expired',
      'This trial is over, was opened before, or belongs to another sign-in. Begin another one, and open it in the browser that you are signed in with.',
    )
  }
  const client = await findClient(service.store, trial.clientId)
  if (client === undefined || !client.usable) throw unknownClient()
  const id = newId(now)
  const { scopes, resource, profileUuid, prompt } = trial
  // Nobody but who asked comes to its end.
  const hintedSub = trial.userUuid
  const sent = { state: text, nonce: text, codeChallenge: text, scopes: [...scopes], resource }
  const kept = {
    id,
    client_id: client.client_id,
    redirect_uri: `${service.issuer}${tryPath}`,
    parameters: { ...sent, profileUuid, prompt, hintedSub, trial: text },
    browser: browserSecret(service, request, reply),
  }
  await keepRequest(service.store, kept, { now, lifetime: service.settings.lifetimes.signIn })
  return reply.redirect(`${continuePath}?request=${id}`, 303)
}

/** Notes who came to the end of a trial, in the place of a code. */
export async function endTrial(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { redirect_uri, parameters }: ValidAuthorizeRequest,
  { session, profile, requestId }: { session: LiveSession; profile: Profile; requestId: string | undefined },
): Promise<FastifyReply> {
  const trial = parameters.trial ?? ''
  const { proven } = await provenAs(service.store, { user: session.user, proven: session }, profile)
  const { acr, amr, auth_time: authTime } = claimed(proven, parameters.acrValues)
  const outcome = { profileUuid: profile.held_uuid, acr, amr: JSON.parse(amr) as string[], authTime }
  await noteOutcome(service.store, trial, outcome, service.now())
  if (requestId !== undefined) await endRequest(service.store, requestId)
  return answerClient(service, request, reply, { redirect_uri, state: trial }, {})
}
