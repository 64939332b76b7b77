import { authenticate } from '../identity/authenticate.ts'
import { highestOf } from '../identity/factors/level.ts'
import { checkSecondFactor } from '../identity/factors/second-factor.ts'
import { authTimeOf, type Method, provedOf } from '../protocol/authentication.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { readCookie, setCookie } from '../sign-in/browser.ts'
import { addProof } from '../store/add-proof.ts'
import { sessionOf } from '../store/sessions.ts'
import { passwordProof, type Proof } from '../store/start-session.ts'
import type { Settled } from '../store/throttles.ts'
import type { AccountVisit } from './visit.ts'

/** All proofs have to be of the last ten minutes, at the highest level that the person has (decisions 14). */
const freshFor = 10 * 60_000

/** What is to be proved once more. `key`: only a passkey or security key would do, which is not asked for here. */
export type Stale = 'password' | 'code' | 'key'

/** What is missing of a fresh proof; nothing: it is fresh. */
export async function staleIn({
  service,
  session,
}: Pick<AccountVisit, 'service' | 'session'>): Promise<Stale[]> {
  const since = service.now() - freshFor
  const proved = provedOf(session)
  const level = await highestOf(service, session.user)
  if (authTimeOf(proved, level) > since) return []
  if (level === 'phr') return ['key']
  const isStale = (method: Method) => !proved.some((one) => one.method === method && one.at > since)
  return [
    ...(isStale('password') ? ['password' as const] : []),
    ...(level === '2' && isStale('totp') ? ['code' as const] : []),
  ]
}

export type ProofError = 'wrong_password' | 'wrong_code' | 'suspended' | { retryAfterSeconds: number }

/** Adds what the form proves to the session; yields the visit as it goes on, or what is wrong. */
export async function prove(
  visit: AccountVisit,
  form: Parameters,
  stale: readonly Stale[],
): Promise<{ visit: AccountVisit; error?: ProofError }> {
  let current = visit
  for (const [one, check] of [
    ['password', checkPassword],
    ['code', checkTyped],
  ] as const) {
    const typed = form.optional(one === 'code' ? 'proof_code' : 'password')
    if (typed === undefined || !stale.includes(one)) continue
    const checked = await check(current, typed.slice(0, 500))
    if ('error' in checked) return { visit: current, error: checked.error }
    const added = await add(current, checked)
    if (added === undefined) {
      await checked.failed?.()
      return { visit: current, error: one === 'code' ? 'wrong_code' : 'wrong_password' }
    }
    current = added
  }
  return { visit: current }
}

interface Checked {
  proof: Proof
  settled: Settled
  failed?: () => Promise<void>
}

const waiting = (retryAfter: number) => ({ error: { retryAfterSeconds: Math.ceil(retryAfter / 1000) } })

async function checkPassword(
  { service, request, session }: AccountVisit,
  password: string,
): Promise<Checked | { error: ProofError }> {
  const { email } = session.user
  const device = readCookie(service, request, 'device')
  const attempt = { email, password, device, address: request.ip, requestId: request.id }
  const result = await authenticate(service, attempt)
  if (result.outcome === 'throttled') return waiting(result.retryAfter)
  if (result.outcome === 'wrong' || result.user.uuid !== session.userUuid) return { error: 'wrong_password' }
  return { proof: passwordProof(result.passwordHash), settled: result.settled }
}

async function checkTyped(
  { service, request, session: { userUuid } }: AccountVisit,
  typed: string,
): Promise<Checked | { error: ProofError }> {
  const device = readCookie(service, request, 'device')
  const from = { device, address: request.ip, requestId: request.id }
  const result = await checkSecondFactor(service, { userUuid, given: { is: 'code', typed }, ...from })
  if (result.outcome === 'throttled') return waiting(result.retryAfter)
  if (result.outcome === 'right') return result
  return { error: result.outcome === 'suspended' ? 'suspended' : 'wrong_code' }
}

/** The session with one more proof, and its new cookie. */
export async function add(
  visit: AccountVisit,
  { proof, settled }: Pick<Checked, 'proof'> & { settled?: Settled },
): Promise<AccountVisit | undefined> {
  const { service, request, reply } = visit
  const now = service.now()
  const from = { address: request.ip, requestId: request.id }
  const added = await addProof(service.store, visit.session, { proof, settled, now, from })
  if (added === undefined) return undefined
  setCookie(service, reply, 'session', added.cookie)
  const idle = service.settings.lifetimes.sessionIdle
  const session = await service.store.read(sessionOf(added.cookie, { now, idle }))
  return session === undefined ? undefined : { ...visit, session }
}
