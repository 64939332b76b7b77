import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { leaveApplicationPage } from '../pages/leave-application-page.tsx'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { signedOutPage } from '../pages/signed-out-page.tsx'
import { ProtocolError } from '../protocol/errors.ts'
import { logoutPath } from '../protocol/proxied.ts'
import { csrfToken } from '../sign-in/browser.ts'
import { checkForm, formIn } from '../sign-in/page-visit.ts'
import { brandingFor } from '../store/brandings.ts'
import { endFamily } from '../store/token-families.ts'
import type { OwnAddresses } from './callback.ts'
import { cookieIn, sessionCookie, setCookie } from './cookies.ts'
import type { AtApplication } from './application.ts'

/**
 * ORIGIN/.tessera/logout ends the session at the origin alone. A link on a page of the application does so at once; what
 * comes from elsewhere, or is no visit of a page, asks.
 */
export function logoutRoutes(app: FastifyInstance, { findApplication, originOf }: OwnAddresses): void {
  app.get(logoutPath, { exposeHeadRoute: false }, async (request, reply) => {
    const at = await findApplication(request.raw, originOf(request.raw))
    const cookie = cookieIn(request.headers.cookie, sessionCookie)
    return cookie === undefined || isFollowed(request)
      ? await leave(at, request, reply)
      : await ask(at, request, reply, cookie)
  })
  app.post(logoutPath, async (request, reply) => {
    const at = await findApplication(request.raw, originOf(request.raw))
    const cookie = cookieIn(request.headers.cookie, sessionCookie)
    if (cookie !== undefined) checkForm({ page: { csrf: tokenOf(cookie) } }, formIn(request), otherSession)
    return await leave(at, request, reply)
  })
}

/** Whether somebody follows a link of the application: not an image or a frame of its pages, nor what a browser fetches beforehand. */
const isFollowed = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'same-origin' &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document' &&
  headers['sec-purpose'] === undefined

/** Ends the session also where a policy refuses it just now: it may be taken back. */
async function leave(
  { service, client, origin, session }: AtApplication,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (session !== undefined && session.client_id === client.client_id) {
    const { user_uuid, client_id } = session
    await endFamily(service.store, session, {
      at: service.now(),
      kind: 'proxied_session.ended',
      actor: { kind: 'user', id: user_uuid },
      address: request.ip,
      requestId: request.id,
      user_uuid,
      client_id,
      reason: 'logout',
    })
  }
  // A form of another site brings no cookie, and takes none away.
  if (cookieIn(request.headers.cookie, sessionCookie) !== undefined)
    reply.header('set-cookie', setCookie(sessionCookie, '', 0))
  const brand = await brandingFor(service.store, client.organisation_uuid)
  const page = { ...pageOf(request, { client }), brand, here: undefined }
  return sendPage(reply, signedOutPage({ ...page, again: `${origin}/` }))
}

async function ask(
  { service, client }: AtApplication,
  request: FastifyRequest,
  reply: FastifyReply,
  cookie: string,
): Promise<unknown> {
  const brand = await brandingFor(service.store, client.organisation_uuid)
  const page = { ...pageOf(request, { client }), brand, here: undefined }
  const form = { action: logoutPath, csrf: tokenOf(cookie), clientName: client.client_name }
  return sendPage(reply, leaveApplicationPage({ ...page, ...form }))
}

const tokenOf = (cookie: string) => csrfToken(cookie, 'leave the application')

const otherSession = (): ProtocolError =>
  new ProtocolError('form_expired', 'The form does not belong to this session. Go back and try again.')
