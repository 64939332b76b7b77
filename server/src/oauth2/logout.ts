import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { confirmLogoutPage } from '../pages/confirm-logout-page.tsx'
import { chooseLocale } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { signedOutPage } from '../pages/signed-out-page.tsx'
import { ProtocolError } from '../protocol/errors.ts'
import { Parameters } from '../protocol/parameters.ts'
import { isRegisteredRedirectUri, withParameters } from '../protocol/redirect-uri.ts'
import type { Service } from '../service.ts'
import {
  clearCookie,
  csrfMatches,
  csrfToken,
  currentSession,
  readCookie,
  sessionToEnd,
} from '../sign-in/browser.ts'
import type { Origin } from '../store/audit.ts'
import { type Client, findClient } from '../store/clients.ts'
import { endSession, type Session } from '../store/sessions.ts'
import { tookPart } from '../store/token-families.ts'
import { findUser } from '../store/users.ts'
import { formOf } from './token.ts'

const logoutPath = '/oauth2/logout'
const confirmPath = '/oauth2/logout/confirm'

/** A logout request that was checked (OpenID Connect RP-Initiated Logout 1.0 §2). */
interface LogoutRequest {
  client: Client | undefined
  /** Registered for the client; undefined: a page of ours says goodbye. */
  returnTo: string | undefined
  state: string | undefined
  /** The subject of a checked id_token_hint. */
  hintedSub: string | undefined
  /** The session that it was issued in: it ends too, wherever its browser is. */
  hintedSid: string | undefined
  uiLocales: string | undefined
}

/** GET and POST /oauth2/logout, and the form that asks. */
export function logoutEndpoint(app: FastifyInstance, service: Service): void {
  // Without HEAD: a checker of links that asks for the headers alone must sign nobody out.
  app.get(logoutPath, { exposeHeadRoute: false }, (request, reply) => {
    return logout(service, request, reply, Parameters.ofUrl(request.url))
  })
  app.post(logoutPath, (request, reply) => logout(service, request, reply, formOf(request)))
  app.post(confirmPath, (request, reply) => confirm(service, request, reply))
}

async function logout(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  parameters: Parameters,
): Promise<unknown> {
  const asked = await validate(service, parameters)
  const session = await currentSession(service, request)
  if (session !== undefined && (await mustAsk(service, asked, session))) {
    return await ask(service, request, reply, asked, session, parameters)
  }
  // A form on another site brings no session cookie (SameSite=Lax); asked again by GET, the browser shows it.
  if (
    session === undefined &&
    request.method === 'POST' &&
    readCookie(service, request, 'session') === undefined
  ) {
    return reply.redirect(`${logoutPath}?${parameters}`, 303)
  }
  return await finish(service, request, reply, asked, session ?? (await lapsed(service, request, asked)))
}

/** A session that was idle for too long ends too, with its token families; whom it does not concern, nobody is asked. */
async function lapsed(
  service: Service,
  request: FastifyRequest,
  asked: LogoutRequest,
): Promise<Session | undefined> {
  const session = await sessionToEnd(service, request)
  return session === undefined || (await mustAsk(service, asked, session)) ? undefined : session
}

async function validate(service: Service, parameters: Parameters): Promise<LogoutRequest> {
  parameters.refuseRepeated()
  const clientId = parameters.optional('client_id')
  const hint = parameters.optional('id_token_hint', 8192)
  const hinted = hint === undefined ? undefined : service.keys.verified(hint, 'JWT')
  if (hint !== undefined && hinted === undefined) {
    throw new ProtocolError('invalid_request', 'The id_token_hint is not an ID token of this service.')
  }
  const audience = typeof hinted?.aud === 'string' ? hinted.aud : undefined
  if (clientId !== undefined && audience !== undefined && audience !== clientId) {
    throw new ProtocolError('invalid_request', 'The id_token_hint was issued to another client.')
  }
  const client = await knownClient(service, clientId ?? audience)
  return {
    client,
    returnTo: registeredReturn(client, parameters.optional('post_logout_redirect_uri')),
    state: parameters.optional('state'),
    hintedSub: typeof hinted?.sub === 'string' ? hinted.sub : undefined,
    hintedSid: typeof hinted?.sid === 'string' ? hinted.sid : undefined,
    uiLocales: parameters.optional('ui_locales', 200),
  }
}

async function knownClient(service: Service, clientId: string | undefined): Promise<Client | undefined> {
  if (clientId === undefined) return undefined
  const client = await findClient(service.store, clientId)
  if (client?.active) return client
  throw new ProtocolError('invalid_client', 'The client_id is unknown, or the client is inactive.', {
    status: 400,
  })
}

function registeredReturn(client: Client | undefined, uri: string | undefined): string | undefined {
  // Without a client nobody can say whose address it is: then it is not gone to (decisions 6).
  if (uri === undefined || client === undefined) return undefined
  if (isRegisteredRedirectUri(uri, client.postLogoutRedirectUris, client.applicationType)) return uri
  throw new ProtocolError(
    'invalid_redirect_uri',
    'The post_logout_redirect_uri is not exactly one that is registered for this client.',
  )
}

/** Whether a person must say that they mean it: nothing shows that the client has to do with this session (decisions 6). */
async function mustAsk(service: Service, asked: LogoutRequest, session: Session): Promise<boolean> {
  if (asked.hintedSub !== undefined) return asked.hintedSub !== session.userUuid
  // A link without an address to return to is not how an application signs somebody out (interface §4.7).
  if (asked.returnTo === undefined) return true
  return asked.client === undefined || !(await tookPart(service.store, session.sid, asked.client.clientId))
}

async function ask(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: LogoutRequest,
  session: Session,
  parameters: Parameters,
): Promise<unknown> {
  const user = await findUser(service.store, session.userUuid)
  const hidden = {
    client_id: asked.client?.clientId,
    post_logout_redirect_uri: asked.returnTo,
    state: asked.state,
    ui_locales: parameters.optional('ui_locales', 200),
  }
  const html = confirmLogoutPage({
    locale: localeOf(request, asked, user?.locale),
    requestId: request.id,
    action: confirmPath,
    csrf: csrfToken(readCookie(service, request, 'session') ?? '', 'logout'),
    hidden: Object.fromEntries(
      Object.entries(hidden).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    accountName: user?.name ?? '',
    clientName: asked.client?.name,
  })
  return sendPage(reply, html, { leadsAway: asked.returnTo !== undefined })
}

async function confirm(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const form = formOf(request)
  const asked = await validate(service, form)
  // Also when it was idle for too long while the question was shown.
  const session = await sessionToEnd(service, request)
  const cookie = readCookie(service, request, 'session')
  // Without a session there is nothing to protect, and the person is where they wanted to be.
  if (session !== undefined && !csrfMatches(cookie ?? '', 'logout', form.optional('csrf'))) {
    throw new ProtocolError(
      'form_expired',
      'The form does not belong to this session. Go back and try again.',
    )
  }
  return await finish(service, request, reply, asked, session)
}

/** Ends the session and its token families, then leaves: to the registered address, or to a page of ours. */
async function finish(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: LogoutRequest,
  session: Session | undefined,
): Promise<unknown> {
  const userUuid = session?.userUuid ?? asked.hintedSub
  const by: Origin = {
    actor: { kind: 'user', id: userUuid },
    address: request.ip,
    requestId: request.id,
  }
  for (const sid of new Set([session?.sid, asked.hintedSid])) {
    if (sid !== undefined) await endSession(service.store, sid, { now: service.now(), reason: 'logout', by })
  }
  clearCookie(service, reply, 'session')
  reply.header('cache-control', 'no-store')
  if (asked.returnTo !== undefined) {
    return reply.redirect(withParameters(asked.returnTo, { state: asked.state }), 303)
  }
  return sendPage(reply, signedOutPage({ locale: localeOf(request, asked), requestId: request.id }))
}

function localeOf(request: FastifyRequest, asked: LogoutRequest, userLocale?: string) {
  const acceptLanguage = request.headers['accept-language']
  return chooseLocale({ uiLocales: asked.uiLocales, userLocale, acceptLanguage })
}
