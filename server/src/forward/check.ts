import type { IncomingMessage } from 'node:http'
import { ProtocolError } from '../protocol/errors.ts'
import { personHeaders } from '../protocol/proxied.ts'
import type { Service } from '../service.ts'
import { accessTokens } from './access-token.ts'
import { type AtApplication, type FindApplication, misasked } from './application.ts'
import { withoutOurs } from './cookies.ts'
import { judge } from './judge.ts'
import {
  claimedHeader,
  mayNameMethods,
  methodsOf,
  Misasked,
  type OriginalRequest,
  readOriginal,
} from './original.ts'
import type { FindVisit } from './sessions.ts'

/** The outcome of a question that was asked as it must be. */
export type VisitChecked =
  /** The headers of the answer are what the application gets. */
  | { outcome: 'passes'; headers: Record<string, string> }
  | { outcome: 'sign_in'; at: AtApplication; original: OriginalRequest }
  | { outcome: 'refused'; at: AtApplication; refusal: ProtocolError }

/** Checks the request that a proxy asks about. Throws `forward_auth_refused` where that can't be told. */
export type Check = (request: IncomingMessage) => Promise<VisitChecked>

export function checking(
  service: Service,
  { findApplication, findVisit }: { findApplication: FindApplication; findVisit: FindVisit },
): Check {
  const tokenOf = accessTokens(service)
  return async (request) => {
    const original = readOriginal(service, request)
    const isMisasked = original instanceof Misasked
    // A peer that is no proxy is refused before its headers are looked at.
    const at = await findApplication(request, isMisasked ? original : original.origin)
    if (isMisasked) throw misasked(original.reason)
    const claimed = claimedHeader(request)
    if (claimed !== undefined) throw misasked(`the visitor sent ${claimed}`)
    const methods = methodsOf(request, original)
    if (methods.length > 1 && !mayNameMethods(at.proxied, methods))
      throw misasked('the visitor names another method besides')
    if (methods.length === 1 && isPreflight(request, original)) return preflight(at, original, request)
    const visit = await findVisit(at)
    const judged = judge(at.proxied, { methods, target: original.target }, visit?.visitor)
    switch (judged.outcome) {
      case 'unmapped':
        return { outcome: 'refused', at, refusal: unmapped(original) }
      case 'lacks':
        return { outcome: 'refused', at, refusal: lacking(judged.line.demand) }
      case 'sign_in':
        return { outcome: 'sign_in', at, original }
      case 'passes': {
        const token = visit && (await tokenOf(visit))
        return passing(request, { ...visit?.visitor.headers, ...(token && { 'X-Access-Token': token }) })
      }
    }
  }
}

/** The application gets each header of ours from us alone, and none of our cookies. */
function passing(request: IncomingMessage, told: Readonly<Record<string, string>>): VisitChecked {
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' }
  for (const name of personHeaders) headers[name] = told[name] ?? ''
  headers['Cookie'] = withoutOurs(request.headers.cookie)
  return { outcome: 'passes', headers }
}

/** A browser asks before a request of another origin (Fetch §3.2.2), and never sends a cookie with that. */
function isPreflight({ headers }: IncomingMessage, { method }: OriginalRequest): boolean {
  const { origin, cookie, authorization, 'access-control-request-method': asked } = headers
  const isAsked = typeof asked === 'string' && /^[A-Z]+$/.test(asked)
  const isBare = cookie === undefined && authorization === undefined
  return method === 'OPTIONS' && isAsked && typeof origin === 'string' && isBare
}

/** A preflight passes where the request that it asks for has a route: the application says who may send that. */
function preflight(at: AtApplication, original: OriginalRequest, request: IncomingMessage): VisitChecked {
  const asked = String(request.headers['access-control-request-method'])
  if (at.proxied.routes.find([asked], original.target) === undefined)
    return { outcome: 'refused', at, refusal: unmapped(original) }
  return passing(request, {})
}

const unmapped = ({ method, origin, target }: OriginalRequest): ProtocolError => {
  const path = target
    .split('?')[0]
    ?.replaceAll(/[^\x21-\x7e]/g, '?')
    .slice(0, 300)
  return new ProtocolError('forward_auth_refused', 'The application has no route for this address.', {
    detail: `no route fits ${method} ${origin}${path}`,
  })
}

const lacking = (permission: string): ProtocolError =>
  new ProtocolError('permission_missing', `The permission ${permission} is needed for this address.`)
