/** Which level a person needs under a profile and through a client, and what they lack of it. */
import {
  type Authentication,
  authenticationOf,
  higher,
  type Level,
  levels,
  meets,
  provedOf,
} from '../../protocol/authentication.ts'
import { type Demand, graceEnd, policyLacks, refusedBy, strictest } from '../../protocol/policy.ts'
import type { Service } from '../../service.ts'
import type { Client } from '../../store/clients.ts'
import { type Factor, factorsOf } from '../../store/factors.ts'
import type { Reading } from '../../store/in-transaction.ts'
import { installationPolicy } from '../../store/policies.ts'
import { policiesOf, type ProfilePolicies } from '../../store/person.ts'
import { isBreakGlass, upstreamsNow } from '../../store/upstreams.ts'
import type { User } from '../../store/users.ts'
import { type ReachedPlace, reachesTo, reachOf } from '../reach.ts'
import { relyingParty } from './webauthn.ts'

interface LevelContext extends Pick<Service, 'issuer' | 'settings'> {
  store: Reading
  now(): number
}

/** The profile that somebody acts under and the client they sign in to. Either may not be known yet. */
export interface Under {
  client: Pick<Client, 'policy'> | undefined
  profile: (ProfilePolicies & Partial<ReachedPlace>) | undefined
}

/** What counts now: the strictest of installation, organisation, role and client. */
export async function demandOn(store: Reading, { client, profile }: Under): Promise<Demand> {
  const installation = await installationPolicy(store)
  return strictest([
    installation,
    ...(profile ? policiesOf(profile) : []),
    ...(client?.policy ? [client.policy] : []),
  ])
}

/**
 * What counts for this person. Who gets in because the organisation's upstream does not work proves level 2 at the least:
 * no grace runs, and no trusted device stands in.
 */
async function demandFor(store: Reading, user: User, under: Under): Promise<Demand> {
  const demand = await demandOn(store, under)
  const { organisation_uuid } = under.profile ?? {}
  if (demand.signIn !== 'upstream' || organisation_uuid === undefined) return demand
  if (!isBreakGlass(await upstreamsNow(store), organisation_uuid, user)) return demand
  return { ...demand, level: higher(demand.level, '2'), graceDays: 0, trustedDeviceDays: 0 }
}

/** What somebody is asked to prove or set up. */
export interface LevelMissing {
  wanted: Level
  /** `factor`: they have what reaches it. */
  by: 'factor' | 'enrolment'
  /** The end of grace, epoch milliseconds. Undefined: it can't be put off. */
  until: number | undefined
}

/** A person who signs in, and what they have proved. */
export interface ProvenPerson {
  user: User
  proven: Authentication
  /** Proofs with what the organisation's own upstream assures: for the organisation's own policy. */
  assured?: Authentication
}

/** The person as their proofs count for a profile: no proof counts beyond its reach. */
export async function provenAs<P extends ProvenPerson>(
  store: Reading,
  person: P,
  profile: ReachedPlace,
): Promise<P> {
  const reach = await reachOf(store, person.proven)
  return { ...person, proven: reach.proven(profile), assured: reach.assured(profile) }
}

/** The level that policy demands of these proofs, while they lack it and no grace runs. Undefined: nothing is lacking. */
export async function levelLacking(
  { store, now }: LevelContext,
  person: ProvenPerson,
  under: Under,
): Promise<Level | undefined> {
  const { user, proven } = await countedProofs(store, person, under, now())
  return refusedBy(await demandFor(store, user, under), { user, proven }, now())
}

/**
 * What was proved, as far as it counts: what an organisation's upstream assures suffices where the organisation's policy
 * alone wants as much.
 */
export async function countedProofs(
  store: Reading,
  { user, proven, assured }: ProvenPerson,
  { client, profile }: Under,
  now: number,
): Promise<ProvenPerson> {
  if (assured === undefined || assured.acr === proven.acr || profile === undefined) return { user, proven }
  // Rows have their columns on their prototype.
  const others = { role_policy: profile.role_policy, organisation_policy: null }
  const demand = await demandOn(store, { client, profile: others })
  return policyLacks(demand, { user, proven }, now) === undefined
    ? { user, proven: assured }
    : { user, proven }
}

/** The authorization request: the levels that it lists, and what this sign-in has said. */
export interface LevelAsked {
  acrValues: readonly Level[]
  /** The person signed in within this request, or was offered it there, and has not put it off yet. */
  mayAsk: boolean
}

/**
 * What is missing of the level, by policy or by request. Grace counts for the policy alone. Whoever has a factor proves
 * the highest that they have before they set up another; only a recovery code may stand in for it.
 */
export async function missingLevel(
  asking: LevelContext,
  person: ProvenPerson,
  under: Under,
  { acrValues, mayAsk }: LevelAsked,
): Promise<LevelMissing | undefined> {
  const now = asking.now()
  const { user, proven } = person
  const demand = await demandFor(asking.store, user, under)
  const byPolicy = policyLacks(demand, await countedProofs(asking.store, person, under, now), now)
  const until = byPolicy === undefined ? undefined : graceEnd(demand, user, now)
  const isAsked = acrValues.length > 0 && !acrValues.some((one) => meets(proven.acr, one))
  // The offer is made at the first demand, and within grace once with each sign-in.
  const isDue = byPolicy !== undefined && (until === undefined || user.grace_began_at === null || mayAsk)
  if (!isAsked && !isDue) return undefined
  const has = await highestOf(asking, user, under.profile)
  const asked = isAsked ? (acrValues.find((one) => meets(has, one)) ?? acrValues[0] ?? '1') : '1'
  const wanted = higher(isDue ? byPolicy : '1', asked)
  const left = isAsked ? undefined : until
  const byCode = provedOf(proven).some(({ method }) => method === 'recovery_code')
  if (!byCode && has !== '1' && (meets(has, wanted) || !meets(proven.acr, has)))
    return { wanted: meets(has, wanted) ? wanted : has, by: 'factor', until: undefined }
  return { wanted, by: 'enrolment', until: left }
}

/** The level that a person reaches by what they have set up, at a place or at the farthest. What is suspended counts: it is there. */
export async function highestOf(
  asking: LevelContext,
  user: User,
  place?: Partial<ReachedPlace>,
): Promise<Level> {
  if (!user.second_factor) return '1'
  const all = await factorsOf(asking.store, user.uuid)
  const { organisation_uuid } = place ?? {}
  if (organisation_uuid === undefined) return levelBy(asking, farthest(all))
  const reaching = await Promise.all(
    all.map((one) => reachesTo(asking.store, one.reach, { organisation_uuid })),
  )
  return levelBy(
    asking,
    all.filter((_, index) => reaching[index]),
  )
}

/** The factors of the farthest reach that somebody has. */
function farthest(all: readonly Factor[]): readonly Factor[] {
  const full = all.filter(({ reach }) => reach === null)
  return full.length > 0 ? full : all
}

/** The level that a password with one of these reaches here. */
export function levelBy(asking: Parameters<typeof relyingParty>[0], factors: readonly Factor[]): Level {
  const here = relyingParty(asking)?.id
  const kinds = factors.filter(({ rpId }) => rpId === undefined || rpId === here).map(({ kind }) => kind)
  if (kinds.some((kind) => kind !== 'totp')) return 'phr'
  return kinds.length > 0 ? '2' : '1'
}

/** What tokens say: the highest level of the list that was reached, or all that was. */
export function claimed(proven: Authentication, acrValues: readonly Level[] = []): Authentication {
  const met = levels.filter((one) => acrValues.includes(one) && meets(proven.acr, one)).at(-1)
  if (met !== undefined) return authenticationOf(provedOf(proven), met)
  const { auth_time, acr, amr, proofs } = proven
  return { auth_time, acr, amr, proofs }
}
