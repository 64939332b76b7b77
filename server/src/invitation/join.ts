import { acceptAsNew } from '../administration/invitations/accept.ts'
import { profilesOf } from '../administration/invitations/inviting.ts'
import { provedByMailedLink } from '../identity/factors/enrolment-code.ts'
import { passwordFor } from '../identity/new-password.ts'
import { type PasswordFor, passwordFault } from '../identity/password-rules.ts'
import { sendPage } from '../pages/send-page.ts'
import { newSecret } from '../protocol/identifier.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { Problem } from '../protocol/problem.ts'
import { textProblem } from '../protocol/values.ts'
import { browserLabel } from '../sign-in/browser-label.ts'
import { readCookie, sessionToEnd, setCookie } from '../sign-in/browser.ts'
import { passwordProof, startSession } from '../store/start-session.ts'
import { joinPage, type JoinErrors } from './join-page.tsx'
import type { InvitationVisit } from './visit.ts'

/** Asks for a name and a password. */
export async function askToJoin(
  visit: InvitationVisit,
  { name = visit.invitation.name ?? '', errors }: { name?: string; errors?: JoinErrors } = {},
): Promise<unknown> {
  const { reply, page, invitation, offers, client } = visit
  const { least } = await passwordOf(visit, name)
  const html = joinPage({ ...page, offers, client, email: invitation.email, name, least, errors })
  return sendPage(reply, html, { status: errors === undefined ? 200 : 400 })
}

/** What is demanded of a password for the account. */
const passwordOf = async ({ service, invitation }: InvitationVisit, name: string) =>
  await passwordFor(service.store, { email: invitation.email, name }, profilesOf(invitation))

/** Makes the account and signs the person in; yields the page where something is wrong. */
export async function join(visit: InvitationVisit, form: Parameters): Promise<unknown> {
  const { service, request, reply, link: text } = visit
  const name = (form.optional('name') ?? '').trim()
  const password = form.optional('password') ?? ''
  const known = await passwordOf(visit, name)
  const errors = errorsOf({ name, password, again: form.optional('password_again') ?? '' }, known)
  if (errors !== undefined) return await askToJoin(visit, { name, errors })
  const passwordHash = await service.passwords.hash(password)
  const now = service.now()
  const from = { address: request.ip, requestId: request.id }
  let made: Awaited<ReturnType<typeof acceptAsNew>>
  try {
    made = await acceptAsNew(service.store, { name, passwordHash }, { text, now, from })
  } catch (error) {
    // Somebody got an account with this address meanwhile: they are asked to sign in.
    if (error instanceof Problem && error.code === 'conflict') return reply.redirect(request.url, 303)
    throw error
  }
  const device = readCookie(service, request, 'device') ?? newSecret()
  const started = await startSession(service.store, await sessionToEnd(service, request), {
    userUuid: made.userUuid,
    proofs: [passwordProof(passwordHash)],
    now,
    lifetime: service.settings.lifetimes.sessionAbsolute,
    from,
    device,
    browser: browserLabel(request.headers['user-agent']),
  })
  if (started !== undefined) {
    if (made.mailed) await provedByMailedLink(service, { userUuid: made.userUuid, sid: started.sid })
    setCookie(service, reply, 'session', started.cookie)
    setCookie(service, reply, 'device', device)
  }
  return 'joined'
}

const longestName = 200

/** By the rules of the administration API; undefined: nothing is wrong. */
function errorsOf(
  { name, password, again }: { name: string; password: string; again: string },
  known: PasswordFor,
): JoinErrors | undefined {
  const differs = password === again ? undefined : 'differs'
  const fault = password === '' ? 'missing' : (passwordFault(password, known) ?? differs)
  const wrongName =
    textProblem(longestName)(name) === undefined ? undefined : name === '' ? 'missing' : 'wrong'
  if (fault === undefined && wrongName === undefined) return undefined
  return { ...(wrongName && { name: wrongName }), ...(fault && { password: fault }) }
}
