import { assertPermission } from './permission.ts'
import { assertStepUp, type StepUp } from './requirement.ts'
import type { RequestPath } from './request-path.ts'
import { readRoutePattern, type RoutePattern, segmentsOf } from './route-pattern.ts'

/** The type of `PUBLIC`. An object, because a symbol would lose its type in a table kept in a variable. */
export interface PublicRoute {
  readonly everybody: true
}

/** Marks a route that everybody may call without a token, as a health probe. Only this very object counts. */
export const PUBLIC: PublicRoute = Object.freeze({ everybody: true })

/**
 * What each route demands: `{ 'POST /:api_area/vista-import': 'submissions-tool.vista-import.create' }`.
 * A key is a method in capitals, a space and a path; a segment `:name` stands for any one segment. A value is
 * one exact permission, `{ permission, acr, maxAge }` or `PUBLIC`. `HEAD` uses the entry of `GET` unless it has its own; `OPTIONS` needs its own.
 * Where two entries fit a request, the one with the fixed segment wins over the one with a parameter.
 */
export type RouteTable = Readonly<Record<string, Requirement>>

export type Requirement = string | StepUp | PublicRoute

/** Finds what a request must hold; undefined when no entry fits, or routers would not agree on one. */
export interface RequirementFinder {
  byPath(method: string, path: RequestPath): Requirement | undefined
  /** Finds by the pattern of the route that the router chose. */
  byPattern(method: string, pattern: string): Requirement | undefined
}

interface Entry extends RoutePattern {
  readonly key: string
  readonly folded: readonly (string | undefined)[]
  readonly requirement: Requirement
}

/** @throws TypeError for an unknown method, a malformed path or permission, and entries in each other's way. */
export function readRouteTable(table: RouteTable): RequirementFinder {
  const own = Object.entries(table).map(([key, requirement]) => readEntry(key, requirement))
  const patterns = new Map(own.map((entry) => [patternKey(entry.method, entry.segments), entry]))
  const heads = own
    .filter((entry) => entry.method === 'GET' && !patterns.has(patternKey('HEAD', entry.segments)))
    .map((entry) => ({ ...entry, method: 'HEAD' }))
  const groups = new Map<string, Entry[]>()
  for (const entry of [...own, ...heads]) {
    patterns.set(patternKey(entry.method, entry.segments), entry)
    const name = `${entry.method} ${entry.segments.length}`
    const group = groups.get(name) ?? []
    for (const other of group) assertApart(entry, other)
    groups.set(name, [...group, entry])
  }
  for (const group of groups.values()) group.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  return {
    byPath: (method, path) => findByPath(groups.get(`${method} ${path.decoded.length}`) ?? [], path),
    byPattern: (method, pattern) => patterns.get(patternKey(method, segmentsOf(pattern)))?.requirement,
  }
}

function readEntry(key: string, requirement: Requirement): Entry {
  const { method, segments } = readRoutePattern(key)
  if (requirement !== PUBLIC) {
    if (typeof requirement === 'object') assertStepUp(requirement)
    else assertPermission(requirement)
  }
  return { key, method, segments, folded: segments.map((one) => one?.toLowerCase()), requirement }
}

function patternKey(method: string, segments: readonly (string | undefined)[]): string {
  return `${method} ${segments.map((one) => `/${one ?? '\0'}`).join('')}`
}

/** Refuses two entries that could fit one request unless one is plainly the more specific. */
function assertApart(a: Entry, b: Entry): void {
  let firstIsFixed = false
  let secondIsFixed = false
  let identical = true
  for (const [at, one] of a.segments.entries()) {
    const other = b.segments[at]
    if (one !== undefined && other !== undefined && a.folded[at] !== b.folded[at]) return
    if (one !== other) identical = false
    if (one !== undefined && other === undefined) firstIsFixed = true
    if (one === undefined && other !== undefined) secondIsFixed = true
  }
  if (identical) throw new TypeError(`Routes "${a.key}" and "${b.key}" are the same`)
  if (firstIsFixed === secondIsFixed) {
    throw new TypeError(`Routes "${a.key}" and "${b.key}" fit the same requests`)
  }
}

/** Sorts more specific entries first: a fixed segment before a parameter, from left to right. */
function rank(entry: Entry): string {
  return entry.segments.map((one) => (one === undefined ? '1' : '0')).join('')
}

/**
 * Express matches the path as sent and ignores case; Fastify and Hono decode it and heed case. An entry counts only when
 * no way of reading leads to another entry. The fourth way, as sent and with case, needs no look-up: it implies the one
 * that ignores case.
 */
function findByPath(entries: readonly Entry[], { decoded, raw }: RequestPath): Requirement | undefined {
  const found = entries.find((entry) => matches(entry.segments, decoded))
  if (found === undefined) return undefined
  const readings = [
    entries.find((entry) => matches(entry.folded, decoded.map(fold))),
    entries.find((entry) => matches(entry.folded, raw.map(fold))),
  ]
  return readings.every((one) => one === undefined || one === found) ? found.requirement : undefined
}

function matches(pattern: readonly (string | undefined)[], segments: readonly string[]): boolean {
  return pattern.every((one, at) => one === undefined || one === segments[at])
}

function fold(text: string): string {
  return text.toLowerCase()
}
