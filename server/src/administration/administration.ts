/**
 * `administration/` owns the JSON administration API below /admin/v1: one folder per kind of thing with its routes and
 * its verbs, and one table of all routes, from which the routes, their guard and their description come. It decides
 * who may change what.
 */
import { Readable } from 'node:stream'
import { createGuard, PUBLIC } from '@tessera/guard'
import { claimsOf, guardRoutes } from '@tessera/guard/fastify'
import { decodeJwt } from 'jose'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { proofLife } from '../protocol/dpop.ts'
import { iamAudience } from '../protocol/permission.ts'
import { Problem } from '../protocol/problem.ts'
import type { Service } from '../service.ts'
import { useProof } from '../store/used-once.ts'
import { type Authority, authorityOf } from './authority.ts'
import { jsonBodies } from './bodies.ts'
import { etagOf, managedHeader, overridesFile, repeatableOf, versionsOf } from './conditions.ts'
import { ownDocuments } from './own-documents.ts'
import { type RouteResponse, type RouteRequest, isConditional, type Route } from './route.ts'
import { adminRoutes } from './routes.ts'
import type { TokenClaims } from './token-claims.ts'

export const adminPath = '/admin/v1'

/**
 * The routes, each behind the guard: the token is checked as any protected service does, and then by what can be
 * known here alone: whether it still counts. Refused before a body is read.
 */
export async function administration(app: FastifyInstance, service: Service): Promise<void> {
  const guard = createGuard({
    issuer: service.issuer,
    audience: iamAudience(service.issuer),
    now: service.now,
    fetch: ownDocuments(service),
    // Keys are read from memory: it costs next to nothing to be up to date.
    keysMaxAgeMs: 1000,
    unknownKeyCooldownMs: 100,
    dpop: { origin: new URL(service.issuer).origin, proofMaxAgeMs: proofLife * 1000 },
  })
  jsonBodies(app)
  const table = adminRoutes.map((route): [string, string | typeof PUBLIC] => [
    `${route.method} ${adminPath}${route.path}`,
    // The guard lets a route without a permission through; its token is checked below.
    route.permission ?? PUBLIC,
  ])
  await app.register(guardRoutes(guard, Object.fromEntries(table)))
  const authorities = new WeakMap<FastifyRequest, Authority>()
  for (const route of adminRoutes) {
    app.route({
      method: route.method,
      url: `${adminPath}${route.path}`,
      ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
      ...(route.tooLarge !== undefined && { errorHandler: sayingOfLarge(route.tooLarge) }),
      onRequest: async (request, reply) => {
        reply.header('cache-control', 'no-store')
        if (route.permission === undefined) {
          const decision = await guard.authenticate(request.raw)
          if (!decision.allowed)
            return reply
              .code(decision.status)
              .headers({ ...decision.headers })
              .send(decision.body)
          authorities.set(request, await bearerOf(service, request, decision.claims))
          return undefined
        }
        const authority = await bearerOf(service, request, claimsOf(request))
        authority.requires(route.permission)
        route.admits?.(authority)
        authorities.set(request, authority)
        return undefined
      },
      handler: async (request, reply) => {
        const authority = authorities.get(request)
        if (authority === undefined) throw new Error('A request without an authority passed the guard.')
        // The timeout counts until the answer: the server sets its own for each request.
        if (route.patience !== undefined) request.raw.socket.setTimeout(route.patience)
        const query = new URL(request.url, service.issuer).searchParams
        const asked = askedOf(service, authority, route, request, closing(reply))
        return send(reply, await route.answer(asked, { query, body: request.body }))
      },
    })
  }
}

/** What it throws is answered by the handler of all routes. */
const sayingOfLarge = (tooLarge: string) => (error: FastifyError) => {
  throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? new Problem('request_too_large', tooLarge) : error
}

/** The authority of a token. Throws `invalid_token` when it does not count any more, whatever its expiry says. */
async function bearerOf(
  { store, now }: Service,
  request: FastifyRequest,
  claims: TokenClaims,
): Promise<Authority> {
  if (claims.cnf !== undefined) await useUpProof(store, request, claims.cnf)
  const authority = await authorityOf(store, claims, now())
  if (authority !== undefined) return authority
  throw new Problem('invalid_token', 'The access token was revoked, or its session has ended.')
}

/** The guard took the proof, and that of another process may have taken it before. */
async function useUpProof(
  store: Service['store'],
  { headers }: FastifyRequest,
  { jkt }: NonNullable<TokenClaims['cnf']>,
): Promise<void> {
  const { jti = '', iat = 0 } = decodeJwt(String(headers['dpop']))
  if (!(await useProof(store, jkt, { jti, iat })))
    throw new Problem('invalid_token', 'The DPoP proof was used before; make a new one for each request.')
}

/** Aborted when the connection has ended. */
function closing(reply: FastifyReply): AbortSignal {
  const ended = new AbortController()
  reply.raw.on('close', () => ended.abort())
  return ended.signal
}

/** Whether the token counts and gives all that it gave, for the same place: a work may need more than its route. */
async function stillCounts(
  { store, now }: Service,
  request: FastifyRequest,
  authority: Authority,
): Promise<boolean> {
  const claims = claimsOf(request)
  if (claims.exp * 1000 <= now()) return false
  const today = await authorityOf(store, claims, now())
  return today !== undefined && authority.isWithin(today)
}

function askedOf(
  service: Service,
  authority: Authority,
  route: Route,
  request: FastifyRequest,
  closed: AbortSignal,
): RouteRequest {
  const now = service.now()
  const params = new Map(Object.entries(request.params as Record<string, string>))
  const header = (name: string) => [request.headers[name]].flat()[0]
  return {
    service,
    by: {
      now,
      actor: authority.actor,
      client_id: authority.claims?.client_id,
      sid: authority.claims?.sid,
      authority,
      overridesFile: overridesFile(header(managedHeader.toLowerCase())),
      address: request.ip,
      requestId: request.id,
    },
    param: (name) => params.get(name) ?? '',
    header,
    stillCounts: () => stillCounts(service, request, authority),
    closed,
    versions: versionsOf(request.headers['if-match'], isConditional(route)),
    repeatable: (answer) => {
      const { id, profile_uuid } = authority.actor
      const scope = `${id} ${profile_uuid ?? ''} ${authority.claims?.client_id} ${request.url}`
      return repeatableOf(service, request.headers, { scope, body: request.body, now }, answer)
    },
  }
}

function send(
  reply: FastifyReply,
  { status, body, stream, version, location, repeated }: RouteResponse,
): FastifyReply {
  reply.status(status)
  if (version !== undefined) reply.header('etag', etagOf(version))
  if (location !== undefined) reply.header('location', `${adminPath}${location}`)
  if (repeated === true) reply.header('idempotency-replayed', 'true')
  if (stream !== undefined) {
    if (stream.name !== undefined)
      reply.header('content-disposition', `attachment; filename="${stream.name}"`)
    return reply.type(stream.type).send(Readable.from(stream.text))
  }
  return body === undefined ? reply.send() : reply.type('application/json; charset=utf-8').send(body)
}
