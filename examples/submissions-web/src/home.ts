/**
 * The start page: "Sign in", or everything that a signed-in person's session holds.
 */
import type { FastifyInstance } from 'fastify'
import { fetchUserInfo, type UserInfoResponse } from 'openid-client'
import { sessionOf } from './browser.ts'
import type { Context } from './context.ts'
import { signedInPage } from './pages/signed-in.tsx'
import { welcomePage } from './pages/welcome.tsx'
import { explain, type Problem } from './problems.ts'
import { csrfToken } from './sealed.ts'
import type { SignedIn } from './tokens.ts'

export type UserInfo =
  | { readonly answer: UserInfoResponse; readonly problem?: undefined }
  | { readonly answer?: undefined; readonly problem: Problem }

export function homeRoutes(app: FastifyInstance, context: Context): void {
  app.get('/', async (request, reply) => {
    reply.type('text/html; charset=utf-8')
    const session = sessionOf(context, request)
    if (session?.signedIn === undefined) {
      const { ended } = request.query as { ended?: unknown }
      return welcomePage({
        issuer: context.issuer.url,
        clientId: context.clientId,
        ended: ended !== undefined,
      })
    }
    return signedInPage({
      csrf: csrfToken(session.id),
      signedIn: session.signedIn,
      lastResult: session.lastResult,
      userInfo: await userInfo(context, session.signedIn),
      apiUrl: context.apiUrl,
      names: context.names,
      now: context.now(),
    })
  })
}

/** Asked anew for each page: it tells at once when the sign-in was ended elsewhere. */
async function userInfo(context: Context, { accessToken, claims }: SignedIn): Promise<UserInfo> {
  try {
    const configuration = await context.issuer.configuration()
    // The expected subject: an answer about somebody else is refused (OpenID Connect Core 5.3.2).
    return { answer: await fetchUserInfo(configuration, accessToken, claims.sub) }
  } catch (error) {
    return { problem: explain(error) }
  }
}
