import { authenticate } from '../identity/authenticate.ts'
import { highestOf } from '../identity/factors/level.ts'
import { checkSecondFactor, type Given } from '../identity/factors/second-factor.ts'
import { opensAll, type ProofReach, reachOf } from '../identity/reach.ts'
import {
  authenticationOf,
  authTimeOf,
  freshFor,
  type Method,
  type Proved,
  provedOf,
} from '../protocol/authentication.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { readCookie, setCookie } from '../sign-in/browser.ts'
import { sentAnswer } from '../sign-in/passkey.ts'
import type { NamedUpstream } from '../sign-in/upstream-page.tsx'
import type { Service } from '../service.ts'
import { factorsOf } from '../store/factors.ts'
import { addProof } from '../store/add-proof.ts'
import { sessionOf } from '../store/sessions.ts'
import { passwordProof, type Proof } from '../store/start-session.ts'
import type { SettledAttempt } from '../store/throttles.ts'
import { type LinkedUpstream, linkedUpstreams } from '../upstream/linked.ts'
import { type AccountVisit, reachedBy } from './visit.ts'

/** What is to be proved once more. `key`: a passkey, or a security key together with the password. */
export type Stale = 'password' | 'code' | 'key'

/**
 * What is missing of a fresh proof, at the highest level that the person has and opening all that they have; nothing: it is
 * fresh. `without`: an upstream that is to be removed, whose proofs do not count.
 */
export async function staleIn(visit: Proving, without?: string): Promise<Stale[]> {
  const { service, session } = visit
  const { proved, fresh } = await provedIn(visit, without)
  const level = await highestOf(service, session.user)
  const opens = await opensAll(
    service.store,
    session.user_uuid,
    await reachOf(service.store, authenticationOf(fresh)),
  )
  if (opens && authTimeOf(proved, level) > since(service)) return []
  const isFresh = (...methods: Method[]) => fresh.some((one) => methods.includes(one.method))
  return [
    ...(opens && isFresh('password', 'upstream') ? [] : ['password' as const]),
    ...(level === '2' && !isFresh('totp') ? ['code' as const] : []),
    ...(level === 'phr' && !isFresh('security_key', 'passkey') ? ['key' as const] : []),
  ]
}

type Proving = Pick<AccountVisit, 'service' | 'session'>

const since = ({ now }: Service): number => now() - freshFor

/** The proofs of the session that count for a fresh one, and those of them that are fresh. */
async function provedIn(
  visit: Proving,
  without: string | undefined,
): Promise<{ proved: readonly Proved[]; fresh: readonly Proved[] }> {
  const { service, session } = visit
  const { store } = service
  const all = provedOf(session).filter(
    ({ method, credential }) => method !== 'upstream' || credential !== without,
  )
  const reach = await reachOf(store, authenticationOf(all))
  const isWhole = await opensAll(store, session.user_uuid, reach)
  const wantsFull = !isWhole || (await hasFullWay(visit, without))
  const proved = wantsFull ? [...reach.full, ...(await smallFactorsIn(visit, reach))] : all
  return {
    proved,
    fresh: proved.filter(({ at, untimed }) => untimed !== true && at > since(service)),
  }
}

/** What of the session's proofs is fresh, whatever it opens. */
export const freshIn = ({ service, session }: Proving): readonly Proved[] =>
  provedOf(session).filter(({ at, untimed }) => untimed !== true && at > since(service))

/** Whether the person has something that opens everything: then it is asked for. */
async function hasFullWay(
  { service: { store }, session: { user } }: Proving,
  without?: string,
): Promise<boolean> {
  if (user.password_hash !== null && user.password_reach === null) return true
  if (user.second_factor === 1 && (await factorsOf(store, user.uuid)).some(({ reach }) => reach === null))
    return true
  return (await linkedUpstreams(store, user.uuid)).some(
    ({ upstream }) => upstream.counts && upstream.organisation_uuid === null && upstream.uuid !== without,
  )
}

/** The ways in which a first factor can be proved anew. */
export interface WaysToProve {
  password: boolean
  upstreams: readonly NamedUpstream[]
}

/**
 * What the person has that reaches as far as is asked for, and is not fresh. An organisation that the session's proofs do
 * not open is not named: that somebody belongs to it is nobody's business there.
 */
export async function waysToProve(visit: Proving, without?: string): Promise<WaysToProve> {
  const { service, session } = visit
  const { user } = session
  const wantsFull = await hasFullWay(visit, without)
  const reach = await reachOf(service.store, session)
  const fresh = freshIn(visit)
  const isFresh = (uuid: string) =>
    fresh.some(({ method, credential }) => method === 'upstream' && credential === uuid)
  const may = ({ upstream: { uuid, counts, organisation_uuid: of } }: LinkedUpstream) =>
    counts &&
    uuid !== without &&
    !isFresh(uuid) &&
    (of === null || (!wantsFull && reach.opens({ organisation_uuid: of })))
  const linked = await linkedUpstreams(service.store, user.uuid)
  const password = user.password_hash !== null && (user.password_reach === null || !wantsFull)
  return { password, upstreams: linked.filter(may).map(({ upstream }) => upstream) }
}

/**
 * The second factors of small reach that were proved, where the person has no other: beside a password that opens
 * everything they are as much as there is. A passkey is no more than a second factor then.
 */
async function smallFactorsIn(
  { service: { store }, session }: Proving,
  { full }: ProofReach,
): Promise<readonly Proved[]> {
  const small = provedOf(session).filter((one) => one.reach !== undefined && isSecond(one.method))
  if (small.length === 0 || !full.some(({ method }) => method === 'password')) return []
  if ((await factorsOf(store, session.user.uuid)).some((one) => one.reach === null)) return []
  return small.map((one) => (one.method === 'passkey' ? { ...one, method: 'security_key' } : one))
}

const isSecond = (method: Method): boolean =>
  method === 'totp' || method === 'recovery_code' || method === 'security_key' || method === 'passkey'

export type ProofError =
  | 'wrong_password'
  | 'wrong_code'
  | 'wrong_key'
  | 'suspended'
  | { retryAfterSeconds: number }

/** Adds what the form proves to the session; yields the visit as it goes on, or what is wrong. */
export async function prove(
  visit: AccountVisit,
  form: Parameters,
  stale: readonly Stale[],
): Promise<{ visit: AccountVisit; error?: ProofError }> {
  let current = visit
  for (const [one, given] of givenIn(visit, form)) {
    if (!stale.includes(one)) continue
    const checked =
      typeof given === 'string' ? await checkPassword(current, given) : await checkFactor(current, given)
    if ('error' in checked) return { visit: current, error: checked.error }
    const added = await add(current, checked)
    if (added === undefined) {
      await checked.failed?.()
      return { visit: current, error: `wrong_${one}` }
    }
    current = added
  }
  return { visit: current }
}

/** What the form gives, in the order in which it is looked at. */
function givenIn(visit: AccountVisit, form: Parameters): [Stale, string | Given][] {
  const [password, code] = [form.optional('password'), form.optional('proof_code')]
  const answer =
    form.optional('purpose') === 'second_factor' ? sentAnswer(visit.request, form, visit.holder) : undefined
  return [
    ...(password === undefined ? [] : [['password', password.slice(0, 500)] as [Stale, string]]),
    ...(code === undefined ? [] : [['code', { is: 'code', typed: code.slice(0, 500) }] as [Stale, Given]]),
    ...(answer === undefined ? [] : [['key', { is: 'key', answer }] as [Stale, Given]]),
  ]
}

interface Checked {
  proof: Proof
  settled: SettledAttempt
  failed?: () => Promise<void>
}

const waiting = (retryAfter: number) => ({ error: { retryAfterSeconds: Math.ceil(retryAfter / 1000) } })

export async function checkPassword(
  { service, request, session }: AccountVisit,
  password: string,
): Promise<Checked | { error: ProofError }> {
  const { email } = session.user
  const device = readCookie(service, request, 'device')
  const attempt = { email, password, device, address: request.ip, requestId: request.id }
  const result = await authenticate(service, attempt)
  if (result.outcome === 'throttled') return waiting(result.retryAfter)
  if (result.outcome === 'wrong' || result.user.uuid !== session.user_uuid) return { error: 'wrong_password' }
  return { proof: passwordProof(result.passwordHash, result.user.password_reach), settled: result.settled }
}

async function checkFactor(
  { service, request, session: { user_uuid } }: AccountVisit,
  given: Given,
): Promise<Checked | { error: ProofError }> {
  const device = readCookie(service, request, 'device')
  const from = { device, address: request.ip, requestId: request.id }
  const result = await checkSecondFactor(service, { user_uuid, given, ...from })
  if (result.outcome === 'throttled') return waiting(result.retryAfter)
  if (result.outcome === 'right') return result
  if (given.is === 'key') return { error: 'wrong_key' }
  return { error: result.outcome === 'suspended' ? 'suspended' : 'wrong_code' }
}

/** The session with one more proof, and its new cookie. */
export async function add(
  visit: AccountVisit,
  { proof, settled }: Pick<Checked, 'proof'> & { settled?: SettledAttempt },
): Promise<AccountVisit | undefined> {
  const { service, request, reply } = visit
  const now = service.now()
  const from = { address: request.ip, requestId: request.id }
  const added = await addProof(service.store, visit.session, { proof, settled, now, from })
  if (added === undefined) return undefined
  setCookie(service, reply, 'session', added.cookie)
  const idle = service.settings.lifetimes.sessionIdle
  const session = await service.store.read(sessionOf(added.cookie, { now, idle }))
  return session === undefined ? undefined : { ...visit, ...(await reachedBy(service, session)) }
}
