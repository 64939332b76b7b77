/**
 * New tokens for the same sign-in, and the same step for another profile of the same person.
 */
import type { FastifyInstance } from 'fastify'
import { ResponseBodyError, refreshTokenGrant } from 'openid-client'
import { clearSessionCookie, type SignedInRequest, signedInForm } from './browser.ts'
import type { Context } from './context.ts'
import { explain } from './problems.ts'
import { signedInFrom } from './tokens.ts'

export function refreshRoutes(app: FastifyInstance, context: Context): void {
  app.post('/refresh', async (request, reply) => {
    const outcome = await refresh(context, signedInForm(context, request), {})
    if (outcome === 'ended') clearSessionCookie(context, reply)
    return reply.redirect(outcome === 'ended' ? '/?ended' : '/', 303)
  })

  app.post('/switch-profile', async (request, reply) => {
    const signedIn = signedInForm(context, request)
    const profile_uuid = signedIn.form.get('profile_uuid') ?? ''
    const outcome = await refresh(context, signedIn, { profile_uuid })
    if (outcome === 'ended') clearSessionCookie(context, reply)
    return reply.redirect(outcome === 'ended' ? '/?ended' : '/', 303)
  })
}

/**
 * Every refresh replaces the refresh token as well, so the answer is stored before anything else happens.
 * `invalid_grant` means that the sign-in is over at the issuer (signed out, disabled, expired): it ends here too.
 * Any other refusal, such as a profile that is not the person's own, changes nothing.
 */
async function refresh(
  context: Context,
  { session, signedIn }: SignedInRequest,
  parameters: Record<string, string>,
): Promise<'ended' | 'answered'> {
  const title = parameters['profile_uuid'] === undefined ? 'Refresh' : 'Switch profile'
  try {
    const answer = await refreshTokenGrant(
      await context.issuer.refreshConfiguration(),
      signedIn.refreshToken ?? '',
      parameters,
    )
    context.sessions.replaceTokens(session, signedInFrom(answer, context.now(), { previous: signedIn }))
    context.sessions.keepResult(session, { kind: 'done', title, at: context.now() })
  } catch (error) {
    if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
      context.sessions.signOut(session.id)
      return 'ended'
    }
    const { title: problem, code, detail } = explain(error).parts
    context.sessions.keepResult(session, { kind: 'failed', title, at: context.now(), problem, code, detail })
  }
  return 'answered'
}
