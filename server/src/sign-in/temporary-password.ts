import { newPasswordFault, passwordForUser } from '../identity/new-password.ts'
import { reachOfNew } from '../identity/reach.ts'
import { sendPage } from '../pages/send-page.ts'
import { freshFor, provedOf } from '../protocol/authentication.ts'
import { changeOwnPassword } from '../store/own-account.ts'
import type { LiveSession } from '../store/sessions.ts'
import { goOn, signInAgain, type SignInStep, useAnotherAccount, type Visit } from './step.ts'
import { temporaryPasswordPage, type TemporaryPasswordPageProps } from './temporary-password-page.tsx'

const provedAt = (session: LiveSession): number | undefined =>
  provedOf(session).find(({ method }) => method === 'password')?.at

/** Whether somebody signed in by a password that was set for once: until they chose another, they get nowhere. */
export const choosesPassword = (session: LiveSession): boolean =>
  session.user.password_temporary === 1 && provedAt(session) !== undefined

/** Whoever signed in by a password that somebody else has set gives themself another (ASVS 5.0 6.4.1). */
export const temporaryPassword: SignInStep<LiveSession> = {
  path: '/sign-in/new-password',
  withoutPage: ['interaction_required', 'The user has to choose a password.'],

  missing(_service, { session }) {
    return session !== undefined && choosesPassword(session) ? session : undefined
  },

  show: (visit, session) => show(visit, session),

  async submit(visit, session) {
    const { service, request, form } = visit
    if (session === undefined) return goOn(visit)
    if (form.optional('choice') === 'switch') return await useAnotherAccount(visit)
    // The cookie of an older session is not enough.
    if ((provedAt(session) ?? 0) <= service.now() - freshFor) return await signInAgain(visit)
    const { store, passwords } = service
    const { user, user_uuid, sid } = session
    const fault = newPasswordFault(form, await passwordForUser(store, user))
    if (fault !== undefined) return await show(visit, session, fault)
    const typed = form.required('password')
    if (await passwords.verify(typed, user.password_hash)) return await show(visit, session, 'same')
    const by = {
      actor: { kind: 'user', id: user_uuid } as const,
      address: request.ip,
      requestId: request.id,
    }
    const to = await passwords.hash(typed)
    // False: it was changed meanwhile, and the next page says what is due.
    await changeOwnPassword(
      store,
      { from: user.password_hash, to, sid, reach: await reachOfNew(store, session) },
      { user_uuid, now: service.now(), by },
    )
    return goOn(visit)
  },
}

async function show(
  { service, reply, page }: Visit,
  { user }: LiveSession,
  error?: TemporaryPasswordPageProps['error'],
): Promise<unknown> {
  const { least } = await passwordForUser(service.store, user)
  const html = temporaryPasswordPage({ ...page, least, error })
  return sendPage(reply, html, { status: error === undefined ? 200 : 400, leadsAway: true })
}
