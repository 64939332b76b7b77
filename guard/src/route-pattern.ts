/** A method and a path, as a route table names them. */
export interface RoutePattern {
  readonly method: string
  /** Undefined stands for any one segment. */
  readonly segments: readonly (string | undefined)[]
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const fixedSegment = /^[A-Za-z0-9_~@!$&'+,=.-]+$/
const parameterSegment = /^:[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Reads the key of a route, such as `GET /:area/imports`.
 * @throws TypeError for an unknown method or a malformed path.
 */
export function readRoutePattern(key: string): RoutePattern {
  const [method = '', path = '', ...rest] = key.split(' ')
  if (rest.length > 0 || !methods.includes(method)) {
    throw new TypeError(`Route "${key}": a known method in capitals, one space and a path are needed`)
  }
  const texts = path === '/' ? [] : path.slice(1).split('/')
  const fits = (text: string) =>
    parameterSegment.test(text) || (fixedSegment.test(text) && text !== '.' && text !== '..')
  if (!path.startsWith('/') || !texts.every(fits)) {
    throw new TypeError(
      `Route "${key}": each segment must be plain text or :name, without a slash at the end`,
    )
  }
  const names = texts.filter((text) => text.startsWith(':'))
  if (new Set(names).size < names.length) throw new TypeError(`Route "${key}": a parameter occurs twice`)
  return { method, segments: segmentsOf(path) }
}

/** The segments of a pattern that a router knows: it may be of another form than those of a table. */
export function segmentsOf(pattern: string): (string | undefined)[] {
  if (pattern === '/') return []
  return pattern
    .slice(1)
    .split('/')
    .map((text) => (parameterSegment.test(text) ? undefined : text))
}
