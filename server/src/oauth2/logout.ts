import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { confirmLogoutPage } from '../pages/confirm-logout-page.tsx'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { signedOutPage } from '../pages/signed-out-page.tsx'
import { ProtocolError } from '../protocol/errors.ts'
import { hashSecret } from '../protocol/identifier.ts'
import { invalidRequest, refusedAddress } from '../protocol/refusals.ts'
import { Parameters } from '../protocol/parameters.ts'
import { isRegisteredRedirectUri, withParameters } from '../protocol/redirect-uri.ts'
import type { Service } from '../service.ts'
import { clearCookie, currentSession, readCookie, sessionToEnd } from '../sign-in/browser.ts'
import { sessionThere, signOutThere } from '../sign-in/upstream-signed-out.ts'
import { checkForm, openPage } from '../sign-in/page-visit.ts'
import type { Origin } from '../audit/record.ts'
import { brandingFor } from '../store/brandings.ts'
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
  /** Registered for the client; undefined: a page of this service follows. */
  returnTo: string | undefined
  state: string | undefined
  /** The subject of a checked id_token_hint. */
  hintedSub: string | undefined
  /** The session of the hint: it ends too, in whichever browser it is. */
  hintedSid: string | undefined
  uiLocales: string | undefined
}

/** GET and POST /oauth2/logout, and the form of the confirmation page. */
export function logoutEndpoint(app: FastifyInstance, service: Service): void {
  // There is no HEAD, so that a link checker signs nobody out.
  app.get(logoutPath, { exposeHeadRoute: false }, (request, reply) =>
    logout({ service, request, reply }, Parameters.ofUrl(request.url)),
  )
  app.post(logoutPath, (request, reply) => logout({ service, request, reply }, formOf(request)))
  app.post(confirmPath, (request, reply) => confirm({ service, request, reply }))
}

/** A request to sign out, and where its answer goes. */
interface Visit {
  service: Service
  request: FastifyRequest
  reply: FastifyReply
}

async function logout(visit: Visit, parameters: Parameters): Promise<unknown> {
  const { service, request, reply } = visit
  const asked = await validate(service, parameters)
  const session = await currentSession(service, request)
  if (session !== undefined && (await mustAsk(service, asked, session)))
    return await ask(visit, asked, session)
  // A form on another site brings no session cookie (SameSite=Lax); the same request by GET does.
  if (request.method === 'POST' && readCookie(service, request, 'session') === undefined) {
    return reply.redirect(`${logoutPath}?${new URLSearchParams(sentOn(parameters))}`, 303)
  }
  return await finish(visit, asked, session ?? (await lapsed(visit, asked)))
}

/** Logout's parameters. Nothing else gets into an address: some programs send secrets and tokens here. */
const said = ['client_id', 'id_token_hint', 'post_logout_redirect_uri', 'state', 'ui_locales']

const sentOn = (parameters: Parameters): [string, string][] =>
  said.flatMap((name) => {
    const value = parameters.raw(name)
    return value === undefined ? [] : [[name, value]]
  })

/** A session past its idle end, whose token families may be live: it ends too, when no confirmation is needed. */
async function lapsed({ service, request }: Visit, asked: LogoutRequest): Promise<Session | undefined> {
  const session = await sessionToEnd(service, request)
  return session === undefined || (await mustAsk(service, asked, session)) ? undefined : session
}

async function validate(service: Service, parameters: Parameters): Promise<LogoutRequest> {
  parameters.refuseRepeated()
  const client_id = parameters.optional('client_id')
  const hint = parameters.optional('id_token_hint', 8192)
  const hinted = hint === undefined ? undefined : service.keys.verified(hint, 'ID token')
  if (hint !== undefined && hinted === undefined) {
    throw invalidRequest('The id_token_hint is not an ID token of this service.')
  }
  const audience = typeof hinted?.aud === 'string' ? hinted.aud : undefined
  if (client_id !== undefined && audience !== undefined && audience !== client_id) {
    throw invalidRequest('The id_token_hint was issued to another client.')
  }
  const client = await knownClient(service, client_id ?? audience)
  return {
    client,
    returnTo: registeredReturn(client, parameters.optional('post_logout_redirect_uri')),
    state: parameters.optional('state'),
    hintedSub: typeof hinted?.sub === 'string' ? hinted.sub : undefined,
    hintedSid: typeof hinted?.sid === 'string' ? hinted.sid : undefined,
    uiLocales: parameters.optional('ui_locales', 200),
  }
}

async function knownClient(service: Service, client_id: string | undefined): Promise<Client | undefined> {
  if (client_id === undefined) return undefined
  const client = await findClient(service.store, client_id)
  if (client?.usable) return client
  throw new ProtocolError('invalid_client', 'The client_id is unknown, or the client is inactive.', {
    status: 400,
  })
}

function registeredReturn(client: Client | undefined, uri: string | undefined): string | undefined {
  // The address can't be checked where no client is named, and is ignored (decisions 6).
  if (uri === undefined || client === undefined) return undefined
  if (isRegisteredRedirectUri(uri, client.post_logout_redirect_uris, client.application_type)) return uri
  throw refusedAddress(client, 'post_logout_redirect_uris', uri)
}

/** Whether the person must confirm: nothing shows that the client took part in this session (decisions 6). */
async function mustAsk(service: Service, asked: LogoutRequest, session: Session): Promise<boolean> {
  if (asked.hintedSub !== undefined) return asked.hintedSub !== session.user_uuid
  // A link without an address to return to is not how an application signs somebody out (interface §4.7).
  if (asked.returnTo === undefined) return true
  return asked.client === undefined || !(await tookPart(service.store, session.sid, asked.client.client_id))
}

async function ask(visit: Visit, asked: LogoutRequest, session: Session): Promise<unknown> {
  const { service, request, reply } = visit
  const user = await findUser(service.store, session.user_uuid)
  const again = {
    client_id: asked.client?.client_id,
    post_logout_redirect_uri: asked.returnTo,
    state: asked.state,
    ui_locales: asked.uiLocales,
  }
  const hidden = Object.fromEntries(
    Object.entries(again).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const here = `${logoutPath}?${new URLSearchParams(hidden).toString()}` as const
  const { page } = await openPage(service, request, reply, {
    ...confirming(visit),
    hidden,
    organisation_uuid: asked.client?.organisation_uuid,
    uiLocales: asked.uiLocales,
    userLocale: user?.locale,
    here,
  })
  const names = { accountName: user?.name ?? '', clientName: asked.client?.client_name }
  return sendPage(reply, confirmLogoutPage({ ...page, ...names }), {
    leadsAway: asked.returnTo !== undefined || (await sessionThere(service, session.sid)) !== undefined,
  })
}

/** The form is tied to the cookie of the session: another sign-in ends it. */
const confirming = ({ service, request }: Visit) => ({
  about: `logout ${hashSecret(readCookie(service, request, 'session') ?? '')}`,
  action: confirmPath,
})

const otherSession = () =>
  new ProtocolError('form_expired', 'The form does not belong to this session. Go back and try again.')

async function confirm(visit: Visit): Promise<unknown> {
  const { service, request, reply } = visit
  const form = formOf(request)
  const asked = await validate(service, form)
  // The session may have passed its idle end while the question was shown.
  const session = await sessionToEnd(service, request)
  // There is nothing to protect where there is no session.
  if (session !== undefined)
    checkForm(
      await openPage(service, request, reply, { ...confirming(visit), uiLocales: asked.uiLocales }),
      form,
      otherSession,
    )
  if (session !== undefined && form.optional('choice') === 'stay')
    return reply.redirect(pageOf(request, { client: asked.client }).application?.address ?? '/account', 303)
  return await finish(visit, asked, session)
}

/** Ends the session and its token families, then leads to the registered address or to the page "signed out". */
async function finish(visit: Visit, asked: LogoutRequest, session: Session | undefined): Promise<unknown> {
  const { service, request, reply } = visit
  const there = session && (await sessionThere(service, session.sid))
  const user_uuid = session?.user_uuid ?? asked.hintedSub
  const by: Origin = {
    actor: { kind: 'user', id: user_uuid },
    address: request.ip,
    requestId: request.id,
  }
  for (const sid of new Set([session?.sid, asked.hintedSid])) {
    if (sid !== undefined) await endSession(service.store, sid, { now: service.now(), reason: 'logout', by })
  }
  clearCookie(service, reply, 'session')
  reply.header('cache-control', 'no-store')
  const next = asked.returnTo && withParameters(asked.returnTo, { state: asked.state })
  const elsewhere = there && (await signOutThere(service, visit, there, next ?? '/'))
  if (elsewhere !== undefined || next !== undefined) return reply.redirect(elsewhere ?? next ?? '/', 303)
  const { client, uiLocales } = asked
  const brand = await brandingFor(service.store, client?.organisation_uuid)
  const page = { ...pageOf(request, { uiLocales, client, here: logoutPath }), brand }
  return sendPage(reply, signedOutPage({ ...page, again: page.application?.address ?? '/account' }))
}
