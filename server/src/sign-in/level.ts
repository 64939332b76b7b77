import type { LevelMissing } from '../identity/factors/level.ts'
import type { SentAnswer } from '../identity/factors/assertion.ts'
import { checkNewCredential, type NewCredentialOutcome } from '../identity/factors/enrol-credential.ts'
import { codeDemanded, giveEnrolmentCode, sendEnrolmentCode } from '../identity/factors/enrolment-code.ts'
import { reachOfNew } from '../identity/reach.ts'
import { checkEnrolment, type EnrolmentOutcome, showSecret } from '../identity/factors/enrolment.ts'
import { relyingParty } from '../identity/factors/webauthn.ts'
import { codeStatus, type EnrolmentCodeError } from '../pages/enrolment-code-page.tsx'
import type { EnrolmentError } from '../pages/enrolment.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { recoveryCodesPage } from '../pages/recovery-codes-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import { authTimeOf, freshFor, provedOf } from '../protocol/authentication.ts'
import { labelIssuer } from '../protocol/branding.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { RedirectableError } from '../protocol/redirectable-error.ts'
import { targetOf } from '../protocol/redirect-target.ts'
import { answerStep } from '../store/authorization-requests.ts'
import type { LiveSession } from '../store/sessions.ts'
import { beginGrace } from '../store/users.ts'
import { enrolCodePage, enrolPage } from './enrol-page.tsx'
import { passkeyOptionsPath, sentAnswer } from './passkey.ts'
import { proveHere } from './second-factor.ts'
import { denied, goOn, signInAgain, type SignInStep, useAnotherAccount, type Visit } from './step.ts'

/** A person who must set up a factor for the level that policy or the request demands. */
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
    // The thief of an older session's cookie sees no secret that the person may confirm later.
    if (!isFresh(visit, missing)) return await signInAgain(visit)
    if (missing.until !== undefined) await offer(visit, missing)
    const code = await codeDemanded(service, missing.session)
    return code === undefined ? await show(visit, missing) : showCode(visit, missing, code === 'sent')
  },

  async submit(visit, missing) {
    if (missing === undefined) return goOn(visit)
    const choice = visit.form.optional('choice')
    if (choice === 'switch') return await useAnotherAccount(visit)
    if (choice === 'later') return await putOff(visit, missing)
    if (choice === 'decline') throw await declined(visit)
    if (!isFresh(visit, missing)) return await signInAgain(visit)
    const code = await codeDemanded(visit.service, missing.session)
    if (code !== undefined) return await takeCode(visit, missing, code === 'sent')
    // The code was given already, by a button that was pressed twice.
    if (choice === 'code' || choice === 'send') return goOn(visit)
    const answer = sentAnswer(visit.request, visit.form, visit.holder)
    if (answer === undefined && !offersApp(missing)) throw await declined(visit)
    return await enrol(visit, missing, answer)
  },
}

/** An authenticator app reaches no more than that. */
const offersApp = ({ wanted }: LevelMissing): boolean => wanted === '2'

/** Whether a person has lately proved all that they have. The cookie of an older session is not enough to enrol. */
const isFresh = ({ service }: Visit, { session }: Enrolling): boolean =>
  authTimeOf(provedOf(session)) > service.now() - freshFor

/** The step before enrolment after a password alone: a code by mail is asked for, or was typed. */
async function takeCode(
  visit: Visit & { form: Parameters },
  missing: Enrolling,
  sent: boolean,
): Promise<unknown> {
  const { service, form, page } = visit
  const { session } = missing
  const typed = form.optional('mail_code', 200)
  const choice = form.optional('choice')
  if (choice === 'send') {
    const isSent = await sendEnrolmentCode(service, session, page.locale)
    return isSent ? goOn(visit) : showCode(visit, missing, sent, 'tooMany')
  }
  if (typed === undefined) return showCode(visit, missing, sent, choice === 'code' ? 'missing' : undefined)
  if (await giveEnrolmentCode(service, session, typed)) return goOn(visit)
  return showCode(visit, missing, (await codeDemanded(service, session)) === 'sent', 'wrong')
}

function showCode(
  { service, reply, page }: Visit,
  { session: { user }, until }: Enrolling,
  sent: boolean,
  error?: EnrolmentCodeError,
): unknown {
  const graceDays = daysUntil(service.now(), until)
  const html = enrolCodePage({ ...page, address: user.email, sent, error, graceDays })
  return sendPage(reply, html, { status: codeStatus(error), leadsAway: true })
}

/** Grace runs from the first sign-in that demands it, and what is offered is still asked for when its form comes. */
async function offer(visit: Visit, { session }: Enrolling): Promise<void> {
  const { service, pending } = visit
  await beginGrace(service.store, session.user_uuid, service.now())
  if (pending.parameters.offeredTo === session.user_uuid) return
  const parameters = { ...pending.parameters, offeredTo: session.user_uuid }
  await answerStep(service.store, pending.id, { parameters })
}

const daysUntil = (now: number, until: number | undefined): number | undefined =>
  until === undefined ? undefined : Math.ceil((until - now) / day)

/** Sets up an authenticator app, or a passkey or security key, which then is the proof that was missing. */
async function enrol(
  visit: Visit & { form: Parameters },
  missing: Enrolling,
  answer: SentAnswer | undefined,
): Promise<unknown> {
  const { reply, form, page } = visit
  const { session } = missing
  const name = (form.optional('name', 300) ?? '').trim()
  const checked =
    answer === undefined
      ? await checkApp(visit, session, name)
      : await checkKey(visit, session, answer, form.optional('purpose'))
  if (checked.outcome !== 'right') return await show(visit, missing, { error: checked.outcome, name })
  // Another first factor was set up meanwhile: the request asks for that now.
  if (!(await proveHere(visit, session, checked)) || session.user.second_factor) return goOn(visit)
  return sendPage(reply, recoveryCodesPage({ ...page, codes: checked.codes }), { leadsAway: true })
}

async function checkApp(
  { service, request, form }: Visit & { form: Parameters },
  session: LiveSession,
  name: string,
): Promise<EnrolmentOutcome> {
  const by = {
    actor: { kind: 'user' as const, id: session.user_uuid },
    address: request.ip,
    requestId: request.id,
  }
  const typed = form.optional('code', 200) ?? ''
  const first = !session.user.second_factor
  const reach = await reachOfNew(service.store, session)
  return await checkEnrolment(service, session, { typed, name, first, reach, by })
}

async function checkKey(
  { service, page }: Visit,
  session: LiveSession,
  answer: SentAnswer,
  kind: string | undefined,
): Promise<Extract<NewCredentialOutcome, { outcome: 'right' }> | { outcome: 'wrongKey' }> {
  if (kind !== 'passkey' && kind !== 'security_key') return { outcome: 'wrongKey' }
  const { user_uuid, user } = session
  const { accountSignIn: messages } = messagesFor(page.locale)
  const name = kind === 'passkey' ? messages.passkey : messages.securityKey
  const first = !user.second_factor
  const reach = await reachOfNew(service.store, session)
  const checked = await checkNewCredential(service, answer, { user_uuid, kind, name, first, reach })
  return checked.outcome === 'right' ? checked : { outcome: 'wrongKey' }
}

async function show(
  { service, reply, page, pending }: Visit,
  { session, until, ...missing }: Enrolling,
  { error, name }: { error?: EnrolmentError | 'wrongKey'; name?: string } = {},
): Promise<unknown> {
  const graceDays = daysUntil(service.now(), until)
  const label = { issuer: labelIssuer(page.brand), label: session.user.email }
  const secret = offersApp({ ...missing, until }) ? await showSecret(service, session, label) : undefined
  const offersKeys = relyingParty(service) !== undefined
  const html = enrolPage({
    ...page,
    graceDays,
    enrolment: secret && { ...secret, name, error: error === 'wrongKey' ? undefined : error },
    keysFrom: offersKeys ? `${passkeyOptionsPath}?request=${pending.id}` : undefined,
    wrongKey: error === 'wrongKey',
  })
  const status = error === undefined ? 200 : 400
  return sendPage(reply, html, { status, leadsAway: true, script: offersKeys, fetches: offersKeys })
}

/** The step waits for the next sign-in, while grace runs. */
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
