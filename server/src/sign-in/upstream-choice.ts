/** Where the page of the password leads somebody whose organisation signs them in. */
import { domainOf } from '../protocol/email-address.ts'
import type { UpstreamNow } from '../store/upstreams.ts'
import type { Visit } from './step.ts'
import { anyUpstream, onlyWay, wayOfCode, waysOfClient, waysOfDomain } from './upstream-ways.ts'

type FormVisit = Visit & { form: { optional(name: string, most?: number): string | undefined } }

/**
 * The upstream that nobody is asked about: the one that the client names, or the only one of its organisation, whose policy
 * wants it. Never after a failure, not where another account is asked for, and not again where its answer did not suffice.
 */
export async function straightTo(visit: Visit): Promise<UpstreamNow | undefined> {
  const { service, client, pending } = visit
  const { prompt, upstream, upstreamFailed, here } = pending.parameters
  if (upstreamFailed === true || here !== undefined || prompt.includes('select_account')) return undefined
  if (pending.signed_in_sid !== null) return undefined
  if (upstream !== undefined) {
    const asked = await wayOfCode(service.store, client, upstream)
    if (asked !== undefined) return asked
  }
  return await onlyWay(service.store, client)
}

/** What the page offers beside the password. */
export interface Offers {
  /** "Continue with your organisation", which asks the domain. */
  byDomain: boolean
  upstreams: readonly UpstreamNow[]
}

export async function offersOf({ service, client }: Visit): Promise<Offers> {
  const byDomain = await anyUpstream(service.store)
  const upstreams = byDomain ? await waysOfClient(service.store, client) : []
  // Installation upstreams with domains are found by these.
  return {
    byDomain,
    upstreams: upstreams.filter(({ organisation_uuid: of, domains }) => of !== null || domains === '[]'),
  }
}

/**
 * The upstreams that a form asks for: one by its button, or those of the address's domain, by the button that asks it or by
 * an empty password. Undefined: it asks for none. The domain alone is asked, never whether somebody exists.
 */
export async function chosenWays(
  { service, client, form }: FormVisit,
  { email, typed }: { email: string | undefined; typed: string | undefined },
): Promise<readonly UpstreamNow[] | undefined> {
  const { store } = service
  const choice = form.optional('choice')
  if (choice?.startsWith('upstream:')) {
    const known = [
      ...(await waysOfClient(store, client)),
      ...(email === undefined ? [] : await waysOfDomain(store, email)),
    ]
    return known.filter(({ uuid }) => choice === `upstream:${uuid}`)
  }
  if (email === undefined || domainOf(email) === undefined) return undefined
  if (choice === 'organisation') return await waysOfDomain(store, email)
  if (typed !== undefined) return undefined
  const ways = await waysOfDomain(store, email)
  return ways.length === 0 ? undefined : ways
}

/** Whether people of the address's domain usually sign in through their organisation. */
export const isRouted = async ({ service }: Visit, email: string | undefined): Promise<boolean> =>
  email !== undefined && (await waysOfDomain(service.store, email)).length > 0
