import { appsThatCount, checkCode, type CodeOutcome } from '../identity/factors/second-factor.ts'
import { sendPage } from '../pages/send-page.ts'
import { acrOf, provedOf } from '../protocol/authentication.ts'
import { newSecret } from '../protocol/identifier.ts'
import { Parameters } from '../protocol/parameters.ts'
import { addProof } from '../store/add-proof.ts'
import { rememberDevice } from '../store/devices.ts'
import { recoveryCodesLeft } from '../store/factors.ts'
import type { LiveSession, Session } from '../store/sessions.ts'
import type { Proof } from '../store/start-session.ts'
import { readCookie, setCookie } from './browser.ts'
import { type SecondFactorError, secondFactorPage } from './second-factor-page.tsx'
import { goOn, type SignInStep, useAnotherAccount, type Visit } from './step.ts'

/** Whether these proofs are more than a password. */
export const hasSecondFactor = (session: Session): boolean => acrOf(provedOf(session)) !== '1'

/** A person who has a second factor proves it after every password, whatever is demanded. */
export const secondFactor: SignInStep<LiveSession> = {
  path: '/sign-in/second-factor',
  withoutPage: ['login_required', 'The user has to prove a second factor.'],

  missing(_service, { session, lacking }) {
    if (session?.user.secondFactor !== true) return undefined
    // A stronger one may be demanded than was proved.
    return !hasSecondFactor(session) || lacking?.by === 'factor' ? session : undefined
  },

  show(visit, session) {
    const recovery = Parameters.ofUrl(visit.request.url).optional('with') === 'recovery'
    return show(visit, session, { recovery })
  },

  async submit(visit, session) {
    if (session === undefined) return goOn(visit)
    const { form } = visit
    if (form.optional('choice') === 'switch') return await useAnotherAccount(visit)
    const recovery = form.optional('with') === 'recovery'
    const typed = form.optional(recovery ? 'recovery_code' : 'code', 200)
    if (typed === undefined) return await show(visit, session, { recovery, error: 'missing', status: 400 })
    const checked = await check(visit, session, { typed, recovery })
    if (checked.outcome === 'right') {
      if (await prove(visit, session, checked)) return goOn(visit)
      await checked.failed()
    }
    return await refuse(visit, session, checked, recovery)
  },
}

async function check(
  { service, request, client }: Visit,
  { userUuid }: Session,
  { typed, recovery }: { typed: string; recovery: boolean },
): Promise<CodeOutcome> {
  return await checkCode(service, {
    userUuid,
    typed,
    is: recovery ? 'recovery_code' : 'code',
    device: readCookie(service, request, 'device'),
    address: request.ip,
    requestId: request.id,
    clientId: client.clientId,
  })
}

/** False: the code was used, or the session ended, since it was checked. */
async function prove(
  visit: Visit,
  session: Session,
  { proof, settled }: Extract<CodeOutcome, { outcome: 'right' }>,
): Promise<boolean> {
  const { service, request, reply, client } = visit
  const now = service.now()
  const device = readCookie(service, request, 'device') ?? newSecret()
  const added = await addProof(service.store, session, {
    proof: {
      proved: proof.proved,
      *stillHolds(userUuid) {
        if (!(yield* proof.stillHolds(userUuid))) return false
        yield* rememberDevice(device, userUuid, now)
        return true
      },
    } satisfies Proof,
    settled,
    now,
    from: { address: request.ip, requestId: request.id, clientId: client.clientId },
  })
  if (added === undefined) return false
  setCookie(service, reply, 'session', added.cookie)
  setCookie(service, reply, 'device', device)
  return true
}

async function refuse(
  visit: Visit,
  session: LiveSession,
  checked: CodeOutcome,
  recovery: boolean,
): Promise<unknown> {
  if (checked.outcome === 'suspended')
    return await show(visit, session, { recovery, error: 'suspended', status: 403 })
  if (checked.outcome !== 'throttled')
    return await show(visit, session, { recovery, error: 'wrong', status: 400 })
  const retryAfterSeconds = Math.ceil(checked.retryAfter / 1000)
  visit.reply.header('retry-after', String(retryAfterSeconds))
  return await show(visit, session, { recovery, error: { retryAfterSeconds }, status: 429 })
}

interface Shown {
  recovery: boolean
  error?: SecondFactorError
  status?: number
}

async function show(
  { service, request, reply, page, pending }: Visit,
  { user }: LiveSession,
  { recovery, error, status = 200 }: Shown,
): Promise<unknown> {
  const { all, counting } = await appsThatCount(service, user.uuid, readCookie(service, request, 'device'))
  const here = `${secondFactor.path}?request=${pending.id}`
  const isSuspended = !recovery && all.length > 0 && counting.length === 0
  const html = secondFactorPage({
    ...page,
    accountName: user.name,
    asks: recovery ? 'recovery' : counting.length > 0 ? 'app' : 'none',
    other: recovery
      ? here
      : (await recoveryCodesLeft(service.store, user.uuid)) > 0
        ? `${here}&with=recovery`
        : undefined,
    trustDays: 0,
    error: error ?? (isSuspended ? 'suspended' : undefined),
  })
  return sendPage(reply, html, { status, leadsAway: true })
}
