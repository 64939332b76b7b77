/**
 * The application's settings, and the addresses that follow from them. None comes from a request: a redirect_uri built
 * from the Host header would let the sender of that header choose where the authorization code goes.
 */

import type { Names } from './profiles.ts'

export interface Options {
  readonly port: number
  readonly host: string
  /** The issuer's address, exactly as its discovery document spells it. */
  readonly issuer: string
  readonly clientId: string
  /** The registered callback. Left out, it is `/callback` under the address the application listens on. */
  readonly redirectUri?: string | undefined
  /** The protected service that the signed-in person's access token is for. */
  readonly apiUrl: string
  /** What organisations, units and roles are called; without one its id is shown. */
  readonly names?: Names | undefined
  /** The SQLite file that holds sessions. */
  readonly database: string
  /** Epoch milliseconds. Tests pass their own clock. */
  readonly now?: (() => number) | undefined
}

/** The application's own public address and what is derived from it. */
export interface Site {
  readonly baseUrl: string
  readonly redirectUri: string
  readonly postLogoutRedirectUri: string
  readonly cookieName: string
  readonly secure: boolean
}

export function siteOf(options: Options, port: number): Site {
  const redirectUri = options.redirectUri ?? `http://${hostInUrl(options.host)}:${port}/callback`
  const { origin, protocol, port: publicPort } = new URL(redirectUri)
  const secure = protocol === 'https:'
  // Cookies ignore ports: on localhost this application, a second copy of it and the issuer share one jar.
  // So the name says whose cookie it is. `__Host-` (https only) also keeps sibling subdomains from setting it.
  const cookieName = `submissions_web_session${publicPort === '' ? '' : `_${publicPort}`}`
  return {
    baseUrl: origin,
    redirectUri,
    postLogoutRedirectUri: `${origin}/`,
    cookieName: secure ? `__Host-${cookieName}` : cookieName,
    secure,
  }
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/**
 * Plain http is for an issuer on this very machine. Anywhere else tokens would cross a network in the clear,
 * so such an issuer stops the start instead of being let through with a warning.
 */
export function isLoopbackHttp(issuer: URL): boolean {
  if (issuer.protocol === 'https:') return false
  const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(issuer.hostname)
  if (issuer.protocol === 'http:' && loopback) return true
  throw new Error(`The issuer must use https, or http on localhost: ${issuer.href}`)
}
