/** The answer of a SAML provider: posted from another site, so it comes without our cookies. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Assertion, type KeptAssertion, restoredAssertion } from '../upstream/assertion.ts'
import { reachingOf } from '../upstream/fetch.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { samlAssertion } from '../upstream/saml.ts'
import { withSamlDocuments } from '../upstream/saml-documents.ts'
import { samlMetadata } from '../upstream/saml-metadata.ts'
import { upstreamToTry } from '../upstream/to-try.ts'
import { addressKey } from '../identity/address.ts'
import { Parameters } from '../protocol/parameters.ts'
import { newSecret } from '../protocol/identifier.ts'
import { requestOver } from '../protocol/refusals.ts'
import { isUuid } from '../protocol/values.ts'
import type { Service } from '../service.ts'
import { keepUpstreamRequest, takeUpstreamRequest } from '../store/upstream-requests.ts'
import { formIn } from './page-visit.ts'
import { type KeptForUpstream, samlAddressesOf } from './upstream.ts'

/** A response of 256 KiB as a form sends it. */
const mostForm = 450_000
/** How long a verified answer waits for the browser to come with its cookie, ms. */
const waits = 120_000
/** Any browser brings it: whose it is says the state, which only the browser that was sent can use. */
const anyBrowser = 'answer'

interface KeptAnswer {
  state: string
  inResponseTo: string
  assertion: KeptAssertion & Pick<Assertion, 'id_token'>
}

type OfUpstream = { Params: { uuid: string } }

export function samlRoutes(app: FastifyInstance, service: Service): void {
  app.post<OfUpstream>('/upstreams/:uuid/acs', { bodyLimit: mostForm }, (request, reply) =>
    take(service, request, reply, request.params.uuid),
  )

  app.get<OfUpstream>('/upstreams/:uuid/metadata', async ({ params: { uuid } }, reply) => {
    const upstream = isUuid(uuid) ? await upstreamToTry(service, uuid) : undefined
    if (upstream?.kind !== 'saml') return reply.callNotFound()
    reply.type('application/samlmetadata+xml')
    return await samlMetadata(upstream, samlAddressesOf(service, uuid))
  })
}

/**
 * Verifies an answer, and keeps it under a handle for two minutes: the browser then comes by GET, which brings the cookie.
 * Nothing is used of an answer that nobody asked for.
 */
async function take(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  uuid: string,
): Promise<unknown> {
  const { limits, store } = service
  limits.authorize.check(addressKey(request.ip))
  limits.authorize.count(addressKey(request.ip))
  const form = formIn(request)
  const now = service.now()
  try {
    // The answer may be to a trial; whoever signs somebody in asks whether the upstream counts.
    const upstream = isUuid(uuid) ? await upstreamToTry(service, uuid) : undefined
    if (upstream === undefined) throw new UpstreamRefusal('inactive', 'There is no such upstream.')
    const posted = { response: form.raw('SAMLResponse') ?? '', ...samlAddressesOf(service, uuid) }
    const by = { store, reaching: reachingOf(service), upstream, now }
    const answer = await withSamlDocuments(by, (documents) => samlAssertion(upstream, documents, posted, now))
    const state = form.raw('RelayState') ?? ''
    // Whoever came unasked begins at the front page.
    if (answer.assertion === undefined) return reply.redirect('/', 303)
    const { claims, ...said } = answer.assertion
    const data = { state, inResponseTo: answer.inResponseTo, assertion: { ...said, claims: [...claims] } }
    return reply.redirect(await keep(service, uuid, data), 303)
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    const data = { state: form.raw('RelayState') ?? '', refusal: { code: error.code, text: error.message } }
    return reply.redirect(await keep(service, uuid, data), 303)
  }
}

async function keep({ store, now }: Service, uuid: string, data: object): Promise<string> {
  const handle = newSecret()
  const request = { upstream_uuid: uuid, about: '', purpose: 'answer' } as const
  await keepUpstreamRequest(store, {
    ...request,
    state: handle,
    browser: anyBrowser,
    data,
    now: now(),
    waits,
  })
  return `/upstreams/${uuid}/callback?handle=${handle}`
}

/** The answer that was kept, for the browser that came for it, once. */
export async function keptAnswer(service: Service, request: FastifyRequest): Promise<SamlComing | undefined> {
  const handle = Parameters.ofUrl(request.url).raw('handle')
  if (handle === undefined) return undefined
  const coming = { state: handle, browser: anyBrowser, purposes: ['answer'], now: service.now() } as const
  const taken = await takeUpstreamRequest(service.store.db, coming)
  if (taken === undefined) throw requestOver()
  return { uuid: taken.upstream_uuid, ...(JSON.parse(taken.data) as KeptAnswer) }
}

export interface SamlComing extends KeptAnswer {
  uuid: string
  refusal?: { code: UpstreamRefusal['code']; text: string }
}

/** What the answer proves to the request that it is for. Throws where it is for another, or older than was asked for. */
export function assertionFor(
  { inResponseTo, assertion, refusal }: SamlComing,
  { requestId, prompt, maxAge, askedAt }: KeptForUpstream,
): Assertion {
  if (refusal !== undefined) throw new UpstreamRefusal(refusal.code, refusal.text)
  if (inResponseTo !== requestId)
    throw new UpstreamRefusal(
      'response',
      'The answer is for another request than this browser was sent with.',
    )
  const { auth_time: at } = assertion
  const earliest = prompt === 'login' ? askedAt : maxAge === undefined ? 0 : askedAt - maxAge * 1000
  if (at !== undefined && at < earliest - skew)
    throw new UpstreamRefusal('too_old', 'The provider answered with an older sign-in than was asked for.')
  return restoredAssertion(assertion)
}

/** What the clocks of both may differ, ms. */
const skew = 60_000
