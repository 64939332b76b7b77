import type { Assertion } from '../upstream/assertion.ts'
import { linkProved } from '../upstream/link-proved.ts'
import { reachOf } from '../identity/reach.ts'
import { sendPage } from '../pages/send-page.ts'
import { newSecret } from '../protocol/identifier.ts'
import { answerStep } from '../store/authorization-requests.ts'
import type { LiveSession } from '../store/sessions.ts'
import { findUpstreamRequest, keepUpstreamRequest, takeUpstreamRequest } from '../store/upstream-requests.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import { goOn, type SignInStep, useAnotherAccount, type Visit } from './step.ts'
import { upstreamLinkPage } from './upstream-page.tsx'

/** What an upstream proved, while the person of the account proves that it is theirs. */
export interface WaitingProof extends Omit<Assertion, 'claims' | symbol> {
  user_uuid: string
  claims: readonly (readonly [string, readonly string[]])[]
}

/**
 * The account with the address is more than the organisation's: its person signs in to it first, in this browser and by a
 * proof that opens all of it, and then connects the two. Bound to upstream, subject, account and browser.
 */
export async function waitForProof(
  visit: Visit,
  assertion: Assertion,
  { user_uuid, email }: { user_uuid: string; email: string },
): Promise<unknown> {
  const { service, pending, browser } = visit
  const state = newSecret()
  const { claims, ...said } = assertion
  const data = { ...said, claims: [...claims], user_uuid, id_token: undefined }
  const request = { upstream_uuid: assertion.upstream_uuid, about: pending.id, purpose: 'link' } as const
  await keepUpstreamRequest(service.store, { ...request, state, browser, data, now: service.now() })
  const parameters = { ...pending.parameters, linking: state, loginHint: email, upstreamFailed: true }
  return await useAnotherAccount({ ...visit, pending: { ...pending, parameters } }, email)
}

/** What the page of the password says of why somebody is there: their account is to be connected. */
export async function connectingTo({
  service: { store, now },
  pending: { parameters },
}: Visit): Promise<{ email: string; name: string } | undefined> {
  const { linking: state, loginHint: email } = parameters
  if (state === undefined || email === undefined) return undefined
  const found = await findUpstreamRequest(store, { state, purpose: 'link', now: now() })
  const upstream = found && (await upstreamsNow(store)).byUuid.get(found.upstream_uuid)
  return upstream && { email, name: upstream.name }
}

interface ConnectingPerson {
  session: LiveSession
  state: string
  upstream: { uuid: string; name: string }
  subject: string
}

/** Whoever has proved the account connects it with who they are at the upstream, or does not. */
export const linkUpstream: SignInStep<ConnectingPerson> = {
  path: '/sign-in/connect',
  withoutPage: ['interaction_required', 'The user has to answer a question first.'],

  async missing({ store, now }, { asked, session }) {
    const { linking: state } = asked
    if (state === undefined || session === undefined) return undefined
    const found = await findUpstreamRequest(store, { state, purpose: 'link', now: now() })
    if (found === undefined) return undefined
    const { user_uuid, subject } = JSON.parse(found.data) as WaitingProof
    const isTheirs = user_uuid === session.user_uuid && (await reachOf(store, session)).isFull
    const upstream = (await upstreamsNow(store)).byUuid.get(found.upstream_uuid)
    return isTheirs && upstream?.counts === true ? { session, state, upstream, subject } : undefined
  },

  show({ reply, page }, { session: { user }, upstream: { name }, subject }) {
    const html = upstreamLinkPage({ ...page, name, email: user.email, subject, accountName: user.name })
    return sendPage(reply, html, { leadsAway: true })
  },

  async submit(visit, missing) {
    const { service, request, form, pending, browser } = visit
    if (missing === undefined) return goOn(visit)
    const { state, session } = missing
    const now = service.now()
    const taking = { state, browser, purposes: ['link'], now } as const
    const taken = await takeUpstreamRequest(service.store.db, taking)
    const { linking: _, ...parameters } = pending.parameters
    await answerStep(service.store, pending.id, { parameters })
    if (taken !== undefined && form.optional('choice') === 'link') {
      const waiting = JSON.parse(taken.data) as WaitingProof
      const actor = { kind: 'user', id: session.user_uuid } as const
      const by = { actor, address: request.ip, requestId: request.id }
      await linkProved(service.store, { ...waiting, claims: new Map(waiting.claims) }, { now, by })
    }
    return goOn(visit)
  },
}
