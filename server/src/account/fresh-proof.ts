import { authenticate } from '../identity/authenticate.ts'
import { highestOf } from '../identity/factors/level.ts'
import { checkSecondFactor, type Given } from '../identity/factors/second-factor.ts'
import { authTimeOf, freshFor, type Method, type Proved, provedOf } from '../protocol/authentication.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { readCookie, setCookie } from '../sign-in/browser.ts'
import { sentAnswer } from '../sign-in/passkey.ts'
import { factorsOf } from '../store/factors.ts'
import { addProof } from '../store/add-proof.ts'
import { sessionOf } from '../store/sessions.ts'
import { passwordProof, type Proof } from '../store/start-session.ts'
import type { SettledAttempt } from '../store/throttles.ts'
import { type AccountVisit, reachedBy } from './visit.ts'

/** What is to be proved once more. `key`: a passkey, or a security key together with the password. */
export type Stale = 'password' | 'code' | 'key'

/** What is missing of a fresh proof, at the highest level that the person has; nothing: it is fresh. */
export async function staleIn(visit: Proving): Promise<Stale[]> {
  const { service, session, reach } = visit
  const since = service.now() - freshFor
  const proved = (await wantsFull(visit))
    ? [...reach.full, ...(await smallFactorsIn(visit))]
    : provedOf(session)
  const level = await highestOf(service, session.user)
  if (authTimeOf(proved, level) > since) return []
  const isFresh = (...methods: Method[]) =>
    proved.some((one) => methods.includes(one.method) && one.at > since)
  return [
    ...(isFresh('password') ? [] : ['password' as const]),
    ...(level === '2' && !isFresh('totp') ? ['code' as const] : []),
    ...(level === 'phr' && !isFresh('security_key', 'passkey') ? ['key' as const] : []),
  ]
}

type Proving = Pick<AccountVisit, 'service' | 'session' | 'reach' | 'isWhole'>

/** Whether a proof that opens everything is wanted: the person has one, or holds more than the session's proofs open. */
async function wantsFull({ service: { store }, session: { user }, isWhole }: Proving): Promise<boolean> {
  if (!isWhole || (user.password_hash !== null && user.password_reach === null)) return true
  return user.second_factor === 1 && (await factorsOf(store, user.uuid)).some(({ reach }) => reach === null)
}

/**
 * The second factors of small reach that were proved, where the person has no other: beside a password that opens
 * everything they are as much as there is. A passkey is no more than a second factor then.
 */
async function smallFactorsIn({ service: { store }, session, reach }: Proving): Promise<readonly Proved[]> {
  const small = provedOf(session).filter((one) => one.reach !== undefined && isSecond(one.method))
  if (small.length === 0 || !reach.full.some(({ method }) => method === 'password')) return []
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
