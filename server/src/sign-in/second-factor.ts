import type { FastifyReply } from 'fastify'
import {
  checkSecondFactor,
  type Given,
  hasFactorHere,
  type SecondFactorOutcome,
} from '../identity/factors/second-factor.ts'
import type { SentAnswer } from '../identity/factors/assertion.ts'
import { demandOn } from '../identity/factors/level.ts'
import { reachOfNew } from '../identity/reach.ts'
import { isTrusted } from '../protocol/policy.ts'
import { questionFor } from '../identity/factors/question.ts'
import { sendPage } from '../pages/send-page.ts'
import { acrOf, type Level, provedOf } from '../protocol/authentication.ts'
import { newSecret } from '../protocol/identifier.ts'
import { Parameters } from '../protocol/parameters.ts'
import { addProof } from '../store/add-proof.ts'
import { rememberDevice } from '../store/devices.ts'
import type { LiveSession, Session } from '../store/sessions.ts'
import { originOf, type Proof } from '../store/start-session.ts'
import type { SettledAttempt } from '../store/throttles.ts'
import { trustDevice } from '../store/trusted-devices.ts'
import { browserLabel } from './browser-label.ts'
import { readCookie, setCookie } from './browser.ts'
import { askedBy } from './here.ts'
import { passkeyOptionsPath, sentAnswer } from './passkey.ts'
import { type SecondFactorError, secondFactorPage } from './second-factor-page.tsx'
import { goOn, type SignInStep, useAnotherAccount, type Visit } from './step.ts'

/** Whether these proofs are more than a password. */
export const hasSecondFactor = (session: Session): boolean => acrOf(provedOf(session)) !== '1'

const isByUpstream = (session: Session): boolean => {
  const methods = provedOf(session).map(({ method }) => method)
  return methods.includes('upstream') && !methods.includes('password')
}

interface FactorRequest {
  session: LiveSession
  /** Only what reaches it is of use. */
  wanted: Level | undefined
  /** How many days this browser may be trusted for. */
  trustDays: number
}

/** A person who has a second factor proves it after every password, whatever is demanded. */
export const secondFactor: SignInStep<FactorRequest> = {
  path: '/sign-in/second-factor',
  withoutPage: ['login_required', 'The user has to prove a second factor.'],

  async missing(service, { asked: { client }, session, profile, lacking }) {
    if (session?.user.second_factor !== 1) return undefined
    // A stronger one may be demanded than was proved.
    const wanted = lacking?.by === 'factor' ? lacking.wanted : undefined
    const demand = await demandOn(service.store, { client, profile })
    // The local factor follows an upstream where policy wants more, and not otherwise.
    const isEnough =
      hasSecondFactor(session) || isByUpstream(session) || isTrusted(session, demand, service.now())
    if (isEnough && wanted === undefined) return undefined
    const { trustedDeviceDays: trustDays } = demand
    // A factor that policy wants may reach no further than the profile.
    const isAsked = wanted !== undefined || (await hasFactorHere(service, session.user_uuid))
    return isAsked ? { session, wanted, trustDays } : undefined
  },

  show(visit, asked) {
    const recovery = Parameters.ofUrl(visit.request.url).optional('with') === 'recovery'
    return show(visit, asked, { recovery })
  },

  async submit(visit, asked) {
    if (asked === undefined) return goOn(visit)
    const { session } = asked
    const { form } = visit
    if (form.optional('choice') === 'switch') return await useAnotherAccount(visit)
    const recovery = form.optional('with') === 'recovery'
    const given = givenIn(form, sentAnswer(visit.request, form, visit.holder), recovery)
    if (given === undefined) return await show(visit, asked, { recovery, error: 'missing', status: 400 })
    const checked = await check(visit, session, given)
    if (checked.outcome === 'right') {
      const trusts = asked.trustDays > 0 && !recovery && form.optional('trust') === '1'
      if (await proveHere(visit, session, { ...checked, trusts })) return goOn(visit)
      await checked.failed()
    }
    return await refuse(visit, asked, checked, given)
  },
}

/** A key's answer, or what was typed. */
export function givenIn(
  form: Parameters,
  answer: SentAnswer | undefined,
  recovery: boolean,
): Given | undefined {
  if (answer !== undefined) return { is: 'key', answer }
  const is = recovery ? 'recovery_code' : 'code'
  const typed = form.optional(is, 200)
  return typed === undefined ? undefined : { is, typed }
}

async function check(
  { service, request, client }: Visit,
  { user_uuid }: Session,
  given: Given,
): Promise<SecondFactorOutcome> {
  return await checkSecondFactor(service, {
    user_uuid,
    given,
    device: readCookie(service, request, 'device'),
    address: request.ip,
    requestId: request.id,
    client_id: askedBy(client.client_id),
  })
}

interface Proven {
  proof: Proof
  settled?: SettledAttempt
  /** The person trusts this browser: it is not asked again for a while. */
  trusts?: boolean
}

/**
 * Adds a second factor to the session; from then on this browser is known to be the person's. False: the code was used, or
 * the session ended, since it was checked.
 */
export async function proveHere(
  visit: Visit,
  session: Session,
  { proof, settled, trusts = false }: Proven,
): Promise<boolean> {
  const { service, request, reply, client } = visit
  const { store } = service
  const now = service.now()
  const device = readCookie(service, request, 'device') ?? newSecret()
  // A new one each time: whoever used this browser before may know the old one.
  const cookie = newSecret()
  // A trusted device stands in for this factor, and so reaches no further.
  const reach = proof.proved.reach ?? (await reachOfNew(store, session))
  const trusted = { cookie, label: browserLabel(request.headers['user-agent']), reach }
  const from = { address: request.ip, requestId: request.id, client_id: askedBy(client.client_id) }
  const added = await addProof(store, session, {
    proof: {
      proved: proof.proved,
      *stillHolds(user_uuid) {
        if (!(yield* proof.stillHolds(user_uuid))) return false
        // A proof of small reach makes the browser known to nobody.
        if (reach === undefined) yield* rememberDevice(device, user_uuid, now)
        if (trusts) yield* trustDevice(store, trusted, { user_uuid, now, by: originOf({ user_uuid, from }) })
        return true
      },
    } satisfies Proof,
    settled,
    now,
    from,
  })
  if (added === undefined) return false
  setCookie(service, reply, 'session', added.cookie)
  setCookie(service, reply, 'device', device)
  if (trusts) setCookie(service, reply, 'trusted', cookie)
  return true
}

async function refuse(
  visit: Visit,
  asked: FactorRequest,
  checked: SecondFactorOutcome,
  given: Given,
): Promise<unknown> {
  return await show(visit, asked, {
    recovery: given.is === 'recovery_code',
    ...refusalOf(visit.reply, checked, given),
  })
}

/** How a page says that a second factor was not accepted. */
export function refusalOf(
  reply: FastifyReply,
  checked: SecondFactorOutcome,
  { is }: Given,
): { error: SecondFactorError; status: number } {
  if (checked.outcome === 'suspended') return { error: 'suspended', status: 403 }
  if (checked.outcome !== 'throttled') return { error: is === 'key' ? 'wrongKey' : 'wrong', status: 400 }
  const retryAfterSeconds = Math.ceil(checked.retryAfter / 1000)
  reply.header('retry-after', String(retryAfterSeconds))
  return { error: { retryAfterSeconds }, status: 429 }
}

interface FactorView {
  recovery: boolean
  error?: SecondFactorError
  status?: number
}

async function show(
  { service, request, reply, page, pending }: Visit,
  { session: { user }, wanted, trustDays }: FactorRequest,
  { recovery, error, status = 200 }: FactorView,
): Promise<unknown> {
  const device = readCookie(service, request, 'device')
  const question = await questionFor(service, user.uuid, { device, recovery, wanted })
  const here = `${secondFactor.path}?request=${pending.id}`
  const html = secondFactorPage({
    ...page,
    accountName: user.name,
    asks: question.asks,
    other: recovery ? here : question.hasCodes ? `${here}&with=recovery` : undefined,
    keysFrom: question.hasKeys ? `${passkeyOptionsPath}?request=${pending.id}` : undefined,
    trustDays,
    error: error ?? question.problem,
  })
  const scripts = question.hasKeys
  return sendPage(reply, html, { status, leadsAway: true, script: scripts, fetches: scripts })
}
