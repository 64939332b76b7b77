import type { LevelMissing } from '../identity/factors/level.ts'
import { checkEnrolment, showSecret } from '../identity/factors/enrolment.ts'
import type { EnrolmentError } from '../pages/enrolment.tsx'
import { recoveryCodesPage } from '../pages/recovery-codes-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import { authTimeOf, provedOf } from '../protocol/authentication.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { RedirectableError } from '../protocol/errors.ts'
import { targetOf } from '../protocol/redirect-target.ts'
import { answerStep } from '../store/authorization-requests.ts'
import type { LiveSession } from '../store/sessions.ts'
import { beginGrace } from '../store/users.ts'
import { enrolPage } from './enrol-page.tsx'
import { proveHere } from './second-factor.ts'
import { denied, goOn, signInAgain, type SignInStep, useAnotherAccount, type Visit } from './step.ts'

/** Who has to set up something for the level that policy or the request demands. */
export interface Enrolling extends LevelMissing {
  session: LiveSession
}

const day = 24 * 3_600_000

/**
 * Policy or the request demands more than this person can prove, so they set it up here, may put it off within grace, or
 * decline. What they have set up already is asked for by the second factor, which comes before.
 */
export const level: SignInStep<Enrolling> = {
  path: '/sign-in/enrol',
  withoutPage: ['interaction_required', 'The user has to set up a second factor.'],

  missing(_service, { session, lacking }) {
    return session !== undefined && lacking?.by === 'enrolment' ? { ...lacking, session } : undefined
  },

  async show(visit, missing) {
    const { service } = visit
    // Grace runs from the first sign-in that demands it.
    if (missing.until !== undefined) await beginGrace(service.store, missing.session.userUuid, service.now())
    return await show(visit, missing)
  },

  async submit(visit, missing) {
    if (missing === undefined) return goOn(visit)
    const choice = visit.form.optional('choice')
    if (choice === 'switch') return await useAnotherAccount(visit)
    if (choice === 'later') return await putOff(visit, missing)
    if (choice === 'decline' || !offersApp(missing)) throw await declined(visit)
    return await enrol(visit, missing)
  },
}

/** An authenticator app reaches no more than that. */
const offersApp = ({ wanted }: LevelMissing): boolean => wanted === '2'

/** Who enrols has proved all that they have within this time: the cookie of an older session is not enough. */
const freshFor = 10 * 60_000

/** Sets up an authenticator app, which then is the proof that was missing. */
async function enrol(visit: Visit & { form: Parameters }, missing: Enrolling): Promise<unknown> {
  const { service, request, reply, form, page } = visit
  const { session } = missing
  if (authTimeOf(provedOf(session)) <= service.now() - freshFor) return await signInAgain(visit)
  const first = !session.user.secondFactor
  const name = (form.optional('name', 300) ?? '').trim()
  const typed = form.optional('code', 200) ?? ''
  const by = {
    actor: { kind: 'user' as const, id: session.userUuid },
    address: request.ip,
    requestId: request.id,
  }
  const checked = await checkEnrolment(service, session, { typed, name, first, by })
  if (checked.outcome !== 'right') return await show(visit, missing, { error: checked.outcome, name })
  // Another first factor was set up meanwhile: the request asks for that now.
  if (!(await proveHere(visit, session, checked)) || !first) return goOn(visit)
  return sendPage(reply, recoveryCodesPage({ ...page, codes: checked.codes }), { leadsAway: true })
}

async function show(
  { service, reply, page }: Visit,
  { session, until, ...missing }: Enrolling,
  shown: { error?: EnrolmentError; name?: string } = {},
): Promise<unknown> {
  const graceDays = until === undefined ? undefined : Math.ceil((until - service.now()) / day)
  const label = { issuer: 'Tessera', label: session.user.email }
  const enrolment = offersApp({ ...missing, until }) ? await showSecret(service, session, label) : undefined
  const html = enrolPage({ ...page, graceDays, enrolment: enrolment && { ...enrolment, ...shown } })
  return sendPage(reply, html, { status: shown.error === undefined ? 200 : 400, leadsAway: true })
}

/** Until the next sign-in, while grace runs. */
async function putOff(visit: Visit, { session: { user }, until }: Enrolling): Promise<unknown> {
  const { service, pending } = visit
  if (until !== undefined) {
    await beginGrace(service.store, user.uuid, service.now())
    await answerStep(service.store, pending.id, {
      parameters: { ...pending.parameters, putOffBy: user.uuid },
    })
  }
  return goOn(visit)
}

/** OpenID Connect Core Error Code unmet_authentication_requirements §2, RFC 9470 §5. A device is told that it was refused. */
async function declined(visit: Visit): Promise<RedirectableError> {
  const description = 'The user did not set up the second factor that is demanded.'
  if (visit.pending.parameters.device !== undefined) return await denied(visit, description)
  return new RedirectableError('unmet_authentication_requirements', description, targetOf(visit.pending))
}
