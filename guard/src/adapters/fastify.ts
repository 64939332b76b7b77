/** Guards Fastify services. Structural types: this package does not depend on Fastify. */
import type { IncomingMessage } from 'node:http'
import type { Guard } from '../guard.ts'
import { assertPermission } from '../permission.ts'
import type { RouteTable } from '../route-table.ts'
import type { RouteDecision } from '../routes.ts'
import { rememberClaims } from './claims-of.ts'

export { claimsOf } from './claims-of.ts'

/** The part of a `FastifyRequest` that the guard uses. */
export interface FastifyRequestLike {
  readonly method: string
  readonly raw: Pick<IncomingMessage, 'headers' | 'rawHeaders'>
  readonly routeOptions: { readonly url?: string | undefined }
}

/** The part of a `FastifyReply` that the guard uses. */
export interface FastifyReplyLike {
  code(status: number): unknown
  headers(values: Record<string, string>): unknown
  send(body: unknown): unknown
}

/** Usable as `onRequest`, `preValidation` or `preHandler`. */
export type FastifyHook = (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>

/** The part of a `FastifyInstance` that the plugin uses. */
export interface FastifyInstanceLike {
  addHook(name: 'onRequest', hook: FastifyHook): unknown
}

/**
 * Hook for one route: `{ onRequest: requirePermission(guard, 'a.b.create') }`. As `onRequest` it refuses before
 * the body is read; `preHandler` works too. The handler reads the claims with `claimsOf(request)`.
 * @throws TypeError when the permission is none.
 */
export function requirePermission(guard: Guard, permission: string): FastifyHook {
  assertPermission(permission)
  return async (request, reply) => answer(await guard.check(request.raw, permission), request, reply)
}

/**
 * Plugin for a whole service: `await app.register(guardRoutes(guard, table))`, before the routes. The entry is
 * found by the pattern of the route that Fastify chose, so the table can't see another path than the router:
 * write each path as the route is declared, its prefix included. A request without a route is refused as well.
 * @throws TypeError when the table is wrong.
 */
export function guardRoutes(
  guard: Guard,
  table: RouteTable,
): (instance: FastifyInstanceLike) => Promise<void> {
  const routes = guard.routes(table)
  const plugin = async (instance: FastifyInstanceLike): Promise<void> => {
    instance.addHook('onRequest', async (request, reply) =>
      answer(await routes.checkRoute(request.method, request.routeOptions.url, request.raw), request, reply),
    )
  }
  // fastify-plugin's marks: the hook applies to the instance that registers the plugin, not to a child of it.
  return Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: '@tessera/guard',
  })
}

function answer(decision: RouteDecision, request: FastifyRequestLike, reply: FastifyReplyLike): unknown {
  if (decision.allowed) {
    rememberClaims(request, decision.claims)
    return undefined
  }
  reply.code(decision.status)
  reply.headers({ ...decision.headers })
  reply.send(decision.body)
  return reply
}
