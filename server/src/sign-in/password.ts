import { authenticate, type PasswordOutcome } from '../identity/authenticate.ts'
import { proofOf, type SentAnswer } from '../identity/factors/assertion.ts'
import { hasFactorHere } from '../identity/factors/second-factor.ts'
import { signInByPasskey } from '../identity/factors/passkey-sign-in.ts'
import { relyingParty } from '../identity/factors/webauthn.ts'
import { type PasswordAttempt, recordFailure } from '../identity/sign-in-failures.ts'
import { sendPage } from '../pages/send-page.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Service } from '../service.ts'
import type { Session } from '../store/sessions.ts'
import { passwordProof, type Proof, reaching } from '../store/start-session.ts'
import { stillTrusted, trustedSince } from '../store/trusted-devices.ts'
import type { UpstreamNow } from '../store/upstreams.ts'
import type { User } from '../store/users.ts'
import { readCookie } from './browser.ts'
import { askedBy } from './here.ts'
import { passkeyOptionsPath, sentAnswer } from './passkey.ts'
import { type PasswordPageError, passwordPage } from './password-page.tsx'
import { connectingTo } from './upstream-waiting.ts'
import { forgottenPath } from './reset-paths.ts'
import { deviceOf, signIn } from './sign-in-here.ts'
import { goToUpstream } from './upstream.ts'
import { chosenWays, isRouted, offersOf, straightTo } from './upstream-choice.ts'
import { upstreamChoicePage } from './upstream-page.tsx'
import { type AskedFor, goOn, type SignInStep, type Visit } from './step.ts'

/** The person who is signed in and is asked once more; undefined when it may be anybody. */
interface AskedAgain {
  user: User | undefined
  /** Why what an upstream proved does not suffice. */
  lacks?: 'noTime' | 'beyond' | undefined
}

/** A person proves who they are, by e-mail address and password or by a passkey. */
export const password: SignInStep<AskedAgain> = {
  path: '/sign-in',
  withoutPage: ['login_required', 'The user has to sign in.'],

  missing(service, { asked, progress, session, isBeyond }) {
    if (session === undefined) return { user: undefined }
    if (isBeyond) return { user: session.user, lacks: 'beyond' }
    if (lacksTime(asked, session)) return { user: session.user, lacks: 'noTime' }
    if (progress.signed_in_sid === session.sid || !mustSignInAgain(service, asked, session)) return undefined
    return { user: asked.prompt.includes('select_account') ? undefined : session.user }
  },

  async show(visit, { user, lacks }) {
    const way = await straightTo(visit)
    if (way !== undefined) return await goToUpstream(visit, way)
    return await show(visit, user, { email: user?.email ?? visit.pending.parameters.loginHint, lacks })
  },

  /** A password that was typed is checked, although another tab may have signed somebody in. */
  async submit(visit, missing) {
    const { service, form } = visit
    const user = missing?.user
    const answer = sentAnswer(visit.request, form, visit.holder)
    if (answer !== undefined) return await submitPasskey(visit, user, answer)
    const email = form.optional('email', 320)
    const typed = form.optional('password')
    const ways = await chosenWays(visit, { email, typed })
    if (ways !== undefined) return await leave(visit, user, { ways, email })
    if (email === undefined) return show(visit, user, { error: 'missing_email', status: 400 })
    if (typed === undefined) return show(visit, user, { email, error: 'missing_password', status: 400 })

    const attempt = attemptOf(visit, email, typed)
    const result = await check(service, attempt)
    service.observe({ kind: 'sign-in', outcome: result.outcome })
    if (result.outcome !== 'right') return refuse(visit, user, email, result)
    // False: the password changed, or the person was disabled, while it was checked.
    const { passwordHash, settled } = result
    const { uuid: user_uuid } = result.user
    const secondFactor = result.user.second_factor === 1 && (await hasFactorHere(service, user_uuid))
    const trusted = secondFactor ? await trustedProof(visit, user_uuid) : undefined
    const secondFactorDue = secondFactor && trusted === undefined
    // Where a second factor is due, a browser becomes known by that: a stolen password makes none known.
    const device = result.knownDevice || secondFactor ? undefined : deviceOf(visit)
    const proofs = [
      passwordProof(passwordHash, result.user.password_reach),
      ...(trusted === undefined ? [] : [trusted]),
    ] as const
    if (!(await signIn(visit, { user_uuid, proofs, secondFactorDue, settled, device }))) {
      await recordFailure(service, attempt, result.user, [])
      return refuse(visit, user, email, { outcome: 'wrong' })
    }
    return goOn(visit)
  },
}

/** An upstream did not say when: `max_age` then takes a proof of our own (decisions 21). */
const lacksTime = ({ maxAge }: AskedFor, { auth_time }: Session): boolean =>
  maxAge !== undefined && auth_time === 0

/** `prompt=login`, `select_account` and `max_age=0` ask for a sign-in of this very request, `max_age` for a recent one. */
function mustSignInAgain({ now }: Service, { prompt, maxAge }: AskedFor, { auth_time }: Session): boolean {
  if (prompt.includes('login') || prompt.includes('select_account') || maxAge === 0) return true
  return maxAge !== undefined && now() - auth_time > maxAge * 1000
}

type Outcome = PasswordOutcome | { outcome: 'busy' }

function attemptOf({ service, request, client }: Visit, email: string, typed: string): PasswordAttempt {
  const device = readCookie(service, request, 'device')
  return {
    email,
    password: typed,
    device,
    address: request.ip,
    requestId: request.id,
    client_id: askedBy(client.client_id),
  }
}

async function check(service: Service, attempt: PasswordAttempt): Promise<Outcome> {
  try {
    return await authenticate(service, attempt)
  } catch (error) {
    if (error instanceof ProtocolError && error.code === 'temporarily_unavailable') return { outcome: 'busy' }
    throw error
  }
}

/** The person's trust in this browser: the policy of the moment says whether that is enough. */
async function trustedProof({ service, request }: Visit, user_uuid: string): Promise<Proof | undefined> {
  const cookie = readCookie(service, request, 'trusted')
  if (cookie === undefined) return undefined
  const trusted = await service.store.read(trustedSince(cookie, user_uuid))
  if (trusted === undefined) return undefined
  const { proved_at: at, reach } = trusted
  const found = { provedAt: at, now: service.now() }
  return {
    proved: { method: 'trusted_device', at, ...reaching(reach) },
    stillHolds: () => stillTrusted(cookie, user_uuid, found),
  }
}

/** Signs in by a passkey alone, without a password. The throttled answer is that of passwords. */
async function submitPasskey(visit: Visit, user: User | undefined, answer: SentAnswer): Promise<unknown> {
  const { service, client } = visit
  const attempt = { ...answer, client_id: askedBy(client.client_id) }
  const result = await signInByPasskey(service, attempt)
  service.observe({ kind: 'sign-in', outcome: result.outcome })
  if (result.outcome === 'throttled') return refuse(visit, user, undefined, result)
  if (result.outcome === 'wrong') return refusePasskey(visit, user, result.unknownId)
  const { credential, settled } = result
  const proofs = [proofOf(result)] as const
  const { user_uuid } = credential
  if (await signIn(visit, { user_uuid, proofs, settled, device: deviceOf(visit) })) return goOn(visit)
  // Used twice at once, removed, or of somebody who was disabled, while it was checked.
  await recordFailure(service, attempt, credential.owner, [], 'passkey_counter')
  return refusePasskey(visit, user, undefined)
}

function refusePasskey(visit: Visit, user: User | undefined, unknownId: string | undefined): unknown {
  return show(visit, user, { email: user?.email, error: 'passkey_refused', status: 400, unknownId })
}

/** Leads to the upstream; where there are several, to their names. */
async function leave(
  visit: Visit,
  user: User | undefined,
  { ways, email }: { ways: readonly UpstreamNow[]; email: string | undefined },
): Promise<unknown> {
  const [only, ...others] = ways
  if (only === undefined) return await show(visit, user, { email, error: 'no_organisation', status: 400 })
  if (others.length === 0) return await goToUpstream(visit, { uuid: only.uuid, loginHint: email })
  const hidden = { ...visit.page.hidden, email: email ?? '' }
  return sendPage(visit.reply, upstreamChoicePage({ ...visit.page, hidden, upstreams: ways }), {
    leadsAway: true,
  })
}

const busySeconds = 5

function refuse(
  visit: Visit,
  user: User | undefined,
  email: string | undefined,
  result: Exclude<Outcome, { outcome: 'right' }>,
): unknown {
  if (result.outcome === 'wrong') return show(visit, user, { email, error: 'wrong_credentials', status: 400 })
  const busy = result.outcome === 'busy'
  const retryAfterSeconds = busy ? busySeconds : Math.ceil(result.retryAfter / 1000)
  visit.reply.header('retry-after', String(retryAfterSeconds))
  const error = { kind: busy ? 'busy' : 'too_many_attempts', retryAfterSeconds } as const
  return show(visit, user, { email, error, status: busy ? 503 : 429 })
}

interface PasswordView {
  lacks?: AskedAgain['lacks']
  email?: string | undefined
  error?: PasswordPageError
  status?: number
  /** A passkey that nobody has. */
  unknownId?: string | undefined
}

async function show(
  visit: Visit,
  user: User | undefined,
  { email, error, lacks, status = 200, unknownId }: PasswordView,
): Promise<unknown> {
  const { service, reply, page, pending } = visit
  const rp = relyingParty(service)
  const passkeys = rp && {
    from: `${passkeyOptionsPath}?request=${pending.id}`,
    unknown: unknownId === undefined ? undefined : { rpId: rp.id, credentialId: unknownId },
  }
  const forgotten = service.mail && `${forgottenPath}?request=${pending.id}`
  const offers = await offersOf(visit)
  const routed = offers.byDomain && error === 'wrong_credentials' && (await isRouted(visit, email))
  const known = { email, error, passkeys, accountName: user?.name }
  const connects = await connectingTo(visit)
  const html = passwordPage({ ...page, ...known, forgotten, offers, routed, lacks, connects })
  const scripts = rp !== undefined
  return sendPage(reply, html, { status, leadsAway: true, script: scripts, fetches: scripts })
}
