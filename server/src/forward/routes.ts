/**
 * `forward/` owns applications behind a proxy (decisions 36): what a proxy asks about each of their requests, and the
 * sign-in at their origins. It decides by the table of the client and by what a refresh would ask, issues codes to
 * nobody, and trusts no header of who is no proxy that it knows.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ProtocolError } from '../protocol/errors.ts'
import { takesHtml } from '../protocol/takes-html.ts'
import { pageOf } from '../pages/locale.ts'
import type { Service } from '../service.ts'
import { findingApplications } from './application.ts'
import { callbackRoute } from './callback.ts'
import { type Check, type VisitChecked, checking } from './check.ts'
import { logoutRoutes } from './logout.ts'
import { readOriginThere } from './original.ts'
import { findingVisits } from './sessions.ts'
import { beginSignIn } from './way-back.ts'

export const forwardAuthPath = '/oauth2/forward-auth'

/** Yields the check, for what answers before the framework sees a request. */
export function forwardAuth(app: FastifyInstance, service: Service): Check {
  const findApplication = findingApplications(service)
  const findVisit = findingVisits()
  const check = checking(service, { findApplication, findVisit })

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header('cache-control', 'no-store')
    const checked = await check(request.raw)
    if (checked.outcome === 'passes') return reply.code(200).headers(checked.headers).send('')
    // A page names the application.
    pageOf(request, { client: checked.at.client })
    if (checked.outcome === 'refused') throw checked.refusal
    return signIn(request, reply, checked)
  }

  // Answered before a body is read.
  app.all(forwardAuthPath, { onRequest: answer }, never)
  app.all(`${forwardAuthPath}/*`, { onRequest: answer }, never)
  const originOf = (request: IncomingMessage) => readOriginThere(service, request)
  callbackRoute(app, { findApplication, originOf })
  logoutRoutes(app, { findApplication, originOf })
  return check
}

const never = async (): Promise<never> => {
  throw new Error('The question was answered before.')
}

/** A browser that opens a page is sent to the sign-in. nginx can't hand on another status than 401. */
function signIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { at, original: { method, target } }: Extract<VisitChecked, { outcome: 'sign_in' }>,
): FastifyReply {
  const { service, client, origin } = at
  const { accept, cookie: cookies, 'sec-fetch-mode': mode } = request.headers
  const isNavigation = mode === undefined ? takesHtml(accept) : mode === 'navigate'
  if (!isNavigation || !['GET', 'HEAD'].includes(method)) throw signInRequired()
  const { location, cookie } = beginSignIn(service, { client, origin }, { target, cookies })
  const status = service.settings.forwardAuth.headers === 'original' ? 401 : 302
  return reply.code(status).header('location', location).header('set-cookie', cookie).send('')
}

const signInRequired = (): ProtocolError =>
  new ProtocolError(
    'sign_in_required',
    'Nobody is signed in, or the sign-in has ended. Open the page again to sign in.',
  )
