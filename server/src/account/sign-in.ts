import { checkEnrolment, showSecret } from '../identity/factors/enrolment.ts'
import { demandOn, levelBy } from '../identity/factors/level.ts'
import { hashRecoveryCodes, newRecoveryCodes, shownRecoveryCode } from '../identity/factors/recovery-codes.ts'
import { reachOfNew } from '../identity/reach.ts'
import { relyingParty } from '../identity/factors/webauthn.ts'
import type { EnrolmentError } from '../pages/enrolment.tsx'
import { recoveryCodesPage } from '../pages/recovery-codes-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import { higher, type Level, meets } from '../protocol/authentication.ts'
import { labelIssuer } from '../protocol/branding.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { textProblem } from '../protocol/values.ts'
import { mostTotp } from '../store/enrolment.ts'
import {
  type Factor,
  factorsOf,
  recoveryCodesLeft,
  removeFactors,
  renameFactor,
  replaceRecoveryCodes,
} from '../store/factors.ts'
import { connect, disconnect, linksOf } from './connect.ts'
import { enrolled } from './enrolled.ts'
import { afterCode } from './enrolment-code.tsx'
import { add } from './fresh-proof.ts'
import { addKey, keysOf } from './keys.ts'
import type { AccountPage } from './page.ts'
import { setPassword, showPassword } from './password.ts'
import { accountSignInPage, addFactorPage, type SignInPageProps } from './sign-in-page.tsx'
import { type AccountVisit, accountSignInPath, back, originOf } from './visit.ts'

/** How the person who is signed in here signs in: their second factors. */
export const signInPage: AccountPage = {
  path: accountSignInPath,
  show: (visit, done) => show(visit, { done }),
  actions: {
    password: (visit) => showPassword(visit),
    set_password: setPassword,
    add: afterCode('add', (visit) => showAdd(visit)),
    confirm: afterCode('add', confirm),
    key: afterCode('key', addKey),
    rename,
    remove,
    codes,
    connect: toConnect,
    unlink,
  },
  kept: ['id', 'name', 'code', 'mail_code', 'elsewhere', 'upstream'],
  without: (form) => (form.optional('do') === 'unlink' ? form.optional('upstream', 36) : undefined),
}

async function show(
  visit: AccountVisit,
  { done, error }: Pick<SignInPageProps, 'done' | 'error'>,
): Promise<unknown> {
  const { service, reply, page, session } = visit
  const { store } = service
  const { user_uuid, user } = session
  const factors = await factorsOf(store, user_uuid)
  const keys = await keysOf(visit)
  const html = accountSignInPage({
    ...page,
    accountName: user.name,
    hasPassword: user.password_hash !== null,
    zone: user.zoneinfo ?? 'UTC',
    factors,
    rpId: relyingParty(service)?.id,
    keys,
    recoveryLeft: await recoveryCodesLeft(store, user_uuid),
    links: await linksOf(visit),
    mayAdd: factors.filter(({ kind }) => kind === 'totp').length < mostTotp,
    done,
    error,
  })
  return sendPage(reply, html, {
    status: error === undefined ? 200 : 400,
    // The way to connect another sign-in leads to it.
    leadsAway: true,
    script: keys.signals.length > 0,
  })
}

async function showAdd(visit: AccountVisit, error?: EnrolmentError, name?: string): Promise<unknown> {
  const { service, session, page, reply } = visit
  const factors = await factorsOf(service.store, session.user_uuid)
  if (factors.filter(({ kind }) => kind === 'totp').length >= mostTotp)
    return await show(visit, { error: 'tooMany' })
  const label = { issuer: labelIssuer(page.brand), label: session.user.email }
  const secret = await showSecret(service, session, label)
  const html = addFactorPage({ ...page, ...secret, name, error })
  return sendPage(reply, html, { status: error === undefined ? 200 : 400 })
}

async function confirm(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const { service, session } = visit
  const name = (form.optional('name', 300) ?? '').trim()
  const typed = form.optional('code', 200) ?? ''
  const first = !session.user.second_factor
  const reach = await reachOfNew(service.store, session)
  const asked = { typed, name, first, reach, by: originOf(visit) }
  const checked = await checkEnrolment(service, session, asked)
  if (checked.outcome !== 'right') return await showAdd(visit, checked.outcome, name)
  const added = await add(visit, checked)
  if (added === undefined) return await showAdd(visit, 'expired', name)
  return await enrolled(added, form, checked.codes)
}

async function toConnect(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const went = await connect(visit, form)
  return 'error' in went ? await show(visit, went) : went.answer
}

async function unlink(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const removed = await disconnect(visit, form)
  return removed ? back(visit, 'unlinked') : await show(visit, { error: 'lastWay' })
}

const changeOf = (visit: AccountVisit) => {
  const { user_uuid, sid } = visit.session
  return { user_uuid, sid, now: visit.service.now(), by: originOf(visit) }
}

async function rename(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const name = (form.optional('name', 300) ?? '').trim()
  if (textProblem(100)(name) !== undefined) return await show(visit, { error: 'wrongName' })
  const id = form.optional('id', 100) ?? ''
  const renamed = await renameFactor(visit.service.store, { id, name }, changeOf(visit))
  return renamed ? back(visit, 'renamed') : await show(visit, { error: 'unknown' })
}

async function remove(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const id = form.optional('id', 100) ?? ''
  const wanted = await demandedOf(visit)
  // What was too little before may stay so.
  const may = (left: readonly Factor[], before: readonly Factor[]) =>
    meets(levelBy(visit.service, left), wanted) ||
    levelBy(visit.service, left) === levelBy(visit.service, before)
  const removed = await removeFactors(visit.service.store, [id], { ...changeOf(visit), may })
  if (removed === 'gets_in') return await show(visit, { error: 'getsIn' })
  if (removed === 'too_few') return await show(visit, { error: 'lastOne' })
  return removed.length > 0 ? back(visit, 'removed') : await show(visit, { error: 'unknown' })
}

/** The highest level that policy demands anywhere that the person acts. */
async function demandedOf({ service: { store }, session }: AccountVisit): Promise<Level> {
  let wanted: Level = session.user.enrolment_required ? '2' : '1'
  for (const profile of [undefined, ...session.profiles])
    wanted = higher(wanted, (await demandOn(store, { client: undefined, profile })).level)
  return wanted
}

async function codes(visit: AccountVisit): Promise<unknown> {
  const { service, page, reply } = visit
  const reach = await reachOfNew(service.store, visit.session)
  const made = newRecoveryCodes()
  const hashes = await hashRecoveryCodes(service.passwords, made)
  const replaced = await replaceRecoveryCodes(service.store, { codes: hashes, reach }, changeOf(visit))
  if (!replaced) return await show(visit, { error: 'unknown' })
  return sendPage(reply, recoveryCodesPage({ ...page, codes: made.map(shownRecoveryCode) }))
}
