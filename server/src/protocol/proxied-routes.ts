/** What each route of a proxied application demands: the table of a client of the type `proxied` (decisions 36). */
import { readRoutePattern, type RoutePattern } from '@tessera/guard/route-pattern'
import { isPermission } from './permission.ts'
import { folded, isNamed, readPath, type Segments } from './proxied-path.ts'

/** The demand of each route, by method and path: a permission, `signed-in`, or `public`. */
export type ProxiedRoutes = Readonly<Record<string, string>>

export const signedIn = 'signed-in'
export const everybody = 'public'

const mostRoutes = 100
const mostSegments = 16

/** A line of the table. */
export interface RouteLine {
  /** The line as it was written. */
  readonly key: string
  readonly demand: string
}

interface OwnLine extends RouteLine, Omit<RoutePattern, 'method'> {
  /** Undefined: every one. */
  readonly method: string | undefined
  readonly folded: readonly (string | undefined)[]
  /** Whether it fits whatever comes after its segments. */
  readonly isOpen: boolean
}

/** A table that was read. */
export interface RouteFinder {
  /**
   * The lines that count for a request, each of which must be met. Undefined: none fits it, or nobody can tell which.
   * @param methods those that the request may be taken for.
   */
  find(methods: readonly string[], target: string): readonly RouteLine[] | undefined
  /** One line stands for every request, so nothing hangs on how a path is read. */
  readonly coversAll: boolean
}

/** What is wrong with a table, to follow its name; undefined when nothing is. */
export function routesProblem(routes: ProxiedRoutes): { key: string; reason: string } | undefined {
  const lines = Object.entries(routes)
  if (lines.length > mostRoutes) return { key: '', reason: `has more than ${mostRoutes} lines` }
  const seen = new Map<string, string>()
  for (const [key, demand] of lines) {
    if (demand !== signedIn && demand !== everybody && !isPermission(demand))
      return { key, reason: `demands no permission, ${signedIn} or ${everybody}` }
    try {
      const { method = '*', folded, isOpen } = readLine(key, demand)
      if (folded.length > mostSegments) return { key, reason: `has more than ${mostSegments} segments` }
      const same = JSON.stringify([method, folded, isOpen])
      const other = seen.get(same)
      if (other !== undefined) return { key, reason: `is the same as ${JSON.stringify(other)}` }
      seen.set(same, key)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      return { key, reason: error.message.replace(/^Route ".*": /, 'is no route: ') }
    }
  }
  return undefined
}

/** Reads a table that has no problem. */
export function readRoutes(routes: ProxiedRoutes): RouteFinder {
  const lines = Object.entries(routes).map(([key, demand]) => readLine(key, demand))
  const wider = new Map(lines.map((one) => [one, lines.filter((other) => isWithin(one, other))]))
  const [first] = lines
  const coversAll =
    lines.length === 1 && first?.method === undefined && first?.isOpen === true && first.segments.length === 0
  /** The lines that count of those that fit: one gives way only to one that fits fewer requests, all of them its own too. */
  const counting = (fitting: readonly OwnLine[]) => {
    const beaten = new Set(fitting.flatMap((one) => wider.get(one) ?? []))
    return fitting.filter((one) => !beaten.has(one))
  }
  const fitting = (method: string, { segments, lower }: Reading) => [
    counting(lines.filter((one) => fits(one, method, segments, one.segments))),
    counting(lines.filter((one) => fits(one, method, lower, one.folded))),
  ]
  return {
    coversAll,
    find(methods, target) {
      const path = readPath(target)
      if (path === undefined || (path.isDoubtful && !coversAll)) return undefined
      const [plain, all] = [path.plain.map(readingOf), path.all.map(readingOf)]
      // A path that fits no line as it is fits none at all: other readings only add to what is demanded.
      const isMapped = (method: string) => plain.some((one) => (fitting(method, one)[0] ?? []).length > 0)
      if (!methods.every(isMapped)) return undefined
      const found = methods.flatMap((method) => all.flatMap((one) => fitting(method, one).flat()))
      return [...new Set(found)].sort(strictestFirst)
    },
  }
}

/** A path as it is compared. */
interface Reading {
  segments: Segments
  lower: Segments
}

const readingOf = (segments: Segments): Reading => ({ segments, lower: segments.map(folded) })

/** What the requests that fit a line demand by another table too: undefined where it refuses them. */
function demandsAt(lines: readonly OwnLine[], at: OwnLine): readonly string[] | undefined {
  const fitting = lines.filter((one) => isSame(one, at) || isWithin(at, one))
  const counting = fitting.filter((one) => !fitting.some((other) => isWithin(other, one)))
  return counting.length === 0 ? undefined : counting.map(({ demand }) => demand)
}

/**
 * Where one table demands less than the one before it: by the lines of both, and where two of them cross. What is lost
 * only where three cross is not told.
 */
export function loosened(
  before: ProxiedRoutes,
  after: ProxiedRoutes,
): { key: string; had: string; has: string }[] {
  const read = (routes: ProxiedRoutes) => Object.entries(routes).map(([key, demand]) => readLine(key, demand))
  const [old, made] = [read(before), read(after)]
  const lines = [...new Map([...old, ...made].map((one) => [one.key, one])).values()]
  const changed = new Set(lines.filter(({ key }) => before[key] !== after[key]))
  const crossings = [...changed].flatMap((one) => lines.flatMap((other) => crossing(one, other) ?? []))
  const told = new Map<string, { key: string; had: string; has: string }>()
  for (const line of [...changed, ...crossings]) {
    const [had, has] = [demandsAt(old, line), demandsAt(made, line)]
    const isLess =
      has !== undefined &&
      (had === undefined ||
        laxityOf(has) > laxityOf(had) ||
        had.some((one) => isPermission(one) && !has.includes(one)))
    const texts = { had: had?.join(' and ') ?? 'refused', has: has?.join(' and ') ?? '' }
    if (isLess && !told.has(line.key)) told.set(line.key, { key: line.key, ...texts })
  }
  return [...told.values()]
}

/** The requests that fit both of two lines of which neither is within the other. Undefined: there are none. */
function crossing(one: OwnLine, other: OwnLine): OwnLine | undefined {
  if (isWithin(one, other) || isWithin(other, one)) return undefined
  const method = one.method ?? other.method
  const methods = new Set([one.method, other.method])
  const isHead = methods.has('GET') && methods.has('HEAD')
  if (one.method !== undefined && other.method !== undefined && one.method !== other.method && !isHead)
    return undefined
  const [short, long] = one.segments.length <= other.segments.length ? [one, other] : [other, one]
  if (short.segments.length < long.segments.length && !short.isOpen) return undefined
  const folds = long.folded.map((part, at) => part ?? short.folded[at])
  const isApart = short.folded.some((part, at) => part !== undefined && folds[at] !== part)
  if (isApart) return undefined
  const isOpen = one.isOpen && other.isOpen
  const path = `/${folds.map((part) => part ?? ':any').join('/')}${isOpen ? '/*' : ''}`.replace('//', '/')
  const crossed = isHead ? 'HEAD' : method
  const key = `${crossed ?? '*'} ${path}`
  return { key, demand: '', method: crossed, segments: folds, folded: folds, isOpen }
}

function readLine(key: string, demand: string): OwnLine {
  const [method = '', path = ''] = key.split(' ', 2)
  const isOpen = path.endsWith('/*')
  // `//*` is none: what is left of it is no root.
  const base = path === '/*' ? '/' : isOpen ? path.slice(0, -2).replace(/^\/$/, '//') : path
  const isAny = method === '*'
  const rest = key.slice(method.length + 1 + path.length)
  const { segments } = readRoutePattern(`${isAny ? 'GET' : method} ${base}${rest}`)
  const folded = segments.map((one) => one?.toLowerCase())
  return { key, demand, method: isAny ? undefined : method, segments, folded, isOpen }
}

const fits = (
  { method, isOpen }: OwnLine,
  asked: string,
  segments: Segments,
  pattern: readonly (string | undefined)[],
): boolean =>
  (method === undefined || method === asked || (method === 'GET' && asked === 'HEAD')) &&
  (isOpen ? segments.length >= pattern.length : segments.length === pattern.length) &&
  pattern.every((one, at) => (one === undefined ? isNamed(segments[at] ?? '') : one === segments[at]))

const isSame = (one: OwnLine, other: OwnLine): boolean =>
  one.method === other.method &&
  one.isOpen === other.isOpen &&
  one.folded.length === other.folded.length &&
  one.folded.every((part, at) => part === other.folded[at])

/** Whether all requests that fit the one fit the other, which fits more. */
function isWithin(one: OwnLine, other: OwnLine): boolean {
  if (one === other || isSame(one, other)) return false
  const methods =
    other.method === undefined ||
    other.method === one.method ||
    (other.method === 'GET' && one.method === 'HEAD')
  const length = other.isOpen
    ? one.folded.length >= other.folded.length
    : !one.isOpen && one.folded.length === other.folded.length
  return methods && length && other.folded.every((part, at) => part === undefined || part === one.folded[at])
}

/** Permissions, then being signed in, then nothing. */
const strictestFirst = (a: RouteLine, b: RouteLine) => laxity(a) - laxity(b)
const laxity = ({ demand }: Pick<RouteLine, 'demand'>) =>
  demand === everybody ? 2 : demand === signedIn ? 1 : 0
/** The laxity of the strictest, since all must be met. */
const laxityOf = (demands: readonly string[]) => Math.min(...demands.map((demand) => laxity({ demand })))
