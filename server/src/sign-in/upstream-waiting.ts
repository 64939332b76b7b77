/** An upstream's proof waits until the person of the account proves that it is theirs. */
import { type Assertion, keptAssertion, type KeptAssertion } from '../upstream/assertion.ts'
import { newSecret } from '../protocol/identifier.ts'
import { findUpstreamRequest, keepUpstreamRequest } from '../store/upstream-requests.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import { useAnotherAccount, type Visit } from './step.ts'

/** What an upstream proved, while the person of the account proves that it is theirs. */
export interface WaitingProof extends KeptAssertion {
  user_uuid: string
  /** The time at which the answer came. */
  came: number
}

/**
 * The account with the address is more than the organisation's: its person signs in to it first, in this browser and by a
 * proof that opens all of it, and then connects the two. Bound to upstream, subject, account and browser.
 */
export async function waitForProof(
  visit: Visit,
  assertion: Assertion,
  { user_uuid, email, came }: { user_uuid: string; email: string; came: number },
): Promise<unknown> {
  const { service, pending, browser } = visit
  const state = newSecret()
  const data: WaitingProof = { ...keptAssertion(assertion), user_uuid, came }
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
