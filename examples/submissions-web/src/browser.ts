/**
 * What ties a request to a session: the cookie, the CSRF token, and the one host name this site answers under.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from './context.ts'
import { Problem } from './problems.ts'
import { isCsrfToken } from './sealed.ts'
import { COOKIE_SECONDS, type Session } from './sessions.ts'
import type { SignedIn } from './tokens.ts'

export function sessionOf(context: Context, request: FastifyRequest): Session | undefined {
  const id = request.cookies[context.site.cookieName]
  return id === undefined ? undefined : context.sessions.find(id)
}

function cookieAttributes(context: Context) {
  // Lax, not Strict: the callback is a navigation that comes from the issuer, and it needs the cookie.
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: context.site.secure } as const
}

export function setSessionCookie(context: Context, reply: FastifyReply, id: string): void {
  reply.setCookie(context.site.cookieName, id, { ...cookieAttributes(context), maxAge: COOKIE_SECONDS })
}

export function clearSessionCookie(context: Context, reply: FastifyReply): void {
  reply.clearCookie(context.site.cookieName, cookieAttributes(context))
}

export interface SignedInRequest {
  readonly session: Session
  readonly signedIn: SignedIn
  readonly form: URLSearchParams
}

/** The gate of every POST: somebody is signed in here, and the form came from a page of this session. */
export function signedInForm(context: Context, request: FastifyRequest): SignedInRequest {
  const session = sessionOf(context, request)
  if (session?.signedIn === undefined) {
    throw new Problem({
      status: 401,
      title: 'You are not signed in',
      advice: 'Your session here has ended. Sign in to go on.',
      signIn: 'Sign in',
    })
  }
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  if (!isCsrfToken(session.id, form.get('csrf'))) {
    throw new Problem({
      status: 403,
      title: 'This form is no longer valid',
      advice:
        'It belongs to another session, perhaps one from before you signed in again. Go back to the start page.',
    })
  }
  return { session, signedIn: session.signedIn, form }
}

/**
 * `localhost` and `127.0.0.1` are two sites to a browser: a sign-in begun on one would come back to the other
 * without its cookie. So every request under another name is sent to the configured one first.
 */
export function toOwnHost(context: Context, request: FastifyRequest): string | undefined {
  const own = new URL(context.site.baseUrl)
  if (request.headers.host === own.host) return undefined
  if (request.method === 'GET' || request.method === 'HEAD') {
    const { pathname, search } = new URL(request.url, own)
    own.pathname = pathname
    own.search = search
  }
  return own.href
}
