/** What a client of the type `proxied` has: an application behind a proxy, for which the service signs people in. */
import type { Scope } from './scope.ts'
import { originOf } from './values.ts'

/** What an application is told in headers of the request (decisions 36). */
export const personHeaders = [
  'Remote-User',
  'Remote-Email',
  'Remote-Name',
  'Remote-Groups',
  'Remote-Organisation',
  'X-Access-Token',
] as const

export type PersonHeader = (typeof personHeaders)[number]

/** What `Remote-User` says. */
export const remoteUsers = ['sub', 'email'] as const

/** Where the answer to its sign-in comes to, on each of its origins. */
export const callbackPath = '/.tessera/callback'
export const logoutPath = '/.tessera/logout'

/** An origin that a browser keeps `__Host-` cookies for. */
export const proxiedOriginProblem = (origin: string): string | undefined =>
  origin.startsWith('https://') && originOf(origin) === origin
    ? undefined
    : 'is no https origin: write it like https://wiki.example.com, without path or final slash'

interface Proxied {
  origins?: readonly string[] | undefined
  headers?: readonly string[] | undefined
  remote_user?: string | undefined
}

/** What follows for the sign-in to it: nobody sets these of such a client. */
export function signInOfProxied({ origins = [], headers = [], remote_user: user }: Proxied) {
  const tells = (name: PersonHeader) => headers.includes(name)
  const scopes: Scope[] = ['openid']
  if (tells('Remote-Email') || (tells('Remote-User') && user === 'email')) scopes.push('email')
  if (tells('Remote-Name')) scopes.push('profile')
  if (tells('Remote-Groups')) scopes.push('groups')
  if (tells('X-Access-Token')) scopes.push('service.api')
  return {
    redirect_uris: origins.map((origin) => `${origin}${callbackPath}`),
    scope: scopes.join(' '),
    grant_types: ['authorization_code' as const],
  }
}
