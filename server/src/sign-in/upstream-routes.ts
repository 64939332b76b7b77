/** The addresses that an upstream, or the browser on its way back, comes to. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { reachingOf } from '../upstream/fetch.ts'
import { oidcAssertion, ownJwks } from '../upstream/oidc.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { upstreamToTry } from '../upstream/to-try.ts'
import type { Assertion } from '../upstream/assertion.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { Parameters } from '../protocol/parameters.ts'
import { noCookie, requestOver } from '../protocol/refusals.ts'
import { isUuid } from '../protocol/values.ts'
import type { Service } from '../service.ts'
import { takeUpstreamRequest, type UpstreamRequestRow } from '../store/upstream-requests.ts'
import { readCookie } from './browser.ts'
import { password } from './password.ts'
import { openStep } from './steps.ts'
import { activeUpstream, callbackOf, type KeptForUpstream } from './upstream.ts'
import { answerByUpstream } from './upstream-answer.ts'
import { directoryRoutes } from './upstream-directory.ts'
import { failUpstream } from './upstream-failed.ts'
import { guestRoutes } from './upstream-guest-step.ts'
import { upstreamLogout } from './upstream-logout.ts'
import { signedOutRoutes } from './upstream-signed-out.ts'
import { assertionFor, keptAnswer, samlRoutes } from './upstream-saml.ts'

export function upstreamRoutes(app: FastifyInstance, service: Service, returns: Returns): void {
  samlRoutes(app, service)
  directoryRoutes(app, service)
  guestRoutes(app, service)
  upstreamLogout(app, service)
  signedOutRoutes(app, service)

  // No HEAD: a link checker would use the state up.
  app.get<{ Params: { uuid: string } }>(
    '/upstreams/:uuid/callback',
    { exposeHeadRoute: false },
    (request, reply) => comeBack({ service, returns }, request, reply, request.params.uuid),
  )

  app.get<{ Params: { uuid: string } }>('/upstreams/:uuid/jwks', async ({ params }, reply) => {
    const upstream = isUuid(params.uuid) ? await upstreamToTry(service, params.uuid) : undefined
    if (upstream === undefined) return reply.callNotFound()
    reply.header('cache-control', 'public, max-age=300')
    return ownJwks(upstream)
  })
}

/** A browser that came back from an upstream, in which what it was sent there for goes on. */
export interface CameBack {
  service: Service
  request: FastifyRequest
  reply: FastifyReply
  /** What it was sent there for, which counts no second time. */
  taken: UpstreamRequestRow
  /** What the answer proves. Throws an `UpstreamRefusal` where it is no answer of this upstream to what was asked. */
  proved(upstream: Upstream): Promise<Assertion>
}

/** How it goes on, by what the browser was sent for. */
export type Returns = Partial<Record<UpstreamRequestRow['purpose'], (back: CameBack) => Promise<unknown>>>

/**
 * The browser comes back from an upstream with an answer. Its state counts once, in the browser that was sent there, and at
 * the address of the upstream that it was sent to.
 */
async function comeBack(
  { service, returns }: { service: Service; returns: Returns },
  request: FastifyRequest,
  reply: FastifyReply,
  uuid: string,
): Promise<unknown> {
  const kept = await keptAnswer(service, request)
  const state = kept === undefined ? (Parameters.ofUrl(request.url).raw('state') ?? '') : kept.state
  const browser = readCookie(service, request, 'browser')
  if (browser === undefined) throw noCookie()
  const purposes = Object.keys(returns) as UpstreamRequestRow['purpose'][]
  const coming = { state, browser, purposes, now: service.now() }
  const taken = await takeUpstreamRequest(service.store.db, coming)
  if (taken === undefined) throw requestOver()
  const proved = async (upstream: Upstream): Promise<Assertion> => {
    if (taken.upstream_uuid !== uuid || (kept !== undefined && kept.uuid !== uuid))
      throw new UpstreamRefusal('issuer', 'The answer came to the address of another upstream.')
    const asked = JSON.parse(taken.data) as KeptForUpstream
    return kept === undefined
      ? await byOidc(service, request, upstream, { asked, state })
      : assertionFor(kept, asked)
  }
  return await returns[taken.purpose]?.({ service, request, reply, taken, proved })
}

/** Goes on with a sign-in. */
export async function backInSignIn({ service, request, reply, taken, proved }: CameBack): Promise<unknown> {
  const { visit } = await openStep(service, request, reply, { path: password.path, id: taken.about })
  const { stepUp } = JSON.parse(taken.data) as KeptForUpstream
  try {
    const upstream = await activeUpstream(service, taken.upstream_uuid)
    return await answerByUpstream(visit, upstream, { assertion: await proved(upstream), stepUp })
  } catch (error) {
    if (error instanceof UpstreamRefusal)
      return await failUpstream(visit, { uuid: taken.upstream_uuid }, error)
    throw error
  }
}

async function byOidc(
  service: Service,
  request: FastifyRequest,
  upstream: Upstream,
  { asked, state }: { asked: KeptForUpstream; state: string },
): Promise<Assertion> {
  // A SAML provider answers by a form alone.
  if (upstream.kind !== 'oidc')
    throw new UpstreamRefusal('response', 'It is no answer of this kind of upstream.')
  const redirectUri = callbackOf(service, upstream.uuid)
  const answer = new URL(`${redirectUri}${new URL(request.url, service.issuer).search}`)
  const expected = { ...asked, state, redirectUri }
  return await oidcAssertion(reachingOf(service), upstream, answer, expected, service.now())
}
