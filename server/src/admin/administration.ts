/**
 * `admin/` owns the JSON administration API below /admin/v1: one file per kind of thing, and one table of all
 * routes, from which the routes, their guard and their description come. It decides who may change what; it writes
 * no SQL and renders no page.
 */
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { createGuard } from '@tessera/guard'
import { claimsOf, guardRoutes } from '@tessera/guard/fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ProtocolError } from '../protocol/errors.ts'
import { iamAudience } from '../protocol/permission.ts'
import type { Service } from '../service.ts'
import { type Actor, actorOf } from './actor.ts'
import { jsonBodies } from './bodies.ts'
import { etagOf, managedHeader, overridesFile, repeatableOf, versionsOf } from './conditions.ts'
import { ownDocuments } from './own-documents.ts'
import type { Answer, Asked, Route } from './route.ts'
import { adminRoutes } from './routes.ts'

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
    // In memory: it costs next to nothing to be up to date.
    keysMaxAgeMs: 1000,
    unknownKeyCooldownMs: 100,
  })
  jsonBodies(app)
  const table = adminRoutes.map((route) => [`${route.method} ${adminPath}${route.path}`, route.permission])
  await app.register(guardRoutes(guard, Object.fromEntries(table) as Record<string, string>))
  const actors = new WeakMap<FastifyRequest, Actor>()
  for (const route of adminRoutes) {
    app.route({
      method: route.method,
      url: `${adminPath}${route.path}`,
      onRequest: async (request, reply) => {
        reply.header('cache-control', 'no-store')
        const actor = await actorOf(service, claimsOf(request))
        actor.requires(route.permission)
        actors.set(request, actor)
      },
      handler: async (request, reply) => {
        const actor = actors.get(request)
        if (actor === undefined) throw new Error('A request without an actor passed the guard.')
        const query = new URL(request.url, service.issuer).searchParams
        const asked = askedOf(service, actor, route, request, closing(reply))
        return send(reply, await route.answer(asked, { query, body: request.body }))
      },
    })
  }
}

/** Aborted when the connection has ended. */
function closing(reply: FastifyReply): AbortSignal {
  const ended = new AbortController()
  reply.raw.on('close', () => ended.abort())
  return ended.signal
}

async function stillCounts(
  service: Service,
  route: Route,
  request: FastifyRequest,
  { reach }: Actor,
): Promise<boolean> {
  const claims = claimsOf(request)
  if (claims.exp * 1000 <= service.now()) return false
  try {
    const actor = await actorOf(service, claims)
    actor.requires(route.permission)
    return isDeepStrictEqual(actor.reach, reach)
  } catch (error) {
    if (error instanceof ProtocolError) return false
    throw error
  }
}

function askedOf(
  service: Service,
  actor: Actor,
  route: Route,
  request: FastifyRequest,
  closed: AbortSignal,
): Asked {
  const now = service.now()
  const params = new Map(Object.entries(request.params as Record<string, string>))
  const header = (name: string) => [request.headers[name]].flat()[0]
  return {
    service,
    actor,
    by: {
      now,
      actor: actor.named,
      clientId: actor.clientId,
      sid: actor.sid,
      holds: actor,
      overridesFile: overridesFile(header(managedHeader.toLowerCase())),
      address: request.ip,
      requestId: request.id,
    },
    param: (name) => params.get(name) ?? '',
    header,
    stillCounts: () => stillCounts(service, route, request, actor),
    closed,
    versions: versionsOf(request.headers['if-match'], route.method === 'PATCH'),
    repeatable: (answer) => {
      const scope = `${actor.named.id} ${actor.named.profileUuid ?? ''} ${actor.clientId} ${request.url}`
      return repeatableOf(service, request.headers, { scope, body: request.body, now }, answer)
    },
  }
}

function send(
  reply: FastifyReply,
  { status, body, events, version, location, repeated }: Answer,
): FastifyReply {
  reply.status(status)
  if (version !== undefined) reply.header('etag', etagOf(version))
  if (location !== undefined) reply.header('location', `${adminPath}${location}`)
  if (repeated === true) reply.header('idempotency-replayed', 'true')
  if (events !== undefined) return reply.type('text/event-stream').send(Readable.from(events))
  return body === undefined ? reply.send() : reply.type('application/json; charset=utf-8').send(body)
}
