/** Guards `node:http` handlers, and Express or Connect applications. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AccessTokenClaims } from '../claims.ts'
import type { Refused } from '../decision.ts'
import type { Guard } from '../guard.ts'
import { assertPermission } from '../permission.ts'
import type { MetadataAnswer } from '../resource-metadata.ts'
import type { RouteTable } from '../route-table.ts'
import type { RouteDecision } from '../routes.ts'
import { rememberClaims } from './claims-of.ts'

export { claimsOf } from './claims-of.ts'

/** What Express and Connect call with each request. */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (problem?: unknown) => void,
) => void

/** A `node:http` request handler. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Wraps a `node:http` handler: it runs only for requests that hold the permission, and gets their claims.
 * What the handler throws becomes an unhandled rejection, as with any async handler: it answers its own errors.
 * @throws TypeError when the permission is none.
 */
export function protect(
  guard: Guard,
  permission: string,
  handler: (request: IncomingMessage, response: ServerResponse, claims: AccessTokenClaims) => unknown,
): Handler {
  assertPermission(permission)
  return async (request, response) => {
    const decision = await guard.check(request, permission)
    if (!decision.allowed) return sendRefusal(response, decision)
    rememberClaims(request, decision.claims)
    await handler(request, response, decision.claims)
  }
}

/**
 * Middleware for one route: `app.post('/imports', requirePermission(guard, 'a.b.create'), handler)`.
 * The handler reads the claims with `claimsOf(request)`.
 * @throws TypeError when the permission is none.
 */
export function requirePermission(guard: Guard, permission: string): Middleware {
  assertPermission(permission)
  return middleware((request) => guard.check(request, permission))
}

/**
 * Middleware for a whole service: `app.use(guardRoutes(guard, table))`, before every route and after whatever
 * rewrites the method or the URL. The table's paths are whole paths, mount prefixes included.
 * @throws TypeError when the table is wrong.
 */
export function guardRoutes(guard: Guard, table: RouteTable): Middleware {
  const routes = guard.routes(table)
  return middleware((request) => routes.check(request))
}

function middleware(decide: (request: IncomingMessage) => Promise<RouteDecision>): Middleware {
  return (request, response, next) => {
    decide(request)
      .then((decision) => {
        if (!decision.allowed) return sendRefusal(response, decision)
        rememberClaims(request, decision.claims)
        return next()
      })
      .catch(next)
  }
}

/** Answers a request with a refusal, or with the metadata of the service. */
export function sendRefusal(response: ServerResponse, refused: Refused | MetadataAnswer): void {
  const body = Buffer.from(JSON.stringify(refused.body))
  response.writeHead(refused.status, { ...refused.headers, 'content-length': body.length })
  response.end(body)
}
