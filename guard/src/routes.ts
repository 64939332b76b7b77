import type { CredentialSource, NodeHeadersLike, WebHeadersLike } from './credential.ts'
import { type Allowed, type Decision, type Refused, unmappedRoute } from './decision.ts'
import { type NodeTarget, readRequestPath, targetOfNodeRequest, targetOfUrl } from './request-path.ts'
import {
  PUBLIC,
  type Requirement,
  type RequirementFinder,
  type RouteTable,
  readRouteTable,
} from './route-table.ts'

/** The route is `PUBLIC`: the request may go on, and its token, if any, was not looked at. */
export interface AllowedPublic {
  readonly allowed: true
  readonly claims: undefined
}

export type RouteDecision = Allowed | AllowedPublic | Refused

/** A web-standard `Request`, a `node:http` request, or what Connect and Express make of one. */
export type RoutableRequest = NodeTarget & {
  readonly method?: string | undefined
  readonly headers: WebHeadersLike | NodeHeadersLike
  readonly rawHeaders?: readonly string[] | undefined
}

/** Decides over whole requests by a route table. */
export interface RouteGuard {
  /** Finds the entry by the request's method and path. Never rejects. */
  check(request: RoutableRequest): Promise<RouteDecision>
  /**
   * For frameworks that tell which route they chose: finds the entry by its pattern, such as `/:area/imports`,
   * so that no path is matched twice. Names of parameters do not matter. Never rejects.
   * @param pattern undefined when no route was found.
   */
  checkRoute(method: string, pattern: string | undefined, source: CredentialSource): Promise<RouteDecision>
}

/** The two questions of a guard that a route table leads to. */
interface Questions {
  check(source: CredentialSource, permission: string): Promise<Decision>
  authenticate(source: CredentialSource): Promise<Decision>
}

const allowedPublic: AllowedPublic = Object.freeze({ allowed: true, claims: undefined })
const unmapped = unmappedRoute()

/** @throws TypeError when the table is wrong. */
export function createRoutes(table: RouteTable, questions: Questions): RouteGuard {
  const finder = readRouteTable(table)

  async function meet(
    requirement: Requirement | undefined,
    source: CredentialSource,
  ): Promise<RouteDecision> {
    if (typeof requirement === 'string') return questions.check(source, requirement)
    if (requirement === PUBLIC) return allowedPublic
    // Who may not even ask is told so first; only who is known learns that nothing is mapped here.
    const decision = await questions.authenticate(source)
    return decision.allowed ? unmapped : decision
  }

  return {
    check: async (request) => meet(findRequirement(finder, request), request),
    checkRoute: (method, pattern, source) =>
      meet(pattern === undefined ? undefined : finder.byPattern(method, pattern), source),
  }
}

function findRequirement(finder: RequirementFinder, request: RoutableRequest): Requirement | undefined {
  try {
    const path = readRequestPath(targetOf(request))
    return path === undefined ? undefined : finder.byPath(request.method ?? '', path)
  } catch {
    // What is no request fits no entry.
    return undefined
  }
}

function targetOf(request: RoutableRequest): string {
  const isWeb = typeof (request.headers as Partial<WebHeadersLike> | undefined)?.get === 'function'
  return isWeb ? targetOfUrl(request.url ?? '') : targetOfNodeRequest(request)
}
