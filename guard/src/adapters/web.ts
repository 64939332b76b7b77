/** Guards handlers of web-standard `Request`s: Hono, Next.js route handlers, Deno, Bun, workers. */
import type { AccessTokenClaims } from '../claims.ts'
import type { Refused } from '../decision.ts'
import type { Guard } from '../guard.ts'
import { assertPermission } from '../permission.ts'
import type { MetadataAnswer } from '../resource-metadata.ts'
import type { RouteTable } from '../route-table.ts'

type Answer = Response | Promise<Response>

/**
 * Wraps a handler: it runs only for requests that hold the permission, and gets their claims as its second
 * argument; whatever the framework passes after the request follows them.
 * @throws TypeError when the permission is none.
 */
export function protect<More extends unknown[]>(
  guard: Guard,
  permission: string,
  handler: (request: Request, claims: AccessTokenClaims, ...more: More) => Answer,
): (request: Request, ...more: More) => Promise<Response> {
  assertPermission(permission)
  return async (request, ...more) => {
    const decision = await guard.check(request, permission)
    return decision.allowed ? handler(request, decision.claims, ...more) : toResponse(decision)
  }
}

/**
 * Wraps the handler of a whole service: it runs only for requests whose entry in the table is met. The claims
 * are undefined on `PUBLIC` routes.
 * @throws TypeError when the table is wrong.
 */
export function protectRoutes<More extends unknown[]>(
  guard: Guard,
  table: RouteTable,
  handler: (request: Request, claims: AccessTokenClaims | undefined, ...more: More) => Answer,
): (request: Request, ...more: More) => Promise<Response> {
  const routes = guard.routes(table)
  return async (request, ...more) => {
    const decision = await routes.check(request)
    return decision.allowed ? handler(request, decision.claims, ...more) : toResponse(decision)
  }
}

/** The response that a refusal asks for, or the metadata of the service. */
export function toResponse(refused: Refused | MetadataAnswer): Response {
  return new Response(JSON.stringify(refused.body), {
    status: refused.status,
    headers: { ...refused.headers },
  })
}
