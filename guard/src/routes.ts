import type { CredentialSource, NodeHeadersLike, WebHeadersLike } from './credential.ts'
import { type Allowed, type Decision, type Refused, unmappedRoute } from './decision.ts'
import { type NodeTarget, readRequestPath, targetOfNodeRequest, targetOfUrl } from './request-path.ts'
import type { StepUp } from './requirement.ts'
import type { MetadataAnswer, PublishedMetadata } from './resource-metadata.ts'
import {
  PUBLIC,
  type Requirement,
  type RequirementFinder,
  type RouteTable,
  readRouteTable,
} from './route-table.ts'

/** The route is `PUBLIC`: the request may proceed, and its token, if any, was not checked. */
export interface AllowedPublic {
  readonly allowed: true
  readonly claims: undefined
}

/** What is not allowed is answered with its status, headers and body, the metadata of the service among them. */
export type RouteDecision = Allowed | AllowedPublic | Refused | MetadataAnswer

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
   * Finds the entry by the pattern of the route that a framework chose, such as `/:area/imports`,
   * so that no path is matched twice. Names of parameters do not matter. Never rejects.
   * @param pattern undefined when no route was found.
   */
  checkRoute(method: string, pattern: string | undefined, source: CredentialSource): Promise<RouteDecision>
}

/** The checks of a guard that a route table leads to. */
interface Questions {
  check(source: CredentialSource, demanded: string | StepUp): Promise<Decision>
  authenticate(source: CredentialSource): Promise<Decision>
  readonly metadata: PublishedMetadata | undefined
}

const allowedPublic: AllowedPublic = Object.freeze({ allowed: true, claims: undefined })

/** @throws TypeError when the table is wrong. */
export function createRoutes(table: RouteTable, questions: Questions): RouteGuard {
  const finder = readRouteTable(table)

  async function meet(
    requirement: Requirement | undefined,
    source: CredentialSource,
    place: () => string,
  ): Promise<RouteDecision> {
    if (typeof requirement === 'string') return questions.check(source, requirement)
    if (requirement === PUBLIC) return allowedPublic
    if (requirement !== undefined && 'permission' in requirement) return questions.check(source, requirement)
    // 401 comes first: only a holder of a valid token learns that nothing is mapped here.
    const decision = await questions.authenticate(source)
    return decision.allowed ? unmappedRoute(place()) : decision
  }

  const { metadata } = questions
  const asksForMetadata = (method: unknown, request: CredentialSource | RoutableRequest) =>
    metadata?.isAsked(String(method), wholeTarget(request)) === true

  return {
    async check(request) {
      if (metadata !== undefined && asksForMetadata(request.method, request)) return metadata.answer
      return meet(findRequirement(finder, request), request, () => placeOf(request.method, pathOf(request)))
    },
    async checkRoute(method, pattern, source) {
      if (metadata !== undefined && asksForMetadata(method, source)) return metadata.answer
      return meet(pattern === undefined ? undefined : finder.byPattern(method, pattern), source, () =>
        placeOf(method, pattern ?? pathOf(source)),
      )
    },
  }
}

function findRequirement(finder: RequirementFinder, request: RoutableRequest): Requirement | undefined {
  try {
    const path = readRequestPath(targetOf(request))
    return path === undefined ? undefined : finder.byPath(request.method ?? '', path)
  } catch {
    // Something that is no request fits no entry.
    return undefined
  }
}

/** Method and path for the error message, without the query and without control characters. */
function placeOf(method: unknown, path: string): string {
  return `${String(method)} ${path}`
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 300)
    .trim()
}

/** The path as the router reads it; empty when it is not known. */
const pathOf = (source: CredentialSource | RoutableRequest): string =>
  wholeTarget(source).split('?', 1)[0] ?? ''

/** Path and query; empty when they are not known. */
function wholeTarget(source: CredentialSource | RoutableRequest): string {
  try {
    const target: unknown = targetOf(source as RoutableRequest)
    return typeof target === 'string' ? target : ''
  } catch {
    return ''
  }
}

function targetOf(request: RoutableRequest): string {
  const isWeb = typeof (request.headers as Partial<WebHeadersLike> | undefined)?.get === 'function'
  return isWeb ? targetOfUrl(request.url ?? '') : targetOfNodeRequest(request)
}
