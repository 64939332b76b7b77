/** The sign-in through the organisation's own upstream that its policy demands (decisions 20). */
import { type Authentication, provesSomebody } from '../protocol/authentication.ts'
import type { Client } from '../store/clients.ts'
import type { Reading } from '../store/in-transaction.ts'
import { longestStandstill } from '../store/upstream-states.ts'
import {
  isBreakGlass,
  type UpstreamNow,
  upstreamsNow,
  upstreamsOf,
  usualRecheckDays,
} from '../store/upstreams.ts'
import type { ProfilePolicies } from '../store/person.ts'
import type { User } from '../store/users.ts'
import { demandOn } from './factors/level.ts'
import { type ReachedPlace, reachOf } from './reach.ts'

const day = 24 * 3_600_000

interface Acting {
  user: Pick<User, 'uuid' | 'limited_reach'>
  proven: Authentication
  client: Pick<Client, 'policy'> | undefined
  profile: ProfilePolicies & ReachedPlace
}

/**
 * The upstreams by one of which somebody has to prove themself anew before they act under the profile; undefined: nothing is
 * lacking. It is asked of profiles whose organisation has an upstream that somebody has signed in through, and of nobody who
 * gets in when that fails.
 */
export async function upstreamLacking(
  store: Reading,
  { user, proven, client, profile }: Acting,
  now: number,
): Promise<readonly UpstreamNow[] | undefined> {
  const known = await upstreamsNow(store)
  if (known.byUuid.size === 0) return undefined
  const { organisation_uuid } = profile
  const working = upstreamsOf(known, organisation_uuid).filter(({ works }) => works)
  if (working.length === 0) return undefined
  if ((await demandOn(store, { client, profile })).signIn !== 'upstream') return undefined
  const reach = await reachOf(store, proven)
  // Their own credential counts: what another organisation's upstream asserts does not.
  const isOwn = provesSomebody(reach.full.filter(({ method }) => method !== 'upstream'))
  if (isOwn && isBreakGlass(known, organisation_uuid, user)) return undefined
  const at = reach.byUpstreamOf(organisation_uuid)
  const counts = Math.min(...working.map((one) => countsFor(one, now)))
  return at !== undefined && now - at < counts ? undefined : working
}

/** How long a sign-in counts, ms: while its documents can't be fetched the days stand still, three at most. */
const countsFor = ({ recheck_days: days, failing_since: since }: UpstreamNow, now: number): number =>
  (days ?? usualRecheckDays) * day +
  (since === null ? 0 : Math.min(Math.max(0, now - since), longestStandstill))

/** Whether somebody acts under the profile because they get in when the organisation's upstream does not. */
export async function usesBreakGlass(store: Reading, acting: Acting, now: number): Promise<boolean> {
  const known = await upstreamsNow(store)
  if (known.byUuid.size === 0) return false
  if (!isBreakGlass(known, acting.profile.organisation_uuid, acting.user)) return false
  const nobody = { uuid: '', limited_reach: 0 } as const
  return (await upstreamLacking(store, { ...acting, user: nobody }, now)) !== undefined
}
