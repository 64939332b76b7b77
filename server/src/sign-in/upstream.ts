/** Sends somebody to an upstream, and takes up the sign-in again when it answers. */
import type { FastifyReply } from 'fastify'
import { reachingOf } from '../upstream/fetch.ts'
import { type OidcAsked, oidcAddress } from '../upstream/oidc.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { openUpstream } from '../upstream/secrets.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { newSecret } from '../protocol/identifier.ts'
import type { Service } from '../service.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import { keepUpstreamRequest } from '../store/upstream-requests.ts'
import { failUpstream } from './upstream-failed.ts'
import { directoryPath } from './upstream-paths.ts'
import type { Visit } from './step.ts'

/** What an answer is judged by, as it is kept while somebody is at their provider. */
export interface KeptForUpstream extends Pick<OidcAsked, 'nonce' | 'codeVerifier' | 'maxAge' | 'prompt'> {
  askedAt: number
  /** One more proof of who is signed in already. */
  stepUp: boolean
}

/** The upstream with this uuid as it is now. Throws `inactive` where it does not count. */
export async function activeUpstream(service: Service, uuid: string): Promise<Upstream> {
  const row = (await upstreamsNow(service.store)).byUuid.get(uuid)
  if (row?.counts === true) return openUpstream(service, row)
  throw new UpstreamRefusal('inactive', 'The upstream, or its organisation, is disabled.')
}

export const callbackOf = ({ issuer }: Service, uuid: string) => `${issuer}/upstreams/${uuid}/callback`

/** Leads the browser to the upstream, or to the page where its name and password are typed. */
export async function goToUpstream(
  visit: Visit,
  { uuid, stepUp = false, loginHint }: { uuid: string; stepUp?: boolean; loginHint?: string | undefined },
): Promise<unknown> {
  const { service, reply, pending } = visit
  try {
    const upstream = await activeUpstream(service, uuid)
    if (upstream.kind === 'ldap')
      return reply.redirect(`${directoryPath}?request=${pending.id}&upstream=${uuid}`, 303)
    return await send(visit, upstream, { stepUp, loginHint })
  } catch (error) {
    if (error instanceof UpstreamRefusal) return await failUpstream(visit, { uuid }, error)
    throw error
  }
}

async function send(
  { service, reply, pending, browser, page }: Visit,
  upstream: Upstream,
  { stepUp, loginHint }: { stepUp: boolean; loginHint: string | undefined },
): Promise<FastifyReply> {
  const { parameters } = pending
  const state = newSecret()
  const askedAt = service.now()
  const asksAnew = parameters.prompt.includes('login')
  const kept: KeptForUpstream = {
    nonce: newSecret(),
    codeVerifier: newSecret(),
    maxAge: parameters.maxAge,
    ...(asksAnew
      ? { prompt: 'login' }
      : parameters.prompt.includes('select_account')
        ? { prompt: 'select_account' }
        : {}),
    askedAt,
    stepUp,
  }
  const address = await oidcAddress(reachingOf(service), upstream, {
    ...kept,
    state,
    redirectUri: callbackOf(service, upstream.uuid),
    loginHint: loginHint ?? parameters.loginHint,
    uiLocales: page.locale,
  })
  const request = { upstream_uuid: upstream.uuid, about: pending.id, purpose: 'sign_in' } as const
  await keepUpstreamRequest(service.store, { ...request, state, browser, data: kept, now: askedAt })
  return reply.redirect(address, 303)
}
