import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  authenticate,
  type PasswordAttempt,
  type PasswordOutcome,
  type RightPassword,
} from '../identity/authenticate.ts'
import { recordFailure } from '../identity/sign-in-failures.ts'
import { sendPage } from '../pages/send-page.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Service } from '../service.ts'
import { newSecret } from '../store/identifier.ts'
import { startSession } from '../store/start-session.ts'
import type { User } from '../store/users.ts'
import { readCookie, sessionToEnd, setCookie } from './browser.ts'
import { type PasswordPageError, passwordPage } from './password-page.tsx'
import { goOn, openStep, openStepForm, type Step, stepPaths } from './step.ts'

/** The step in which a person proves who they are by e-mail address and password. */
export function passwordStep(app: FastifyInstance, service: Service): void {
  app.get(stepPaths.password, async (request, reply) => {
    const step = await openStep(service, request, 'password')
    if (step.missing.step !== 'password') return goOn(reply, step)
    return show(reply, step, { email: askedAgain(step)?.email ?? step.pending.parameters.loginHint })
  })

  app.post(stepPaths.password, async (request, reply) => {
    // A password that was typed is checked, although another tab may have signed somebody in meanwhile.
    const step = await openStepForm(service, request, 'password')
    const email = step.form.optional('email', 320)
    const password = step.form.optional('password')
    if (email === undefined) return show(reply, step, { error: 'missing_email', status: 400 })
    if (password === undefined) return show(reply, step, { email, error: 'missing_password', status: 400 })

    const attempt = attemptOf(service, request, step, { email, password })
    const result = await check(service, attempt)
    service.observe({ kind: 'sign-in', outcome: result.outcome })
    if (result.outcome !== 'right') return refuse(reply, step, email, result)
    // False: the password changed, or the person was disabled, while it was checked.
    if (!(await signIn(service, request, reply, step, result))) {
      await recordFailure(service, attempt, result.user, [])
      return refuse(reply, step, email, { outcome: 'wrong' })
    }
    return goOn(reply, step)
  })
}

type Outcome = PasswordOutcome | { outcome: 'busy' }

function attemptOf(
  service: Service,
  request: FastifyRequest,
  { client }: Step,
  typed: { email: string; password: string },
): PasswordAttempt {
  const device = readCookie(service, request, 'device')
  return { ...typed, device, address: request.ip, requestId: request.id, clientId: client.clientId }
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
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  step: Step,
  { user, passwordHash, settled, knownDevice }: RightPassword,
): Promise<boolean> {
  const now = service.now()
  const device = knownDevice ? undefined : (readCookie(service, request, 'device') ?? newSecret())
  // Also one that was idle for too long: its token families may live on, and the cookie that ends them is replaced.
  const previous = step.session ?? (await sessionToEnd(service, request))
  const started = await startSession(service.store, previous, {
    userUuid: user.uuid,
    passwordHash,
    authTime: now,
    acr: '1',
    amr: ['pwd'],
    now,
    lifetime: service.settings.lifetimes.sessionAbsolute,
    from: { address: request.ip, requestId: request.id, clientId: step.client.clientId },
    pendingId: step.pending.id,
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
  reply: FastifyReply,
  step: Step,
  email: string,
  result: Exclude<Outcome, { outcome: 'right' }>,
): unknown {
  if (result.outcome === 'wrong') return show(reply, step, { email, error: 'wrong_credentials', status: 400 })
  const busy = result.outcome === 'busy'
  const retryAfterSeconds = busy ? busySeconds : Math.ceil(result.retryAfter / 1000)
  reply.header('retry-after', String(retryAfterSeconds))
  const error = { kind: busy ? 'busy' : 'too_many_attempts', retryAfterSeconds } as const
  return show(reply, step, { email, error, status: busy ? 503 : 429 })
}

interface Shown {
  email?: string | undefined
  error?: PasswordPageError
  status?: number
}

function show(reply: FastifyReply, step: Step, { email, error, status = 200 }: Shown): unknown {
  const html = passwordPage({ ...step.page, email, error, accountName: askedAgain(step)?.name })
  return sendPage(reply, html, { status, leadsAway: true })
}

/** The person who is signed in and is asked once more; with `select_account` it may well be another. */
function askedAgain({ missing, pending }: Step): User | undefined {
  if (missing.step !== 'password' || pending.parameters.prompt.includes('select_account')) return undefined
  return missing.user
}
