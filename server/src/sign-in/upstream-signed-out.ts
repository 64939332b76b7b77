/** Signing out goes both ways where an upstream is set so: own sessions end first, whatever the upstream does. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { reachingOf } from '../upstream/fetch.ts'
import { oidcLogoutAddress } from '../upstream/oidc.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { samlDocumentsOf } from '../upstream/saml-documents.ts'
import { samlLogoutAddress } from '../upstream/saml-logout.ts'
import { openedIdToken } from '../upstream/secrets.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { newSecret } from '../protocol/identifier.ts'
import { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import { keepUpstreamRequest, takeUpstreamRequest } from '../store/upstream-requests.ts'
import { upstreamSessionsOf } from '../store/upstream-sessions.ts'
import { browserSecret, readCookie } from './browser.ts'
import { activeUpstream, samlAddressesOf } from './upstream.ts'

/** A session at an upstream that is to end too. */
export interface SessionThere {
  upstream: Upstream
  /** The ID token, or what names the session at a SAML provider. */
  token: string
  sid: string | undefined
}

/** The session at an upstream that ends with this one; asked before it does. Undefined: none does. */
export async function sessionThere(service: Service, sid: string): Promise<SessionThere | undefined> {
  const { secret, previousSecret } = service.settings
  for (const { upstream_uuid, upstream_sid, id_token } of await upstreamSessionsOf(service.store, sid)) {
    const token = id_token === null ? undefined : openedIdToken(id_token, sid, [secret, previousSecret])
    if (token === undefined) continue
    const upstream = await activeUpstream(service, upstream_uuid).catch(() => undefined)
    if (upstream?.logout === 'both') return { upstream, token, sid: upstream_sid ?? undefined }
  }
  return undefined
}

/** The address where the browser signs out at the upstream, and comes back to `next`. Undefined: it has none. */
export async function signOutThere(
  service: Service,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  there: SessionThere,
  next: string,
): Promise<string | undefined> {
  const state = newSecret()
  try {
    const address = await addressThere(service, there, state)
    if (address === undefined) return undefined
    const { uuid: upstream_uuid } = there.upstream
    const browser = browserSecret(service, request, reply)
    const kept = { upstream_uuid, about: '', purpose: 'logout', state, browser, data: { next } } as const
    await keepUpstreamRequest(service.store, { ...kept, now: service.now() })
    return address
  } catch (error) {
    // A sign-out here counts, whatever the upstream says.
    if (error instanceof UpstreamRefusal) return undefined
    throw error
  }
}

async function addressThere(
  service: Service,
  { upstream, token, sid }: SessionThere,
  state: string,
): Promise<string | undefined> {
  const reaching = reachingOf(service)
  if (upstream.kind === 'oidc') {
    const returnTo = `${service.issuer}/upstreams/${upstream.uuid}/signed-out`
    return await oidcLogoutAddress(reaching, upstream, { idToken: token, returnTo, state })
  }
  const now = service.now()
  const documents = await samlDocumentsOf(service.store, reaching, upstream, now)
  const { ownEntity } = samlAddressesOf(service, upstream.uuid)
  const id = `_${randomBytes(16).toString('hex')}`
  return await samlLogoutAddress(
    upstream,
    documents,
    { id, ownEntity, nameId: token, sid, relayState: state },
    now,
  )
}

/** The way back from the upstream: `state` of OpenID Connect, RelayState of SAML. */
export function signedOutRoutes(app: FastifyInstance, service: Service): void {
  for (const path of ['/upstreams/:uuid/signed-out', '/upstreams/:uuid/slo/answer'])
    app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
      const asked = Parameters.ofUrl(request.url)
      const state = asked.raw('state') ?? asked.raw('RelayState') ?? ''
      const browser = readCookie(service, request, 'browser') ?? ''
      const coming = { state, browser, purposes: ['logout'], now: service.now() } as const
      const taken = await takeUpstreamRequest(service.store.db, coming)
      const next = taken === undefined ? '/' : (JSON.parse(taken.data) as { next: string }).next
      return reply.redirect(next, 303)
    })
}
