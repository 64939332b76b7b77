/** An upstream says that a session there has ended: what was proved by it ends here, and our clients are told. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { reachingOf } from '../upstream/fetch.ts'
import { oidcLogoutToken } from '../upstream/oidc.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { withSamlDocuments } from '../upstream/saml-documents.ts'
import { samlLogoutAnswer, samlLogoutRequest } from '../upstream/saml-logout.ts'
import { addressKey } from '../identity/address.ts'
import { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import { endByUpstream, type ToldEnded } from '../store/upstream-sessions.ts'
import { formIn } from './page-visit.ts'
import { activeUpstream, samlAddressesOf } from './upstream.ts'

type OfUpstream = { Params: { uuid: string } }

export function upstreamLogout(app: FastifyInstance, service: Service): void {
  // OpenID Connect Back-Channel Logout 1.0 §2.5
  app.post<OfUpstream>('/upstreams/:uuid/logout', async (request, reply) => {
    const { uuid } = request.params
    const wrong = await answered(service, request, async (now) => {
      const upstream = await activeUpstream(service, uuid)
      const token = formIn(request).raw('logout_token') ?? ''
      const { sid, sub, jti, expiresAt } = await oidcLogoutToken(reachingOf(service), upstream, token, now)
      const sessions = [{ sid, subject: sid === undefined ? sub : undefined }]
      await end(service, request, { upstream_uuid: uuid, sessions, once: { id: jti, expiresAt } })
    })
    reply.header('cache-control', 'no-store')
    return wrong === undefined ? reply.send() : await refuse(reply, wrong)
  })

  // OpenID Connect Front-Channel Logout 1.0 §2: it only ends, and so needs no proof but the name of the session.
  app.get<OfUpstream>('/upstreams/:uuid/logout', { exposeHeadRoute: false }, async (request, reply) => {
    const { uuid } = request.params
    const asked = Parameters.ofUrl(request.url)
    const [issuer, sid] = [asked.raw('iss'), asked.raw('sid')]
    const wrong = await answered(service, request, async () => {
      const upstream = await activeUpstream(service, uuid)
      if (issuer === undefined || issuer !== upstream.issuer || sid === undefined)
        throw new UpstreamRefusal('issuer', 'It takes iss, exactly as the upstream has it, and sid.')
      await end(service, request, { upstream_uuid: uuid, sessions: [{ sid }] })
    })
    reply.header('cache-control', 'no-store')
    return wrong === undefined ? reply.type('text/plain').send('ok') : await refuse(reply, wrong)
  })

  app.get<OfUpstream>('/upstreams/:uuid/slo', { exposeHeadRoute: false }, async (request, reply) => {
    const { uuid } = request.params
    const asked = Parameters.ofUrl(request.url)
    // The answer to our own request: the browser is on its way back.
    if (asked.raw('SAMLResponse') !== undefined) {
      const back = new URLSearchParams({ RelayState: asked.raw('RelayState') ?? '' })
      return reply.redirect(`/upstreams/${uuid}/slo/answer?${back}`, 303)
    }
    let back: string | undefined
    const wrong = await answered(service, request, async (now) => {
      back = await endBySaml(service, request, uuid, now)
    })
    return wrong === undefined ? reply.redirect(back ?? '/', 303) : await refuse(reply, wrong)
  })
}

/** Yields where the browser goes back to with our answer. */
async function endBySaml(
  service: Service,
  request: FastifyRequest,
  uuid: string,
  now: number,
): Promise<string | undefined> {
  const upstream = await activeUpstream(service, uuid)
  if (upstream.kind !== 'saml') throw new UpstreamRefusal('response', 'It is no SAML provider.')
  const by = { store: service.store, reaching: reachingOf(service), upstream, now }
  const { ownEntity, slo } = samlAddressesOf(service, uuid)
  const url = new URL(`${slo}${new URL(request.url, service.issuer).search}`)
  const { asked, documents } = await withSamlDocuments(by, async (read) => ({
    asked: await samlLogoutRequest(upstream, read, url, { slo }, now),
    documents: read,
  }))
  const { nameId, sessionIndexes } = asked
  const named = sessionIndexes.map((sid) => ({ sid, subject: nameId }))
  const sessions = named.length === 0 ? [{ subject: nameId }] : named
  await end(service, request, { upstream_uuid: uuid, sessions, once: asked })
  const id = `_${randomBytes(16).toString('hex')}`
  const relayState = Parameters.ofUrl(request.url).raw('RelayState')
  const answer = { id, inResponseTo: asked.id, ownEntity, relayState }
  return await samlLogoutAnswer(upstream, documents, answer, now)
}

/** The answer as the specification has it (Back-Channel Logout 1.0 §2.8): for programs, not for people. */
const refuse = (reply: FastifyReply, description: string) =>
  reply.status(400).send({ error: 'invalid_request', error_description: description })

/** Yields what is wrong, where nothing was changed. */
async function answered(
  service: Service,
  request: FastifyRequest,
  work: (now: number) => Promise<void>,
): Promise<string | undefined> {
  service.limits.authorize.check(addressKey(request.ip))
  service.limits.authorize.count(addressKey(request.ip))
  try {
    await work(service.now())
    return undefined
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    return error.message
  }
}

/** Throws `replayed` where the message came before. */
const end = async (service: Service, request: FastifyRequest, ended: ToldEnded): Promise<void> => {
  const actor = { kind: 'upstream', id: ended.upstream_uuid } as const
  const by = { actor, address: request.ip, requestId: request.id }
  const isFirst = await endByUpstream(service.store, ended, { now: service.now(), by })
  if (!isFirst) throw new UpstreamRefusal('replayed', 'It came before.')
}
