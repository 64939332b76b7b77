import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addressKey } from '../identity/address.ts'
import { pageOf } from '../pages/locale.ts'
import type { AuthorizeParameters } from '../protocol/authorize-parameters.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { RedirectableError } from '../protocol/redirectable-error.ts'
import { targetOf } from '../protocol/redirect-target.ts'
import { invalidRequest, notPushed } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import { isPushed, keepPushed, openPushed, pushedLifetime } from '../store/pushed-requests.ts'
import {
  requestOf,
  revalidateAuthorizeRequest,
  validateAuthorizeRequest,
  validClient,
  validRedirectUri,
  type ValidAuthorizeRequest,
} from './authorize-request.ts'
import type { AuthenticateClient } from './client-authentication.ts'
import { provenKey } from './dpop.ts'
import { withDocument } from './client-document.ts'
import { formOf } from './token.ts'

/** POST /oauth2/par (RFC 9126 §2): checks an authorization request and keeps it for the browser that will bring its name. */
export function pushedRequestEndpoint(
  app: FastifyInstance,
  service: Service,
  authenticate: AuthenticateClient,
): void {
  app.post('/oauth2/par', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
    const sent = formOf(request)
    sent.refuseRepeated()
    const client = await authenticate(request, sent)
    count(service, client, request.ip)
    const { redirect_uri, parameters } = pushable(service, await withDocument(service, client), sent)
    const dpopJkt = boundTo(parameters, await provenKey(service, request))
    const kept = { client_id: client.client_id, redirect_uri, parameters: { ...parameters, dpopJkt } }
    const request_uri = await keepPushed(service.store, kept, service.now())
    return reply.status(201).send({ request_uri, expires_in: pushedLifetime / 1000 })
  })
}

/** A proof says as much as dpop_jkt, and they may not say different things (RFC 9449 §10.1). */
function boundTo({ dpopJkt: named }: AuthorizeParameters, proven: string | undefined): string | undefined {
  if (named !== undefined && proven !== undefined && named !== proven)
    throw new ProtocolError('invalid_dpop_proof', 'The DPoP proof is by another key than dpop_jkt names.')
  return named ?? proven
}

/** Counts it as an authorization request. A client that proved who it is asks for all of its people, so its address says nothing. */
function count({ limits }: Service, { client_id, type }: Client, ip: string): void {
  const key = type === 'public' ? addressKey(ip) : `client ${client_id}`
  limits.authorize.check(key)
  limits.authorize.count(key)
}

/** The rules of the authorization endpoint. Its own word for a wrong redirect_uri is none of RFC 9126 §2.3. */
function pushable(service: Service, client: Client, sent: Parameters): ValidAuthorizeRequest {
  for (const name of ['request', 'request_uri'])
    if (sent.raw(name) !== undefined)
      throw invalidRequest(`The parameter ${name} can not be pushed; push the parameters themselves.`)
  try {
    return requestOf(service, client, sent)
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== 'invalid_redirect_uri') throw error
    const { mismatch } = error
    throw new ProtocolError('invalid_request', error.description, mismatch && { mismatch })
  }
}

/** The request that a browser brings: its parameters, or the name of what the client pushed. */
export async function broughtRequest(
  service: Service,
  request: FastifyRequest,
  sent: Parameters,
): Promise<ValidAuthorizeRequest> {
  const requestUri = sent.raw('request_uri')
  if (isPushed(requestUri)) return await openedRequest(service, request, sent, requestUri)
  const valid = await validateAuthorizeRequest(service, sent)
  if (valid.client.require_pushed_authorization_requests === 0) return valid
  throw new RedirectableError(
    'invalid_request',
    'The client has to push its requests to /oauth2/par, and send client_id and request_uri here.',
    targetOf(valid),
  )
}

/**
 * The client and the redirect_uri are judged as they are now; other parameters of the address count for nothing
 * (RFC 9126 §4). Until it is known to be the client's request, nothing is redirected: a page leads back to it.
 */
async function openedRequest(
  service: Service,
  request: FastifyRequest,
  sent: Parameters,
  requestUri: string,
): Promise<ValidAuthorizeRequest> {
  const client = await validClient(service, sent)
  const times = { now: service.now(), lifetime: service.settings.lifetimes.signIn }
  const pushed = await openPushed(service.store, { requestUri, client_id: client.client_id }, times)
  if (pushed === undefined) {
    pageOf(request, { client })
    throw notPushed()
  }
  const redirect_uri = validRedirectUri(client, pushed.redirect_uri)
  const parameters = { ...pushed.parameters, pushed: pushed.hash }
  return revalidateAuthorizeRequest(service, { redirect_uri, parameters }, client)
}
