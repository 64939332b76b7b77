/**
 * `account/` owns what people do for themselves: the pages of the person who is signed in here. Whatever changes how
 * somebody signs in wants a fresh proof. It never acts for anybody else.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FormPageProps } from '../pages/form.tsx'
import { pageOf } from '../pages/locale.ts'
import { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import { browserSecret, csrfToken, currentSession } from '../sign-in/browser.ts'
import { brandingFor } from '../store/brandings.ts'
import type { LiveSession } from '../store/sessions.ts'

/** A request to a page of the account. */
export interface AccountVisit {
  service: Service
  request: FastifyRequest
  reply: FastifyReply
  session: LiveSession
  /** What each page is given. */
  page: FormPageProps
  /** What the CSRF token of the page is made from. */
  browser: string
}

export const csrfForm = ({ sid }: { sid: string }): string => `account ${sid}`

/** What challenges of passkeys are bound to: the browser and the session. */
export const holderOf = ({ browser, session }: AccountVisit): string => `${browser} ${csrfForm(session)}`

export const accountPath = '/account'
export const accountSignInPath = '/account/sign-in'

/** Back to the page. */
export const back = ({ reply, page: { action } }: AccountVisit, done?: string) =>
  reply.redirect(done === undefined ? action : `${action}?done=${done}`, 303)

/** Undefined: nobody who is active is signed in here. */
export async function openAccount(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  action: string,
): Promise<AccountVisit | undefined> {
  const session = await currentSession(service, request)
  if (session === undefined || !session.user.active) return undefined
  const browser = browserSecret(service, request, reply)
  const csrf = csrfToken(browser, csrfForm(session))
  const brand = await brandingFor(service.store)
  const page = { ...plainPage(request, session.user.locale), brand, action, csrf }
  return { service, request, reply, session, page, browser }
}

export const plainPage = (request: FastifyRequest, userLocale?: string) => pageOf(request, { userLocale })

export const formOf = ({ body }: FastifyRequest): Parameters =>
  body instanceof Parameters ? body : Parameters.parse('')

export const originOf = ({ request, session }: AccountVisit) => ({
  actor: { kind: 'user' as const, id: session.userUuid },
  address: request.ip,
  requestId: request.id,
})
