import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authorizationCode } from '../oauth2/grants/authorization-code.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { Parameters } from '../protocol/parameters.ts'
import { callbackPath } from '../protocol/proxied.ts'
import { requestOver } from '../protocol/refusals.ts'
import { pageOf } from '../pages/locale.ts'
import { atRevision } from '../store/at-revision.ts'
import { proxiedCookie } from '../store/proxied-sessions.ts'
import { sessionCookie, setCookie } from './cookies.ts'
import type { Misasked } from './original.ts'
import type { AtApplication, FindApplication } from './application.ts'
import { findWayBack } from './way-back.ts'

/** How what stands at applications' origins finds the application. */
export interface OwnAddresses {
  findApplication: FindApplication
  originOf(request: IncomingMessage): string | Misasked
}

/** GET ORIGIN/.tessera/callback: exchanges the code for a session at the origin, and leads back to where it began. */
export function callbackRoute(app: FastifyInstance, { findApplication, originOf }: OwnAddresses): void {
  app.get(callbackPath, { exposeHeadRoute: false }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const at = await findApplication(request.raw, originOf(request.raw))
    const { service, client, origin } = at
    pageOf(request, { client })
    const parameters = Parameters.ofUrl(request.url)
    parameters.refuseRepeated()
    const asked = { state: parameters.optional('state'), cookies: request.headers.cookie }
    const found = findWayBack(service, at, asked)
    if (found === undefined || parameters.optional('iss') !== service.issuer) throw requestOver()
    reply.header('set-cookie', setCookie(found.name, '', 0))
    if (parameters.optional('error') !== undefined) throw notSignedIn()
    const { cookie, life } = await exchanged(at, request, {
      code: parameters.optional('code') ?? '',
      verifier: found.way.verifier,
    })
    reply.header('set-cookie', setCookie(sessionCookie, cookie, life))
    return reply.redirect(`${origin}${found.way.target}`, 303)
  })
}

/** The application's part of the flow (RFC 6749 §4.1.3), within this service. */
async function exchanged(
  { service, client, origin }: AtApplication,
  { ip: address, id: requestId }: FastifyRequest,
  { code, verifier }: { code: string; verifier: string },
): Promise<{ cookie: string; life: number }> {
  const redirect_uri = `${origin}${callbackPath}`
  const sent = Parameters.parse(
    new URLSearchParams({ code, redirect_uri, code_verifier: verifier }).toString(),
  )
  const presented = await authorizationCode(service, sent)
  const then = atRevision(service, presented.revision)
  const grant = await presented.grant({ service: then, client, from: { address, requestId } }).catch(over)
  if (grant.kind !== 'person' || grant.refreshToken === undefined)
    throw new Error('The exchange opened no session.')
  return {
    cookie: proxiedCookie(grant.refreshToken),
    life: Math.floor(service.settings.lifetimes.sessionAbsolute / 1000),
  }
}

/** A refusal of the code is shown as the end of the sign-in: its own words are for applications. */
function over(error: unknown): never {
  if (error instanceof ProtocolError && error.code === 'invalid_grant') throw requestOver()
  throw error
}

const notSignedIn = (): ProtocolError =>
  new ProtocolError('access_denied', 'The sign-in was cancelled, or nobody may enter by it.', { status: 403 })
