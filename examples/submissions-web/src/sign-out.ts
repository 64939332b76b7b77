/**
 * Signing out: first here, then at the issuer, which sends the browser back to our start page.
 */
import type { FastifyInstance } from 'fastify'
import { buildEndSessionUrl } from 'openid-client'
import { clearSessionCookie, signedInForm } from './browser.ts'
import type { Context } from './context.ts'
import { explain, Problem } from './problems.ts'

export function signOutRoutes(app: FastifyInstance, context: Context): void {
  app.post('/sign-out', async (request, reply) => {
    const { session } = signedInForm(context, request)

    // First, so that the session here ends even if the browser never reaches the issuer.
    context.sessions.signOut(session.id)
    clearSessionCookie(context, reply)

    const configuration = await context.issuer.configuration().catch((error: unknown) => {
      throw signedOutHereOnly(error)
    })
    // openid-client adds the client_id.
    const address = buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: context.site.postLogoutRedirectUri,
    })
    return reply.redirect(address.href, 303)
  })
}

function signedOutHereOnly(cause: unknown): Problem {
  return new Problem(
    {
      status: 503,
      title: 'You are signed out here, but not at the identity provider',
      detail: explain(cause).parts.detail,
      advice: 'It does not answer. On a shared machine, close the browser or sign out there later.',
    },
    cause,
  )
}
