import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressKey } from '../identity/address.ts'
import { claimed, provenAs } from '../identity/factors/level.ts'
import { pageOf } from '../pages/locale.ts'
import { provedOf } from '../protocol/authentication.ts'
import type { ErrorCode } from '../protocol/errors.ts'
import { RedirectableError } from '../protocol/redirectable-error.ts'
import { newId } from '../protocol/identifier.ts'
import { Parameters } from '../protocol/parameters.ts'
import { requestDone } from '../protocol/refusals.ts'
import { targetOf } from '../protocol/redirect-target.ts'
import type { Service } from '../service.ts'
import { browserSecret, currentSession, readCookie } from '../sign-in/browser.ts'
import { continuePath, type SignInStep } from '../sign-in/step.ts'
import { type StepAnswer, findPending, whatIsMissing } from '../sign-in/steps.ts'
import { atRevision } from '../store/at-revision.ts'
import { issueCode } from '../store/authorization-codes.ts'
import type { LiveSession } from '../store/sessions.ts'
import { keepRequest } from '../store/authorization-requests.ts'
import { answerClient } from './authorize-answer.ts'
import { tellBreakGlass } from './break-glass.ts'
import { revalidateAuthorizeRequest, type ValidAuthorizeRequest } from './authorize-request.ts'
import { broughtRequest } from './par.ts'
import { formOf } from './token.ts'
import { beginTrialOf, endTrial, trialPath } from './trial.ts'

/** GET and POST /oauth2/authorize, and the address that the steps of a sign-in return to. */
export function authorizeEndpoint(app: FastifyInstance, service: Service): void {
  /** Per address (decisions 8); counted in memory. */
  const limit = (request: FastifyRequest) => {
    const key = addressKey(request.ip)
    service.limits.authorize.check(key)
    service.limits.authorize.count(key)
  }

  app.get('/oauth2/authorize', withoutHead, async (request, reply) => {
    limit(request)
    return await begin(service, request, reply, Parameters.ofUrl(request.url))
  })

  app.post('/oauth2/authorize', async (request, reply) => {
    limit(request)
    const parameters = formOf(request)
    // A form on another site brings no SameSite=Lax cookie; the same request by GET does.
    if (readCookie(service, request, 'browser') === undefined) {
      await broughtRequest(service, request, parameters)
      return reply.redirect(`/oauth2/authorize?${parameters}`, 303)
    }
    return await begin(service, request, reply, parameters)
  })

  app.get(trialPath, withoutHead, async (request, reply) => {
    limit(request)
    return await beginTrialOf(service, request, reply)
  })

  app.get(continuePath, withoutHead, (request, reply) => proceed(service, request, reply))
}

/** A HEAD request, as of a link checker, must not use up a request that a person is in the middle of. */
const withoutHead = { exposeHeadRoute: false }

/**
 * Checks a request, which is answered at once when nothing is missing, else kept for the steps. Where no session tells
 * the revision, what is in memory is taken for current, and what is kept tells whether it was.
 */
async function begin(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Parameters,
): Promise<FastifyReply> {
  const session = await currentSession(service, request)
  const asking = { request, reply, sent, session }
  const { seen } = service.store.cache
  if (session === undefined && seen !== undefined) {
    const begun = await beginAt(atRevision(service, seen), asking).catch(() => undefined)
    if (begun?.revision === seen) return await begun.answer()
  }
  return await (await beginAt(atRevision(service, session?.revision), asking)).answer()
}

interface AuthorizeContext {
  request: FastifyRequest
  reply: FastifyReply
  sent: Parameters
  session: LiveSession | undefined
}

interface Begun {
  /** The revision of the moment when the request was kept. */
  revision: number | undefined
  answer(): FastifyReply | Promise<FastifyReply>
}

async function beginAt(
  service: Service,
  { request, reply, sent, session }: AuthorizeContext,
): Promise<Begun> {
  const valid = await broughtRequest(service, request, sent)
  const { client, redirect_uri, parameters } = valid
  const answer = await whatIsMissing(service, { client, ...parameters }, {}, session)
  if (answer.kind === 'done')
    return { revision: undefined, answer: () => respond(service, request, reply, valid, answer) }
  const userLocale = session?.user.locale
  const step = stepOf(valid, answer)
  if (parameters.prompt.includes('none')) throw refusal(valid, ...step.withoutPage)
  const id = newId(service.now())
  const browser = browserSecret(service, request, reply)
  const times = { now: service.now(), lifetime: service.settings.lifetimes.signIn }
  // The person who signs in may prefer another language. This sign-in keeps that of its first page.
  const uiLocales = pageOf(request, { uiLocales: parameters.uiLocales, userLocale }).locale
  const kept = {
    id,
    client_id: client.client_id,
    redirect_uri,
    parameters: { ...parameters, uiLocales },
    browser,
  }
  const revision = await keepRequest(service.store, kept, times)
  return { revision, answer: () => reply.redirect(`${step.path}?request=${id}`, 303) }
}

/** A step has returned: leads to the next one that is missing, or answers the client. */
async function proceed(
  running: Service,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { service, pending, client, session } = await findPending(running, request)
  const valid = revalidateAuthorizeRequest(service, pending, client)
  const answer = await whatIsMissing(service, { client: valid.client, ...valid.parameters }, pending, session)
  if (answer.kind === 'here') return reply.redirect(answer.path, 303)
  if (answer.kind === 'done') return await respond(service, request, reply, valid, answer, pending.id)
  return reply.redirect(`${stepOf(valid, answer).path}?request=${pending.id}`, 303)
}

function stepOf(valid: ValidAuthorizeRequest, answer: Exclude<StepAnswer, { kind: 'done' }>): SignInStep {
  if (answer.kind === 'missing') return answer.step
  throw refusal(valid, 'login_required', 'Another person signed in than the id_token_hint names.')
}

/** Answers a request, kept or not, with exactly code, state and iss (RFC 6749 §4.1.2, RFC 9207 §2). */
async function respond(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  valid: ValidAuthorizeRequest,
  { session, profile }: StepAnswer & { kind: 'done' },
  requestId?: string,
): Promise<FastifyReply> {
  const { client, redirect_uri, parameters } = valid
  if (parameters.trial !== undefined)
    return await endTrial(service, request, reply, valid, { session, profile, requestId })
  await tellBreakGlass(service, request, { client, session, profile })
  const { proven } = await provenAs(service.store, { user: session.user, proven: session }, profile)
  const code = await issueCode(
    service.store,
    {
      client_id: client.client_id,
      user_uuid: session.user_uuid,
      sid: session.sid,
      profile_uuid: profile.held_uuid,
      redirect_uri,
      code_challenge: parameters.codeChallenge ?? '',
      nonce: parameters.nonce ?? '',
      scope: parameters.scopes.join(' '),
      resource: parameters.resource ?? null,
      jkt: parameters.dpopJkt ?? null,
      ...claimed(proven, parameters.acrValues),
      // Whole: the token may be for another profile later.
      proofs: JSON.stringify(provedOf(session)),
    },
    { now: service.now(), lifetime: service.settings.lifetimes.code, requestId, pushed: parameters.pushed },
  )
  // One request gives one answer, however often the browser asks.
  if (code === undefined) {
    pageOf(request, { client })
    throw requestDone()
  }
  const userLocale = session.user.locale
  return answerClient(service, request, reply, { ...targetOf(valid), userLocale }, { code })
}

function refusal(valid: ValidAuthorizeRequest, code: ErrorCode, description: string): RedirectableError {
  return new RedirectableError(code, description, targetOf(valid))
}
