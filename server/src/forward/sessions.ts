import { countedProofs, demandOn } from '../identity/factors/level.ts'
import { upstreamLacking } from '../identity/forced.ts'
import { reachOf } from '../identity/reach.ts'
import type { Authentication } from '../protocol/authentication.ts'
import { profilesThrough } from '../identity/access.ts'
import { Cache } from '../database/cache.ts'
import { refreshLifetimes } from '../oauth2/grants/refresh-lifetimes.ts'
import { type Demand, refusedBy } from '../protocol/policy.ts'
import { scopesOf } from '../protocol/scope.ts'
import { findPerson } from '../store/person.ts'
import { type ProxiedSession, touchProxiedSession } from '../store/proxied-sessions.ts'
import type { AtApplication } from './application.ts'
import { type Visitor, visitorAs } from './visitor.ts'

/** A session at an application that counts now, and whose it is. */
export interface LiveVisit {
  session: ProxiedSession
  visitor: Visitor
}

/** What was found of a session. It is kept in memory until anything that it was made of changes. */
interface KnownVisit {
  /** Undefined: they can't act under the profile, or allowed the application nothing. */
  visitor: Visitor | undefined
  demand: Demand | undefined
  /** What was proved, as it counts for the profile. */
  proven: Authentication
  /** When the idle end was moved last by this process. */
  touched: number
}

export type FindVisit = (at: AtApplication) => Promise<LiveVisit | undefined>

const minute = 60_000

/**
 * Finds who a cookie of an application's origin is of: by what a refresh of their tokens would ask. What the database
 * says of a session in this moment is compared with what is in memory; the rest is not asked again.
 */
export function findingVisits(): FindVisit {
  // Apart from what tokens need: sessions are many.
  const memory = new Cache(async () => 0)

  async function know({ service, client }: AtApplication, session: ProxiedSession): Promise<KnownVisit> {
    const { id, user_uuid, profile_uuid, revision, stamp, last_used_at: touched } = session
    return await memory.at(revision).get(`${id} ${stamp}`, async () => {
      const person = await findPerson(service.store, user_uuid, service.now())
      const profiles = profilesThrough(client, person?.profiles ?? [])
      const reach = await reachOf(service.store, session)
      const profile = profiles.find((one) => one.held_uuid === profile_uuid && reach.opens(one))
      if (person?.user.active !== 1 || profile === undefined)
        return { visitor: undefined, demand: undefined, proven: session, touched }
      const { user } = person
      const granted = scopesOf(session.scope)
      const visitor = await visitorAs(service, client, { user, profile, granted })
      const proofs = { user, proven: reach.proven(profile), assured: reach.assured(profile) }
      const { proven } = await countedProofs(service.store, proofs, { client, profile }, service.now())
      return { visitor, demand: await demandOn(service.store, { client, profile }), proven, touched }
    })
  }

  async function touch(
    { service, client }: AtApplication,
    session: ProxiedSession,
    known: KnownVisit,
  ): Promise<void> {
    const now = service.now()
    if (now - Math.max(session.last_used_at, known.touched) < minute) return
    known.touched = now
    const idleEnd = Math.min(now + refreshLifetimes(service, client).idle, session.expires_at)
    await touchProxiedSession(service.store, { id: session.id, now, idleEnd })
  }

  return async (at) => {
    const { service, client, session } = at
    if (session === undefined || session.client_id !== client.client_id || hasEnded(session, service.now()))
      return undefined
    const known = await know(at, session)
    const { visitor, demand } = known
    if (visitor === undefined || demand === undefined) return undefined
    const { user, profile } = visitor
    const now = service.now()
    const isOver = Math.min(profile.held_until ?? Infinity, profile.held_counts_until ?? Infinity) <= now
    if (isOver || refusedBy(demand, { user, proven: known.proven }, now) !== undefined) return undefined
    if (demand.signIn === 'upstream') {
      const acting = { user, proven: session, client, profile }
      if ((await upstreamLacking(service.store, acting, now)) !== undefined) return undefined
    }
    await touch(at, session, known)
    return { session, visitor }
  }
}

const hasEnded = (
  { idle_expires_at, expires_at, session_expires_at }: ProxiedSession,
  now: number,
): boolean => Math.min(idle_expires_at, expires_at, session_expires_at) <= now
