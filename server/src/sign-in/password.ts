import { authenticate, type PasswordOutcome, type RightPassword } from '../identity/authenticate.ts'
import { type PasswordAttempt, recordFailure } from '../identity/sign-in-failures.ts'
import { sendPage } from '../pages/send-page.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Service } from '../service.ts'
import { newSecret } from '../protocol/identifier.ts'
import type { Session } from '../store/sessions.ts'
import { passwordProof, startSession } from '../store/start-session.ts'
import type { User } from '../store/users.ts'
import { readCookie, sessionToEnd, setCookie } from './browser.ts'
import { type PasswordPageError, passwordPage } from './password-page.tsx'
import { type AskedFor, goOn, type SignInStep, type Visit } from './step.ts'

/** The person who is signed in and is asked once more; undefined when it may be anybody. */
interface AskedAgain {
  user: User | undefined
}

/** A person proves who they are by e-mail address and password. */
export const password: SignInStep<AskedAgain> = {
  path: '/sign-in',
  withoutPage: ['login_required', 'The user has to sign in.'],

  missing(service, { asked, progress, session }) {
    if (session === undefined) return { user: undefined }
    if (progress.signedInSid === session.sid || !mustSignInAgain(service, asked, session)) return undefined
    return { user: asked.prompt.includes('select_account') ? undefined : session.user }
  },

  show(visit, { user }) {
    return show(visit, user, { email: user?.email ?? visit.pending.parameters.loginHint })
  },

  /** A password that was typed is checked, although another tab may have signed somebody in. */
  async submit(visit, missing) {
    const { service, form } = visit
    const user = missing?.user
    const email = form.optional('email', 320)
    const typed = form.optional('password')
    if (email === undefined) return show(visit, user, { error: 'missing_email', status: 400 })
    if (typed === undefined) return show(visit, user, { email, error: 'missing_password', status: 400 })

    const attempt = attemptOf(visit, email, typed)
    const result = await check(service, attempt)
    service.observe({ kind: 'sign-in', outcome: result.outcome })
    if (result.outcome !== 'right') return refuse(visit, user, email, result)
    // False: the password changed, or the person was disabled, while it was checked.
    if (!(await signIn(visit, result))) {
      await recordFailure(service, attempt, result.user, [])
      return refuse(visit, user, email, { outcome: 'wrong' })
    }
    return goOn(visit)
  },
}

/** `prompt=login`, `select_account` and `max_age=0` ask for a sign-in of this very request, `max_age` for a recent one. */
function mustSignInAgain({ now }: Service, { prompt, maxAge }: AskedFor, { authTime }: Session): boolean {
  if (prompt.includes('login') || prompt.includes('select_account') || maxAge === 0) return true
  return maxAge !== undefined && now() - authTime > maxAge * 1000
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
    clientId: client.clientId,
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

async function signIn(
  { service, request, reply, pending, client, session }: Visit,
  { user, passwordHash, settled, knownDevice }: RightPassword,
): Promise<boolean> {
  const now = service.now()
  // With a second factor a browser is known once that was proved there: a stolen password makes none known.
  const device =
    knownDevice || user.secondFactor ? undefined : (readCookie(service, request, 'device') ?? newSecret())
  // Its cookie is replaced, and the token families of a session that was idle for too long may still be live.
  const previous = session ?? (await sessionToEnd(service, request))
  const started = await startSession(service.store, previous, {
    userUuid: user.uuid,
    proofs: [passwordProof(passwordHash)],
    secondFactorDue: user.secondFactor,
    now,
    lifetime: service.settings.lifetimes.sessionAbsolute,
    from: { address: request.ip, requestId: request.id, clientId: client.clientId },
    pendingId: pending.id,
    device,
    settled,
  })
  if (started === undefined) return false
  setCookie(service, reply, 'session', started.cookie)
  if (device !== undefined) setCookie(service, reply, 'device', device)
  return true
}

const busySeconds = 5

function refuse(
  visit: Visit,
  user: User | undefined,
  email: string,
  result: Exclude<Outcome, { outcome: 'right' }>,
): unknown {
  if (result.outcome === 'wrong') return show(visit, user, { email, error: 'wrong_credentials', status: 400 })
  const busy = result.outcome === 'busy'
  const retryAfterSeconds = busy ? busySeconds : Math.ceil(result.retryAfter / 1000)
  visit.reply.header('retry-after', String(retryAfterSeconds))
  const error = { kind: busy ? 'busy' : 'too_many_attempts', retryAfterSeconds } as const
  return show(visit, user, { email, error, status: busy ? 503 : 429 })
}

interface Shown {
  email?: string | undefined
  error?: PasswordPageError
  status?: number
}

function show(
  { reply, page }: Visit,
  user: User | undefined,
  { email, error, status = 200 }: Shown,
): unknown {
  const html = passwordPage({ ...page, email, error, accountName: user?.name })
  return sendPage(reply, html, { status, leadsAway: true })
}
