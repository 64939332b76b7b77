import { invalidToken, noCredential, type Refused } from './decision.ts'
import { targetOfUrl } from './request-path.ts'

/** Web-standard `Headers`, or anything that answers like them. */
export interface WebHeadersLike {
  get(name: string): string | null
}

/** The headers of a `node:http` request, names in lower case. */
export interface NodeHeadersLike {
  readonly authorization?: string | readonly string[] | undefined
  readonly dpop?: string | readonly string[] | undefined
}

/**
 * Where the credential comes from: the value of the Authorization header, web-standard headers, or a request
 * that holds headers of either kind (`Request`, `IncomingMessage`, what frameworks build on them).
 */
export type CredentialSource =
  | string
  | null
  | undefined
  | WebHeadersLike
  | {
      readonly headers: WebHeadersLike | NodeHeadersLike
      /**
       * Names and values in turn, as received: the only place where `node:http` shows a repeated header. Also read
       * from `raw` and `req`, where frameworks keep node's request.
       */
      readonly rawHeaders?: readonly string[] | undefined
      /** Asked for with the option `dpop` alone: a proof is for one method and one address. */
      readonly method?: string | undefined
      /** The address of a `Request`, or the target that `node:http` got. */
      readonly url?: unknown
      /** The target before a router cut off a prefix, as Connect, Express and Koa keep it. */
      readonly originalUrl?: string | undefined
    }

/** RFC 6750 §2.1: `Bearer`, at least one space, b64token. RFC 9110 §11.1: the scheme is case-insensitive. */
const bearerPattern = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i
const bearerScheme = /^bearer(?:[ \t,]|$)/i
/** RFC 9449 §7.1: the same with another scheme. */
const dpopPattern = /^dpop +([A-Za-z0-9._~+/-]+=*)$/i
const dpopScheme = /^dpop(?:[ \t,]|$)/i

const repeated = invalidToken('The Authorization header was sent more than once')
const malformed = invalidToken('The Authorization header does not hold one Bearer token')
const malformedDpop = invalidToken('The Authorization header does not hold one DPoP token')
const oversized = invalidToken('The access token is too long')
const absent = noCredential()
/** The refusal of a guard without the option `dpop`: with it, such a header is read by `readDpop`. */
const absentForDpop = noCredential(
  'This service takes no tokens that are bound to a key (DPoP): its guard has no option dpop',
)

/**
 * Reads the one Bearer token of an Authorization header, or says why there is none. Never throws.
 * @param maxLength longest token that is looked at, in characters.
 */
export function readBearer(header: string, maxLength: number): string | Refused {
  if (!bearerScheme.test(header.slice(0, 8)))
    return dpopScheme.test(header.slice(0, 6)) ? absentForDpop : absent
  if (header.length > maxLength + 100) return oversized
  const token = bearerPattern.exec(header)?.[1]
  if (token === undefined) return malformed
  return token.length > maxLength ? oversized : token
}

/** The one token of an Authorization header with the scheme DPoP, a refusal, or undefined for any other scheme. */
export function readDpop(header: string, maxLength: number): string | Refused | undefined {
  if (!dpopScheme.test(header.slice(0, 6))) return undefined
  if (header.length > maxLength + 100) return oversized
  const token = dpopPattern.exec(header)?.[1]
  if (token === undefined) return malformedDpop
  return token.length > maxLength ? oversized : token
}

/** Finds the one Authorization header, or says why there is none. Never throws. */
export function readHeader(source: CredentialSource): string | Refused {
  if (typeof source === 'string') return source
  if (source === null || typeof source !== 'object') return absent
  try {
    // Requests are tried first, because those of Express have a `get` as well.
    if (!('headers' in source)) return onlyValue(source.get('authorization'))
    if (isWebHeaders(source.headers)) return onlyValue(source.headers.get('authorization'))
    // node:http keeps the first of several Authorization headers; a proxy before it may have read the last one.
    const lines = nodeRequestOf(source).rawHeaders
    if (lines !== undefined && countAuthorization(lines) > 1) return repeated
    return onlyValue(source.headers.authorization)
  } catch {
    return malformed
  }
}

export function usesDpop(source: CredentialSource): boolean {
  const header = readHeader(source)
  return typeof header === 'string' && dpopScheme.test(header.slice(0, 6))
}

/** What a proof is for, and the value of the header that holds it. */
export interface ProvedRequest {
  /** The framework's or node's own object, one for each request. */
  readonly request: object
  readonly method: string
  /** Path and query, as the client sent them. */
  readonly target: string
  readonly proof: string | undefined
}

/** Undefined when the source does not say for which request it is. Never throws. */
export function readProvedRequest(source: CredentialSource): ProvedRequest | undefined {
  try {
    if (typeof source !== 'object' || source === null || !('headers' in source)) return undefined
    const { headers } = source
    const isWeb = isWebHeaders(headers)
    const request = isWeb ? source : nodeRequestOf(source)
    const url = isWeb ? source.url : (source.originalUrl ?? request.originalUrl ?? request.url)
    const { method } = request
    if (typeof url !== 'string' || typeof method !== 'string') return undefined
    const proof: unknown = isWeb ? headers.get('dpop') : headers.dpop
    const sent = proof === undefined || proof === null ? undefined : String(proof)
    return { request, method, target: isWeb ? targetOfUrl(url) : url, proof: sent }
  } catch {
    return undefined
  }
}

function onlyValue(value: unknown): string | Refused {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return absent
  if (!Array.isArray(value)) return malformed
  return value.length === 1 && typeof value[0] === 'string' ? value[0] : repeated
}

function isWebHeaders(value: object | undefined): value is WebHeadersLike {
  return typeof (value as Partial<WebHeadersLike> | undefined)?.get === 'function'
}

interface Wrapping {
  readonly method?: string | undefined
  readonly url?: unknown
  readonly originalUrl?: string | undefined
  readonly rawHeaders?: readonly string[] | undefined
  readonly raw?: Wrapping | null
  readonly req?: Wrapping | null
}

/** Fastify's request keeps that of node in `raw`, Koa's in `req`, hapi's in `raw.req`; none shows rawHeaders itself. */
function nodeRequestOf(source: Wrapping): Wrapping {
  if (source.rawHeaders !== undefined) return source
  const inner = source.raw ?? source.req
  return (inner?.rawHeaders === undefined ? inner?.req : inner) ?? source
}

function countAuthorization(rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 13 && name.toLowerCase() === 'authorization') count += 1
  }
  return count
}
