import type { FastifyReply, FastifyRequest } from 'fastify'
import { formPostPage } from '../pages/form-post-page.tsx'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import type { RedirectTarget } from '../protocol/redirect-target.ts'
import { withParameters } from '../protocol/redirect-uri.ts'

/**
 * Sends the answer to an authorization request to the client, with state when it was sent: in the query of a redirect
 * (RFC 6749 §4.1.2), or in a form that the browser posts (OAuth 2.0 Form Post Response Mode §2). Both carry iss
 * (RFC 9207 §2).
 */
export function answerClient(
  { issuer }: { issuer: string },
  request: FastifyRequest,
  reply: FastifyReply,
  {
    redirect_uri,
    state,
    responseMode,
    uiLocales,
    userLocale,
  }: RedirectTarget & { userLocale?: string | null | undefined },
  result: { code: string } | { error: string; error_description: string } | Record<string, never>,
): FastifyReply {
  const answer = { ...result, ...(state !== undefined && { state }), iss: issuer }
  if (responseMode !== 'form_post') {
    return reply.header('cache-control', 'no-store').redirect(withParameters(redirect_uri, answer), 303)
  }
  const page = pageOf(request, { uiLocales, userLocale })
  const html = formPostPage({ ...page, here: undefined, redirectUri: redirect_uri, answer })
  sendPage(reply, html, { leadsAway: true, script: true })
  return reply
}
