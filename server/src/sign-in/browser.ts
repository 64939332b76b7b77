import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../service.ts'
import { deviceLifetime } from '../store/devices.ts'
import { longestTrust } from '../store/trusted-devices.ts'
import { pathOfIssuer } from '../protocol/issuer-path.ts'
import { newSecret } from '../protocol/identifier.ts'
import { findRequest } from '../store/authorization-requests.ts'
import { type LiveSession, sessionOf, touchSession } from '../store/sessions.ts'

/**
 * The cookies (decisions 7). `session` names the session; `browser` ties authorization requests and forms to this browser;
 * `device` tells that a person signed in here before, `trusted` that they need no second factor here for a while;
 * `invitation` and `address` keep the link of one while its person signs in, `connect` who opened a set-up link.
 */
type CookieName = 'session' | 'browser' | 'device' | 'trusted' | 'invitation' | 'address' | 'connect'

const minute = 60_000

/**
 * `__Host-` on https: no subdomain and no http page can set it. On http (localhost alone) browsers refuse the prefix, and
 * several installations share one host, whose cookies go to every port. Below a path a cookie goes to that path, which
 * `__Host-` forbids, and its name tells the path: it also comes to installations below. The browser's secret stays as it is.
 */
function cookieName({ issuer }: Service, name: CookieName): string {
  const isSecure = issuer.startsWith('https:')
  const path = name === 'browser' ? '' : pathOfIssuer(issuer)
  const own = [...path.split('/').slice(1), name].join('-')
  if (isSecure) return `${path === '' ? '__Host' : '__Secure'}-tessera-${own}`
  const { port } = new URL(issuer)
  return port === '' ? `tessera-${own}` : `tessera-${port}-${own}`
}

/** The cookie's value, if it has the form of one that this service sets. */
export function readCookie(service: Service, request: FastifyRequest, name: CookieName): string | undefined {
  const value = request.cookies[cookieName(service, name)]
  if (value === undefined) return undefined
  if (isBesideSecret(service, name)) return besideSecret(service, request, name, value)
  return isValue(value) ? value : undefined
}

const isValue = (value: string) => /^[A-Za-z0-9_-]{43}$/.test(value)

/** Another page of the host could set a cookie of the path: such a cookie counts beside the secret that it was set with alone. */
const isBesideSecret = ({ issuer }: Service, name: CookieName): boolean =>
  name !== 'browser' && pathOfIssuer(issuer) !== ''

function besideSecret(
  service: Service,
  request: FastifyRequest,
  name: CookieName,
  sent: string,
): string | undefined {
  const secret = readCookie(service, request, 'browser')
  const [value = '', tag] = sent.split('.')
  const isOwn = secret !== undefined && isValue(value) && tag === tagOf(secret, name, value)
  return isOwn && isSentOnce(request, cookieName(service, name)) ? value : undefined
}

const tagOf = (secret: string, name: CookieName, value: string): string =>
  createHmac('sha256', secret).update(`cookie ${name} ${value}`).digest('base64url')

/** A name that comes twice is of two paths or hosts, and nobody knows which of them is ours. */
const isSentOnce = ({ headers }: FastifyRequest, name: string): boolean =>
  (headers.cookie ?? '').split(/; */).filter((one) => one.startsWith(`${name}=`)).length < 2

export function setCookie(service: Service, reply: FastifyReply, name: CookieName, value: string): void {
  const secret = isBesideSecret(service, name) ? browserSecret(service, reply.request, reply) : undefined
  // The secret lives as long as what counts beside it.
  if (secret !== undefined) setCookie(service, reply, 'browser', secret)
  const beside = secret === undefined ? '' : `.${tagOf(secret, name, value)}`
  reply.setCookie(cookieName(service, name), `${value}${beside}`, {
    ...cookieScope(service, name),
    // The server keeps the session's ends; the cookie goes at the absolute one.
    ...(name === 'session' && { maxAge: service.settings.lifetimes.sessionAbsolute / 1000 }),
    ...(name === 'device' && { maxAge: deviceLifetime / 1000 }),
    ...(name === 'browser' && pathOfIssuer(service.issuer) !== '' && { maxAge: deviceLifetime / 1000 }),
    ...(name === 'trusted' && { maxAge: longestTrust / 1000 }),
    // The cookie lives as long as its link.
    ...(name === 'connect' && { maxAge: (3 * 24 * 60 * minute) / 1000 }),
  })
}

export function clearCookie(service: Service, reply: FastifyReply, name: CookieName): void {
  reply.setCookie(cookieName(service, name), '', { ...cookieScope(service, name), maxAge: 0 })
}

function cookieScope({ issuer }: Service, name: CookieName) {
  const path = name === 'browser' ? '/' : pathOfIssuer(issuer) || '/'
  return { path, httpOnly: true, sameSite: 'lax', secure: issuer.startsWith('https:') } as const
}

/** The browser's secret, made and set when it has none. */
export function browserSecret(service: Service, request: FastifyRequest, reply: FastifyReply): string {
  const known = readCookie(service, request, 'browser')
  if (known !== undefined) return known
  const made = newSecret()
  // Another site's form brings no cookie: a new secret would end what counts beside the one that is there.
  if (request.method === 'POST' && pathOfIssuer(service.issuer) !== '') return made
  setCookie(service, reply, 'browser', made)
  // Other cookies of this answer are set beside this secret.
  request.cookies[cookieName(service, 'browser')] = made
  return made
}

/** The live session of this browser. Its idle end moves at most once a minute. */
export async function currentSession(
  service: Service,
  request: FastifyRequest,
): Promise<LiveSession | undefined> {
  const session = await sessionIdleFor(service, request, service.settings.lifetimes.sessionIdle)
  await touch(service, session)
  return session
}

/** The session, with the request that this browser may go on with. */
export async function requestAndSession(
  service: Service,
  request: FastifyRequest,
  id: string | undefined,
): ReturnType<typeof findRequest> {
  const browser = readCookie(service, request, 'browser')
  if (id === undefined || browser === undefined) return { pending: undefined, session: undefined }
  const cookie = readCookie(service, request, 'session')
  const times = { now: service.now(), idle: service.settings.lifetimes.sessionIdle }
  const found = await findRequest(service.store, { id, browser, cookie }, times)
  await touch(service, found.session)
  return found
}

async function touch({ store, now }: Service, session: LiveSession | undefined): Promise<void> {
  if (session !== undefined && now() - session.last_seen_at >= minute)
    await touchSession(store, session.sid, now())
}

/**
 * The session of this browser's cookie, also past its idle end, because its token families may be live. For ending or
 * replacing it: it signs nobody in.
 */
export async function sessionToEnd(
  service: Service,
  request: FastifyRequest,
): Promise<LiveSession | undefined> {
  return await sessionIdleFor(service, request, service.settings.lifetimes.sessionAbsolute)
}

async function sessionIdleFor(
  service: Service,
  request: FastifyRequest,
  idle: number,
): Promise<LiveSession | undefined> {
  const cookie = readCookie(service, request, 'session')
  return cookie === undefined
    ? undefined
    : await service.store.read(sessionOf(cookie, { now: service.now(), idle }))
}

/** The CSRF token of a form: made from the cookie, which no other site can read. */
export function csrfToken(cookie: string, form: string): string {
  return createHmac('sha256', cookie).update(`csrf ${form}`).digest('base64url')
}
