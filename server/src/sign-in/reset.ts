import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { settleWaiting } from '../access/waiting.ts'
import { unlinkRecent } from '../upstream/unlink-recent.ts'
import { type CeremonyOptions, optionsAfterPassword, optionsToEnrol } from '../identity/factors/options.ts'
import { highestOf } from '../identity/factors/level.ts'
import { questionFor } from '../identity/factors/question.ts'
import { checkSecondFactor } from '../identity/factors/second-factor.ts'
import { relyingParty } from '../identity/factors/webauthn.ts'
import { passwordForUser } from '../identity/new-password.ts'
import type { FormPageProps } from '../pages/form.tsx'
import { pageOf } from '../pages/locale.ts'
import { recoveryCodesPage } from '../pages/recovery-codes-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import { maskedEmail } from '../protocol/email-address.ts'
import { hashSecret } from '../protocol/identifier.ts'
import { Parameters } from '../protocol/parameters.ts'
import { linkFormExpired } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import { brandingFor } from '../store/brandings.ts'
import {
  canProve,
  provedBy,
  proveForReset,
  type Reset,
  readReset,
  resetPassword,
} from '../store/password-reset.ts'
import { readCookie } from './browser.ts'
import { credentialIn, type OwnCredential } from './own-credential.ts'
import { answerOptions, checkForm, formIn, openPage, type PageVisit } from './page-visit.ts'
import { sentAnswer } from './passkey.ts'
import type { NewPasswordError } from '../pages/new-password.tsx'
import { resetEndedPage, resetFactorPage, type ResetFactorPageProps, resetPage } from './reset-page.tsx'
import { forgottenPath, resetPath } from './reset-paths.ts'
import { givenIn, refusalOf } from './second-factor.ts'
import { signInAfterReset } from './signed-in-by-reset.ts'

const optionsPath = `${resetPath}/passkey`

/** A request with a link that counts. */
interface ResetVisit extends PageVisit {
  link: string
  reset: Reset
  /** A second factor is to be proved first. */
  asksFactor: boolean
  page: FormPageProps & { account: string }
}

/** The page of a link that sets a password, in any browser. GET and HEAD change nothing: scanners open links in mails. */
export function passwordReset(app: FastifyInstance, service: Service): void {
  app.get(resetPath, async (request, reply) => {
    const asked = Parameters.ofUrl(request.url)
    const visit = await openReset(service, request, reply, asked)
    if (visit === undefined) return ended(service, request, reply)
    return visit.asksFactor
      ? await askFactor(visit, { recovery: asked.optional('with') === 'recovery' })
      : askPassword(visit)
  })

  app.post(resetPath, async (request, reply) => {
    const form = formIn(request)
    const visit = await openReset(service, request, reply, form)
    if (visit === undefined) return ended(service, request, reply)
    checkForm(visit, form, linkFormExpired)
    const setsPassword = form.optional('do') === 'password'
    // Another form is due by now.
    if (setsPassword === visit.asksFactor) return again(visit)
    return setsPassword ? await setPassword(visit, form) : await proveFactor(visit, form)
  })

  app.post(optionsPath, (request, reply) =>
    answerOptions(service, request, reply, linkFormExpired, {
      open: () => openReset(service, request, reply, Parameters.ofUrl(request.url)),
      options: optionsFor,
    }),
  )
}

async function optionsFor(
  visit: ResetVisit,
  purpose: string | undefined,
): Promise<CeremonyOptions | undefined> {
  const { service, reset, asksFactor, holder } = visit
  if (purpose !== 'passkey') return await optionsAfterPassword(service, holder, reset.user, 'preferred')
  if (asksFactor || !(await offersPasskey(visit))) throw linkFormExpired()
  return await optionsToEnrol(service, holder, reset.user, 'passkey')
}

/** Undefined: the link is unknown, used, replaced or expired. */
async function openReset(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  parameters: Parameters,
): Promise<ResetVisit | undefined> {
  const link = parameters.optional('link') ?? ''
  const reset = await readReset(service.store, link, service.now())
  if (reset === undefined) return undefined
  const { user } = reset
  const visit = await openPage(service, request, reply, {
    about: `reset ${hashSecret(link)}`,
    action: resetPath,
    hidden: { link },
    userLocale: user.locale,
    here: addressOf({ link }),
  })
  const isFree = !user.second_factor || reset.data.endsFactors === true
  const isProved = isFree || provedBy(reset, hashSecret(visit.browser)) !== undefined
  const asksFactor = !isProved && (await canProve(service.store, user.uuid, relyingParty(service)?.id))
  const page = { ...visit.page, account: maskedEmail(user.email) }
  return { ...visit, page, link, reset, asksFactor }
}

async function ended(
  { mail, store }: Service,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const again = mail === undefined ? undefined : forgottenPath
  const page = { ...pageOf(request), brand: await brandingFor(store) }
  return sendPage(reply, resetEndedPage({ ...page, again }), { status: 400 })
}

const addressOf = ({ link }: Pick<ResetVisit, 'link'>) => `${resetPath}?link=${link}` as const

const again = (visit: ResetVisit) => visit.reply.redirect(addressOf(visit), 303)

interface ResetFactorView {
  recovery: boolean
  error?: ResetFactorPageProps['error']
  status?: number
}

async function askFactor(
  visit: ResetVisit,
  { recovery, error, status = 200 }: ResetFactorView,
): Promise<unknown> {
  const { service, request, reply, reset, link, page } = visit
  const device = readCookie(service, request, 'device')
  const question = await questionFor(service, reset.user.uuid, { device, recovery })
  const html = resetFactorPage({
    ...page,
    hidden: recovery ? { link, with: 'recovery' } : { link },
    asks: question.asks,
    other: recovery ? addressOf(visit) : question.hasCodes ? `${addressOf(visit)}&with=recovery` : undefined,
    keysFrom: question.hasKeys ? `${optionsPath}?link=${link}` : undefined,
    error: error ?? question.problem,
  })
  const scripts = question.hasKeys
  return sendPage(reply, html, { status, script: scripts, fetches: scripts })
}

/** Checks the second factor, which counts with others by person, and keeps the proof with the link. */
async function proveFactor(visit: ResetVisit, form: Parameters): Promise<unknown> {
  const { service, request, reply, reset, link, browser } = visit
  const recovery = form.optional('with') === 'recovery'
  const given = givenIn(form, sentAnswer(request, form, visit.holder), recovery)
  if (given === undefined) return await askFactor(visit, { recovery, error: 'missing', status: 400 })
  const from = { address: request.ip, requestId: request.id }
  const device = readCookie(service, request, 'device')
  const checked = await checkSecondFactor(service, {
    user_uuid: reset.user.uuid,
    given,
    device,
    farthest: true,
    ...from,
  })
  if (checked.outcome === 'right') {
    const proving = { ...checked, browser: hashSecret(browser), now: service.now() }
    if (await proveForReset(service.store, { text: link, ...reset }, proving)) return again(visit)
    await checked.failed()
  }
  return await askFactor(visit, { recovery, ...refusalOf(reply, checked, given) })
}

async function askPassword(visit: ResetVisit, error?: NewPasswordError | 'wrongKey'): Promise<unknown> {
  const { service, reply, page, link, reset } = visit
  const { least } = await passwordForUser(service.store, reset.user)
  const offers = await offersPasskey(visit)
  const keysFrom = offers ? `${optionsPath}?link=${link}` : undefined
  const html = resetPage({ ...page, least, hidden: { link, do: 'password' }, keysFrom, error })
  // The sign-in that goes on may lead to a client.
  const how = { leadsAway: true, script: offers, fetches: offers }
  return sendPage(reply, html, { status: error === undefined ? 200 : 400, ...how })
}

async function setPassword(visit: ResetVisit, form: Parameters): Promise<unknown> {
  const { service, request, reset, holder } = visit
  const isPasskey = sentAnswer(request, form, holder) !== undefined
  if (isPasskey && !(await offersPasskey(visit))) return again(visit)
  const own = await credentialIn(visit, form, {
    user_uuid: reset.user.uuid,
    first: leavesNoFactor(visit),
    known: async () => await passwordForUser(service.store, reset.user),
  })
  return 'wrong' in own ? await askPassword(visit, own.wrong) : await finish(visit, own)
}

/** Whether no factor is left once the link is used, so that recovery codes come with a new one. */
function leavesNoFactor({ reset, browser }: ResetVisit): boolean {
  const proved = provedBy(reset, hashSecret(browser))
  return (
    !reset.user.second_factor ||
    reset.data.endsFactors === true ||
    (reset.endsAll && proved?.credential === undefined)
  )
}

/** Whoever has no password is offered a passkey first; not by less than they have already, but for a recovery code. */
async function offersPasskey({ service, reset, browser }: ResetVisit): Promise<boolean> {
  const { user } = reset
  if (user.password_hash !== null || relyingParty(service) === undefined) return false
  const proved = provedBy(reset, hashSecret(browser))
  return proved?.method !== 'totp' || (await highestOf(service, user)) !== 'phr'
}

/** Uses the link, and signs this browser in by what was set and the factor that was proved for it. */
async function finish(
  visit: ResetVisit,
  { passwordHash, passkey, proof, codes, now }: OwnCredential,
): Promise<unknown> {
  const { service, request, reply, link, browser, page } = visit
  const set = passkey === undefined ? { passwordHash } : { passkey }
  const outcome = await resetPassword(service.store, link, {
    set,
    browser: hashSecret(browser),
    rpId: relyingParty(service)?.id,
    now,
    from: { address: request.ip, requestId: request.id },
    settleWaiting,
    unlink: unlinkRecent,
  })
  if (outcome === 'ended') return await ended(service, request, reply)
  if (outcome === 'unproved') return again(visit)
  const next = await signInAfterReset(visit, { proof, proved: outcome.proved, now })
  if (next === undefined) return await ended(service, request, reply)
  if (codes.length === 0) return reply.redirect(next, 303)
  return sendPage(reply, recoveryCodesPage({ ...page, codes, next }))
}
