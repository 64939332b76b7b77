/** Sends somebody to an upstream, and takes up the sign-in again when it answers. */
import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { reachingOf } from '../upstream/fetch.ts'
import { type OidcAsked, oidcAddress } from '../upstream/oidc.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { samlAddress } from '../upstream/saml.ts'
import { samlDocumentsOf } from '../upstream/saml-documents.ts'
import { openUpstream } from '../upstream/secrets.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { newSecret } from '../protocol/identifier.ts'
import type { Service } from '../service.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import { keepUpstreamRequest, type UpstreamRequestRow } from '../store/upstream-requests.ts'
import { failUpstream } from './upstream-failed.ts'
import { directoryPath } from './upstream-paths.ts'
import type { Visit } from './step.ts'

/** What an answer is judged by, as it is kept while somebody is at their provider. */
export interface KeptForUpstream extends Pick<OidcAsked, 'nonce' | 'codeVerifier' | 'maxAge' | 'prompt'> {
  /** The id of the AuthnRequest, which the answer of a SAML provider names. */
  requestId: string
  askedAt: number
  /** Whether it is one more proof of who is signed in already. */
  stepUp: boolean
  /** The form that goes on then, encrypted. */
  form?: string | undefined
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
  const { prompt, maxAge, loginHint: asked } = pending.parameters
  const address = await addressAt(service, upstream, {
    about: pending.id,
    purpose: 'sign_in',
    browser,
    maxAge,
    prompt: prompt.includes('login')
      ? 'login'
      : prompt.includes('select_account')
        ? 'select_account'
        : undefined,
    stepUp,
    loginHint: loginHint ?? asked,
    uiLocales: page.locale,
  })
  return reply.redirect(address, 303)
}

/** What a browser is sent to an upstream for, and how its person is asked there. */
export interface GoingThere
  extends Pick<UpstreamRequestRow, 'about' | 'purpose'>,
    Pick<OidcAsked, 'maxAge' | 'prompt' | 'loginHint' | 'uiLocales'> {
  /** The browser's secret: no other brings the answer. */
  browser: string
  stepUp?: boolean
  form?: string | undefined
}

/**
 * The address at the upstream that a browser is sent to. What its answer is judged by is kept for it. Throws an
 * `UpstreamRefusal` where its documents can't be read.
 */
export async function addressAt(
  service: Service,
  upstream: Upstream,
  { about, purpose, browser, maxAge, prompt, stepUp = false, form, loginHint, uiLocales }: GoingThere,
): Promise<string> {
  const state = newSecret()
  const askedAt = service.now()
  const kept: KeptForUpstream = {
    requestId: `_${randomBytes(16).toString('hex')}`,
    nonce: newSecret(),
    codeVerifier: newSecret(),
    maxAge,
    prompt,
    askedAt,
    stepUp,
    form,
  }
  const redirectUri = callbackOf(service, upstream.uuid)
  const address =
    upstream.kind === 'saml'
      ? await samlRequest(service, upstream, { kept, state })
      : await oidcAddress(reachingOf(service), upstream, {
          ...kept,
          state,
          redirectUri,
          loginHint,
          uiLocales,
        })
  const request = { upstream_uuid: upstream.uuid, about, purpose }
  await keepUpstreamRequest(service.store, { ...request, state, browser, data: kept, now: askedAt })
  return address
}

/** Where this service is for a SAML provider. */
export const samlAddressesOf = ({ issuer }: Service, uuid: string) => {
  const ownEntity = `${issuer}/upstreams/${uuid}`
  return { ownEntity, acs: `${ownEntity}/acs`, slo: `${ownEntity}/slo` }
}

async function samlRequest(
  service: Service,
  upstream: Upstream,
  { kept, state }: { kept: KeptForUpstream; state: string },
): Promise<string> {
  const documents = await samlDocumentsOf(service.store, reachingOf(service), upstream, kept.askedAt)
  const { ownEntity, acs } = samlAddressesOf(service, upstream.uuid)
  // SAML can't ask how old a sign-in may be, and some providers tell the time of the answer as that of the sign-in.
  const forceAuthn = kept.prompt === 'login' || kept.maxAge !== undefined
  const asked = { id: kept.requestId, acs, ownEntity, relayState: state, forceAuthn }
  return await samlAddress(upstream, documents, asked, kept.askedAt)
}
