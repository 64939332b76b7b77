/**
 * `forward/` owns applications behind a proxy (decisions 36): what a proxy asks about each of their requests, and the
 * sign-in at their origins. It decides by the table of the client and by what a refresh would ask, issues codes to
 * nobody, and trusts no header of who is no proxy that it knows.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ProtocolError } from '../protocol/errors.ts'
import { personHeaders } from '../protocol/proxied.ts'
import { takesHtml } from '../protocol/takes-html.ts'
import type { Service } from '../service.ts'
import { accessTokens } from './access-token.ts'
import { callbackRoute } from './callback.ts'
import { withoutOurs } from './cookies.ts'
import { judge } from './judge.ts'
import { logoutRoutes } from './logout.ts'
import {
  claimedHeader,
  methodsOf,
  Misasked,
  type OriginalRequest,
  readOriginal,
  readOriginThere,
} from './original.ts'
import { type AtApplication, findingApplications, misasked } from './application.ts'
import { findingVisits } from './sessions.ts'
import { beginSignIn } from './way-back.ts'

export const forwardAuthPath = '/oauth2/forward-auth'

export function forwardAuth(app: FastifyInstance, service: Service): void {
  const findApplication = findingApplications(service)
  const findVisit = findingVisits()
  const tokenOf = accessTokens(service)

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header('cache-control', 'no-store')
    const original = readOriginal(service, request)
    const isMisasked = original instanceof Misasked
    const at = await findApplication(request, isMisasked ? original : original.origin)
    if (isMisasked) throw misasked(original.reason)
    const claimed = claimedHeader(request)
    if (claimed !== undefined) throw misasked(`the visitor sent ${claimed}`)
    if (isPreflight(request, original)) return preflight(reply, at, original, request)
    const methods = methodsOf(request, original)
    const doubtsMethod = methods.length > 1 && !at.proxied.routes.coversAll
    if (doubtsMethod) throw misasked(`the visitor names the method ${methods.slice(1).join(', ')} besides`)
    const visit = await findVisit(at)
    const judged = judge(at.proxied, { methods, target: original.target }, visit?.visitor)
    switch (judged.outcome) {
      case 'unmapped':
        throw unmapped(original)
      case 'lacks':
        throw lacking(judged.line.demand)
      case 'sign_in':
        return signIn(request, reply, at, original)
      case 'passes':
        return pass(request, reply, {
          ...visit?.visitor.headers,
          ...(visit && { 'X-Access-Token': await tokenOf(visit) }),
        })
    }
  }

  // Answered before a body is read.
  app.all(forwardAuthPath, { onRequest: answer }, never)
  app.all(`${forwardAuthPath}/*`, { onRequest: answer }, never)
  const there = {
    findApplication,
    findVisit,
    originOf: (one: FastifyRequest) => readOriginThere(service, one),
  }
  callbackRoute(app, there)
  logoutRoutes(app, there)
}

const never = async (): Promise<never> => {
  throw new Error('The question was answered before.')
}

/** The application gets each header of ours from us alone, and none of our cookies. */
function pass(
  request: FastifyRequest,
  reply: FastifyReply,
  told: Readonly<Record<string, string | undefined>>,
): FastifyReply {
  for (const name of personHeaders) reply.header(name, told[name] ?? '')
  const cookies = withoutOurs(request.headers.cookie)
  if (cookies !== undefined) reply.header('cookie', cookies)
  return reply.code(200).send('')
}

/** A browser asks before a request of another origin (Fetch §3.2.2), and never sends a cookie with that. */
function isPreflight({ headers }: FastifyRequest, { method }: OriginalRequest): boolean {
  const { origin, cookie, authorization, 'access-control-request-method': asked } = headers
  const isAsked = typeof asked === 'string' && /^[A-Z]+$/.test(asked)
  return (
    method === 'OPTIONS' &&
    isAsked &&
    typeof origin === 'string' &&
    cookie === undefined &&
    authorization === undefined
  )
}

/** It passes where the request that it asks for has a route: the application says who may send that. */
function preflight(
  reply: FastifyReply,
  { proxied }: AtApplication,
  original: OriginalRequest,
  request: FastifyRequest,
): FastifyReply {
  const asked = String(request.headers['access-control-request-method'])
  if (proxied.routes.find([asked], original.target) === undefined) throw unmapped(original)
  return pass(request, reply, {})
}

/** A browser that opens a page is sent to the sign-in. nginx can't hand on another status than 401. */
function signIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { service, client, origin }: AtApplication,
  { method, target }: OriginalRequest,
): FastifyReply {
  const { accept, cookie: cookies, 'sec-fetch-mode': mode } = request.headers
  const isNavigation = mode === undefined ? takesHtml(accept) : mode === 'navigate'
  if (!isNavigation || !['GET', 'HEAD'].includes(method)) throw signInRequired()
  const { location, cookie } = beginSignIn(service, { client, origin }, { target, cookies })
  const status = service.settings.forwardAuth.headers === 'original' ? 401 : 302
  return reply.code(status).header('location', location).header('set-cookie', cookie).send('')
}

const unmapped = ({ method, origin, target }: OriginalRequest): ProtocolError =>
  new ProtocolError('forward_auth_refused', 'The application has no route for this address.', {
    detail: `no route fits ${method} ${origin}${target
      .split('?')[0]
      ?.replaceAll(/[^\x21-\x7e]/g, '?')
      .slice(0, 300)}`,
  })

const lacking = (permission: string): ProtocolError =>
  new ProtocolError('permission_missing', `The permission ${permission} is needed for this address.`)

const signInRequired = (): ProtocolError =>
  new ProtocolError(
    'sign_in_required',
    'Nobody is signed in, or the sign-in has ended. Open the page again to sign in.',
  )
