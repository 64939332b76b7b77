import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseLocale, type Locale } from '../pages/locale.ts'
import { unknownClient, unknownRedirectUri } from '../protocol/authorize-refusals.ts'
import { ProtocolError, RedirectableError } from '../protocol/errors.ts'
import { Parameters } from '../protocol/parameters.ts'
import { isRegisteredRedirectUri } from '../protocol/redirect-uri.ts'
import type { Service } from '../service.ts'
import { findRequest, type PendingRequest } from '../store/authorization-requests.ts'
import { type Client, findClient } from '../store/clients.ts'
import type { LiveSession } from '../store/sessions.ts'
import { csrfMatches, csrfToken, currentSession, readCookie } from './browser.ts'
import { type Answer, whatIsMissing } from './missing.ts'

/** Where every step returns to; the authorization request then asks what is still missing. */
export const continuePath = '/oauth2/authorize/continue'

/** The page of each step that can be missing. */
export const stepPaths = {
  password: '/sign-in',
  'choose-profile': '/choose-profile',
  consent: '/consent',
  'no-profile': '/no-profile',
} as const

export type StepName = keyof typeof stepPaths

/** A step that was opened by the browser that its request belongs to. */
export interface Step {
  pending: PendingRequest
  client: Client
  session: LiveSession | undefined
  missing: Answer
  locale: Locale
  /** What each page is given. */
  page: { locale: Locale; requestId: string; action: string; csrf: string; clientName: string }
}

/** Opens the step for a GET. Throws `request_expired` when the request is over, or another browser's. */
export async function openStep(service: Service, request: FastifyRequest, name: StepName): Promise<Step> {
  const query = Parameters.ofUrl(request.url)
  const browser = readCookie(service, request, 'browser')
  const { pending, client } = await findPending(service, query.optional('request'), browser)
  const session = await currentSession(service, request)
  const missing = await whatIsMissing(service, { client, ...pending.parameters }, pending, session)
  const locale = chooseLocale({
    uiLocales: pending.parameters.uiLocales,
    userLocale: 'user' in missing ? missing.user?.locale : undefined,
    acceptLanguage: request.headers['accept-language'],
  })
  const page = {
    locale,
    requestId: request.id,
    action: `${stepPaths[name]}?request=${pending.id}`,
    csrf: csrfToken(browser ?? '', pending.id),
    clientName: client.name,
  }
  return { pending, client, session, missing, locale, page }
}

/** Opens the step for a POST: its form must have come from this browser. Throws `form_expired` otherwise. */
export async function openStepForm(
  service: Service,
  request: FastifyRequest,
  name: StepName,
): Promise<Step & { form: Parameters }> {
  const step = await openStep(service, request, name)
  const form = request.body instanceof Parameters ? request.body : Parameters.parse('')
  const browser = readCookie(service, request, 'browser') ?? ''
  if (!csrfMatches(browser, step.pending.id, form.optional('csrf'))) {
    throw new ProtocolError(
      'form_expired',
      'The form does not belong to this browser. Go back and try again.',
    )
  }
  if (form.optional('choice') === 'cancel') throw denied(step, 'The user cancelled the sign-in.')
  return { ...step, form }
}

/**
 * The request that a browser may go on with, and its client as it is now. Both the client and its addresses may
 * have changed since: nothing is ever sent to one that is registered no longer.
 */
export async function findPending(
  service: Service,
  id: string | undefined,
  browser: string | undefined,
): Promise<{ pending: PendingRequest; client: Client }> {
  const pending =
    id !== undefined && browser !== undefined
      ? await findRequest(service.store, id, browser, service.now())
      : undefined
  if (pending === undefined) {
    throw new ProtocolError(
      'request_expired',
      'This sign-in is over, or was begun in another browser. Go back to the application and start again.',
    )
  }
  const client = await findClient(service.store, pending.clientId)
  if (client === undefined || !client.active) throw unknownClient()
  if (!isRegisteredRedirectUri(pending.redirectUri, client.redirectUris, client.applicationType)) {
    throw unknownRedirectUri()
  }
  return { pending, client }
}

/** The answer to the client when the person does not want to, or can't, go on. */
export function denied(step: Pick<Step, 'pending'>, description: string): RedirectableError {
  const { redirectUri, parameters } = step.pending
  return new RedirectableError('access_denied', description, { redirectUri, state: parameters.state })
}

/** Returns to the authorization request. */
export function goOn(reply: FastifyReply, step: Pick<Step, 'pending'>): FastifyReply {
  return reply.redirect(`${continuePath}?request=${step.pending.id}`, 303)
}
