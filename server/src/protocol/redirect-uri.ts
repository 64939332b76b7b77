import { tooLong } from './length.ts'

/**
 * `native` clients may use port-flexible loopback and private-use schemes (RFC 8252 §7). `document`: its document says the
 * redirect URIs, and localhost has any port too.
 */
export type ApplicationType = 'web' | 'native' | 'document'

const maxLength = 2000

/** Schemes that run or read something in the browser: a code is never sent to them, nor do pages come from them. */
export const dangerousSchemes = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'ws:',
  'wss:',
  'ftp:',
])

/** Whether the host is this machine: `localhost`, a name below it (RFC 6761 §6.3), 127.0.0.0/8 or [::1] (RFC 8252 §7.3). */
export function isLoopbackHost(hostname: string): boolean {
  return /^(([\w-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/**
 * What is wrong with a redirect URI that is to be registered, or undefined when it is right: an absolute https
 * URL without fragment, wildcard or userinfo; http for loopback alone; other schemes for native clients alone.
 */
export function redirectUriProblem(uri: string, applicationType: ApplicationType): string | undefined {
  const long = tooLong(uri, maxLength)
  if (long !== undefined) return long
  // URIs are compared by bytes, so characters that a URL parser would drop or rewrite are refused.
  if (/[^\x21-\x7E]|[\\<>"{}|^`]/.test(uri)) return 'holds a character that must be percent-encoded'
  if (uri.includes('#')) return 'has a fragment (#…); register it without'
  if (uri.includes('*')) return 'has a wildcard (*); register each address exactly'
  if (!URL.canParse(uri)) return 'is not an absolute URL'
  const url = new URL(uri)
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?]*@/i.test(uri))
    return 'holds a user name or password'
  // A browser takes the first part of the path for the host then.
  if (/^https?:\/\/\//i.test(uri)) return 'names no host'
  if (url.protocol === 'https:') return schemeIsWritten(uri, 'https://')
  if (url.protocol === 'http:') {
    if (!isLoopbackHost(url.hostname)) return 'uses http; only loopback addresses may, use https'
    return schemeIsWritten(uri, 'http://')
  }
  if (dangerousSchemes.has(url.protocol))
    return `uses the scheme ${url.protocol} which can't receive a redirect`
  if (applicationType !== 'native')
    return `uses the scheme ${url.protocol}; only https is allowed (native clients may use private-use schemes)`
  // RFC 8252 §7.1: a private-use scheme is a reversed domain name, so it has a dot.
  if (!url.protocol.includes('.'))
    return `uses the scheme ${url.protocol}; a private-use scheme is a reversed domain name, such as com.example.app:`
  return undefined
}

/**
 * What an answer brings itself: an application that finds it twice reads the wrong one, or refuses both (RFC 6749 §3.1,
 * §4.1.2; RFC 9207 §2; OpenID Connect RP-Initiated Logout 1.0 §3).
 */
const broughtBy = {
  redirect_uris: ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'],
  post_logout_redirect_uris: ['state'],
} as const

export type AddressField = keyof typeof broughtBy
export const addressFields = Object.keys(broughtBy) as AddressField[]

/** What is wrong with an address that an answer is to be sent to: as `redirectUriProblem`, or by its query. */
export function answeredUriProblem(
  uri: string,
  field: AddressField,
  applicationType: ApplicationType,
): string | undefined {
  const problem = redirectUriProblem(uri, applicationType)
  if (problem !== undefined) return problem
  const { searchParams } = new URL(uri)
  const twice = broughtBy[field].find((name) => searchParams.has(name))
  if (twice === undefined) return undefined
  return `has ${twice} in its query, which the answer brings itself; register it without`
}

function schemeIsWritten(uri: string, prefix: string): string | undefined {
  return uri.startsWith(prefix) ? undefined : `must begin with ${prefix}`
}

/**
 * The host of an address, for people to read; for a private-use scheme the scheme. That keeps its colon, because it is
 * no host, so every application of the device may claim it.
 */
export function redirectPlace(uri: string): string {
  const { protocol, host } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

/**
 * Whether the redirect_uri of a request is registered: equal byte for byte (RFC 9700 §2.1), with one exception:
 * a native client's http loopback IP address may have any port (RFC 8252 §7.3).
 */
export function isRegisteredRedirectUri(
  uri: string,
  registered: readonly string[],
  applicationType: ApplicationType,
): boolean {
  if (registered.includes(uri)) return true
  if (applicationType === 'web') return false
  const pattern = applicationType === 'native' ? loopbackPattern : loopbackOrName
  const withoutPort = loopbackWithoutPort(uri, pattern)
  return (
    withoutPort !== undefined && registered.some((one) => loopbackWithoutPort(one, pattern) === withoutPort)
  )
}

const loopbackPattern = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(\/[\x21\x24-\x7E]*)?$/
const loopbackOrName =
  /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([1-9]\d{0,4}))?(\/[\x21\x24-\x7E]*)?$/

function loopbackWithoutPort(uri: string, pattern: RegExp): string | undefined {
  const match = pattern.exec(uri)
  if (match === null || Number(match[2] ?? 80) > 65_535) return undefined
  return `${match[1]}${match[3] ?? ''}`
}

/** Adds parameters to a redirect URI, keeping its own query as it is (RFC 6749 §3.1.2). */
export function withParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const query = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  if (query === '') return uri
  const separator = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${separator}${query}`
}
