/** The segments of a request's path, decoded and as sent: routers use one or the other. */
export interface RequestPath {
  readonly decoded: readonly string[]
  readonly raw: readonly string[]
}

/**
 * Characters that routers read differently: anything but printable ASCII, a backslash (a slash to a URL parser), a
 * fragment, and a semicolon (the start of parameters to some).
 */
const disputed = /[^\x21-\x7e]|[\\#;]/

/**
 * Splits the path of a request target. A path that two routers could read differently yields undefined, so that it
 * matches no entry: an empty segment (a doubled or trailing slash), a dot segment, an encoded slash, backslash or control
 * character, a wrong percent-encoding.
 * @param target origin-form (`/path?query`, RFC 9112 §3.2.1); other forms yield undefined.
 */
export function readRequestPath(target: string): RequestPath | undefined {
  const end = target.indexOf('?')
  const path = end === -1 ? target : target.slice(0, end)
  if (!path.startsWith('/') || path.length > 4096 || disputed.test(path)) return undefined
  if (path === '/') return { decoded: [], raw: [] }
  const raw = path.slice(1).split('/')
  const decoded: string[] = []
  for (const segment of raw) {
    const text = decodeSegment(segment)
    if (text === undefined) return undefined
    decoded.push(text)
  }
  return { decoded, raw }
}

function decodeSegment(segment: string): string | undefined {
  try {
    const text = segment.includes('%') ? decodeURIComponent(segment) : segment
    if (text === '' || text === '.' || text === '..') return undefined
    return /[/\\\p{Cc}]/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** The request target in a `Request`'s URL. Cut out and not parsed, because parsing would resolve dot segments. */
export function targetOfUrl(url: string): string {
  const target = url.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#\\]*/, '')
  return target === '' || target.startsWith('?') ? `/${target}` : target
}

/** What `node:http`, Connect and Express know of a request's place. */
export interface NodeTarget {
  readonly url?: string | undefined
  /** Connect and Express: the target before a mounted router cut its prefix off. */
  readonly originalUrl?: string | undefined
  /** Express: the prefix that was cut off. */
  readonly baseUrl?: string | undefined
}

/** The whole target that the router at work sees, a mount prefix included. */
export function targetOfNodeRequest({ url = '', originalUrl, baseUrl }: NodeTarget): string {
  // Express: url follows what earlier middleware rewrote, originalUrl does not; the router reads url.
  if (typeof baseUrl !== 'string') return typeof originalUrl === 'string' ? originalUrl : url
  return baseUrl !== '' && /^\/(\?|$)/.test(url) ? baseUrl + url.slice(1) : baseUrl + url
}
