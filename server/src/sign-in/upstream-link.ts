import { restoredAssertion } from '../upstream/assertion.ts'
import { linkProved } from '../upstream/link-proved.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { reachOf } from '../identity/reach.ts'
import { sendPage } from '../pages/send-page.ts'
import { answerStep } from '../store/authorization-requests.ts'
import type { LiveSession } from '../store/sessions.ts'
import { findUpstreamRequest, takeUpstreamRequest } from '../store/upstream-requests.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import { goOn, type SignInStep, type Visit } from './step.ts'
import { activeUpstream } from './upstream.ts'
import { enter } from './upstream-answer.ts'
import { failUpstream } from './upstream-failed.ts'
import { upstreamLinkPage } from './upstream-page.tsx'
import type { WaitingProof } from './upstream-waiting.ts'

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
    const { service, form, pending, browser } = visit
    if (missing === undefined) return goOn(visit)
    const { state, session } = missing
    const now = service.now()
    const taking = { state, browser, purposes: ['link'], now } as const
    const taken = await takeUpstreamRequest(service.store.db, taking)
    const { linking: _, ...parameters } = pending.parameters
    await answerStep(service.store, pending.id, { parameters })
    if (taken === undefined || form.optional('choice') !== 'link') return goOn(visit)
    return await connect(
      { ...visit, pending: { ...pending, parameters } },
      session,
      JSON.parse(taken.data) as WaitingProof,
    )
  },
}

async function connect(visit: Visit, session: LiveSession, waiting: WaitingProof): Promise<unknown> {
  const { service, request } = visit
  const { user_uuid, came, ...kept } = waiting
  const assertion = restoredAssertion(kept)
  const by = {
    actor: { kind: 'user', id: session.user_uuid } as const,
    address: request.ip,
    requestId: request.id,
  }
  try {
    const proved = { ...assertion, user_uuid }
    const linked = await linkProved(service.store, proved, { now: service.now(), by })
    if (linked !== 'ended_all') return goOn(visit)
    // The session with which the account was proved ended with all from before.
    const upstream = await activeUpstream(service, assertion.upstream_uuid)
    return await enter(visit, upstream, { assertion, stepUp: false, came, user_uuid })
  } catch (error) {
    if (error instanceof UpstreamRefusal)
      return await failUpstream(visit, { uuid: assertion.upstream_uuid }, error)
    throw error
  }
}
