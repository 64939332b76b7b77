import type { IncomingMessage } from 'node:http'
import type { Service } from '../service.ts'
import type { Proxied } from '../store/clients.ts'

/** A request to an application, as its proxy tells of it. */
export interface OriginalRequest {
  origin: string
  method: string
  /** Path and query. */
  target: string
}

/** What is wrong with a question, for the log. */
export class Misasked {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** The values of a header, each time that it was sent. */
const sentAs = ({ rawHeaders }: IncomingMessage, name: string): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && isHeader(rawHeaders[at - 1], name))

const isHeader = (sent: string | undefined, name: string): boolean =>
  sent?.length === name.length && sent.toLowerCase() === name

function once(request: IncomingMessage, name: string): string | Misasked {
  const [value, ...more] = sentAs(request, name)
  if (value === undefined) return new Misasked(`${name} is missing`)
  return more.length > 0 ? new Misasked(`${name} came ${more.length + 1} times`) : value
}

/** Reads what a trusted proxy tells of the request that it asks about. */
export function readOriginal({ settings }: Service, request: IncomingMessage): OriginalRequest | Misasked {
  const isOriginal = settings.forwardAuth.headers === 'original'
  const method = once(request, isOriginal ? 'x-original-method' : 'x-forwarded-method')
  if (method instanceof Misasked) return method
  if (!isMethod(method)) return new Misasked('the method is none')
  const where = isOriginal ? readUrl(request) : readForwarded(request)
  if (where instanceof Misasked) return where
  const target = isOriginal ? where.target : once(request, 'x-forwarded-uri')
  if (target instanceof Misasked) return target
  if (!target.startsWith('/')) return new Misasked('the path does not begin with a slash')
  return { origin: where.origin, method, target }
}

export const isMethod = (text: string): boolean => /^[A-Z]{1,20}$/.test(text)

/** The origin that the proxy was asked at, for an address of ours there. */
export function readOriginThere({ settings }: Service, request: IncomingMessage): string | Misasked {
  const where = settings.forwardAuth.headers === 'original' ? readUrl(request) : readForwarded(request)
  return where instanceof Misasked ? where : where.origin
}

function readForwarded(request: IncomingMessage): { origin: string; target: string } | Misasked {
  const proto = once(request, 'x-forwarded-proto')
  if (proto instanceof Misasked) return proto
  const host = once(request, 'x-forwarded-host')
  if (host instanceof Misasked) return host
  const origin = originAt(proto, host)
  return origin instanceof Misasked ? origin : { origin, target: '' }
}

function readUrl(request: IncomingMessage): Pick<OriginalRequest, 'origin' | 'target'> | Misasked {
  const url = once(request, 'x-original-url')
  return url instanceof Misasked ? url : readAddress(url)
}

/** The origin and the target of an address: cut and not parsed, because parsing would resolve dot segments. */
export function readAddress(url: string): Pick<OriginalRequest, 'origin' | 'target'> | Misasked {
  const [, proto, host, target] = /^([a-z]+):\/\/([^/?#\\]*)(\/.*)$/is.exec(url) ?? []
  if (proto === undefined || host === undefined || target === undefined)
    return new Misasked('x-original-url is no address')
  const origin = originAt(proto, host)
  return origin instanceof Misasked ? origin : { origin, target }
}

/**
 * A host in any case, and with the port of https, is the same one; a list, or a name with a dot at its end, is none.
 * Whether an application is there is asked of what is registered, byte for byte.
 */
function originAt(proto: string, host: string): string | Misasked {
  const written = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:[1-9]\d{0,4})?$|^\[[0-9A-Fa-f:.]+\](:[1-9]\d{0,4})?$/
  if (proto !== 'https' || !written.test(host))
    return new Misasked('the scheme is not https, or the host is none')
  return `https://${host.toLowerCase().replace(/:443$/, '')}`
}

/**
 * What the application is told in, and by what frameworks take another path. Some servers make one sign of all that are
 * no letter and no digit: `Remote.User` would be theirs as well.
 */
const claiming =
  /^(remote[^a-z0-9](user|email|name|groups|organisation)|x[^a-z0-9](access[^a-z0-9]token|rewrite[^a-z0-9]url))$/i

/** The name of a header that would tell the application who somebody is, or what they ask for. */
export const claimedHeader = ({ rawHeaders }: IncomingMessage): string | undefined =>
  rawHeaders.find((name, at) => at % 2 === 0 && claiming.test(name))

/** Servers take the method from these where they are there. */
const override = /^x[^a-z0-9](http[^a-z0-9]method([^a-z0-9]override)?|method[^a-z0-9]override)$/i

/** The methods that an application may take the request for. */
export function methodsOf(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  { method, target }: Pick<OriginalRequest, 'method' | 'target'>,
): string[] {
  const inHeaders = rawHeaders.filter((_, at) => at % 2 === 1 && override.test(rawHeaders[at - 1] ?? ''))
  const named = [...inHeaders, ...methodsInQuery(target)].map((one) => one.trim().toUpperCase())
  return named.length === 0 ? [method] : [...new Set([method, ...named])]
}

/** Nobody means more. */
const mostMethods = 3

/** Whether a request may name other methods than its own: where the same is demanded of each. */
export const mayNameMethods = ({ routes }: Proxied, methods: readonly string[]): boolean =>
  routes.coversAll && methods.length <= mostMethods

/** The values of `_method`, as it is read with other signs for `_`, and with `;` between parameters. */
function methodsInQuery(target: string): string[] {
  // A server that decodes the path before it looks for the query finds one behind an encoded mark, too.
  const query = target.replace(/^.*?(?:\?|%(?:25)*3f|$)/is, '')
  if (!/method|%/i.test(query)) return []
  const parameters = new URLSearchParams(query.replaceAll(/[;?]/g, '&'))
  return [...parameters].flatMap(([name, value]) =>
    /^[^a-z0-9]+method$/i.test(name.split('\0', 1)[0] ?? '') ? [value] : [],
  )
}
