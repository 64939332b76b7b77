import { newPasswordFault, passwordForUser } from '../identity/new-password.ts'
import { reachOfNew } from '../identity/reach.ts'
import { sendPage } from '../pages/send-page.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { changeOwnPassword } from '../store/own-account.ts'
import { add, checkPassword, type ProofError } from './fresh-proof.ts'
import { type PasswordErrors, passwordFormPage } from './password-page.tsx'
import { type AccountVisit, back, originOf } from './visit.ts'

/** The form, once the proof is fresh. */
export async function showPassword(visit: AccountVisit, errors?: PasswordErrors): Promise<unknown> {
  const { reply, session } = visit
  const { email, password_hash } = session.user
  const has = password_hash !== null
  const { least } = await knownOf(visit)
  const html = passwordFormPage({ ...visit.page, email, has, least, errors })
  if (typeof errors?.current === 'object')
    reply.header('retry-after', String(errors.current.retryAfterSeconds))
  const status = errors === undefined ? 200 : typeof errors.current === 'object' ? 429 : 400
  return sendPage(reply, html, { status })
}

/** What policy demands of a password of theirs, and the names that it may not be. */
const knownOf = ({ service, session }: AccountVisit) => passwordForUser(service.store, session.user)

/** Wants the current password too, where there is one (ASVS 6.2.3). */
export async function setPassword(before: AccountVisit, form: Parameters): Promise<unknown> {
  const fault = newPasswordFault(form, await knownOf(before), 'new_password')
  if (fault !== undefined) return await showPassword(before, { next: fault })
  const checked = await provenCurrent(before, (form.optional('current_password') ?? '').slice(0, 500))
  if ('error' in checked) return await showPassword(before, { current: checked.error })
  const { service, session } = checked.visit
  const { user_uuid, sid, user } = session
  const to = await service.passwords.hash(form.required('new_password'))
  const change = { user_uuid, now: service.now(), by: originOf(checked.visit) }
  const reach = await reachOfNew(service.store, session)
  const set = { from: user.password_hash, to, sid, reach }
  const changed = await changeOwnPassword(service.store, set, change)
  return changed
    ? back(checked.visit, 'password')
    : await showPassword(checked.visit, { current: 'wrong_password' })
}

async function provenCurrent(
  visit: AccountVisit,
  typed: string,
): Promise<{ visit: AccountVisit } | { error: ProofError }> {
  if (visit.session.user.password_hash === null) return { visit }
  const checked = await checkPassword(visit, typed)
  if ('error' in checked) return checked
  const added = await add(visit, checked)
  return added === undefined ? { error: 'wrong_password' } : { visit: added }
}
