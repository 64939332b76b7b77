/**
 * Authorization Code flow with PKCE: out to the issuer with /sign-in or /step-up, back with /callback.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { sessionOf, setSessionCookie, signedInForm } from './browser.ts'
import type { Context } from './context.ts'
import { Problem } from './problems.ts'
import { profileOf } from './profiles.ts'
import type { SignInSecrets } from './sessions.ts'
import { signedInFrom } from './tokens.ts'

/** `service.api` because this application calls a service: without it the access token holds no permissions. */
const SCOPE = 'openid email profile service.api'

export function signInRoutes(app: FastifyInstance, context: Context): void {
  app.get('/sign-in', (request, reply) => startSignIn(context, request, reply))
  app.post('/step-up', (request, reply) => stepUp(context, request, reply))
  app.get('/callback', (request, reply) => finishSignIn(context, request, reply))
}

async function startSignIn(context: Context, request: FastifyRequest, reply: FastifyReply) {
  // Somebody signed in keeps their session until the callback has succeeded: turning back costs them nothing.
  const known = sessionOf(context, request)
  const sessionId = known?.id ?? context.sessions.beginAnonymous()
  if (known === undefined) setSessionCookie(context, reply, sessionId)

  const { somebody_else } = request.query as { somebody_else?: unknown }
  // Without it an issuer that still knows the person answers at once, or asks only for the profile.
  const asked = somebody_else === undefined ? {} : { prompt: 'select_account' }
  return await sendOut(context, reply, sessionId, asked)
}

/**
 * Sends out for what the API asked to be proved, as its last answer says: the session keeps that, so nobody but the API
 * has a say in it. The issuer asks for what is missing alone, under the same profile.
 */
async function stepUp(context: Context, request: FastifyRequest, reply: FastifyReply) {
  const { session, signedIn } = signedInForm(context, request)
  const { lastResult: last } = session
  if (last?.kind !== 'answer' || last.stepUp === undefined) {
    const advice = 'Call the API again: it says what it wants.'
    throw new Problem({ status: 409, title: 'Nothing has to be proved now', advice })
  }
  const { call, acrValues, maxAge } = last.stepUp
  const { uuid } = profileOf(signedIn.claims)
  return await sendOut(
    context,
    reply,
    session.id,
    {
      ...(acrValues !== undefined && { acr_values: acrValues }),
      ...(maxAge !== undefined && { max_age: maxAge }),
      ...(uuid !== '' && { profile_uuid: uuid }),
    },
    { backTo: `/#call-${call}`, ...(maxAge !== undefined && { maxAge: Number(maxAge) }) },
  )
}

async function sendOut(
  context: Context,
  reply: FastifyReply,
  sessionId: string,
  asked: Readonly<Record<string, string>>,
  kept: Pick<SignInSecrets, 'maxAge' | 'backTo'> = {},
) {
  const configuration = await context.issuer.configuration()
  const secrets = {
    state: randomState(),
    nonce: randomNonce(),
    codeVerifier: randomPKCECodeVerifier(),
    ...kept,
  }
  context.sessions.rememberSignIn(sessionId, secrets)
  const address = buildAuthorizationUrl(configuration, {
    redirect_uri: context.site.redirectUri,
    scope: SCOPE,
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
    code_challenge_method: 'S256',
    ...asked,
  })
  return reply.redirect(address.href, 303)
}

async function finishSignIn(context: Context, request: FastifyRequest, reply: FastifyReply) {
  // The registered address with the query that arrived: the Host header has no say in what is exchanged.
  const answer = new URL(context.site.redirectUri)
  answer.search = new URL(request.url, answer).search

  const session = sessionOf(context, request)
  const secrets = session && context.sessions.takeSignIn(session.id, answer.searchParams.get('state') ?? '')
  if (session === undefined || secrets === undefined) throw unknownSignIn(session?.signedIn !== undefined)

  // Throws when the issuer reports an error; otherwise compares state and iss, exchanges the code with its
  // verifier, and validates the ID token: signature, iss, aud, exp, nonce. Only then is there a session.
  const tokens = await authorizationCodeGrant(await context.issuer.configuration(), answer, {
    expectedState: secrets.state,
    expectedNonce: secrets.nonce,
    pkceCodeVerifier: secrets.codeVerifier,
    idTokenExpected: true,
    // Compares auth_time with what the step-up asked for.
    ...(secrets.maxAge !== undefined && { maxAge: secrets.maxAge }),
  })

  const sessionId = context.sessions.signIn(
    session.id,
    signedInFrom(tokens, context.now(), { before: session.signedIn }),
  )
  setSessionCookie(context, reply, sessionId)
  return reply.redirect(secrets.backTo ?? '/', 303)
}

/** No state, another browser's state, or one that was used already: whatever else arrived is not looked at. */
function unknownSignIn(isSignedIn: boolean): Problem {
  return new Problem({
    status: 400,
    title: isSignedIn ? 'You are signed in already' : 'This sign-in is not known here',
    detail: 'The state of the answer does not belong to an open sign-in of this browser.',
    advice: isSignedIn
      ? 'Perhaps in another tab. You stay signed in as you were: this answer was used before, or came from elsewhere.'
      : 'It was used before, took longer than an hour, or was begun in another browser. Sign in again.',
    signIn: isSignedIn ? undefined : 'Sign in',
  })
}
